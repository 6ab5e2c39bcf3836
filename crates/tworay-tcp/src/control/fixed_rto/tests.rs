#[allow(unused_imports)]
use super::*;
use crate::control::tests::*;

#[test]
fn fixed_rto_doubles_once() {
    let mut part = part(&ENTRY, &[]);
    for (consecutive, backoff) in
        [(1, Backoff::Double), (2, Backoff::Keep), (3, Backoff::Keep), (1, Backoff::Double)]
    {
        let decision = part.on_rto(&view(10.0, 10.0), &rto(consecutive), &mut Effects::new());
        assert_eq!(decision.backoff, backoff, "timeout {consecutive} in a row");
    }
}
