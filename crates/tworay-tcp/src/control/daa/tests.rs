use super::*;
use crate::config::RttArithmetic;
use crate::{AckPolicy, TcpConfig, Variant};

#[test]
fn the_sender_keeps_two_to_four_segments() {
    let part = crate::control::tests::part(&ENTRY, &[0.0, 0.0]);
    assert_eq!((part.floor(), part.limit()), (Some(2.0), Some(4.0)));
}

#[test]
fn its_options_change_threshold_and_timeout() {
    // Variant, duplicate ACKs that indicate a loss, factor of the timeout.
    for (text, dups, factor) in
        [("newreno+daa", 3, 1), ("newreno+daa(1)", 2, 1), ("newreno+daa(0,1)", 3, 5), ("sack+daa(1,1)", 2, 5)]
    {
        let variant: Variant = text.parse().expect(text);
        let config = variant.configured(&TcpConfig::default());
        assert_eq!(
            (config.receiver.acks, config.dup_threshold, config.rto.multiplier),
            (AckPolicy::Daa, dups, factor),
            "{text}"
        );
        assert_eq!(variant.name(), text);
        assert_eq!(config.rto.arithmetic, RttArithmetic::Exact);
        assert!(config.validate().is_ok());
    }
}

#[test]
fn acks_are_counted_by_what_they_cover() {
    let mut b = bench::Bench::new("daa");
    let standard = Window { cwnd: 4.0, ssthresh: 20.0 };
    for segments in [1.0, 2.0, 3.0, 4.0, 4.0, 7.0] {
        let event = AckEvent {
            bytes: 1000,
            segments,
            delivered: segments,
            may_grow: true,
            limited: None,
            standard,
            echo: None,
        };
        b.part.on_ack(&b.view, &event, &mut Effects::new());
    }
    let expected =
        [("acks-of-1", 1), ("acks-of-2", 1), ("acks-of-3", 1), ("acks-of-4", 2), ("acks-of-more", 1)];
    assert_eq!(b.part.counted(), expected);
}
