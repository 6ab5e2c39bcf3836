use super::*;
use tworay_base::{Seq32, SimDuration};
use tworay_tcp::Phase;

fn state(cwnd: f64) -> Snapshot {
    Snapshot {
        cwnd,
        ssthresh: 64.0,
        srtt: None,
        rttvar: None,
        rto: SimDuration::from_secs(1),
        flight_bytes: 0,
        flight_segments: 0,
        una: Seq32(1),
        nxt: Seq32(1),
        phase: Phase::SlowStart,
    }
}

/// A row stands for every change of a sender's state, flow by flow. Planned flows have rows only if series are
/// recorded, added ones in any case.
#[test]
fn a_change_of_state_is_a_row() {
    let at = |ms| SimTime::ZERO + SimDuration::from_millis(ms);
    for (recorded, rows) in [
        (true, &[(0, at(2), 3.0), (1, at(1), 2.0), (1, at(4), 4.0), (2, at(5), 1.0)][..]),
        (false, &[(2, at(5), 1.0)]),
    ] {
        let mut series = Series::new(2, recorded);
        series.note(at(1), FlowId(1), &state(2.0), 10);
        series.note(at(2), FlowId(0), &state(3.0), 20);
        series.note(at(3), FlowId(1), &state(2.0), 30);
        series.note(at(4), FlowId(1), &state(4.0), 40);
        series.add_flow();
        series.note(at(5), FlowId(2), &state(1.0), 50);
        series.note(at(6), FlowId(3), &state(1.0), 60);
        let found: Vec<_> = series.rows().iter().map(|(flow, s)| (*flow, s.at, s.state.cwnd)).collect();
        assert_eq!(found, rows, "recorded: {recorded}");
    }
}
