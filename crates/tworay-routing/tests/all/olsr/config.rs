//! Settings as in a scenario.

use tworay_base::{ConfigProblem, Dialect, FollowsDialect, SimDuration};
use tworay_routing::{OlsrConfig, OlsrPaper, RoutingConfig, TcRedundancy};

const SECOND: SimDuration = SimDuration::from_secs(1);

/// The constants of RFC 3626 §18 and of Papanastasiou (2006), tables 3.3 and A.3.
#[test]
fn dialects() {
    let rfc = OlsrConfig::default();
    assert_eq!(rfc, OlsrConfig::of(Dialect::Standard));
    assert_eq!((rfc.hello_interval, rfc.tc_interval), (SECOND * 2, SECOND * 5));
    assert_eq!(
        (rfc.neighbour_hold_time, rfc.topology_hold_time, rfc.duplicate_hold_time),
        (SECOND * 6, SECOND * 15, SECOND * 30)
    );
    assert_eq!((rfc.max_jitter, rfc.willingness, rfc.mpr_coverage), (SECOND / 2, 3, 1));
    assert_eq!(rfc.tc_redundancy, TcRedundancy::Selectors);
    assert_eq!((rfc.hysteresis_scaling, rfc.hysteresis_high, rfc.hysteresis_low), (0.5, 0.8, 0.3));
    for dialect in [OlsrPaper::ThesisTrace, OlsrPaper::Thesis] {
        let thesis = OlsrConfig::by(dialect);
        let changed = OlsrConfig {
            dialect: dialect.into(),
            hello_interval: SECOND,
            max_jitter: SECOND / 4,
            ..rfc.clone()
        };
        assert_eq!(thesis, changed);
        assert!(!thesis.hysteresis && !thesis.link_layer_feedback && !thesis.immediate_tc);
    }
}

#[test]
fn a_file_changes_single_settings_of_a_dialect() {
    let text = "protocol = \"olsr\"\n[olsr]\ndialect = \"thesis-trace\"\ntc_interval = \"3s\"\ntc_redundancy = \"neighbours\"\n";
    let config: RoutingConfig = toml::from_str(text).unwrap();
    let expected = OlsrConfig {
        tc_interval: SECOND * 3,
        tc_redundancy: TcRedundancy::Neighbours,
        ..OlsrConfig::by(OlsrPaper::ThesisTrace)
    };
    assert_eq!(config.olsr, expected);
    let written = toml::to_string(&config).unwrap();
    assert!(written.contains("tc_interval") && !written.contains("hello_interval"), "{written}");
    assert_eq!(toml::from_str::<RoutingConfig>(&written).unwrap(), config);
    assert!(toml::from_str::<RoutingConfig>("[olsr]\nhello = \"1s\"\n").is_err(), "unknown keys");
}

/// Invalid values are refused, and the error names the key.
#[test]
fn ranges() {
    let ok = OlsrConfig::default();
    let zero = SimDuration::ZERO;
    let table = [
        ("hello_interval", OlsrConfig { hello_interval: zero, ..ok.clone() }),
        ("hello_interval", OlsrConfig { hello_interval: SECOND * 5000, ..ok.clone() }),
        ("tc_interval", OlsrConfig { tc_interval: zero, ..ok.clone() }),
        ("neighbour_hold_time", OlsrConfig { neighbour_hold_time: SECOND / 100, ..ok.clone() }),
        ("topology_hold_time", OlsrConfig { topology_hold_time: SECOND * 5000, ..ok.clone() }),
        ("duplicate_hold_time", OlsrConfig { duplicate_hold_time: zero, ..ok.clone() }),
        ("max_jitter", OlsrConfig { max_jitter: SECOND * 2, ..ok.clone() }),
        ("willingness", OlsrConfig { willingness: 8, ..ok.clone() }),
        ("mpr_coverage", OlsrConfig { mpr_coverage: 0, ..ok.clone() }),
        ("hysteresis_scaling", OlsrConfig { hysteresis_scaling: 1.5, ..ok.clone() }),
        ("hysteresis_high", OlsrConfig { hysteresis_high: f64::NAN, ..ok.clone() }),
        ("hysteresis_low", OlsrConfig { hysteresis_low: 0.9, ..ok.clone() }),
    ];
    assert_eq!(ok.validate(), Ok(()));
    for (key, config) in table {
        let ConfigProblem { key: path, problem: what, remedy } = config.validate().expect_err(key);
        assert_eq!(path, format!("routing.olsr.{key}"));
        assert!(!what.is_empty() && !remedy.is_empty());
    }
}
