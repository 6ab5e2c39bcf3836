//! Settings from a file.

use tworay_base::{Dialect, FollowsDialect, SimDuration};
use tworay_routing::dsr::{CacheKind, MaintenanceOrder};
use tworay_routing::{DsrConfig, DsrPaper, Protocol, RoutingConfig, Rules};

fn read(text: &str) -> Result<RoutingConfig, String> {
    toml::from_str(text).map_err(|e| e.to_string())
}

#[test]
fn a_dialect_is_the_base_and_other_keys_lie_on_top() {
    assert_eq!(read("protocol = \"dsr\"").unwrap().protocol, Protocol::Dsr);
    let mixed = read("[dsr]\nsend_buffer_packets = 7\ndialect = \"thesis-trace\"").unwrap().dsr;
    assert_eq!(mixed, DsrConfig { send_buffer_packets: 7, ..DsrConfig::thesis_trace() });
    assert_eq!(read("[dsr]\ndialect = \"ns2\"").unwrap().dsr, RoutingConfig::of(Dialect::Ns2).dsr);
}

#[test]
fn what_is_written_reads_back_and_names_only_what_differs() {
    for dialect in Rules::<DsrPaper>::all() {
        let mut config = DsrConfig::by(dialect);
        assert_eq!(config.dialect, dialect);
        assert_eq!(config.validate(), Ok(()));
        config.max_request_rexmt += 1;
        let text = toml::to_string(&config).unwrap();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert_eq!(toml::from_str::<DsrConfig>(&text).unwrap(), config);
    }
}

/// Papanastasiou (2006), tables 3.2 and A.2, row by row.
#[test]
fn the_thesis_settings_are_its_tables() {
    let (trace, rest) = (DsrConfig::thesis_trace(), DsrConfig::thesis());
    for c in [&trace, &rest] {
        assert_eq!(c.cache, CacheKind::Link);
        assert!(c.passive_acks && c.promiscuous && c.salvage && c.snoop && c.gratuitous_replies);
        assert_eq!(c.broadcast_jitter, SimDuration::from_millis(20));
        assert_eq!(c.route_cache_timeout, SimDuration::from_secs(300));
        assert_eq!((c.send_buffer_timeout, c.send_buffer_packets), (SimDuration::from_secs(30), 100));
        assert_eq!((c.request_table_size, c.request_table_ids, c.max_request_rexmt), (64, 16, 16));
        assert_eq!(c.max_request_period, SimDuration::from_secs(10));
        assert_eq!(c.request_period, SimDuration::from_millis(500));
        assert_eq!(c.nonprop_request_timeout, SimDuration::from_millis(30));
        assert_eq!((c.rexmt_buffer_packets, c.max_maint_rexmt, c.max_salvage_count), (50, 2, 15));
        assert_eq!(c.maintenance_order, MaintenanceOrder::Lifo, "p. 87");
        assert_eq!(c.maint_holdoff, SimDuration::from_millis(250));
        assert_eq!(c.passive_ack_timeout, SimDuration::from_millis(100));
    }
    assert!(!trace.link_layer_feedback && trace.network_acks);
    assert!(rest.link_layer_feedback);
}

#[test]
fn unknown_keys_and_impossible_values_are_refused() {
    assert!(read("[dsr]\nsalvge = true").unwrap_err().contains("salvge"));
    assert!(read("[dsr]\ncache = \"chain\"").is_err());
    for (line, key) in [
        ("primary_paths = 0", "primary_paths"),
        ("max_route_hops = 64", "max_route_hops"),
        ("max_salvage_count = 16", "max_salvage_count"),
        ("send_buffer_packets = 0", "send_buffer_packets"),
        ("ack_timeout = \"0s\"", "ack_timeout"),
        ("max_request_period = \"1ms\"", "max_request_period"),
    ] {
        let path = read(&format!("[dsr]\n{line}")).unwrap().validate().unwrap_err().key;
        assert_eq!(path, format!("routing.dsr.{key}"));
    }
}

#[test]
fn the_schema_describes_every_key() {
    let schema = serde_json::to_value(schemars::schema_for!(DsrConfig)).unwrap();
    let properties = schema["properties"].as_object().unwrap();
    assert!(properties.len() > 40);
    for (key, value) in properties {
        assert!(value["description"].is_string(), "{key} has no description");
    }
}

/// The defaults in the schema, with those of a dialect in their place, are that dialect.
#[test]
fn the_schema_has_the_defaults_of_every_dialect() {
    let schema = schemars::schema_for!(DsrConfig);
    for dialect in Rules::<DsrPaper>::all() {
        let keys = super::schema::defaults(&schema, &serde_json::to_value(dialect).unwrap());
        for base in Rules::<DsrPaper>::all() {
            // Whatever dialect lies below, the keys say everything.
            let mut keys = keys.clone();
            keys.insert("dialect".into(), serde_json::to_value(base).unwrap());
            let read: DsrConfig = serde_json::from_value(keys.into()).unwrap();
            assert_eq!(DsrConfig { dialect, ..read }, DsrConfig::by(dialect));
        }
    }
}
