//! Westwood and SCA: growth, reduction, the bandwidth estimate.

use super::drive::{Clock, Event, Life, Simulated, close, config, halved, lives};
use super::native::{self, Core, Growth, Window};
use proptest::prelude::*;

/// The initial window of both sides.
pub const FIRST: Window = Window { cwnd: 2, ssthresh: 64 };

fn westwood(life: &Life) -> Result<(), TestCaseError> {
    let (mut core, mut window, mut count) = (Core::default(), FIRST, 0);
    let mut simulated = Simulated::new("westwood", window);
    let mut clock = Clock::new(life);
    for moment in &life.moments {
        clock.pass(moment);
        let view = clock.view(window);
        match moment.event {
            Event::Ack(segments) => {
                native::westwood_rtt(&mut core, clock.rtt);
                native::westwood_ack(&mut core, &view, segments);
                let mut growth = Growth { cwnd: window.cwnd, count };
                native::grow(&mut growth, window.ssthresh, segments);
                (window.cwnd, count) = (growth.cwnd, growth.count);
                simulated.rtt(&clock);
                simulated.ack(&clock, segments, true);
                close(window, simulated.window)?;
                continue;
            }
            Event::DupAck => {
                native::westwood_dup_ack(&mut core, &view);
                simulated.dup_ack(&clock);
                continue;
            }
            Event::Loss => {
                let standard = halved(view.flight);
                simulated.go_on_from(window);
                window = native::westwood_loss(&core, &view, &standard).window;
                simulated.loss(&clock, standard);
            }
            Event::Timeout => {
                let standard = Window { cwnd: 1, ..halved(view.flight) };
                simulated.go_on_from(window);
                window = native::westwood_rto(&core, &standard).window;
                simulated.timeout(&clock, standard);
            }
            Event::Exit => continue,
        }
        close(window, simulated.window)?;
        simulated.go_on_from(window);
        count = 0;
    }
    Ok(())
}

fn sca(life: &Life, theta: u32) -> Result<(), TestCaseError> {
    let (mut core, mut window, mut count) = (Core::default(), FIRST, 0);
    let mut simulated = Simulated::new(&format!("sca({theta})"), window);
    let mut clock = Clock::new(life);
    for moment in &life.moments {
        clock.pass(moment);
        let view = clock.view(window);
        match moment.event {
            Event::Ack(_) => {
                let mut growth = Growth { cwnd: window.cwnd, count };
                native::sca_grow(&mut core, &mut growth, window.ssthresh, theta, 1);
                let grew = (growth.cwnd, growth.count) != (window.cwnd, count);
                (window.cwnd, count) = (growth.cwnd, growth.count);
                let before = simulated.window;
                simulated.ack(&clock, 1, true);
                prop_assert_eq!(simulated.window != before, grew, "which ACK grows");
                close(window, simulated.window)?;
                continue;
            }
            Event::Loss | Event::Timeout => {
                let standard = halved(view.flight);
                simulated.go_on_from(window);
                native::sca_reset(&mut core);
                window = standard;
                simulated.loss(&clock, standard);
            }
            Event::DupAck | Event::Exit => continue,
        }
        close(window, simulated.window)?;
        simulated.go_on_from(window);
        count = 0;
    }
    Ok(())
}

/// An ACK of several segments counts as that many ACKs.
fn sca_at_once(theta: u32, acks: &[u32]) {
    let start = Growth { cwnd: 1_000_000, count: 0 };
    let ((mut core, mut growth), (mut single, mut one)) =
        ((Core::default(), start), (Core::default(), start));
    for &acked in acks {
        native::sca_grow(&mut core, &mut growth, 2, theta, acked);
        (0..acked).for_each(|_| native::sca_grow(&mut single, &mut one, 2, theta, 1));
        assert_eq!(growth.count, one.count, "theta {theta}, ACKs of {acks:?} segments");
    }
    assert!(growth.count > 0);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn westwood_of_the_kernel_is_that_of_the_simulator(life in lives(3)) {
        westwood(&life)?;
    }

    #[test]
    fn sca_of_the_kernel_is_that_of_the_simulator(life in lives(1), theta in 0..25u32) {
        sca(&life, theta)?;
    }

    #[test]
    fn sca_counts_segments(theta in 0..25u32, acks in proptest::collection::vec(1..70u32, 1..20)) {
        sca_at_once(theta, &acks);
    }
}
