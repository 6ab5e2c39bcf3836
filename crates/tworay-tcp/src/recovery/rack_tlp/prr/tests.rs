use super::*;
use proptest::prelude::*;

fn delivered(delivered: usize, safe: bool) -> Progress {
    Progress { delivered, safe }
}

/// Feeds ACKs of one segment each, sends what each allows, and gives what is in flight after each.
fn run(prr: &mut Prr, mut in_flight: usize, acks: usize) -> Vec<usize> {
    (0..acks)
        .map(|_| {
            in_flight -= 1;
            let window = prr.window(delivered(1, false), in_flight) as usize;
            prr.sent(window - in_flight);
            in_flight = window;
            in_flight
        })
        .collect()
}

#[test]
fn one_loss_of_twenty_halves_in_steps() {
    // 20 in flight, one lost, target 10: a segment goes out for every other one that comes in, beginning with
    // the retransmission (RFC 6937 §4's first example, there with CUBIC's 7/10).
    let mut prr = Prr::new(10.0, 20);
    let flights = run(&mut prr, 20, 19);
    assert_eq!(flights[..6], [20, 19, 19, 18, 18, 17]);
    assert_eq!(*flights.last().expect("ACKs"), 10, "the target");
}

#[test]
fn after_a_burst_of_losses_nothing_more_goes_in_than_comes_out() {
    // 20 in flight, 15 lost at once: 5 in flight, below the target of 10. Without safe ACKs the flight stays;
    // with them it rises by one an ACK, as in slow start, up to the target.
    let mut conserving = Prr::new(10.0, 20);
    assert_eq!(run(&mut conserving, 5, 5), [5; 5]);
    let (mut prr, mut in_flight) = (Prr::new(10.0, 20), 5);
    let mut flights = Vec::new();
    for _ in 0..8 {
        in_flight -= 1;
        let window = prr.window(delivered(1, true), in_flight) as usize;
        prr.sent(window - in_flight);
        in_flight = window;
        flights.push(in_flight);
    }
    assert_eq!(flights, [6, 7, 8, 9, 10, 10, 10, 10]);
}

#[test]
fn what_ran_dry_is_not_made_up_in_a_burst() {
    // The application was idle: much was delivered, little sent. One ACK lets out what it brought and the
    // debt, but no more than the target.
    let mut prr = Prr::new(10.0, 20);
    assert_eq!(prr.window(delivered(12, false), 0), 10.0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// RFC 9937 §6, over any losses and ACKs. With more in flight than the target, what was sent is to what
    /// was delivered as the target is to the flight at the beginning; with less, the flight never exceeds the
    /// target: so on average never more than the target is in flight. In all no more is sent than was
    /// delivered, and one segment for each safe ACK.
    #[test]
    fn never_more_than_the_rfc_allows(
        flight in 2usize..200,
        share in 0.05f64..1.0,
        steps in prop::collection::vec((1usize..8, 0usize..40, any::<bool>(), 0usize..20), 1..200),
    ) {
        let target = ((flight as f64 * share) as usize).max(2);
        let mut prr = Prr::new(target as f64, flight);
        let (mut in_flight, mut delivered, mut out, mut safe_acks) = (flight, 0, 0, 0);
        for (i, (brings, loses, advances, has)) in steps.into_iter().enumerate() {
            let brings = brings.min(in_flight);
            let loses = loses.max(usize::from(i == 0)).min(in_flight - brings);
            if brings == 0 {
                break;
            }
            in_flight -= brings + loses;
            delivered += brings;
            let safe = advances && loses == 0;
            safe_acks += usize::from(safe);
            let window = prr.window(Progress { delivered: brings, safe }, in_flight) as usize;
            let sends = (window - in_flight).min(has);
            let above = in_flight > target;
            prr.sent(sends);
            (out, in_flight) = (out + sends, in_flight + sends);
            prop_assert!(out <= delivered + safe_acks, "{out} of {delivered} and {safe_acks}");
            if sends == 0 || out == 1 {
                continue;
            }
            if above {
                let share = (delivered * target).div_ceil(flight);
                prop_assert!(out <= share, "{out} of {share}");
            } else {
                prop_assert!(in_flight <= target, "{in_flight} of {target}");
            }
        }
    }

    /// PRR's aim: after a single loss the flight ends at the target, however ACKs come.
    #[test]
    fn one_loss_ends_at_the_target(flight in 4usize..200, share in 0.3f64..1.0, brings in prop::collection::vec(1usize..4, 200)) {
        let target = ((flight as f64 * share) as usize).max(2);
        let mut prr = Prr::new(target as f64, flight);
        let (mut in_flight, mut left) = (flight - 1, flight - 1);
        for brings in brings {
            let brings = brings.min(left);
            if brings == 0 {
                break;
            }
            left -= brings;
            in_flight -= brings;
            let window = prr.window(delivered(brings, false), in_flight) as usize;
            prr.sent(window - in_flight);
            in_flight = window;
        }
        prop_assert_eq!(in_flight, target);
    }
}
