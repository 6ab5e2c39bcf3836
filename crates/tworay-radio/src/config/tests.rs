use super::*;

#[test]
fn the_defaults_are_ns2s_wavelan_where_interference_adds_up() {
    let config = RadioConfig::default();
    assert_eq!(config.reception, ReceptionModel::Sinr);
    assert_eq!(
        RadioConfig { dialect: Dialect::Ns2, reception: ReceptionModel::Capture, ..config.clone() },
        RadioConfig::ns2()
    );
    assert_eq!(config.validate(), Ok(()));
    assert_eq!(config.tx_power, Watts(0.28183815));
    assert_eq!((config.rx_threshold, config.cs_threshold), (Watts(3.652e-10), Watts(1.559e-11)));
}

#[test]
fn a_table_reads_as_written() {
    let config: RadioConfig = serde_json::from_str(
        r#"{ "profile": "custom", "propagation": "free-space", "reception": "sinr", "tx_power": "100mW",
             "frequency": "2.4GHz", "sinr": { "noise_figure": "10dB",
             "thresholds": [{ "rate": "2Mbps", "sinr": "7dB" }] } }"#,
    )
    .unwrap();
    assert_eq!(config.propagation, Propagation::FreeSpace);
    assert_eq!(config.reception, ReceptionModel::Sinr);
    assert_eq!((config.tx_power, config.frequency), (Watts(0.1), Hertz(2.4e9)));
    assert_eq!(config.antenna_height, Metres(1.5), "absent keys keep their defaults");
    assert_eq!(config.validate(), Ok(()));

    let log = r#"{ "propagation": { "log-distance": { "exponent": 2.7 } } }"#;
    let config: RadioConfig = serde_json::from_str(log).unwrap();
    assert_eq!(config.propagation, Propagation::LogDistance { exponent: 2.7, reference: Metres(1.0) });

    for unknown in [
        r#"{ "txpower": "1W" }"#,
        r#"{ "profile": "wavelan" }"#,
        r#"{ "propagation": { "log-distance": { "n": 2 } } }"#,
    ] {
        assert!(serde_json::from_str::<RadioConfig>(unknown).is_err(), "{unknown}");
    }
}

#[test]
fn the_configuration_survives_a_round_trip() {
    let config = RadioConfig {
        profile: Profile::Custom,
        propagation: Propagation::LogDistance { exponent: 3.5, reference: Metres(2.0) },
        rx_threshold: Watts(1e-12),
        ..RadioConfig::default()
    };
    let text = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<RadioConfig>(&text).unwrap(), config);
}

/// Every error names its key.
#[test]
fn out_of_range_values_are_refused() {
    let custom = RadioConfig { profile: Profile::Custom, ..RadioConfig::default() };
    let log = |exponent, metres| Propagation::LogDistance { exponent, reference: Metres(metres) };
    let sinr = |thresholds: &[(u64, f64)]| SinrConfig {
        thresholds: thresholds
            .iter()
            .map(|&(bps, db)| RateThreshold { rate: BitRate::from_bps(bps), sinr: Ratio(db) })
            .collect(),
        ..SinrConfig::default()
    };
    let ladder: Vec<(&str, RadioConfig)> = vec![
        ("tx_power", RadioConfig { tx_power: Watts(0.0), ..custom.clone() }),
        ("tx_power", RadioConfig { tx_power: Watts(f64::NAN), ..custom.clone() }),
        ("frequency", RadioConfig { frequency: Hertz(0.0), ..custom.clone() }),
        ("antenna_height", RadioConfig { antenna_height: Metres(0.0), ..custom.clone() }),
        ("range", RadioConfig { range: Metres(0.0), ..custom.clone() }),
        ("tx_gain", RadioConfig { tx_gain: Ratio(100.0), ..custom.clone() }),
        ("system_loss", RadioConfig { system_loss: Ratio(-1.0), ..custom.clone() }),
        ("capture_ratio", RadioConfig { capture_ratio: Ratio(-3.0), ..custom.clone() }),
        ("cs_threshold", RadioConfig { cs_threshold: Watts(1e-9), ..custom.clone() }),
        ("propagation.log-distance.exponent", RadioConfig { propagation: log(0.5, 1.0), ..custom.clone() }),
        ("propagation.log-distance.reference", RadioConfig { propagation: log(3.0, 0.0), ..custom.clone() }),
        ("sinr.thresholds", RadioConfig { sinr: sinr(&[]), ..custom.clone() }),
        ("sinr.thresholds[0].sinr", RadioConfig { sinr: sinr(&[(1, 99.0)]), ..custom.clone() }),
        ("sinr.thresholds[1].rate", RadioConfig { sinr: sinr(&[(2, 4.0), (1, 5.0)]), ..custom.clone() }),
        // A profile's values are fixed.
        ("tx_power", RadioConfig { tx_power: Watts(0.1), ..RadioConfig::default() }),
        ("cs_threshold", RadioConfig { cs_threshold: Watts(1e-11), ..RadioConfig::default() }),
    ];
    for (key, config) in ladder {
        let ConfigProblem { key: found, problem, remedy } = config.validate().expect_err(key);
        assert_eq!(found, key, "{problem}");
        assert!(!problem.is_empty() && !remedy.is_empty());
    }
}
