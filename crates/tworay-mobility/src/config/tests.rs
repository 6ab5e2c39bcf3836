use super::*;
use serde_json::from_str;

fn key_of(error: &MobilityError) -> Option<&str> {
    match error {
        MobilityError::Setting(problem) => Some(&problem.key),
        MobilityError::File(_) => None,
    }
}

#[test]
fn tables_read_as_written() {
    let string: TopologyConfig = from_str(r#"{ "kind": "string", "hops": 4 }"#).unwrap();
    assert_eq!(string, TopologyConfig::String { hops: 4, spacing: Metres(200.0) });
    let cross: TopologyConfig = from_str(r#"{ "kind": "cross", "arm": 4, "spacing": "150m" }"#).unwrap();
    assert_eq!(
        (cross.node_count(), cross),
        (Some(17), TopologyConfig::Cross { arm: 4, spacing: Metres(150.0) })
    );
    let explicit: TopologyConfig =
        from_str(r#"{ "kind": "explicit", "positions": [[0, 0], [100.5, -20]] }"#).unwrap();
    assert_eq!(explicit, TopologyConfig::Explicit { positions: vec![[0.0, 0.0], [100.5, -20.0]] });

    let walk: MobilityConfig =
        from_str(r#"{ "kind": "random-waypoint", "min_speed": "1m/s", "max_speed": "20m/s" }"#).unwrap();
    assert_eq!(
        walk,
        MobilityConfig::RandomWaypoint {
            min_speed: Speed(1.0),
            max_speed: Speed(20.0),
            pause: SimDuration::ZERO,
            width: None,
            height: None,
            steady_state: true,
            fixed: Vec::new(),
        }
    );
    let legs: MobilityConfig = from_str(
        r#"{ "kind": "waypoints", "legs": [{ "node": 4, "at": "30s", "to": [800, 50], "speed": "10m/s" }] }"#,
    )
    .unwrap();
    let leg = LegConfig { node: 4, at: SimDuration::from_secs(30), to: [800.0, 50.0], speed: Speed(10.0) };
    assert_eq!(legs, MobilityConfig::Waypoints { legs: vec![leg] });
    let file: MobilityConfig = from_str(r#"{ "kind": "ns2-file", "file": "a.mov.gz" }"#).unwrap();
    assert_eq!(file, MobilityConfig::Ns2File { file: "a.mov.gz".into() });
    assert_eq!(MobilityConfig::default(), from_str(r#"{ "kind": "static" }"#).unwrap());
}

#[test]
fn round_trips() {
    for text in [
        r#"{"kind":"recorded"}"#,
        r#"{"kind":"grid","rows":5,"columns":6,"spacing":"200m"}"#,
        r#"{"kind":"uniform","nodes":50,"width":"1500m","height":"300m"}"#,
    ] {
        let config: TopologyConfig = from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&config).unwrap(), text);
    }
}

#[test]
fn unknown_keys_and_kinds_are_refused() {
    for text in [
        r#"{ "kind": "string", "hops": 4, "spaceing": "200m" }"#,
        r#"{ "kind": "ring", "nodes": 4 }"#,
        r#"{ "kind": "string", "hops": 4, "spacing": 200 }"#,
        r#"{ "kind": "string", "hops": -4 }"#,
        r#"{ "kind": "string" }"#,
        r#"{ "kind": "recorded", "hops": 4 }"#,
    ] {
        assert!(from_str::<TopologyConfig>(text).is_err(), "{text}");
    }
    for text in [
        r#"{ "kind": "random-waypoint", "min_speed": "1m/s" }"#,
        r#"{ "kind": "random-waypoint", "min_speed": "-1m/s", "max_speed": "20m/s" }"#,
        r#"{ "kind": "static", "pause": "1s" }"#,
        r#"{ "kind": "waypoints", "legs": [{ "node": 0, "at": "1s", "to": [1], "speed": "1m/s" }] }"#,
    ] {
        assert!(from_str::<MobilityConfig>(text).is_err(), "{text}");
    }
}

#[test]
fn absurd_topologies_are_refused() {
    let m = Metres;
    let ladder = [
        ("topology.hops", TopologyConfig::String { hops: 0, spacing: m(200.0) }),
        ("topology.hops", TopologyConfig::String { hops: u32::MAX, spacing: m(200.0) }),
        ("topology.spacing", TopologyConfig::String { hops: 4, spacing: m(0.0) }),
        ("topology.spacing", TopologyConfig::String { hops: 4, spacing: m(f64::NAN) }),
        ("topology.rows", TopologyConfig::Grid { rows: 0, columns: 5, spacing: m(1.0) }),
        ("topology.rows", TopologyConfig::Grid { rows: 70_000, columns: 70_000, spacing: m(1.0) }),
        ("topology.arm", TopologyConfig::Cross { arm: 0, spacing: m(200.0) }),
        (
            "topology.nodes",
            TopologyConfig::Uniform { nodes: 0, width: m(9.0), height: m(9.0), connected_within: None },
        ),
        (
            "topology.nodes",
            TopologyConfig::Uniform { nodes: 65_536, width: m(9.0), height: m(9.0), connected_within: None },
        ),
        (
            "topology.width",
            TopologyConfig::Uniform { nodes: 9, width: m(0.0), height: m(9.0), connected_within: None },
        ),
        (
            "topology.height",
            TopologyConfig::Uniform { nodes: 9, width: m(9.0), height: m(1e12), connected_within: None },
        ),
        ("topology.positions", TopologyConfig::Explicit { positions: vec![] }),
        ("topology.positions.1", TopologyConfig::Explicit { positions: vec![[0.0, 0.0], [f64::NAN, 0.0]] }),
        ("topology.positions.0", TopologyConfig::Explicit { positions: vec![[1e9, 0.0]] }),
    ];
    for (key, config) in ladder {
        let error = config.validate().expect_err(key);
        assert_eq!(key_of(&error), Some(key), "{error}");
    }
}

#[test]
fn absurd_mobility_is_refused() {
    let walk = |min, max, width| MobilityConfig::RandomWaypoint {
        min_speed: Speed(min),
        max_speed: Speed(max),
        pause: SimDuration::ZERO,
        width,
        height: None,
        steady_state: true,
        fixed: Vec::new(),
    };
    let legs = |to, speed| {
        let leg = LegConfig { node: 0, at: SimDuration::ZERO, to, speed: Speed(speed) };
        MobilityConfig::Waypoints { legs: vec![leg] }
    };
    let ladder = [
        ("mobility.min_speed", walk(0.0, 20.0, None)),
        ("mobility.min_speed", walk(f64::NAN, 20.0, None)),
        ("mobility.max_speed", walk(5.0, 2.0, None)),
        ("mobility.max_speed", walk(5.0, 3e8, None)),
        ("mobility.width", walk(1.0, 2.0, Some(Metres(0.0)))),
        ("mobility.legs.0.to", legs([f64::INFINITY, 0.0], 1.0)),
        ("mobility.legs.0.speed", legs([1.0, 0.0], 1e6)),
    ];
    for (key, config) in ladder {
        let error = config.validate().expect_err(key);
        assert_eq!(key_of(&error), Some(key), "{error}");
    }
}
