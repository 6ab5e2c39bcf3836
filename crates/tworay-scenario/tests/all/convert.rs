//! Conversion of the field's movement and traffic files.

use std::fs;
use std::path::{Path, PathBuf};
use tworay_base::SimDuration;
use tworay_scenario::Application;
use tworay_scenario::{Scenario, convert};

const MOVES: &str = "$node_(0) set X_ 0.0\n$node_(0) set Y_ 10.0\n$node_(1) set X_ 100.0\n$node_(1) set Y_ 0.0\n\
                     $ns_ at 93.5 \"$node_(1) setdest 200.0 60.0 5.0\"\n";
const TRAFFIC: &str = "set udp_(0) [new Agent/UDP]\n$ns_ attach-agent $node_(0) $udp_(0)\nset null_(0) [new Agent/Null]\n\
    $ns_ attach-agent $node_(1) $null_(0)\nset cbr_(0) [new Application/Traffic/CBR]\n$cbr_(0) set packetSize_ 512\n\
    $cbr_(0) set interval_ 0.25\n$cbr_(0) set random_ 1\n$cbr_(0) set maxpkts_ 5\n$cbr_(0) attach-agent $udp_(0)\n$ns_ connect $udp_(0) $null_(0)\n\
    $ns_ at 127.5 \"$cbr_(0) start\"\n\
    set tcp [new Agent/TCP/Sack1]\n$tcp set packetSize_ 1000\nset sink [new Agent/TCPSink/Sack1]\n$ns_ attach-agent $node_(1) $tcp\n\
    $ns_ attach-agent $node_(0) $sink\n$ns_ connect $tcp $sink\nset ftp [new Application/FTP]\n$ftp attach-agent $tcp\n\
    $ns_ at 15.0 \"$ftp start\"\n";

/// A folder with a movement and a traffic file, and the path of a scenario next to it.
fn files(name: &str) -> (PathBuf, PathBuf, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("convert").join(name);
    fs::create_dir_all(folder.join("in")).expect("the test folder can be written");
    fs::create_dir_all(folder.join("out")).expect("the test folder can be written");
    let (moves, traffic) = (folder.join("in/walk.mov"), folder.join("in/walk.traffic"));
    fs::write(&moves, MOVES).expect("the test folder can be written");
    fs::write(&traffic, TRAFFIC).expect("the test folder can be written");
    (moves, traffic, folder.join("out/walk.toml"))
}

fn args(flows: &[&str]) -> Vec<String> {
    flows.iter().map(|&flow| flow.to_owned()).collect()
}

#[test]
fn a_movement_file_becomes_a_scenario_that_loads_where_it_is_written() {
    let (moves, _, output) = files("loads");
    let text = convert(&moves, None, &args(&["0:1:ftp"]), Some(&output)).unwrap();
    assert!(text.contains("file = \"../in/walk.mov\"\n"), "{text}");
    assert!(
        text.contains("# Made from a movement file: 2 nodes, numbered 0 to 1, on 200 m x 60 m.\n"),
        "{text}"
    );
    fs::write(&output, &text).unwrap();
    let scenario = Scenario::load(output.to_str().unwrap(), &[]).unwrap();
    assert_eq!((scenario.name(), scenario.node_count()), ("walk", 2));
    assert_eq!(scenario.settings.duration, SimDuration::from_secs(100), "the last command comes at 93.5 s");
    assert_eq!(scenario.flows[0].start.as_secs_f64(), 1.0);
}

#[test]
fn a_bonnmotion_file_lasts_until_its_last_waypoint() {
    let (moves, _, output) = files("bonnmotion");
    let moves = moves.with_file_name("walk.movements");
    fs::write(&moves, "0 0 0 62 100 0\n0 0 50\n").unwrap();
    let text = convert(&moves, None, &args(&["0:1:ftp"]), Some(&output)).unwrap();
    assert!(text.contains("# The file's last waypoint is reached at 62s.\nduration = \"70s\"\n"), "{text}");
}

#[test]
fn flows_of_the_command_line_may_carry_settings() {
    let (moves, _, output) = files("settings");
    let flows =
        ["0:1:ftp:bytes=1MB:start=2s", "0:1:cbr", "1:0:cbr:rate=64kbps:size=100B:port=99", "1:0:on-off"];
    let text = convert(&moves, None, &args(&flows), Some(&output)).unwrap();
    let scenario = Scenario::from_toml(&text, "x.toml", output.parent().unwrap(), &[]).unwrap();
    let ms = SimDuration::from_millis;
    assert!(matches!(scenario.flows[0].application, Application::Ftp { bytes: Some(1_000_000), .. }));
    assert_eq!(
        scenario.flows[1].application,
        Application::Cbr { interval: ms(250), payload: 512, packets: None }
    );
    assert_eq!(
        scenario.flows[2].application,
        Application::Cbr { interval: SimDuration::from_micros(12_500), payload: 100, packets: None }
    );
    assert_eq!(scenario.flows[2].port, 99);
    assert!(matches!(scenario.flows[3].application, Application::OnOff { .. }));
}

#[test]
fn traffic_files_give_flows_and_say_what_was_left_behind() {
    let (moves, traffic, output) = files("traffic");
    let text = convert(&moves, Some(&traffic), &[], Some(&output)).unwrap();
    assert!(text.contains("# not carried over: random_ 1"), "{text}");
    let scenario = Scenario::from_toml(&text, "x.toml", output.parent().unwrap(), &[]).unwrap();
    assert_eq!(scenario.settings.duration, SimDuration::from_secs(200), "the last flow starts at 127.5 s");
    assert_eq!(scenario.settings.tcp.mss.0, 1000);
    assert!(matches!(scenario.flows[1].application, Application::Cbr { packets: Some(5), .. }));
    let ends: Vec<_> = scenario.flows.iter().map(|f| (f.from.0, f.to.0, f.start.as_secs_f64())).collect();
    assert_eq!(ends, [(1, 0, 15.0), (0, 1, 127.5)]);
    assert!(
        matches!(&scenario.flows[0].application, Application::Ftp { variant, .. } if variant.name() == "sack")
    );
}

#[test]
fn wrong_flows_are_shown_with_a_remedy() {
    let (moves, _, output) = files("wrong");
    let form = "Write --flow FROM:TO:APP, for example --flow 0:1:ftp or --flow 0:1:cbr:rate=64kbps.";
    let table = [
        ("0-1", format!("--flow: this is not a flow\n   | 0-1\n   | ^^^\n{form}")),
        ("0:b:ftp", format!("--flow: \"b\" is not a node number\n   | 0:b:ftp\n   |   ^\n{form}")),
        ("0:1:ftq", "--flow: unknown application \"ftq\"\n   | 0:1:ftq\n   |     ^^^\nDid you mean \"ftp\"? Allowed: ftp, cbr, on-off.".into()),
        ("0:1:ftp:fast", format!("--flow: \"fast\" is not a setting\n   | 0:1:ftp:fast\n   |         ^^^^\n{form}")),
    ];
    for (flow, message) in table {
        assert_eq!(convert(&moves, None, &args(&[flow]), Some(&output)).unwrap_err().to_string(), message);
    }
    let error = convert(&moves, None, &[], Some(&output)).unwrap_err().to_string();
    assert_eq!(
        error,
        "no flow: a movement file only says how nodes move\nSay what to send with --flow FROM:TO:APP, for example --flow 0:1:ftp."
    );
    let error = convert(&moves, None, &args(&["0:7:ftp"]), Some(&output)).unwrap_err();
    assert_eq!(error.problem(), "flow.0.to: there is no node 7");
}

#[test]
fn movement_files_that_cannot_be_read_are_named() {
    let (moves, _, output) = files("missing");
    fs::write(&moves, "$node_(0) set X_ 0\n$node_(0) frobnicate\n").unwrap();
    let error = convert(&moves, None, &args(&["0:1:ftp"]), Some(&output)).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}:2: ", moves.display())), "{error}");
}

/// The CMU Monarch movement file, as contained in Debian's ns2-examples.
#[test]
fn the_monarch_file_converts() {
    let reference = std::env::var_os("TWORAY_REFERENCE").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference"),
        PathBuf::from,
    );
    let moves = reference.join("scenes/scen-1500x300-60-0-20-2.gz");
    if !moves.exists() {
        eprintln!(
            "note: {} is absent, so the Monarch file was not tried; set TWORAY_REFERENCE",
            moves.display()
        );
        return;
    }
    let text = convert(&moves, None, &args(&["0:1:ftp"]), None).unwrap();
    let scenario = Scenario::from_toml(&text, "monarch.toml", Path::new(""), &[]).unwrap();
    assert_eq!(scenario.node_count(), 60);
    assert_eq!(scenario.settings.duration, SimDuration::from_secs(900));
    assert!(text.contains("on 1496 m x 299 m"), "{text}");
}
