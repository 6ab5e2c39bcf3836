use super::*;

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

fn watch(warning_ms: u64) -> Watch {
    let warning = SimDuration::from_millis(warning_ms);
    let (from, to) = (NodeId(0), NodeId(2));
    Watch { from, to, warning, next: BTreeMap::new(), closed: false, until: SimTime::ZERO }
}

/// The route is down from 1000 to 1100 ms, the warning 300 ms: at 700 ms the end of the warning is the break.
/// Between 800 ms and the break, the route works now and after the warning, but not in between.
#[test]
fn an_interruption_shorter_than_the_warning_is_not_forgotten() {
    let mut watch = watch(300);
    let works = |ms: u64| !(1000..1100).contains(&ms);
    let mut told = Vec::new();
    for ms in (0..2000).step_by(10) {
        if let Some(warn) = watch.decide(at(ms), works(ms), works(ms + 300)) {
            told.push((ms, warn));
        }
    }
    let expected =
        [(700, Warn::Receiver(PathEvent::Interruption)), (1100, Warn::Receiver(PathEvent::Restored))];
    assert_eq!(told, expected);
}

/// Without a warning, the sender is told at the break and as long as it lasts, the receiver when it is over.
#[test]
fn without_a_warning_the_sender_is_told() {
    let mut watch = watch(0);
    let told: Vec<_> = [true, false, false, true, true]
        .into_iter()
        .zip([0, 10, 20, 30, 40])
        .map(|(works, ms)| watch.decide(at(ms), works, works))
        .collect();
    let restored = Warn::Receiver(PathEvent::Restored);
    assert_eq!(told, [None, Some(Warn::Sender), Some(Warn::Sender), Some(restored), None]);
}

/// An interruption that was not foreseen (a cut link) is not announced: the receiver cannot know of it.
#[test]
fn what_is_not_foreseen_is_not_announced() {
    let mut watch = watch(300);
    for (ms, works) in [(0, true), (10, false), (20, false), (30, true)] {
        assert_eq!(watch.decide(at(ms), works, works), None, "{ms}");
    }
}

/// 0 -> 1 -> 2; then routing takes 0 -> 3 -> 2. Without a way to the receiver, or in a circle, there is none.
#[test]
fn the_route_is_that_of_the_latest_packets() {
    let mut watch = watch(300);
    let ids = |links: &[(u16, u16)]| links.iter().map(|&(a, b)| (NodeId(a), NodeId(b))).collect::<Vec<_>>();
    for ((from, to), route) in [
        ((0, 1), &[][..]),
        ((1, 2), &[(0, 1), (1, 2)]),
        ((0, 3), &[]),
        ((3, 2), &[(0, 3), (3, 2)]),
        ((3, 0), &[]),
    ] {
        watch.next.insert(NodeId(from), NodeId(to));
        assert_eq!(watch.route(), ids(route), "{from} -> {to}");
    }
}
