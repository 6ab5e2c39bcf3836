use super::*;
use tworay_base::{Metres, Speed};

const STRIP: TopologyConfig = TopologyConfig::Uniform {
    nodes: 50,
    width: Metres(1500.0),
    height: Metres(300.0),
    connected_within: None,
};

fn string() -> TopologyConfig {
    TopologyConfig::String { hops: 4, spacing: Metres(200.0) }
}

fn walk(size: Option<f64>, steady_state: bool) -> MobilityConfig {
    MobilityConfig::RandomWaypoint {
        min_speed: Speed(1.0),
        max_speed: Speed(20.0),
        pause: SimDuration::ZERO,
        width: size.map(Metres),
        height: size.map(Metres),
        steady_state,
        fixed: Vec::new(),
    }
}

fn key_of(error: &MobilityError) -> Option<&str> {
    match error {
        MobilityError::Setting(problem) => Some(&problem.key),
        MobilityError::File(_) => None,
    }
}

fn make(topology: &TopologyConfig, mobility: &MobilityConfig) -> Result<World, MobilityError> {
    build(topology, mobility, 1, SimDuration::from_secs(100), Path::new("nowhere"))
}

fn leg(node: u16, at: u64, to: [f64; 2]) -> LegConfig {
    LegConfig { node, at: SimDuration::from_secs(at), to, speed: Speed(10.0) }
}

fn s(seconds: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_secs(seconds)
}

#[test]
fn static_worlds() {
    let world = make(&string(), &MobilityConfig::Static).unwrap();
    assert_eq!((world.tracks.len(), world.area), (5, (800.0, 0.0)));
    assert!(world.tracks.iter().all(Track::is_static));
    assert_eq!(make(&STRIP, &MobilityConfig::Static).unwrap().area, (1500.0, 300.0));
}

/// The end node of a string leaves: 50 m in 5 s; a later move replaces an earlier one.
#[test]
fn waypoints_from_a_topology() {
    let legs = vec![leg(4, 40, [850.0, 100.0]), leg(4, 30, [850.0, 0.0])];
    let mut world = make(&string(), &MobilityConfig::Waypoints { legs }).unwrap();
    assert_eq!(world.area, (850.0, 100.0));
    let end = &mut world.tracks[4];
    for (t, x, y) in
        [(30, 800.0, 0.0), (35, 850.0, 0.0), (40, 850.0, 0.0), (45, 850.0, 50.0), (99, 850.0, 100.0)]
    {
        assert!(end.position(s(t)).distance(Position::new(x, y)) < 1e-6, "{t} s");
    }
    assert!(world.tracks[..4].iter().all(Track::is_static));
}

/// Two nodes stay in the corners of the field; the others move as they would without them.
#[test]
fn some_nodes_stand_still() {
    let still = |nodes: &[(u16, [f64; 2])]| {
        let MobilityConfig::RandomWaypoint {
            min_speed, max_speed, pause, width, height, steady_state, ..
        } = walk(None, true)
        else {
            unreachable!()
        };
        let fixed = nodes.iter().map(|&(node, position)| FixedConfig { node, position }).collect();
        make(
            &STRIP,
            &MobilityConfig::RandomWaypoint {
                min_speed,
                max_speed,
                pause,
                width,
                height,
                steady_state,
                fixed,
            },
        )
    };
    let (mut with, mut without) =
        (still(&[(0, [0.0, 0.0]), (7, [1500.0, 300.0])]).unwrap(), still(&[]).unwrap());
    for t in [0, 30, 99] {
        for (i, (a, b)) in with.tracks.iter_mut().zip(&mut without.tracks).enumerate() {
            let expected = match i {
                0 => Position::default(),
                7 => Position::new(1500.0, 300.0),
                _ => b.position(s(t)),
            };
            assert_eq!(a.position(s(t)), expected, "node {i} at {t} s");
        }
    }
    // Nodes and positions, and the key that the error names.
    for (nodes, key) in [
        (&[(50, [0.0, 0.0])][..], "mobility.fixed.0.node"),
        (&[(1, [0.0, 0.0]), (1, [5.0, 0.0])], "mobility.fixed.1.node"),
        (&[(1, [0.0, 301.0])], "mobility.fixed.0.position"),
        (&[(1, [f64::NAN, 0.0])], "mobility.fixed.0.position"),
    ] {
        let error = still(nodes).unwrap_err();
        assert_eq!(key_of(&error), Some(key), "{error}");
    }
}

#[test]
fn random_waypoint_starts_where_it_is_told() {
    let mut stationary = make(&STRIP, &walk(None, true)).unwrap();
    assert_eq!((stationary.tracks.len(), stationary.area), (50, (1500.0, 300.0)));
    let mut placed = make(&string(), &walk(Some(1000.0), false)).unwrap();
    assert_eq!(placed.area, (1000.0, 1000.0));
    assert_eq!(placed.tracks[3].position(SimTime::ZERO), Position::new(600.0, 0.0));
    let mut again = make(&STRIP, &walk(None, true)).unwrap();
    let mut other = build(&STRIP, &walk(None, true), 2, SimDuration::ZERO, Path::new("")).unwrap();
    let at = |w: &mut World, t| w.tracks.iter_mut().map(|tr| tr.position(s(t))).collect::<Vec<_>>();
    assert_eq!(at(&mut stationary, 500), at(&mut again, 500));
    assert_ne!(at(&mut stationary, 500), at(&mut other, 500));
}

#[test]
fn contradictions_are_refused_with_their_key() {
    let file = MobilityConfig::Ns2File { file: "a.mov".into() };
    let twice = MobilityConfig::Waypoints { legs: vec![leg(1, 5, [0.0, 0.0]), leg(1, 5, [9.0, 9.0])] };
    let nobody = MobilityConfig::Waypoints { legs: vec![leg(1, 5, [0.0, 0.0]), leg(5, 5, [9.0, 9.0])] };
    let ladder = [
        ("topology", TopologyConfig::Recorded, MobilityConfig::Static),
        ("topology", TopologyConfig::Recorded, walk(Some(100.0), true)),
        ("topology", string(), file),
        ("mobility.steady_state", string(), walk(Some(1000.0), true)),
        ("mobility.height", string(), walk(None, false)),
        ("mobility", string(), walk(Some(500.0), false)),
        ("mobility", STRIP, walk(Some(500.0), true)),
        ("mobility.legs.1.node", string(), nobody),
        ("mobility.legs.1.at", string(), twice),
        ("topology.hops", TopologyConfig::String { hops: 0, spacing: Metres(1.0) }, MobilityConfig::Static),
    ];
    for (key, topology, mobility) in ladder {
        let error = make(&topology, &mobility).map(|_| ()).expect_err(key);
        assert_eq!(key_of(&error), Some(key), "{error}");
        assert!(!error.remedy().is_empty());
    }
}

#[test]
fn a_missing_file_is_named() {
    for mobility in [
        MobilityConfig::Ns2File { file: "a.mov".into() },
        MobilityConfig::BonnmotionFile { file: "a.mov".into() },
    ] {
        let error = make(&TopologyConfig::Recorded, &mobility).map(|_| ()).unwrap_err();
        let file = Path::new("nowhere").join("a.mov").display().to_string();
        let MobilityError::File(unread) = &error else { panic!("{error}") };
        assert_eq!((&unread.file, unread.line), (&file, None), "{error}");
    }
}
