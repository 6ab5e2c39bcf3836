use super::*;

/// RFC 9293 §3.4: numbers are compared modulo 2^32.
#[test]
fn order_holds_across_the_wrap() {
    // a, b, b - a
    for (a, b, distance) in [
        (0, 1, 1),
        (u32::MAX, 0, 1),
        (u32::MAX - 9, 10, 20),
        (0x7fff_ffff, 0x8000_0000, 1),
        (5, 5 + (1 << 31) - 1, i32::MAX),
    ] {
        let (a, b) = (Seq32(a), Seq32(b));
        assert!(a.lt(b) && a.le(b) && b.gt(a) && b.ge(a), "{a} before {b}");
        assert!(!b.lt(a) && !b.le(a) && !a.gt(b) && !a.ge(b), "{b} not before {a}");
        assert_eq!((b.diff(a), a.diff(b)), (distance, -distance));
        assert_eq!((a.max(b), b.max(a), a.min(b), b.min(a)), (b, b, a, a));
    }
    let same = Seq32(77);
    assert!(same.le(same) && same.ge(same) && !same.lt(same) && !same.gt(same));
}

/// Half the number space apart, neither comes first: each is "before" the other.
#[test]
fn numbers_half_the_space_apart_have_no_order() {
    let (a, b) = (Seq32(3), Seq32(3 + (1 << 31)));
    assert_eq!((a.diff(b), b.diff(a)), (i32::MIN, i32::MIN));
    assert!(a.lt(b) && b.lt(a));
}

#[test]
fn arithmetic_wraps() {
    assert_eq!(Seq32(u32::MAX).plus(1), Seq32(0));
    assert_eq!(Seq32(0).minus(1), Seq32(u32::MAX));
    assert_eq!(Seq32(0xffff_fff0).plus(0x20), Seq32(0x10));
    proptest::proptest!(|(a: u32, n: u32)| {
        proptest::prop_assert_eq!(Seq32(a).plus(n).minus(n), Seq32(a));
        proptest::prop_assert_eq!(Seq32(a).plus(n).diff(Seq32(a)), n as i32);
    });
}
