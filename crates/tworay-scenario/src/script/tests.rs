use super::*;
use std::path::Path;

const FIELD: &str = r#"
duration = "60s"
[names]
roof = 0
[topology]
kind = "uniform"
nodes = 3
width = "100m"
height = "50m"
[[flow]]
from = 0
to = 2
[[event]]
node = 1
at = "50s"
what = "down"
"#;

fn field() -> Scenario {
    Scenario::from_toml(FIELD, "field.toml", Path::new(""), &[]).unwrap()
}

#[test]
fn lines_are_events_in_order_of_time() {
    let text = "# a comment\n500ms move roof 99.5,0 18km/h # walks\n\n20 off 2\n21.000000001s on 2\n30s loss 1 0.25\n";
    let found = field().with_script(text, "s.txt").unwrap();
    let at = |nanos: u64| SimDuration::from_nanos(nanos);
    let event = |node, at, what| EventConfig { node: Some(node), at, ..EventConfig::of(what) };
    let walk = EventConfig {
        to: Some([99.5, 0.0]),
        speed: Some(Speed(5.0)),
        ..event(0, at(500_000_000), EventKind::Move)
    };
    let loss = EventConfig { rate: Some(0.25), ..event(1, at(30_000_000_000), EventKind::Loss) };
    let expected = [
        walk,
        event(2, at(20_000_000_000), EventKind::Down),
        event(2, at(21_000_000_001), EventKind::Up),
        loss,
        event(1, at(50_000_000_000), EventKind::Down),
    ];
    assert_eq!(found.settings.events, expected);
    // As a scenario's file it is the same.
    let again = Scenario::from_toml(&found.to_toml(), "field.toml", Path::new(""), &[]).unwrap();
    assert_eq!(again.settings.events, expected);
}

#[test]
fn what_is_wrong_is_shown_at_its_line_and_word() {
    let cases = [
        ("\n12s jump 1", (2, 5), "\"jump\" is no command"),
        ("soon off 1", (1, 1), "\"soon\" is no time"),
        ("-1s off 1", (1, 1), "\"-1s\" is no time"),
        ("1s", (1, 1), "the command is missing"),
        ("1s off 3", (1, 8), "there is no node 3"),
        ("1s off rouf", (1, 8), "no node has the name \"rouf\""),
        ("1s off", (1, 4), "off lacks something"),
        ("1s off 1 2", (1, 10), "off has too much"),
        ("1s move 1 120,80", (1, 11), "(120, 80) m is outside the field"),
        ("1s move 1 10;20", (1, 11), "\"10;20\" is no place"),
        ("1s move 1 NaN,1", (1, 11), "(NaN, 1) m is outside the field"),
        ("1s move 1 1,1 0", (1, 15), "0 m/s is out of range"),
        ("1s loss 1 1.5", (1, 11), "1.5 is no share"),
        ("1s loss 1 much", (1, 11), "\"much\" is no share"),
        ("1s loss 1 20%", (1, 11), "\"20%\" is no share"),
        ("1s move 1 1,1 5mph", (1, 15), "\"5mph\" is no speed"),
        ("5s off 1\n# later\n4s on 1", (3, 1), "4s is before 5s, the time of the line above"),
        ("60s off 1", (1, 1), "60s is after the run's end (60s)"),
        ("1s off 1\n1s on 1", (2, 1), "another line or event happens to this node at the same time"),
        ("50s on 1", (1, 1), "another line or event happens to this node at the same time"),
    ];
    for (text, (line, column), problem) in cases {
        let error = field().with_script(text, "s.txt").unwrap_err();
        assert_eq!((error.position(), error.problem()), (Some(("s.txt", line, column)), problem), "{text}");
        assert!(!error.remedy().is_empty(), "{text}");
    }
}

/// Remedies say what to write: a fifth as a share, the units of a speed, whose scenario's form is known.
#[test]
fn remedies_name_forms_and_units() {
    let remedy = |text: &str| field().with_script(text, "s.txt").unwrap_err().remedy().to_owned();
    assert_eq!(remedy("1s loss 1 20%"), "Give a share from 0 to 1: 0.2 for 20%.");
    assert_eq!(remedy("1s move 1 1,1 5mph"), "Give m/s, such as 5, or a unit, such as 5m/s or 18km/h.");
    assert_eq!(remedy("5s off 1\n4s on 1"), "Write the lines in the order of their times.");
}

#[test]
fn a_command_by_itself_is_checked_in_the_same_way() {
    let now = SimDuration::from_secs(1);
    assert_eq!(field().order("off roof", now).unwrap().node, Some(0));
    let error = field().order("move 1 10,51", now).unwrap_err();
    assert_eq!(error.problem(), "(10, 51) m is outside the field");
    assert!(error.remedy().contains("100 m x 50 m"));
}
