use super::*;

#[test]
fn every_preset_is_valid() {
    for config in [TcpConfig::default(), TcpConfig::ns2(), TcpConfig::ns2_validation()] {
        assert_eq!(config.validate(), Ok(()));
    }
}

#[test]
fn initial_windows_of_the_rfcs_in_segments() {
    // (MSS, RFC 3390, RFC 6928)
    for (mss, iw3390, iw6928) in [
        (1460, 3.0, 10.0),
        (536, 4.0, 10.0),
        (1000, 4.0, 10.0),
        (2190, 2.0, 14_600.0 / 2190.0),
        (9000, 2.0, 2.0),
    ] {
        let with = |rule| TcpConfig {
            mss: Bytes(mss),
            initial_window: InitialWindow::Named(rule),
            ..TcpConfig::default()
        };
        assert_eq!(with(NamedInitialWindow::Rfc3390).initial_window_segments(), iw3390, "MSS {mss}");
        assert_eq!(with(NamedInitialWindow::Rfc6928).initial_window_segments(), iw6928, "MSS {mss}");
    }
}

#[test]
fn wrong_values_name_their_key() {
    type Spoil = fn(&mut TcpConfig);
    let cases: [(&str, Spoil); 19] = [
        ("mss", |c| c.mss = Bytes(0)),
        ("mss", |c| c.mss = Bytes(65_496)),
        ("window", |c| c.window = WindowSize::Bytes(Bytes(100))),
        ("window", |c| c.window = WindowSize::Segments(u32::MAX)),
        ("initial_window", |c| c.initial_window = InitialWindow::Segments(0)),
        ("initial_ssthresh", |c| c.initial_ssthresh = Some(1.0)),
        ("dup_threshold", |c| c.dup_threshold = 0),
        ("rto.max", |c| c.rto.max = SimDuration::from_millis(1)),
        ("rto.backoff_cap", |c| c.rto.backoff_cap = 3),
        ("tick", |c| c.rto.arithmetic = RttArithmetic::ScaledTicks),
        ("tick", |c| c.rto.arithmetic = RttArithmetic::LinuxTicks),
        ("timestamp_clock", |c| c.timestamp_clock = SimDuration::ZERO),
        ("timestamp_clock", |c| c.timestamp_clock = SimDuration::from_secs(2)),
        ("sack.max_blocks", |c| c.sack.max_blocks = 5),
        ("receiver.daa.count_from", |c| c.receiver.daa.count_from = 2),
        ("receiver.stretched.from", |c| c.receiver.stretched.from = vec![5, 2]),
        ("receiver.stretched.from", |c| c.receiver.stretched.from = (1..=16).collect()),
        ("receiver.heartbeat", |c| c.receiver.heartbeat = Some(SimDuration::from_secs(11))),
        ("receiver.interval", |c| c.receiver.interval = SimDuration::from_secs(1)),
    ];
    for (key, spoil) in cases {
        let mut config = TcpConfig::default();
        spoil(&mut config);
        let problem = config.validate().expect_err(key);
        assert_eq!(problem.key, key);
        assert!(!problem.remedy.is_empty());
    }
}
