use super::*;

const NODE: NodeId = NodeId(1);
const TO: NodeId = NodeId(2);

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

const AIRTIME: SimDuration = SimDuration::from_micros(352);

/// Makes one attempt a millisecond; `None` is an answered one.
fn attempts(outcomes: &[(FrameKind, Option<Failure>)]) -> Attempts {
    let mut attempts = Attempts::default();
    for (ms, (kind, failure)) in (0..).zip(outcomes) {
        attempts.begin(at(ms), (*kind, TO), Failure::Busy);
        if let Some(failure) = failure {
            attempts.spoil(*kind, *failure);
            attempts.unanswered();
        }
        attempts.end(at(ms + 1), AIRTIME);
    }
    attempts
}

/// The RTS of a packet that is still being sent has failed once and was answered then; its DATA has failed and waits
/// for its next turn. Both failures were bit errors, but neither counts against a limit at this moment.
#[test]
fn failures_that_are_not_booked_have_a_cause() {
    use Failure::Errors;
    use FrameKind::{Data, Rts};
    let mut attempts = attempts(&[(Rts, Some(Errors)), (Rts, None)]);
    assert_eq!(attempts.root_of(at(9), (NODE, TO), Data).cause, Some(LossCause::Channel));
    attempts.begin(at(3), (Data, TO), Failure::Busy);
    attempts.spoil(Data, Failure::Collided);
    attempts.unanswered();
    assert_eq!(attempts.root_of(at(9), (NODE, TO), Data).cause, Some(LossCause::Contention));
}

/// A packet that the MAC gives up has the cause of most of the attempts that count against the limit that ran
/// out; among equals the one that struck first.
#[test]
fn most_attempts_decide() {
    use Failure::{Busy, Collided, Errors, NodeDown, OutOfRange, Rate};
    use FrameKind::{Data, Rts};
    let rts = |failures: &[(usize, Failure)]| -> Vec<(FrameKind, Option<Failure>)> {
        failures.iter().flat_map(|(n, failure)| vec![(Rts, Some(*failure)); *n]).collect()
    };
    let table = [
        (rts(&[(7, Collided)]), LossCause::Contention),
        (rts(&[(3, Busy), (4, OutOfRange)]), LossCause::LinkFailure),
        (rts(&[(3, Collided), (4, Errors)]), LossCause::Channel),
        (rts(&[(3, Busy), (4, NodeDown)]), LossCause::NodeDown),
        // Two reasons for contention count together.
        (rts(&[(2, Busy), (3, Errors), (2, Collided)]), LossCause::Contention),
        // A tie: the first one.
        (rts(&[(2, OutOfRange), (2, Collided)]), LossCause::LinkFailure),
        (rts(&[(1, Collided), (2, Errors), (1, Busy)]), LossCause::Contention),
        // So do two kinds of noise; the more frequent one is named, and of two equal ones the first.
        (rts(&[(2, Rate), (3, Collided), (2, Errors)]), LossCause::Rate),
        (rts(&[(1, Rate), (3, Collided), (3, Errors)]), LossCause::Channel),
        (rts(&[(3, Collided), (1, Rate), (2, Errors)]), LossCause::Contention),
    ];
    for (outcomes, cause) in table {
        let root = attempts(&outcomes).root_of(at(9), (NODE, TO), Rts);
        assert_eq!((root.cause, usize::from(root.attempts)), (Some(cause), outcomes.len()));
        assert_eq!((root.node, root.next_hop), (NODE, Some(TO)));
    }
    // The limit of DATA ran out after four frames with bit errors. RTS that collided before were answered in
    // the end: they count as failed attempts, and decide nothing.
    let exchange = [(Rts, Some(Collided)), (Rts, Some(Collided)), (Rts, None), (Data, Some(Errors))];
    let root = attempts(&exchange.repeat(4)).root_of(at(20), (NODE, TO), Data);
    assert_eq!((root.cause, root.attempts), (Some(LossCause::Channel), 12));
    // RTS that failed before an answered one do not count against the limit of RTS either.
    let mut rows = vec![(Rts, Some(Errors)); 6];
    rows.push((Rts, None));
    rows.extend([(Data, Some(Collided)), (Rts, Some(Collided))]);
    let root = attempts(&rows).root_of(at(20), (NODE, TO), Rts);
    assert_eq!((root.cause, root.attempts), (Some(LossCause::Contention), 8));
}

/// An answered attempt is not a failure, and nothing is known of a packet without failed attempts.
#[test]
fn answered_attempts_are_not_booked() {
    let answered = attempts(&[(FrameKind::Rts, None), (FrameKind::Data, None)]);
    assert!(!answered.has_failed_before() && answered.lost().is_zero());
    let root = answered.root_of(at(9), (NODE, TO), FrameKind::Rts);
    assert_eq!((root.cause, root.attempts), (Some(LossCause::Unknown), 0));
}

/// Out of reach, the packet is held up since the first attempt. Otherwise the last one could have
/// succeeded.
#[test]
fn since_when_a_packet_is_held_up() {
    let rts = |failure| (FrameKind::Rts, Some(failure));
    let gone = attempts(&[rts(Failure::Busy), rts(Failure::OutOfRange), rts(Failure::OutOfRange)]);
    assert_eq!(gone.root_of(at(9), (NODE, TO), FrameKind::Rts).at, at(1));
    let busy = attempts(&[rts(Failure::OutOfRange), rts(Failure::Busy), rts(Failure::Busy)]);
    assert_eq!(busy.root_of(at(9), (NODE, TO), FrameKind::Rts).at, at(9));
}

/// Only attempts that load did not spoil cost the MAC time that load does not explain.
#[test]
fn lost_time() {
    let rts = |failure| (FrameKind::Rts, Some(failure));
    let attempts = attempts(&[rts(Failure::Collided), rts(Failure::Errors), rts(Failure::Errors)]);
    assert_eq!(attempts.lost(), SimDuration::from_millis(2));
    let root = attempts.delay(at(9), NODE).expect("a delay");
    assert_eq!((root.cause, root.next_hop), (Some(LossCause::Channel), Some(TO)));
}

/// An answered RTS is lost time if the DATA behind it is lost to errors: the exchange has to begin anew.
#[test]
fn an_rts_in_vain_is_lost_time() {
    use FrameKind::{Data, Rts};
    let exchange = [(Rts, None), (Data, Some(Failure::Errors))];
    let lost = attempts(&exchange.repeat(2));
    assert_eq!((lost.lost(), lost.retries()), (SimDuration::from_millis(4), (0, 2)));
    let collided = attempts(&[exchange, [(Rts, None), (Data, Some(Failure::Collided))]].concat());
    assert_eq!((collided.lost(), collided.retries()), (SimDuration::from_millis(2), (1, 1)));
}

/// In ns-2 a receiver whose CTS got lost refuses the next RTS, because it still expects the DATA: this attempt
/// fails for the reason that spoiled the CTS.
#[test]
fn a_receiver_that_waits_for_the_data_of_a_lost_cts() {
    let mut attempts = Attempts::default();
    attempts.begin(at(0), (FrameKind::Rts, TO), Failure::Busy);
    attempts.reserve(at(5));
    attempts.spoil(FrameKind::Rts, Failure::Errors);
    attempts.failed(at(2), AIRTIME);
    attempts.begin(at(3), (FrameKind::Rts, TO), Failure::Busy);
    attempts.failed(at(5), AIRTIME);
    attempts.begin(at(6), (FrameKind::Rts, TO), Failure::Busy);
    attempts.failed(at(8), AIRTIME);
    let root = attempts.root_of(at(9), (NODE, TO), FrameKind::Rts);
    assert_eq!((root.cause, attempts.lost()), (Some(LossCause::Channel), SimDuration::from_millis(4)));
}

/// The next packet starts anew.
#[test]
fn a_new_packet() {
    let mut attempts = attempts(&[(FrameKind::Rts, Some(Failure::Errors))]);
    attempts.reset();
    assert!(!attempts.has_past() && !attempts.has_failed_before());
    assert_eq!((attempts.lost(), attempts.delay(at(9), NODE)), (SimDuration::ZERO, None));
    attempts.begin(at(3), (FrameKind::Rts, TO), Failure::NodeDown);
    attempts.failed(at(4), AIRTIME);
    let root = attempts.root_of(at(9), (NODE, TO), FrameKind::Rts);
    assert_eq!((root.cause, root.attempts), (Some(LossCause::NodeDown), 1));
}

/// Fading keeps the first two RTS from a hop that is out of range by the mean power, and then the next hop goes off, at 2 ms. It has been off
/// since then, not since the first RTS in vain.
#[test]
fn an_outage_begins_with_the_first_attempt_that_met_it() {
    use Failure::{NodeDown, OutOfRange};
    use FrameKind::{Data, Rts};
    let rts = |failure| (Rts, Some(failure));
    let down = [rts(OutOfRange), rts(OutOfRange), rts(NodeDown), rts(NodeDown), rts(NodeDown)];
    let root = attempts(&down).root_of(at(9), (NODE, TO), Rts);
    assert_eq!((root.cause, root.at), (Some(LossCause::NodeDown), at(2)));
    let away = [rts(OutOfRange), rts(NodeDown), rts(OutOfRange)];
    let root = attempts(&away).root_of(at(9), (NODE, TO), Data);
    assert_eq!((root.cause, root.at), (Some(LossCause::LinkFailure), at(0)));
}
