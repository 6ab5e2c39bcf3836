use super::MacConfig;
use crate::quirks::MacQuirks;
use tworay_base::{ConfigProblem, SimDuration};

#[test]
fn both_dialects_are_valid() {
    for config in [MacConfig::default(), MacConfig::ns2()] {
        assert_eq!(config.validate(), Ok(()));
    }
    assert_eq!(MacConfig::default().quirks(), MacQuirks::STANDARD);
    assert_eq!(MacConfig::ns2().quirks(), MacQuirks::NS2);
}

#[test]
fn what_is_out_of_range_is_named_with_a_remedy() {
    type Change = fn(&mut MacConfig);
    let refuse = |change: Change| {
        let mut config = MacConfig::default();
        change(&mut config);
        let ConfigProblem { key, problem, remedy } = config.validate().expect_err("out of range");
        format!("{key}: {problem}; {remedy}")
    };
    let table: [(Change, &str); 14] = [
        (|c| c.cw_min = 30, "cw_min: 30 is not one less than a power of two; use 31, 63, 127, … 1023"),
        (|c| c.cw_min = 0, "cw_min: 0 is not one less than a power of two; use 31, 63, 127, … 1023"),
        (
            |c| c.cw_max = u32::MAX,
            "cw_max: 4294967295 is not one less than a power of two; use 31, 63, 127, … 1023",
        ),
        (|c| c.cw_min = 2047, "cw_min: 2047 is above cw_max (1023); lower cw_min"),
        (
            |c| c.short_retry_limit = 0,
            "short_retry_limit: 0 attempts can send nothing; use 1 to 255 (802.11: 7 and 4)",
        ),
        (
            |c| c.long_retry_limit = 0,
            "long_retry_limit: 0 attempts can send nothing; use 1 to 255 (802.11: 7 and 4)",
        ),
        (|c| c.queue_limit = 1, "queue_limit: 1 packets; use 2 to 100000 (usual: 50)"),
        (|c| c.queue_limit = 100_001, "queue_limit: 100001 packets; use 2 to 100000 (usual: 50)"),
        (
            |c| c.lifetime = Some(SimDuration::from_micros(999)),
            "lifetime: 999us; use 1ms to 1000s (802.11: 512ms)",
        ),
        (
            |c| c.lifetime = Some(SimDuration::from_secs(1001)),
            "lifetime: 1001s; use 1ms to 1000s (802.11: 512ms)",
        ),
        (|c| c.slot = SimDuration::ZERO, "slot: 0s; use more than 0 and up to 1ms (DSSS: 20us)"),
        (|c| c.sifs = SimDuration::from_millis(2), "sifs: 2ms; use more than 0 and up to 1ms (DSSS: 10us)"),
        (|c| c.plcp = SimDuration::from_millis(11), "plcp: 11ms; use up to 10ms (long preamble: 192us)"),
        (|c| c.link_delay = SimDuration::from_secs(2), "link_delay: 2s; use up to 1s (ns-2: 25us)"),
    ];
    for (change, message) in table {
        assert_eq!(refuse(change), message);
    }
}
