//! Scenario files from the user's view: read from disk, layered, overridden, written back.

use std::fs;
use std::path::{Path, PathBuf};
use tworay_base::{Bytes, Dialect, FollowsDialect, SimDuration};
use tworay_mac::MacConfig;
use tworay_mobility::MobilityConfig;
use tworay_routing::{Protocol, RoutingConfig};
use tworay_scenario::Application;
use tworay_scenario::{Scenario, builtin_list, builtin_text, json_schema};
use tworay_tcp::{RecoveryKind, TcpConfig, TcpQuirks};

const PLAIN: &str = r#"
duration = "100s"
[topology]
kind = "string"
hops = 4
[[flow]]
from = 0
to = 4
"#;

fn read(text: &str, sets: &[&str]) -> Scenario {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    match Scenario::from_toml(text, "plain.toml", Path::new(""), &sets) {
        Ok(scenario) => scenario,
        Err(error) => panic!("{error}"),
    }
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the test folder can be written");
    path
}

#[test]
fn what_is_left_out_has_the_standard_value() {
    let scenario = read(PLAIN, &[]);
    assert_eq!(scenario.name(), "plain", "the file's name");
    assert_eq!(scenario.settings.warmup, SimDuration::ZERO);
    assert_eq!(scenario.settings.mac, MacConfig::default());
    assert_eq!(scenario.settings.tcp, TcpConfig::default());
    assert_eq!(scenario.settings.routing, RoutingConfig::default());
    let flow = &scenario.flows[0];
    assert!(
        matches!(&flow.application, Application::Ftp { bytes: None, variant } if variant.name() == "newreno")
    );
}

#[test]
fn dialect_ns2_changes_the_defaults_and_the_users_keys_stay_on_top() {
    let text = PLAIN.replace(
        "[topology]",
        "dialect = \"ns2\"\n[mac]\nrts_threshold = \"3000B\"\n[tcp.rto]\nmin = \"1s\"\n[topology]",
    );
    let scenario = read(&text, &["mac.queue_limit=20"]);
    assert_eq!(scenario.settings.dialect, Dialect::Ns2);
    let mac = MacConfig { rts_threshold: Bytes(3000), queue_limit: 20, ..MacConfig::ns2() };
    assert_eq!(scenario.settings.mac, mac);
    assert_eq!(scenario.settings.mac.dialect, Dialect::Ns2);
    let mut tcp = TcpConfig::ns2();
    tcp.rto.min = SimDuration::from_secs(1);
    assert_eq!(scenario.settings.tcp, tcp);
    assert_eq!(scenario.settings.routing, RoutingConfig::of(Dialect::Ns2));
    assert_eq!(read(PLAIN, &["dialect=ns2"]).settings.mac, MacConfig::ns2(), "--set does the same");
}

/// No table's quirks follow another table's key.
#[test]
fn mac_and_reception_have_their_own_dialects() {
    let quirks = |sets: &[&str]| {
        let settings = read(PLAIN, sets).settings;
        (settings.mac.quirks(), settings.radio.quirks())
    };
    let (mac, radio) = quirks(&[]);
    let (mac_ns2, radio_ns2) = quirks(&["dialect=ns2"]);
    assert!(mac != mac_ns2 && radio != radio_ns2);
    assert_eq!(quirks(&["mac.dialect=ns2"]), (mac_ns2, radio));
    assert_eq!(quirks(&["radio.dialect=ns2"]), (mac, radio_ns2));
    assert_eq!(quirks(&["dialect=ns2", "mac.dialect=standard"]), (mac, radio_ns2));
}

/// The key that selects an agent of ns-2 brings its quirks, in either dialect; the dialects of other tables bring
/// none.
#[test]
fn quirks_of_tcp_follow_keys_of_tcp() {
    let quirks = |recovery, sets: &[&str]| read(PLAIN, sets).settings.tcp.quirks(recovery);
    let ns2 = |recovery| TcpConfig::ns2().quirks(recovery);
    let (vegas, newreno) = (RecoveryKind::Vegas, RecoveryKind::NewReno);
    for recovery in [vegas, newreno] {
        assert_eq!(quirks(recovery, &["mac.dialect=ns2", "radio.dialect=ns2"]), TcpQuirks::STANDARD);
        assert_eq!(quirks(recovery, &["dialect=ns2", "mac.dialect=standard"]), ns2(recovery));
    }
    // The timer's quirk and those of Vegas' SYN come with keys of their own.
    let kept = TcpQuirks { lost_syn_keeps_rto: true, ..TcpQuirks::STANDARD };
    assert_eq!(quirks(vegas, &["dialect=ns2", "tcp.vegas=clean"]), kept);
    assert_eq!(quirks(newreno, &["dialect=ns2", "tcp.newreno.exit=flight"]), kept);
    assert_eq!(
        quirks(newreno, &["tcp.newreno.exit=keep"]),
        TcpQuirks { lost_syn_keeps_rto: false, ..ns2(newreno) }
    );
    let exact = ["tcp.vegas=ns2", "tcp.handshake=one-way"];
    assert_eq!(quirks(vegas, &exact), TcpQuirks { lost_syn_keeps_rto: false, ..ns2(vegas) });
}

#[test]
fn set_lays_single_values_over_the_file() {
    let sets = [
        "mac.rts_threshold=3000B",
        "routing.protocol=static",
        "mac.arp=false",
        "mac.short_retry_limit = 5",
        "flow.0.tcp=sack",
        "flow.0.start=\"2s\"",
        "summary=a text = with signs",
        "mac.rts_threshold=500B",
    ];
    let scenario = read(PLAIN, &sets);
    assert_eq!(scenario.settings.mac.rts_threshold, Bytes(500), "the last one counts");
    assert_eq!(scenario.settings.routing.protocol, Protocol::Static);
    assert!(!scenario.settings.mac.arp);
    assert_eq!(scenario.settings.mac.short_retry_limit, 5);
    assert_eq!(scenario.flows[0].start.as_nanos(), 2_000_000_000);
    assert_eq!(scenario.settings.summary, "a text = with signs");
    assert!(
        matches!(&scenario.flows[0].application, Application::Ftp { variant, .. } if variant.name() == "sack")
    );
}

#[test]
fn flows_without_ports_get_free_ones() {
    let flows =
        "[[flow]]\nfrom = 1\nto = 4\n[[flow]]\nfrom = 2\nto = 4\nport = 5001\n[[flow]]\nfrom = 4\nto = 0\n";
    let scenario = read(&format!("{PLAIN}{flows}"), &[]);
    let ports: Vec<u16> = scenario.flows.iter().map(|flow| flow.port).collect();
    assert_eq!(
        ports,
        [5002, 5003, 5001, 5001],
        "ports belong to nodes, and what the user asks for comes first"
    );
}

#[test]
fn every_kind_of_flow_is_read() {
    let flows = r#"
[[flow]]
from = 1
to = 2
bytes = "1MB"
[[flow]]
from = 1
to = 2
app = "cbr"
rate = "200kbps"
size = "500B"
stop = "50s"
[[flow]]
from = 1
to = 2
app = "on-off"
interval = "10ms"
on = "1s"
off = "2s"
"#;
    let scenario = read(&format!("{PLAIN}{flows}"), &[]);
    assert!(matches!(scenario.flows[1].application, Application::Ftp { bytes: Some(1_000_000), .. }));
    // 500 B at 200 kb/s: 4000 bits every 20 ms.
    let interval = SimDuration::from_millis(20);
    assert_eq!(scenario.flows[2].application, Application::Cbr { interval, payload: 500, packets: None });
    let (on, off) = (SimDuration::from_secs(1), SimDuration::from_secs(2));
    let interval = SimDuration::from_millis(10);
    assert_eq!(scenario.flows[3].application, Application::OnOff { interval, payload: 512, on, off });
}

#[test]
fn with_variant_changes_every_tcp_flow_and_nothing_else() {
    let text = format!(
        "{PLAIN}[[flow]]\nfrom = 1\nto = 2\ntcp = \"tahoe\"\n[[flow]]\nfrom = 1\nto = 3\napp = \"cbr\"\nrate = \"9600bps\"\n"
    );
    let scenario = read(&text, &[]);
    let sack = scenario.with_variant("sack").unwrap();
    let names = |scenario: &Scenario| -> Vec<String> {
        let name = |flow: &tworay_scenario::FlowSetup| match &flow.application {
            Application::Ftp { variant, .. } => variant.name().to_owned(),
            _ => "-".to_owned(),
        };
        scenario.flows.iter().map(name).collect()
    };
    assert_eq!(names(&scenario), ["newreno", "tahoe", "-"]);
    assert_eq!(names(&sack), ["sack", "sack", "-"]);
    let rest = |scenario: &Scenario| {
        (scenario.settings.mac.clone(), scenario.settings.tcp.clone(), scenario.settings.topology.clone())
    };
    assert_eq!(rest(&sack), rest(&scenario));
    let error = scenario.with_variant("sakc").unwrap_err().to_string();
    assert_eq!(error, "--tcp: \"sakc\": there is no variant sakc\n   | sakc\n   | ^^^^\nDid you mean sack?");
}

#[test]
fn a_resolved_scenario_reads_back_to_itself() {
    let mut texts: Vec<String> = builtin_list().iter().map(|b| builtin_text(&b.name).unwrap()).collect();
    texts.push(
        PLAIN.replace("[topology]", "dialect = \"ns2\"\nsummary = \"quotes \\\" and näme\"\n[topology]"),
    );
    texts
        .push(PLAIN.replace("[topology]", "[routing.aodv]\ndialect = \"thesis\"\nttl_start = 3\n[topology]"));
    texts.push(
        PLAIN.replace(
            "[topology]",
            "[radio]\npropagation = { log-distance = { exponent = 2.7 } }\n[topology]",
        ),
    );
    texts.push(WIRED.to_owned());
    texts.push(format!("{PLAIN}[[event]]\nnode = 1\nat = \"50s\"\nwhat = \"down\"\n[[event]]\nnode = 1\nat = \"20.000000001s\"\nwhat = \"up\"\n[[event]]\nflow = 0\nat = \"60s\"\nwhat = \"cut\"\nfor = \"1s\"\n"));
    for text in texts {
        let scenario = read(&text, &[]);
        let written = scenario.to_toml();
        let again = match Scenario::from_toml(&written, "again.toml", Path::new(""), &[]) {
            Ok(again) => again,
            Err(error) => panic!("{error}\n{written}"),
        };
        assert_eq!(again, scenario, "{written}");
        assert_eq!(again.to_toml(), written);
        assert!(written.contains("queue_limit"), "it is complete, defaults included");
    }
}

const WIRED: &str = r#"
duration = "6s"
[[wire]]
from = 0
to = 1
rate = "8Mbps"
[[wire]]
from = 1
to = 2
rate = "800kbps"
delay = "100ms"
queue = 7
drops = [14, 28]
[[flow]]
from = 0
to = 2
start = "1s"
"#;

#[test]
fn links_alone_make_a_wired_network() {
    let scenario = read(WIRED, &[]);
    assert_eq!((scenario.node_count(), scenario.radio_node_count()), (3, 0));
    let setup = scenario.setup(1, false).unwrap();
    assert!(!setup.has_radio);
    assert_eq!(setup.tracks.len(), 3);
    let ends: Vec<_> = setup.wires.iter().map(|w| (w.from.0, w.to.0, w.queue, w.drops.clone())).collect();
    assert_eq!(
        ends,
        [(0, 1, 50, vec![]), (1, 0, 50, vec![]), (1, 2, 7, vec![14, 28]), (2, 1, 7, vec![])],
        "each link is two wires; listed drops happen on the way from `from` to `to`"
    );
}

#[test]
fn events_are_switched_in_order_of_time() {
    let text = format!(
        "{PLAIN}[[event]]\nnode = 1\nat = \"50s\"\nwhat = \"up\"\n[[event]]\nnode = 1\nat = \"20s\"\nwhat = \"down\"\n"
    );
    let setup = read(&text, &[]).setup(1, false).unwrap();
    let switches: Vec<_> =
        setup.switches.iter().map(|(at, node, on)| (at.as_secs_f64(), node.0, *on)).collect();
    assert_eq!(switches, [(20.0, 1, false), (50.0, 1, true)]);
}

#[test]
fn links_of_flows_are_cut_for_a_time_or_for_good() {
    let text = format!(
        "{PLAIN}[[event]]\nat = \"50s\"\nwhat = \"cut\"\n[[event]]\nflow = 0\nat = \"20s\"\nwhat = \"cut\"\nfor = \"5s\"\n"
    );
    let setup = read(&text, &[]).setup(1, false).unwrap();
    let cuts: Vec<_> =
        setup.cuts.iter().map(|c| (c.at.as_secs_f64(), c.flow.map(|f| f.0), c.lasts)).collect();
    let five = SimDuration::from_secs(5);
    assert_eq!(cuts, [(20.0, Some(0), five), (50.0, None, SimDuration::MAX)]);
}

#[test]
fn movement_files_are_found_beside_the_scenario() {
    let folder = folder("beside");
    fs::write(
        folder.join("walk.mov"),
        "$node_(0) set X_ 0\n$node_(0) set Y_ 0\n$node_(1) set X_ 9\n$node_(1) set Y_ 0\n",
    )
    .unwrap();
    let text = "duration = \"9s\"\nmobility = { kind = \"ns2-file\", file = \"walk.mov\" }\n[[flow]]\nfrom = 0\nto = 1\n";
    let path = folder.join("walk.toml");
    fs::write(&path, text).unwrap();
    let scenario = Scenario::load(path.to_str().unwrap(), &[]).unwrap();
    assert_eq!((scenario.name(), scenario.node_count()), ("walk", 2));
    assert_eq!(scenario.settings.mobility, MobilityConfig::Ns2File { file: folder.join("walk.mov") });
    let again = Scenario::from_toml(&scenario.to_toml(), "x", Path::new(""), &[]).unwrap();
    assert_eq!(again, scenario);

    // Errors in the movement file have their own position.
    fs::write(folder.join("walk.mov"), "$node_(0) set X_ 0\n$node_(0) set Y_ here\n").unwrap();
    let message = Scenario::load(path.to_str().unwrap(), &[]).unwrap_err().to_string();
    let expected = format!(
        "{0}/walk.toml:2:40: mobility.file: {0}/walk.mov:2: \"here\" is not a valid coordinate",
        folder.display()
    );
    assert!(message.starts_with(&expected), "{message}\n{expected}");
}

#[test]
fn files_that_cannot_be_read_are_refused() {
    let folder = folder("unreadable");
    let load = |name: &str| Scenario::load(folder.join(name).to_str().unwrap(), &[]).unwrap_err().to_string();
    fs::write(folder.join("latin.toml"), b"# Caf\xe9\n").unwrap();
    fs::create_dir(folder.join("dir.toml")).unwrap();
    let at = folder.display();
    assert_eq!(
        load("none.toml"),
        format!(
            "{at}/none.toml: there is no such file\nCheck the path, or name a built-in scenario without \".toml\"; `tworay scenarios` lists them."
        )
    );
    assert_eq!(
        load("latin.toml"),
        format!(
            "{at}/latin.toml:1: byte 0xe9 is not UTF-8 text\nA scenario is TOML text in UTF-8: save it as UTF-8, or check the path."
        )
    );
    assert_eq!(
        load("dir.toml"),
        format!(
            "{at}/dir.toml: the file can't be read: Is a directory (os error 21)\nName a file, not a folder."
        )
    );
}

#[test]
fn a_byte_order_mark_does_no_harm() {
    let path = folder("bom").join("bom.toml");
    fs::write(&path, format!("\u{feff}{PLAIN}")).unwrap();
    assert!(Scenario::load(path.to_str().unwrap(), &[]).is_ok());
}

#[test]
fn errors_tell_programs_where_they_are() {
    let text = PLAIN.replace("to = 4", "to = 9");
    let error = Scenario::from_toml(&text, "plain.toml", Path::new(""), &[]).unwrap_err();
    assert_eq!(error.position(), Some(("plain.toml", 8, 6)));
    assert_eq!(error.problem(), "flow.0.to: there is no node 9");
    assert_eq!(error.remedy(), "This scenario has 5 nodes, numbered 0 to 4.");
}

#[test]
fn the_json_schema_knows_every_key_with_its_description() {
    let schema = json_schema();
    let at = |path: &str| schema.pointer(path).unwrap_or_else(|| panic!("{path} is missing"));
    assert_eq!(at("/additionalProperties"), false);
    assert_eq!(at("/required"), &serde_json::json!(["duration"]));
    for key in [
        "name", "duration", "dialect", "topology", "mobility", "radio", "mac", "routing", "tcp", "flow",
        "wire", "event",
    ] {
        assert!(at("/properties").get(key).is_some(), "{key}");
    }
    for key in ["variant", "mss", "rto"] {
        assert!(at("/$defs/TcpConfig/properties").get(key).is_some(), "{key}");
    }
    let about = at("/$defs/MacConfig/properties/rts_threshold/description").as_str().unwrap();
    assert!(about.contains("RTS/CTS"), "{about}");
}

#[test]
fn random_bytes_and_mutilated_scenarios_never_panic() {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;
    let sets = proptest::collection::vec("[a-z.0-9=\"\\[\\]{} ]{0,20}", 0..3);
    let cut = (0..PLAIN.len(), "[ -~\n]{0,12}", sets);
    let checked = TestRunner::default().run(&cut, |(at, junk, sets)| {
        let mut text = PLAIN.to_owned();
        text.insert_str(at, &junk);
        if let Err(error) = Scenario::from_toml(&text, "s.toml", Path::new(""), &sets) {
            prop_assert!(!error.to_string().is_empty());
        }
        Ok(())
    });
    checked.unwrap();
}

/// Whatever number a key has, the result is a scenario or a message.
#[test]
fn extreme_numbers_are_taken_or_refused_but_never_panic() {
    let keys = [
        "mac.cw_min",
        "mac.cw_max",
        "mac.queue_limit",
        "tcp.window",
        "tcp.initial_window",
        "tcp.max_burst",
        "tcp.rto.backoff_cap",
        "tcp.dup_threshold",
        "routing.aodv.net_diameter",
        "topology.hops",
        "flow.0.to",
        "flow.0.port",
        "duration",
        "warmup",
        "mac.rts_threshold",
        "mac.data_rate",
        "tcp.mss",
        "tcp.rto.max",
        "flow.0.start",
        "flow.0.bytes",
        "topology.spacing",
        "radio.tx_power",
        "radio.capture_ratio",
        "routing.aodv.buffer_timeout",
    ];
    let numbers =
        ["0", "1", "255", "65535", "4294967295", "9223372036854775807", "-1", "1e308", "nan", "inf"];
    let units = ["", "s", "ns", "h", "B", "GB", "bps", "Gbps", "m", "km", "W", "dB"];
    let mut accepted = 0;
    for key in keys {
        for number in numbers {
            for unit in units {
                let set = format!("{key}={number}{unit}");
                accepted += usize::from(Scenario::from_toml(PLAIN, "s.toml", Path::new(""), &[set]).is_ok());
            }
        }
    }
    assert!(accepted > keys.len(), "some of these are right: {accepted}");
}

/// Flows of every application are written back as they were read.
#[test]
fn traffic_of_every_kind_is_written_and_read_back() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kinds");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("up.trace"), "5\n7\n").unwrap();
    let text = "duration = \"10s\"\n[topology]\nkind = \"string\"\nhops = 2\n\
        [[flow]]\nfrom = 0\nto = 2\napp = \"web\"\nevery = \"1s\"\nsizes = { kind = \"pareto\", least = \"1kB\", most = \"1MB\" }\n\
        [[flow]]\nfrom = 0\nto = 2\napp = \"request\"\ntransfers = 5\n\
        [[flow]]\nfrom = 0\nto = 2\napp = \"video\"\nrate = \"1Mbps\"\n\
        [[flow]]\nfrom = 0\nto = 2\napp = \"replay\"\nfile = \"up.trace\"\n\
        [[flow]]\nfrom = 0\nto = 2\napp = \"replay\"\nfile = \"up.trace\"\nover = \"tcp\"\ntcp = \"sack\"\n";
    let world = Scenario::from_toml(text, "t.toml", &folder, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(world.tcp_flow_count(), 4, "all but the datagrams");
    let again = Scenario::from_toml(&world.to_toml(), "t.toml", Path::new(""), &[]);
    assert_eq!(again.unwrap_or_else(|error| panic!("{error}")), world);
    let video = world.flows.iter().find_map(|flow| match &flow.application {
        Application::Video { video, .. } => Some(*video),
        _ => None,
    });
    let video = video.expect("a video");
    // 1 Mb/s for 4 s.
    assert_eq!(
        (video.chunk_bytes(), video.startup, video.buffer.as_secs_f64()),
        (500_000, video.chunk, 30.0)
    );
    let sack = world.with_variant("sack").unwrap();
    assert!(sack.flows.iter().filter_map(|flow| flow.application.variant()).all(|v| v.name() == "sack"));
}
