use super::*;

const FLOW: FlowId = FlowId(0);
const NODE: NodeId = NodeId(1);

fn at(seconds: f64) -> SimTime {
    SimTime::from_nanos((seconds * 1e9) as u64)
}

/// A run in which node 2 loses frames from 10 s on, whose twin has these losses.
fn twin(losses: &[(f64, LossCause)]) -> Twin {
    let noise =
        Disturbance { at: at(10.0), until: SimTime::NEVER, node: Some(NodeId(2)), cause: LossCause::Channel };
    Twin::of(
        vec![noise],
        vec![true],
        losses.iter().map(|(time, cause)| (FLOW, at(*time), Died::Error, *cause)),
    )
}

fn judge(twin: &mut Twin, time: f64, died: Died, cause: LossCause) -> LossCause {
    let of = Dying { flow: FLOW, node: NODE, died, slowed_by: None };
    let root = RootCause::new(at(time), NODE, cause).towards(NodeId(2));
    twin.judge(at(time), of, root).cause.expect("a cause")
}

#[test]
fn as_many_losses_as_the_twin_has_are_loads() {
    use LossCause::{Channel, Congestion};
    let mut of = twin(&[(20.0, Congestion), (20.1, Congestion)]);
    let mut in_queue = |time, cause| judge(&mut of, time, Died::Ifq, cause);
    assert_eq!(in_queue(20.3, Congestion), Congestion);
    assert_eq!(in_queue(20.3, Channel), Congestion, "the twin has lost two");
    assert_eq!(in_queue(20.4, Congestion), Channel, "and no third one");
    assert_eq!(in_queue(20.4, Channel), Channel);
}

#[test]
fn before_the_first_disturbance_all_is_loads() {
    let mut of = twin(&[]);
    assert_eq!(judge(&mut of, 9.9, Died::Ifq, LossCause::Congestion), LossCause::Congestion);
    assert_eq!(judge(&mut of, 10.1, Died::Ifq, LossCause::Congestion), LossCause::Channel);
}

#[test]
fn what_a_disturbance_has_destroyed_stays_so() {
    let mut of = twin(&[(20.0, LossCause::Contention)]);
    let died = Died::DataRetries;
    assert_eq!(judge(&mut of, 20.0, died, LossCause::Channel), LossCause::Channel);
    assert_eq!(judge(&mut of, 20.0, died, LossCause::NodeDown), LossCause::NodeDown);
    let mut again = |time| judge(&mut of, time, died, LossCause::Contention);
    assert_eq!(again(24.0), LossCause::Contention, "a hop's: within 5 s");
    for _ in 0..3 {
        assert_eq!(again(30.0), LossCause::Contention, "by chance");
    }
    assert_eq!(again(30.0), LossCause::NodeDown, "the latest disturbance");
}

/// The twin loses 25 in its queue by chance. Three more, and three standard deviations, are no surprise, and the next one is.
#[test]
fn a_few_more_than_the_twin_loses_are_chance() {
    let noise = Disturbance { at: at(0.0), until: SimTime::NEVER, node: None, cause: LossCause::Channel };
    let losses = (0..25).map(|_| (FLOW, at(1.0), Died::Ifq, LossCause::Congestion));
    let mut of = Twin::of(vec![noise], vec![true], losses);
    let causes: Vec<_> = (0..19).map(|_| judge(&mut of, 5.0, Died::Ifq, LossCause::Congestion)).collect();
    let chance = causes.iter().filter(|cause| **cause == LossCause::Congestion).count();
    assert_eq!((chance, causes[18]), (18, LossCause::Channel));
}
