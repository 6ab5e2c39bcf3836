//! The times of the RFCs, and how they follow the settings.

use super::Timing;
use crate::{Protocol, RoutingConfig};
use tworay_base::{Dialect, FollowsDialect, SimDuration};

fn timing(protocol: Protocol, dialect: Dialect, change: impl Fn(&mut RoutingConfig)) -> Timing {
    let mut config = RoutingConfig { protocol, ..RoutingConfig::of(dialect) };
    change(&mut config);
    config.timing()
}

fn seconds(time: SimDuration) -> f64 {
    time.as_secs_f64()
}

/// RFC 3626 §18: NEIGHB_HOLD_TIME 6 s, TOP_HOLD_TIME 15 s; four HELLOs every 2 s and two TC messages every 5 s.
#[test]
fn olsrs_times_are_those_of_its_rfc_and_scale_with_its_timers() {
    for factor in [1, 2, 5] {
        let t = timing(Protocol::Olsr, Dialect::Standard, |c| {
            c.olsr.hello_interval = c.olsr.hello_interval * factor;
            c.olsr.tc_interval = c.olsr.tc_interval * factor;
            c.olsr.neighbour_hold_time = c.olsr.neighbour_hold_time * factor;
            c.olsr.topology_hold_time = c.olsr.topology_hold_time * factor;
        });
        let times = [t.noticed, t.stale_tables, t.relearnt, t.tables].map(seconds);
        assert_eq!(times, [6.0, 21.0, 18.0, 15.0].map(|s| s * factor as f64));
        // A HELLO of the interval before may be the latest that was lost, and HELLOs are up to 0.5 s early.
        assert_eq!(seconds(t.recent), (2.0 * factor as f64 + 0.5).max(5.0));
    }
}

/// Three HELLOs make a link symmetric on both sides: after a lost one, the next three, each 0.5 s late at most in all.
#[test]
fn a_lost_hello_matters_until_the_link_is_symmetric_again() {
    let t = timing(Protocol::Olsr, Dialect::Standard, |c| c.olsr.hello_interval = SimDuration::from_secs(32));
    assert_eq!(seconds(t.tables), 3.0 * 32.0 + 0.5);
}

/// With a scaling of 0.25, quality rises as 1 - 0.75^n: it is 0.822 after the sixth HELLO, and the threshold is 0.8
/// (RFC 3626 §14.3).
#[test]
fn hysteresis_needs_more_hellos() {
    let t = timing(Protocol::Olsr, Dialect::Standard, |c| {
        c.olsr.hysteresis = true;
        c.olsr.hysteresis_scaling = 0.25;
    });
    assert_eq!(seconds(t.relearnt), 7.0 * 2.0 + 2.0 * 5.0);
}

/// RFC 3561 §6.3, §10: the last of three requests waits for 4 × 2.8 s; rings of 1, 3, 5 and 7 hops wait for
/// 2 × 40 ms × (hops + 2) each. ns-2 waits for 10 s at most.
#[test]
fn aodv_waits_for_its_longest_interval() {
    let rfc = timing(Protocol::Aodv, Dialect::Standard, |_| {});
    assert_eq!([rfc.aftermath, rfc.under_way, rfc.kept].map(seconds), [11.2 + 2.0, 1.92, 30.0]);
    let ns2 = timing(Protocol::Aodv, Dialect::Ns2, |_| {});
    assert_eq!([ns2.aftermath, ns2.unused, ns2.noticed].map(seconds), [12.0, 10.0, 6.0]);
    let slow = timing(Protocol::Aodv, Dialect::Standard, |c| {
        c.aodv.net_traversal_time = SimDuration::from_secs(10);
        c.aodv.buffer_timeout = SimDuration::from_secs(60);
    });
    assert_eq!([slow.aftermath, slow.kept].map(seconds), [42.0, 60.0]);
}

/// RFC 4728 §9: MaxRequestPeriod 10 s, SendBufferTimeout 30 s.
#[test]
fn dsr_waits_for_its_longest_interval() {
    let rfc = timing(Protocol::Dsr, Dialect::Standard, |_| {});
    assert_eq!([rfc.aftermath, rfc.under_way, rfc.kept].map(seconds), [12.0, 1.0, 30.0]);
    let slow = timing(Protocol::Dsr, Dialect::Standard, |c| {
        c.dsr.max_request_period = SimDuration::from_secs(40);
        c.dsr.send_buffer_timeout = SimDuration::from_secs(90);
    });
    assert_eq!([slow.aftermath, slow.kept].map(seconds), [42.0, 90.0]);
}
