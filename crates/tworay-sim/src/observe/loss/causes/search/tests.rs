use super::*;
use tworay_base::SimDuration;

/// Of the messages that a station misses of a neighbour the latest is known, and of each neighbour its own.
#[test]
fn the_latest_miss_of_each_neighbour_is_known() {
    let at = |seconds| SimTime::ZERO + SimDuration::from_secs(seconds);
    let [a, b, c] = [NodeId(0), NodeId(1), NodeId(2)];
    let mut causes = Causes::new(3);
    let script = [
        (1, (a, b), LossCause::Channel, None),
        (2, (a, c), LossCause::Contention, Some(b)),
        (3, (b, a), LossCause::Contention, Some(c)),
        (4, (a, b), LossCause::NodeDown, None),
        (5, (a, b), LossCause::Contention, Some(c)),
    ];
    for (seconds, hop, cause, interferer) in script {
        causes.note_missed(at(seconds), hop, (cause, interferer), None);
        let miss = causes.missed(hop.0, hop.1).expect("a miss");
        assert_eq!((miss.at, miss.cause, miss.interferer), (at(seconds), cause, interferer), "{hop:?}");
    }
    assert_eq!(causes.missed(a, c).map(|miss| miss.at), Some(at(2)));
    assert_eq!(causes.missed(b, a).map(|miss| miss.at), Some(at(3)));
    assert!(causes.missed(c, a).is_none(), "the other direction");
}
