use super::*;

fn load(name: &str, overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    Scenario::load(name, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

/// ns-2's file of a run puts every node at the position it has in the run, to a micrometre.
#[test]
fn what_is_written_for_ns2_leads_to_the_same_places() {
    for (name, seed) in [("strip-50", 3), ("route-break", 1), ("grid-3x3", 1)] {
        let scenario = load(name, &["duration=100s"]);
        let text = moves(&scenario, seed, MoveFormat::Ns2).expect(name);
        let movement = Movement::parse("written.mov", &text).expect("the reader takes it");
        let mut tracks = scenario.setup(seed, false).expect("a run").tracks;
        assert_eq!(movement.nodes.len(), tracks.len());
        for (node, track) in movement.nodes.iter().zip(&mut tracks) {
            let mut again = tworay_mobility::track_of(node);
            for t in (0..=400).map(|q| SimTime::from_nanos(q * 250_000_000)) {
                let off = again.position(t).distance(track.position(t));
                assert!(off < 1e-6, "{name}: {off} m off at {t}");
            }
        }
    }
}

/// NetAnim gets each change of position, and nothing for nodes at rest.
#[test]
fn netanim_sees_who_moves() {
    let text = moves(&load("route-break", &[]), 1, MoveFormat::NetAnim).expect("it has places");
    assert_eq!(text.matches("<node id=").count(), 6);
    let moving: Vec<&str> = text.lines().filter(|l| l.starts_with("<nu p=\"p\"")).collect();
    // E moves 51 m at 10 m/s from 30 s on: 21 steps; no other node moves.
    assert_eq!(moving.len(), 21);
    assert!(moving.iter().all(|l| l.contains("id=\"4\"")), "{moving:?}");
    assert!(moving[0].starts_with("<nu p=\"p\" t=\"30.25\""), "{}", moving[0]);
    assert!(moving[20].contains("t=\"35.25\"") && moving[20].contains("x=\"851.000\""), "{}", moving[20]);
}

#[test]
fn a_movement_file_can_be_written_anew() {
    let text = "$node_(0) set X_ 5\n$node_(0) set Y_ 5\n$ns_ at 2.0 \"$node_(0) setdest 15 5 2\"\n\
                $ns_ at 20.0 \"$node_(0) set X_ 3\"\n";
    let path = std::env::temp_dir().join(format!("tworay-moves-{}.mov", std::process::id()));
    std::fs::write(&path, text).expect("the directory is writable");
    let again = moves_of_file(&path, MoveFormat::Ns2).expect("it was read");
    let anim = moves_of_file(&path, MoveFormat::NetAnim).expect("it was read");
    std::fs::remove_file(&path).expect("it is there");
    let movement = Movement::parse("again", &again).expect("the reader takes it");
    let mut track = tworay_mobility::track_of(&movement.nodes[0]);
    for (t, x) in [(0, 5.0), (2, 5.0), (4, 9.0), (7, 15.0), (19, 15.0), (20, 3.0)] {
        assert!((track.position(SimTime::from_nanos(t * 1_000_000_000)).x - x).abs() < 1e-9, "{t} s");
    }
    assert!(anim.contains("t=\"2.25\""), "{anim}");
}

#[test]
fn wires_have_no_places() {
    let wired = "duration = \"2s\"\n[[wire]]\nfrom = 0\nto = 1\nrate = \"1Mbps\"\ndelay = \"5ms\"\n\
                 [[flow]]\nfrom = 0\nto = 1\napp = \"ftp\"\n";
    let scenario = Scenario::from_toml(wired, "wired.toml", Path::new(""), &[]).expect("a scenario");
    let error = moves(&scenario, 1, MoveFormat::NetAnim).expect_err("nodes are nowhere");
    assert!(error.to_string().contains("wired-only"), "{error}");
}
