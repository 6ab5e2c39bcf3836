//! The golden runs: one short case per routing protocol and dialect, TCP variant, kind of wire, energy model,
//! propagation, fading and error model.
//!
//! Variants come from the registry, so a new one has cases at once, and the golden files lack them until they
//! are blessed. `every_word_of_a_scenario_has_a_case` finds other choices without a case.

use crate::common::load;
use tworay_sim::scenario::Scenario;

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// A built-in scenario, or a file beside this one.
    pub source: &'static str,
    pub seed: u64,
    /// Settings `key=value`, separated by spaces.
    pub overrides: String,
}

impl Case {
    /// The words by which the golden files know the run.
    pub fn title(&self) -> String {
        format!("{} {} {}", self.source, self.seed, self.overrides).trim_end().into()
    }

    pub fn scenario(&self) -> Scenario {
        let beside = format!("{}/tests/golden/{}", env!("CARGO_MANIFEST_DIR"), self.source);
        let source = if self.source.ends_with(".toml") { beside.as_str() } else { self.source };
        load(source, &self.overrides.split_whitespace().collect::<Vec<_>>())
    }
}

/// Layers together: strings, grids and moving fields.
const WHOLE: &[(&str, u64, &str)] = &[
    ("string-1", 1, "duration=20s routing.protocol=static"),
    ("string-4", 3, "duration=40s tcp.variant=tahoe"),
    ("string-4", 3, "duration=40s tcp.variant=reno"),
    ("string-4", 3, "duration=40s tcp.variant=newreno dialect=ns2"),
    ("string-7", 5, "duration=40s tcp.variant=sack radio.reception=capture"),
    ("string-4", 2, "duration=40s mac.rts=none routing.protocol=static"),
    ("grid-5x5", 1, "duration=30s"),
    ("cross", 4, "duration=30s"),
    ("strip-50", 1, "duration=30s"),
    ("square-50", 2, "duration=30s tcp.variant=sack"),
    ("steered.toml", 1, ""),
    ("traffic.toml", 1, ""),
    (
        "traffic.toml",
        2,
        "tcp.variant=cubic flow.0.sizes={kind=\"exponential\",mean=\"20kB\"} flow.1.sizes={kind=\"fixed\",size=\"2kB\"}",
    ),
];

const MAC: &[(&str, u64, &str)] = &[
    ("string-4", 1, "duration=15s mac.rts=partial"),
    ("string-4", 1, "duration=15s mac.rts=full mac.data_rate=11Mbps"),
    ("string-7", 1, "duration=15s mac.overload.link_red=true"),
    ("string-7", 1, "duration=15s mac.overload.pacing=true"),
    ("string-4", 1, "duration=15s mac.queue_limit=5 tcp.window=20"),
    ("interference", 1, "duration=15s"),
    ("interference", 1, "duration=15s dialect=ns2"),
    ("channel-errors", 1, "duration=15s"),
    ("channel-errors", 1, "duration=15s dialect=ns2"),
];

const ROUTING: &[(&str, u64, &str)] = &[
    ("field.toml", 1, "routing.protocol=static"),
    ("field.toml", 1, "routing.protocol=aodv"),
    ("field.toml", 1, "routing.protocol=aodv dialect=ns2"),
    ("field.toml", 1, "routing.protocol=aodv routing.aodv.dialect=thesis"),
    ("field.toml", 1, "routing.protocol=aodv routing.aodv.dialect=thesis-trace"),
    ("field.toml", 1, "routing.protocol=aodv routing.aodv.hello=active-routes routing.aodv.blacklist=true"),
    ("field.toml", 1, "routing.protocol=dsr"),
    ("field.toml", 1, "routing.protocol=dsr dialect=ns2"),
    ("field.toml", 1, "routing.protocol=dsr routing.dsr.dialect=thesis"),
    ("field.toml", 1, "routing.protocol=dsr routing.dsr.dialect=thesis-trace"),
    ("field.toml", 1, "routing.protocol=dsr routing.dsr.dialect=freeze-probing"),
    ("field.toml", 1, "routing.protocol=olsr"),
    ("field.toml", 1, "routing.protocol=olsr dialect=ns2"),
    ("field.toml", 1, "routing.protocol=olsr routing.olsr.dialect=thesis"),
    ("field.toml", 1, "routing.protocol=olsr routing.olsr.dialect=thesis-trace"),
    (
        "field.toml",
        1,
        "routing.protocol=olsr routing.olsr.link_layer_feedback=true routing.olsr.hysteresis=true",
    ),
    ("field.toml", 1, "routing.protocol=olsr routing.olsr.tc_redundancy=neighbours"),
    ("route-break", 1, "duration=50s"),
];

const RADIO: &[(&str, u64, &str)] = &[
    ("string-3", 1, "duration=15s radio.propagation=free-space"),
    ("string-3", 1, "duration=15s radio.propagation=range"),
    ("string-3", 1, "duration=15s radio.propagation.log-distance.exponent=2.7 topology.spacing=150m"),
    ("measured.toml", 1, ""),
    ("string-3", 1, "duration=15s radio.shadowing.coherence=1s topology.spacing=180m"),
    ("string-3", 1, "duration=15s dialect=ns2 radio.shadowing.sigma=3dB topology.spacing=180m"),
    ("string-3", 1, "duration=15s radio.fading.k=6 topology.spacing=150m"),
    ("string-3", 1, "duration=15s radio.fading.coherence=100ms topology.spacing=120m"),
    // Nodes 405 m apart hear each other only at gains above (405/250)^4 = 6.9.
    ("string-7", 1, "duration=15s routing.protocol=static radio.fading.k=0 topology.spacing=135m"),
    ("string-7", 1, "duration=15s radio.sinr.errors=threshold"),
    ("string-2", 1, "duration=15s radio.profile=custom radio.tx_power=0.1W topology.spacing=150m"),
];

/// Radios of 802.11a/g/n/ac.
const AIR: &[(&str, u64, &str)] = &[
    ("string-1", 1, "duration=3s radio.standard=b"),
    ("string-2", 1, "duration=5s radio.preset=b-2"),
    ("string-2", 1, "duration=5s radio.preset=b-11"),
    (
        "string-2",
        1,
        "duration=5s radio.standard=a radio.rate=fixed radio.mcs=2 radio.band=5GHz radio.width=20MHz",
    ),
    ("string-3", 1, "duration=5s radio.preset=g radio.slot=short mac.queue=fifo mac.rts=full"),
    ("string-3", 1, "duration=5s radio.preset=n20 radio.guard=long radio.slot=long"),
    ("string-3", 1, "duration=5s radio.preset=n40x2 radio.guard=short mac.rts_threshold=3000B"),
    ("string-3", 1, "duration=5s radio.preset=ac80x2 radio.rate=ideal mac.queue=fq-codel"),
    (
        "string-3",
        1,
        "duration=5s radio.standard=n radio.rate=minstrel-ht radio.fading.k=3 topology.spacing=100m",
    ),
    ("string-2", 1, "duration=5s radio.standard=n radio.rate=minstrel-ht-lookaround"),
    ("string-2", 1, "duration=5s radio.standard=n radio.rate=fixed radio.mcs=5"),
    ("string-3", 1, "duration=5s radio.preset=n20 mac.missing_block_ack=request mac.lifetime=50ms"),
    ("string-3", 1, "duration=5s radio.preset=n20 mac.missing_block_ack=repeat"),
    ("cross", 1, "duration=5s radio.preset=n20 flow.0.category=voice flow.1.category=background"),
    (
        "cross",
        1,
        "duration=5s radio.preset=ac80x2 flow.0.category=video flow.1.category=best-effort mac.queue=fifo",
    ),
];

const ERRORS: &[(&str, u64, &str)] = &[
    ("string-2", 1, "duration=15s errors.frame_err.bernoulli.rate=0.1"),
    ("string-2", 1, "duration=15s errors.frame_err={bernoulli={rate=5e-5,unit=\"bit\"}}"),
    ("string-2", 1, "duration=15s errors.frame_err.gilbert-elliott={good_to_bad=0.02,bad_to_good=0.1}"),
    (
        "string-2",
        1,
        "duration=15s errors.frame_err.gilbert-elliott={good_to_bad=1e-5,bad_to_good=1e-4,unit=\"bit\"}",
    ),
    ("string-2", 1, "duration=15s errors.pkt_err.bernoulli.rate=0.03"),
    ("string-2", 1, "duration=15s errors.pkt_err={bernoulli={rate=2e-6,unit=\"bit\"}}"),
    ("string-2", 1, "duration=15s errors.pkt_err.gilbert-elliott={good_to_bad=0.01,bad_to_good=0.3}"),
    (
        "string-2",
        1,
        "duration=15s errors.pkt_err.gilbert-elliott={good_to_bad=1e-6,bad_to_good=1e-4,unit=\"bit\"}",
    ),
];

const WIRES: &[(&str, u64, &str)] = &[
    ("wired.toml", 1, "wire_kind.bottleneck.red.gentle=true"),
    ("wired.toml", 1, "wire_kind.bottleneck.red.gentle=false wire_kind.bottleneck.queue=40"),
    ("wired.toml", 1, "wire_kind.bottleneck.red.unit=byte wire_kind.bottleneck.red.mean_packet=1000B"),
    ("wired.toml", 1, "wire.3.handoffs={length=\"1s\",at=[\"4s\",\"12s\"]}"),
    ("wired.toml", 1, "wire.3.handoffs={length=\"0.5s\",count=6}"),
    ("wired.toml", 1, "wire.3.drops=[50,51,52,300,900]"),
    ("wired.toml", 1, "wire.3.errors={bernoulli={rate=1e-6,unit=\"bit\"}}"),
    (
        "wired.toml",
        1,
        "wire.3.kind=access wire.3.errors={gilbert-elliott={good_to_bad=0.005,bad_to_good=0.3}}",
    ),
    (
        "wired.toml",
        1,
        "wire.3.kind=access wire.3.errors={gilbert-elliott={good_to_bad=1e-6,bad_to_good=1e-4,unit=\"bit\"}}",
    ),
    ("wired.toml", 1, "wire.3.kind=access wire.3.errors_back.bernoulli.rate=0.1"),
    ("wired.toml", 1, "wire.3.errors_back={bernoulli={rate=1e-4,unit=\"bit\"}}"),
    ("wired.toml", 1, "wire.3.errors_back={gilbert-elliott={good_to_bad=0.02,bad_to_good=0.3}}"),
    (
        "wired.toml",
        1,
        "wire.3.errors_back={gilbert-elliott={good_to_bad=1e-5,bad_to_good=1e-3,unit=\"bit\"}}",
    ),
    (
        "wired.toml",
        1,
        "wire.3.lanes={period=\"10s\",schedule=[[\"0s\",0],[\"4s\",1]],\
         class=[{delay=\"20ms\"},{delay=\"60ms\",loss=0.02,loss_back=0.01}]}",
    ),
    ("dumbbell-4", 1, "duration=15s"),
    ("split-dumbbell-decrease-4", 1, "duration=25s dialect=ns2"),
];

const ENERGY: &[(&str, u64, &str)] = &[
    ("relay.toml", 1, "energy.model=states energy.preset=ns2"),
    ("relay.toml", 1, "energy.model=states energy.preset=wavelan"),
    ("relay.toml", 1, "energy.model=states energy.preset=usb-80211n"),
    ("relay.toml", 1, "energy.model=per-packet"),
    ("relay.toml", 1, "energy.model=states energy.preset=wavelan energy.battery=10J"),
    (
        "relay.toml",
        1,
        "energy.model=per-packet energy.battery=2J energy.draw_computing=true energy.instruction=1e-6J",
    ),
    ("energy-field", 1, "duration=35s energy.battery=5J"),
];

/// TCP's settings apart from variants.
const TCP: &[(&str, u64, &str)] = &[
    ("wired.toml", 1, "tcp.receiver.acks=delayed"),
    ("wired.toml", 1, "tcp.receiver.acks=daa"),
    ("wired.toml", 1, "tcp.receiver.acks=stretched"),
    ("wired.toml", 1, "tcp.receiver.acks=tack"),
    ("wired.toml", 1, "tcp.timestamps=true tcp.timing=every-segment"),
    ("wired.toml", 1, "tcp.handshake=none tcp.idle_restart=off"),
    ("wired.toml", 1, "tcp.idle_restart=decay"),
    ("wired.toml", 1, "tcp.halving_precision=integer"),
    (
        "wired.toml",
        1,
        "tcp.newreno.entry=less-careful tcp.newreno.exit=ssthresh tcp.newreno.timer=slow-but-steady",
    ),
    (
        "wired.toml",
        1,
        "tcp.variant=sack tcp.sack.form=tcp-linux tcp.rto.arithmetic=linux-ticks tcp.tick=10ms",
    ),
    ("wired.toml", 1, "tcp.variant=sack tcp.sack.partial_ack=two-segments dialect=ns2"),
    ("wired.toml", 1, "tcp.variant=sack tcp.sack.dsack=true tcp.rto.arithmetic=linux"),
];

/// Movement and topology.
const PLACES: &[(&str, u64, &str)] = &[
    ("signal-loss", 1, "duration=40s"),
    ("route-break", 1, "duration=50s routing.protocol=olsr"),
    ("recorded.toml", 1, "mobility.kind=ns2-file mobility.file=movement.ns2"),
    ("recorded.toml", 1, "mobility.kind=bonnmotion-file mobility.file=movement.bm"),
];

/// Recoveries, which also get wired runs in ns-2's dialect, and runs with several losses in a window.
pub const RECOVERIES: [&str; 6] = ["tahoe", "reno", "newreno", "sack", "vegas", "linux"];

/// Every variant of the registry as users write it, and each word of its parameters that is not the default.
fn variants() -> (Vec<String>, Vec<String>) {
    let (mut plain, mut words) = (Vec::new(), Vec::new());
    for info in tworay_sim::variants() {
        // A parameter that must be given is a number of segments.
        let needed: Vec<&str> = info.parameters.iter().filter(|p| p.default.is_none()).map(|_| "4").collect();
        let given = if needed.is_empty() { String::new() } else { format!("({})", needed.join(",")) };
        plain.push(format!("{}{given}", info.name));
        for parameter in info.parameters {
            words.extend(
                parameter
                    .choices
                    .iter()
                    .skip(1)
                    .map(|word| format!("{}({}={word})", info.name, parameter.name)),
            );
        }
    }
    (plain, words)
}

/// All golden runs.
pub fn cases() -> Vec<Case> {
    let listed = [WHOLE, MAC, ROUTING, RADIO, AIR, ERRORS, WIRES, ENERGY, TCP, PLACES].concat();
    let mut cases: Vec<Case> = listed
        .into_iter()
        .map(|(source, seed, overrides)| Case { source, seed, overrides: overrides.into() })
        .collect();
    let mut add = |source, overrides| cases.push(Case { source, seed: 1, overrides });
    let (plain, words) = variants();
    for variant in &plain {
        add("wired.toml", format!("tcp.variant={variant}"));
        add("relay.toml", format!("tcp.variant={variant}"));
        add("relay.toml", format!("tcp.variant={variant} dialect=ns2"));
    }
    for variant in RECOVERIES {
        add("wired.toml", format!("tcp.variant={variant} dialect=ns2"));
        add("burst.toml", format!("tcp.variant={variant}"));
        add("burst.toml", format!("tcp.variant={variant} dialect=ns2"));
    }
    for variant in words {
        add("relay.toml", format!("tcp.variant={variant}"));
    }
    cases
}
