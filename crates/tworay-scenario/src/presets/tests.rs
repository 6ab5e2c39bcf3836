use crate::Scenario;
use tworay_base::{Bytes, Metres};
use tworay_radio::Channel;
use tworay_radio::phy::{Band, Standard, Width};

fn read(more: &[&str]) -> Result<Scenario, String> {
    let sets: Vec<String> = more.iter().map(|set| (*set).to_owned()).collect();
    Scenario::load("string-4", &sets).map_err(|error| error.to_string())
}

fn refused(more: &[&str]) -> String {
    read(more).expect_err("the combination is refused")
}

#[test]
fn presets_select_a_radio_and_its_reach() {
    for (preset, standard, band, width, streams) in [
        ("g", Standard::G, Band::Ghz2, Width::Mhz20, 1),
        ("n20", Standard::N, Band::Ghz2, Width::Mhz20, 1),
        ("n40x2", Standard::N, Band::Ghz5, Width::Mhz40, 2),
        ("ac80x2", Standard::Ac, Band::Ghz5, Width::Mhz80, 2),
    ] {
        let scenario = read(&[&format!("radio.preset={preset}")]).expect(preset);
        let radio = &scenario.settings.radio;
        let air = radio.air().expect(preset).expect(preset);
        assert_eq!((air.phy.standard, air.phy.band), (standard, band));
        assert_eq!((air.phy.width, air.phy.streams), (width, streams));
        // -82 dBm at 250 m: 20 + 10 - 40.1 - 30 lg 250 = -82.0; 27 + 10 - 46.7 - 30 lg 256 = -82.0.
        let channel = Channel::new(radio);
        let reach = channel.range_of(channel.rx_threshold());
        assert!((245.0..260.0).contains(&reach), "{preset}: {reach} m");
        assert!(scenario.settings.mac.rts_threshold > Bytes(65_535));
    }
}

#[test]
fn the_old_radio_has_names_and_no_new_keys() {
    let plain = read(&[]).expect("it is built in");
    let named = read(&["radio.preset=b-2"]).expect("b-2");
    assert_eq!(named.settings.mac, plain.settings.mac);
    assert!(named.settings.radio.air().expect("no standard").is_none());
    let written = plain.to_toml();
    let radio =
        &written[written.find("[radio]").expect("it has a radio")..written.find("[energy]").expect("energy")];
    assert!(!radio.contains("preset") && !radio.contains("standard =") && !radio.contains("mcs"), "{radio}");
    let fast = read(&["radio.preset=b-11"]).expect("b-11");
    assert_eq!(fast.settings.mac, read(&["mac.data_rate=11Mbps"]).expect("11 Mb/s").settings.mac);
}

#[test]
fn keys_beside_a_preset_take_precedence() {
    let sets = ["radio.preset=n20", "radio.tx_gain=0dB", "mac.rts_threshold=500B", "topology.spacing=20m"];
    let scenario = read(&sets).expect("they are free");
    assert_eq!(scenario.settings.mac.rts_threshold, Bytes(500));
    assert_eq!(scenario.settings.radio.antenna_height, Metres(1.5));
    assert!(scenario.settings.radio.tx_gain.get() == 0.0);
}

#[test]
fn a_written_scenario_with_a_preset_reads_as_the_same() {
    for (preset, more) in [
        ("g", "duration=9s"),
        ("n20", "flow.0.category=voice"),
        ("n40x2", "flow.0.category=best-effort"),
        ("ac80x2", "duration=9s"),
    ] {
        let scenario = read(&[&format!("radio.preset={preset}"), more]).expect(preset);
        let again = Scenario::from_toml(&scenario.to_toml(), "x.toml", std::path::Path::new(""), &[]);
        assert_eq!(again.expect(preset), scenario);
    }
}

#[test]
fn contradictions_and_forbidden_combinations_are_refused_with_both_names() {
    for (sets, words) in [
        (&["radio.preset=n20", "mac.slot=9us"][..], "mac.slot"),
        (&["radio.preset=n20", "mac.data_rate=11Mbps"], "mac.data_rate"),
        (&["radio.preset=ac80x2", "radio.sinr.errors=threshold"], "radio.sinr.errors"),
        (&["radio.preset=ac80x2", "radio.reception=capture"], "radio.reception"),
        (&["radio.preset=n20", "radio.standard=ac"], "contradicts radio.preset"),
        (&["radio.preset=n20", "radio.width=80MHz"], "at most 40 MHz"),
        (&["radio.preset=n20", "radio.band=5GHz"], "frequency = \"5.18GHz\""),
        (&["radio.standard=ac", "radio.band=2.4GHz"], "5 GHz only"),
        (&["radio.standard=ac", "radio.rate=fixed", "radio.mcs=9"], "MCS 9"),
        (&["radio.standard=n", "radio.rate=fixed"], "needs its index"),
        (&["radio.standard=n", "radio.rate=fixed", "radio.mcs=15"], "has no"),
        (&["radio.standard=n", "radio.mcs=3"], "isn't fixed"),
        (&["radio.standard=b", "radio.mcs=3"], "802.11b radio has no such key"),
        (&["mac.lifetime=50ms"], "802.11b has no such key"),
        (&["radio.standard=b", "mac.missing_block_ack=repeat"], "802.11b has no such key"),
        (
            &["radio.standard=a", "mac.lifetime=50ms"],
            "802.11a has neither aggregates nor block acknowledgment",
        ),
        (&["radio.preset=g", "mac.missing_block_ack=repeat"], "802.11g has neither"),
        (&["radio.standard=g", "mac.max_aggregate=4000B"], "802.11g has neither"),
        (&["radio.standard=n", "dialect=ns2"], "ns-2.35 has no 802.11n"),
        (&["flow.0.category=voice"], "802.11b as simulated here has no access categories"),
        (
            &["radio.preset=g", "flow.0.category=background"],
            "802.11g as simulated here has no access categories",
        ),
        (&["radio.preset=n20", "flow.0.category=vioce"], "voice"),
        (&["radio.width=40MHz"], "radio.standard"),
        (&["radio.standard=n", "radio.frequency=914MHz"], "5 GHz"),
        (&["radio.standard=n", "mac.basic_rate=11Mbps"], "OFDM"),
        (&["radio.standard=n", "radio.profile=wavelan-914"], "contradicts profile wavelan-914"),
    ] {
        let error = refused(sets);
        assert!(error.contains(words), "{sets:?}: {error}");
    }
}
