#[allow(unused_imports)]
use super::*;
use crate::control::tests::*;

#[test]
fn fixed_rto_doubles_once() {
    let mut part = part(&ENTRY, &[1.0]);
    for (consecutive, backoff) in
        [(1, Backoff::Double), (2, Backoff::Keep), (3, Backoff::Keep), (1, Backoff::Double)]
    {
        let decision = part.on_rto(&view(10.0, 10.0), &rto(consecutive), &mut Effects::new());
        assert_eq!(decision.backoff, backoff, "timeout {consecutive} in a row");
    }
}

/// "freeze the RTO timer after 3 consecutive backoffs" (Papanastasiou 2006 §3.5.1).
#[test]
fn the_thesis_freezes_it_after_three() {
    let mut part = part(&ENTRY, &[3.0]);
    let backoffs = [1, 2, 3, 4, 5]
        .map(|n| part.on_rto(&view(10.0, 10.0), &rto(n), &mut Effects::new()).backoff == Backoff::Double);
    assert_eq!(backoffs, [true, true, true, false, false]);
}
