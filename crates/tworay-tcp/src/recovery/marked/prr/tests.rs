use super::*;

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
    // The application was idle: much was delivered, little sent. One ACK lets out what it brought and the debt,
    // but no more than the target.
    let mut prr = Prr::new(10.0, 20);
    assert_eq!(prr.window(delivered(12, false), 0), 10.0);
}
