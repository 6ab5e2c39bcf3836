//! Energy computed by hand, state by state, and the exact time of death.

use super::*;
use proptest::prelude::*;

fn at(micros: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_micros(micros)
}

fn states(battery: Option<f64>) -> EnergyConfig {
    EnergyConfig {
        model: EnergyModel::States,
        transmit: Some(Watts(2.0)),
        receive: Some(Watts(1.0)),
        overhear: Some(Watts(0.5)),
        idle: Some(Watts(0.25)),
        sleep: Some(Watts(0.125)),
        battery: battery.map(Joules),
        ..EnergyConfig::default()
    }
}

/// One second in ten parts: what is on the air, and what each state consumes.
#[test]
fn every_state_costs_its_power_times_its_time() {
    let mut m = Meter::new(&states(None), 0);
    m.transmit(at(100_000), at(200_000)); // 100 ms transmit
    m.hear(at(150_000), at(300_000), true); // the station's own transmission covers its first 50 ms
    m.hear(at(250_000), at(400_000), false); // 100 ms of it remain after the wanted frame
    m.sleep(at(500_000));
    m.wake(at(700_000));
    m.advance(at(1_000_000));
    let millis: Vec<u64> = m.times().iter().map(|n| n / 1_000_000).collect();
    //                   transmit receive overhear idle sleep dead
    assert_eq!(millis, [100, 100, 100, 500, 200, 0]);
    assert_eq!(m.joules(), [0.2, 0.1, 0.05, 0.125, 0.025, 0.0]);
    assert!((m.spent() - 0.5).abs() < 1e-12);
}

/// 0.3 J: 100 ms idle (0.025 J) leave 0.275 J, which last 137.5 ms of the frame at 2 W.
#[test]
fn the_battery_is_empty_in_the_middle_of_a_frame() {
    let mut m = Meter::new(&states(Some(0.3)), 0);
    assert_eq!(m.empty_at(), at(1_200_000), "idle all the time");
    assert_eq!(m.predict(), Some(at(150_000)), "0.3 J last at least 150 ms");
    m.transmit(at(100_000), at(400_000));
    assert_eq!(m.empty_at(), at(237_500));
    assert_eq!(m.expire(at(237_500)), Ok(()));
    m.die(at(237_500));
    m.advance(at(1_000_000));
    assert_eq!(m.died_at(), Some(at(237_500)));
    assert!((m.spent() - 0.3).abs() < 1e-12 && m.left().abs() < 1e-12);
    assert_eq!(m.times()[RadioState::Dead as usize], 762_500_000);
}

/// With ns-2's powers an idle radio consumes nothing, and 10 J last for 15.15 s of transmitting.
#[test]
fn ten_joules_of_ns2() {
    let config =
        EnergyConfig { model: EnergyModel::States, battery: Some(Joules(10.0)), ..Default::default() };
    let mut m = Meter::new(&config, 0);
    assert_eq!(m.predict(), Some(SimTime::NEVER));
    m.transmit(SimTime::ZERO, at(100_000_000));
    let died = m.empty_at();
    assert!((died.as_secs_f64() - 10.0 / 0.660).abs() < 1e-8, "{died}");
}

#[test]
fn presets_are_what_their_sources_say() {
    let wavelan = EnergyPreset::Wavelan.powers();
    for (power, milliamperes) in
        [(wavelan.transmit, 280.0), (wavelan.receive, 204.0), (wavelan.idle, 178.0), (wavelan.sleep, 14.0)]
    {
        assert!((power - 4.74e-3 * milliamperes).abs() < 1e-9);
    }
    let own = EnergyConfig { preset: EnergyPreset::Usb80211n, idle: Some(Watts(0.5)), ..Default::default() };
    assert_eq!(own.powers(), Powers { idle: 0.5, ..EnergyPreset::Usb80211n.powers() });
}

/// As in Seddik-Ghaleb et al. (2006): fixed amounts per packet, nothing else. 10 mJ last for five packets of
/// 2 mJ.
#[test]
fn packets_cost_fixed_amounts() {
    let config = EnergyConfig {
        model: EnergyModel::PerPacket,
        packet_sent: Joules(2e-3),
        packet_received: Joules(1e-3),
        battery: Some(Joules(10e-3)),
        ..Default::default()
    };
    let mut m = Meter::new(&config, 0);
    assert_eq!(m.predict(), None);
    m.transmit(at(0), at(5_000_000));
    m.advance(at(5_000_000));
    assert_eq!(m.spent(), 0.0, "airtime costs nothing");
    assert!(!m.packet_sent() && !m.packet_sent() && !m.packet_received() && !m.packet_received());
    assert!((m.left() - 4e-3).abs() < 1e-15);
    assert!(!m.packet_sent());
    assert!(m.packet_sent(), "the fourth packet takes the last of it");
    assert_eq!(m.packets(), [4, 2]);
}

#[test]
fn wrong_settings_are_refused_with_their_key() {
    let check = |c: EnergyConfig| c.validate().expect_err("it is wrong").key;
    let d = EnergyConfig::default;
    assert_eq!(check(EnergyConfig { idle: Some(Watts(-1.0)), ..d() }), "idle");
    assert_eq!(check(EnergyConfig { battery: Some(Joules(0.0)), ..d() }), "battery");
    let twice = vec![NodeBattery { node: 1, battery: Joules(1.0) }; 2];
    assert_eq!(check(EnergyConfig { batteries: twice, ..d() }), "batteries[1].node");
    assert_eq!(check(EnergyConfig { sample: SimDuration::ZERO, ..d() }), "sample");
    assert_eq!(d().validate(), Ok(()));
    let own = EnergyConfig {
        battery: Some(Joules(10.0)),
        batteries: vec![NodeBattery { node: 3, battery: Joules(1.0) }],
        ..d()
    };
    assert_eq!((own.battery_of(2), own.battery_of(3), d().battery_of(2)), (10.0, 1.0, f64::INFINITY));
}

/// An event at a time (in microseconds) with a duration.
#[derive(Clone, Debug)]
struct Happening(u64, u64, u8);

proptest! {
    /// For any events and any times of observation: the states add up to the elapsed time, energy is times
    /// multiplied by powers, the energy spent is what the battery lost, and death comes within a nanosecond
    /// of the empty battery.
    #[test]
    fn energy_is_conserved(
        steps in proptest::collection::vec((0u64..5_000, 1u64..9_000, 0u8..5).prop_map(|(a, b, c)| Happening(a, b, c)), 1..60),
        battery in 0.001f64..0.2,
        idle in prop_oneof![Just(0.0), 0.01f64..0.5],
    ) {
        let config = EnergyConfig { idle: Some(Watts(idle)), ..states(Some(battery)) };
        let mut m = Meter::new(&config, 0);
        let mut due = m.predict().unwrap_or(SimTime::NEVER);
        let mut now = SimTime::ZERO;
        let mut looked = Meter::new(&states(None), 0);
        for Happening(wait, long, what) in steps {
            let next = now + SimDuration::from_micros(wait);
            while due <= next && m.died_at().is_none() {
                now = due;
                match m.expire(now) {
                    Ok(()) => m.die(now),
                    Err(again) => due = again.unwrap_or(SimTime::NEVER),
                }
            }
            now = next;
            let until = now + SimDuration::from_micros(long);
            let answer = match what {
                0 => m.transmit(now, until),
                1 => m.hear(now, until, true),
                2 => m.hear(now, until, false),
                3 => m.sleep(now),
                _ => m.wake(now),
            };
            if let Some(at) = answer {
                due = at;
            }
            looked.advance(now);
        }
        m.advance(now);
        prop_assert_eq!(m.times().iter().sum::<u64>(), now.as_nanos());
        prop_assert_eq!(looked.times().iter().sum::<u64>(), now.as_nanos());
        let drawn: f64 = m.joules().iter().sum();
        prop_assert!((battery - m.left() - m.spent()).abs() < 1e-12);
        // Death is late by at most one nanosecond at the highest power.
        prop_assert!(drawn <= battery + 2.1e-9, "drew {drawn} of {battery}");
        if m.died_at().is_some() {
            prop_assert!(drawn >= battery * (1.0 - 1e-11), "died with {} left", battery - drawn);
        } else {
            prop_assert!(due >= now || m.left() > 0.0);
        }
    }
}

/// Feeney and Nilsson: 280 mA at 4.74 V are 1.3272 W. Every preset that a scenario can name is there.
#[test]
fn the_schema_has_each_power_in_every_preset() {
    let schema = schemars::schema_for!(EnergyConfig).to_value();
    let named: Vec<&str> = schema["$defs"]["EnergyPreset"]["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|form| form["const"].as_str().unwrap())
        .collect();
    for key in ["transmit", "receive", "idle", "sleep"] {
        let presets = schema["properties"][key]["x-presets"].as_object().unwrap();
        assert!(named.iter().all(|&name| presets.contains_key(name)), "{key}: {presets:?}");
        assert_eq!(presets.len(), named.len());
    }
    assert_eq!(schema["properties"]["transmit"]["x-presets"]["wavelan"], "1.3272W");
    // Without a key of its own, overhearing costs what `receive` says, not what the preset says.
    assert_eq!(schema["properties"]["overhear"].get("x-presets"), None);
}
