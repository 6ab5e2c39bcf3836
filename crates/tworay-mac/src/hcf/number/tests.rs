use super::*;

#[test]
fn numbers_wrap_at_4096_and_compare_by_distance() {
    let n = FrameNumber::new;
    assert_eq!(n(4_095).plus(1), n(0));
    assert_eq!(n(4_097), n(1));
    assert_eq!(n(2).since(n(4_094)), 4);
    assert!(n(4_094).is_before(n(2)) && !n(2).is_before(n(4_094)));
    assert!(!n(7).is_before(n(7)));
    assert!(!n(2_047).is_before(n(0)) && n(2_048).is_before(n(0)));
}
