use super::*;
use crate::observe::loss::ledger::Carries;

const FLOW: FlowId = FlowId(0);
const NODE: NodeId = NodeId(1);

fn at(seconds: f64) -> SimTime {
    SimTime::from_nanos((seconds * 1e9) as u64)
}

/// A run in which node 2 loses frames from 10 s on, whose twin loses these datagrams.
fn twin(losses: &[(u32, f64, Died)]) -> Twin {
    let noise =
        Disturbance { at: at(10.0), until: SimTime::NEVER, node: Some(NodeId(2)), cause: LossCause::Channel };
    let loss = |(seq, time, died): &(u32, f64, Died)| LossRecord {
        at: at(*time),
        node: NODE,
        from: NodeId(0),
        flow: FLOW,
        carries: Carries::Data,
        seq: Seq32(*seq),
        uid: 0,
        cause: if *died == Died::Ifq { LossCause::Congestion } else { LossCause::Contention },
        died: *died,
        since: at(*time),
        root_node: NODE,
        next_hop: None,
        attempts: 0,
        interferer: None,
    };
    Twin::of(vec![noise], vec![true], losses.iter().map(loss))
}

fn judge(twin: &mut Twin, seq: u32, time: f64, died: Died, cause: LossCause) -> LossCause {
    let of = Dying { flow: FLOW, seq: Seq32(seq), node: NODE, at: at(time), died, slowed_by: None };
    let root = RootCause::new(at(time), NODE, cause).towards(NodeId(2));
    twin.judge(at(time), of, root).cause.expect("a cause")
}

/// The twin loses datagrams 7 and 8. This run delivers 8 and loses others: one of them in its place.
#[test]
fn as_many_losses_as_the_twin_has_are_loads() {
    use LossCause::{Channel, Congestion};
    let mut of = twin(&[(7, 20.0, Died::Ifq), (8, 20.1, Died::Ifq)]);
    assert_eq!(judge(&mut of, 6, 20.0, Died::Ifq, Channel), Channel, "the twin delivers it");
    assert_eq!(judge(&mut of, 7, 20.1, Died::Ifq, Channel), Congestion, "the twin loses it, too");
    of.delivered(FLOW, Seq32(8));
    assert_eq!(judge(&mut of, 9, 20.3, Died::Ifq, Channel), Congestion, "in place of 8");
    assert_eq!(judge(&mut of, 10, 20.3, Died::Ifq, Channel), Channel);
    let chance =
        (11..20).filter(|seq| judge(&mut of, *seq, 20.4, Died::Ifq, Congestion) == Congestion).count();
    assert_eq!(chance, 7, "3 + 3 * 2^(1/2)");
}

#[test]
fn before_the_first_disturbance_all_is_loads() {
    let mut of = twin(&[]);
    assert_eq!(judge(&mut of, 1, 9.9, Died::Ifq, LossCause::Congestion), LossCause::Congestion);
    assert_eq!(judge(&mut of, 2, 10.1, Died::Ifq, LossCause::Congestion), LossCause::Channel);
}

#[test]
fn what_a_disturbance_has_destroyed_stays_so() {
    let mut of_run = twin(&[(1, 20.0, Died::DataRetries), (9, 20.0, Died::DataRetries)]);
    let died = Died::DataRetries;
    assert_eq!(judge(&mut of_run, 1, 20.0, died, LossCause::Channel), LossCause::Channel);
    assert_eq!(judge(&mut of_run, 2, 20.0, died, LossCause::NodeDown), LossCause::NodeDown);
    of_run.delivered(FLOW, Seq32(9));
    let mut again = |time, slowed_by| {
        let of = Dying { flow: FLOW, seq: Seq32(3), node: NODE, at: at(time), died, slowed_by };
        let collided = RootCause::new(at(time), NODE, LossCause::Contention).towards(NodeId(2));
        of_run.judge(at(time), of, collided).cause.expect("a cause")
    };
    assert_eq!(again(24.0, None), LossCause::Contention, "in place of 9, a hop's: within 5 s");
    let noise = Some(RootCause::new(at(30.0), NODE, LossCause::Channel).towards(NodeId(2)));
    for _ in 0..7 {
        assert_eq!(again(30.0, noise), LossCause::Contention, "3 + 3 * 2^(1/2) by chance");
    }
    assert_eq!(again(30.0, noise), LossCause::Channel, "noise strikes the same MAC");
    assert_eq!(again(30.0, None), LossCause::Contention, "what happens elsewhere destroys no frame here");
}

/// The twin loses 87 and 88 in a full queue, and this run newer ones, while it still has those: two are lost in their place.
#[test]
fn one_that_this_run_still_has_counts_as_lost_in_the_twin() {
    use LossCause::{Channel, Congestion};
    let mut of = twin(&[(86, 18.0, Died::Ifq), (87, 20.0, Died::Ifq), (88, 20.1, Died::Ifq)]);
    let found: Vec<LossCause> =
        (90..102).map(|seq| judge(&mut of, seq, 20.2, Died::Ifq, Congestion)).collect();
    // Those two and, by chance, 3 + 3 * 3^(1/2) = 8.2. The other one is 2.2 s away.
    assert_eq!(found, [vec![Congestion; 10], vec![Channel; 2]].concat());
}
