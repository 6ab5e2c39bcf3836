//! Settings from a file.

use tworay_base::{Dialect, FollowsDialect, SimDuration};
use tworay_routing::aodv::{Hello, LocalRepair};
use tworay_routing::{AodvConfig, AodvPaper, Protocol, RoutingConfig, Rules};

fn read(text: &str) -> Result<RoutingConfig, String> {
    toml::from_str(text).map_err(|e| e.to_string())
}

#[test]
fn a_dialect_is_the_base_and_other_keys_lie_on_top() {
    assert_eq!(read("").unwrap(), RoutingConfig::default());
    assert_eq!(read("protocol = \"static\"").unwrap().protocol, Protocol::Static);
    assert_eq!(read("[aodv]\ndialect = \"ns2\"").unwrap().aodv, RoutingConfig::of(Dialect::Ns2).aodv);
    let mixed = read("[aodv]\nactive_route_timeout = \"4s\"\ndialect = \"thesis-trace\"").unwrap().aodv;
    let expected =
        AodvConfig { active_route_timeout: SimDuration::from_secs(4), ..AodvConfig::thesis_trace() };
    assert_eq!(mixed, expected);
    assert_eq!(mixed.hello, Hello::Always);
}

#[test]
fn what_is_written_reads_back_and_names_only_what_differs() {
    for dialect in Rules::<AodvPaper>::all() {
        let mut config = RoutingConfig { aodv: AodvConfig::by(dialect), ..RoutingConfig::default() };
        assert_eq!(config.aodv.dialect, dialect);
        assert_eq!(config.validate(), Ok(()));
        config.aodv.rreq_retries += 1;
        let text = toml::to_string(&config.aodv).unwrap();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert_eq!(read(&toml::to_string(&config).unwrap()).unwrap(), config);
    }
}

/// Papanastasiou (2006), tables 3.1 and A.1, row by row. Both have "gratuitous RREQ off", which its §3.2
/// explains: "only the intended destination may issue a reply".
#[test]
fn the_thesis_settings_are_its_tables() {
    let (trace, rest) = (AodvConfig::thesis_trace(), AodvConfig::thesis());
    for c in [&trace, &rest] {
        assert!(c.expanding_ring && c.destination_only && !c.gratuitous_rrep && !c.blacklist);
        assert_eq!((c.ttl_start, c.ttl_increment, c.rreq_ratelimit), (2, 2, 10));
        assert_eq!(c.hello_interval, SimDuration::from_secs(1));
        assert_eq!(c.hello_jitter, SimDuration::ZERO);
    }
    let of = |c: &AodvConfig| (c.link_layer_feedback, c.local_repair, c.active_route_timeout);
    assert_eq!(of(&trace), (false, LocalRepair::Off, SimDuration::from_secs(5)));
    assert_eq!(of(&rest), (true, LocalRepair::Rfc3561, SimDuration::from_secs(3)));
}

#[test]
fn unknown_keys_and_impossible_values_are_refused() {
    assert!(read("[aodv]\nactive_route_timeot = \"4s\"").unwrap_err().contains("active_route_timeot"));
    assert!(read("protocol = \"olympic\"").is_err());
    // OLSR has no ns-2 dialect, AODV none of the Freeze-Probing paper: the error lists what there is.
    for (line, known) in [
        ("aodv.dialect = \"freeze-probing\"", "`standard`, `ns2`, `thesis-trace`, `thesis`"),
        ("dsr.dialect = \"ns3\"", "`standard`, `ns2`, `thesis-trace`, `thesis`, `freeze-probing`"),
        ("olsr.dialect = \"ns2\"", "`standard`, `thesis-trace`, `thesis`"),
    ] {
        let error = read(line).unwrap_err();
        assert!(error.contains(&format!("expected one of {known}\n")), "{error}");
    }
    for (line, key) in [
        ("ttl_increment = 0", "ttl_increment"),
        ("buffer_packets = 0", "buffer_packets"),
        ("active_route_timeout = \"0s\"", "active_route_timeout"),
        ("purge_interval = \"0s\"", "purge_interval"),
        ("hello_jitter = \"1s\"", "hello_jitter"),
    ] {
        let path = read(&format!("[aodv]\n{line}")).unwrap().validate().unwrap_err().key;
        assert_eq!(path, format!("routing.aodv.{key}"));
    }
}

#[test]
fn the_schema_describes_every_key() {
    let schema = serde_json::to_value(schemars::schema_for!(AodvConfig)).unwrap();
    let properties = schema["properties"].as_object().unwrap();
    assert!(properties.len() > 40);
    for (key, value) in properties {
        assert!(value["description"].is_string(), "{key} has no description");
    }
}

/// The defaults in the schema, with those of a dialect in their place, are that dialect.
#[test]
fn the_schema_has_the_defaults_of_every_dialect() {
    let schema = schemars::schema_for!(AodvConfig);
    for dialect in Rules::<AodvPaper>::all() {
        let keys = super::schema::defaults(&schema, &serde_json::to_value(dialect).unwrap());
        for base in Rules::<AodvPaper>::all() {
            // Whatever dialect lies below, the keys say everything.
            let mut keys = keys.clone();
            keys.insert("dialect".into(), serde_json::to_value(base).unwrap());
            let read: AodvConfig = serde_json::from_value(keys.into()).unwrap();
            assert_eq!(AodvConfig { dialect, ..read }, AodvConfig::by(dialect));
        }
    }
}
