//! WELCOME: the same guess for every loss, the same windows, and the same requested timeout.

use super::drive::{Clock, Event, Life, Simulated, close, config, halved, lives};
use super::native::{self, Core, Growth, Window, Wish};
use super::westwood::FIRST;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Guesses made, to check that all of them occurred.
type Guesses = BTreeMap<&'static str, u32>;

#[derive(Debug)]
struct Kernel {
    core: Core,
    window: Window,
    count: u32,
}

impl Kernel {
    /// Applies a request; returns whether it set the window.
    fn take(&mut self, wish: Wish) -> bool {
        if wish.window.cwnd > 0 {
            (self.window, self.count) = (wish.window, 0);
        }
        wish.window.cwnd > 0
    }
}

fn welcome(life: &Life, guesses: &mut Guesses) -> Result<(), TestCaseError> {
    let mut kernel = Kernel { core: Core::default(), window: FIRST, count: 0 };
    let mut simulated = Simulated::new("welcome", FIRST);
    let mut clock = Clock::new(life);
    let (mut held, mut recovering): (Option<Window>, bool) = (None, false);
    for moment in &life.moments {
        clock.pass(moment);
        let view = clock.view(kernel.window);
        let (decision, said) = match moment.event {
            Event::Ack(segments) => {
                let wish = native::welcome_rtt(&mut kernel.core, &view, clock.rtt);
                let said = simulated.rtt(&clock);
                let set = kernel.take(wish);
                prop_assert_eq!(said.window.is_some(), set, "who sets a window");
                if let Some(scale) = said.scale {
                    // The timeout before the link failure, times the factor.
                    prop_assert!(wish.rto > 0 && scale > 0.0, "{wish:?} {scale}");
                }
                close(kernel.window, simulated.window)?;
                if set {
                    simulated.go_on_from(kernel.window);
                }
                let view = clock.view(kernel.window);
                let wish = native::welcome_ack(&mut kernel.core, &view, segments);
                let mut growth = Growth { cwnd: kernel.window.cwnd, count: kernel.count };
                native::grow(&mut growth, kernel.window.ssthresh, segments);
                (kernel.window.cwnd, kernel.count) = (growth.cwnd, growth.count);
                let said = simulated.ack(&clock, segments, true);
                let set = kernel.take(wish);
                prop_assert_eq!(said.window.is_some(), set, "who sets a window");
                close(kernel.window, simulated.window)?;
                if set {
                    simulated.go_on_from(kernel.window);
                }
                continue;
            }
            Event::DupAck => {
                native::welcome_dup_ack(&mut kernel.core, &view);
                simulated.dup_ack(&clock);
                continue;
            }
            // Further losses during a recovery belong to it.
            Event::Loss if recovering => continue,
            Event::Loss => {
                recovering = true;
                let standard = halved(view.flight);
                simulated.go_on_from(kernel.window);
                (native::welcome_loss(&kernel.core, &view, &standard), simulated.loss(&clock, standard))
            }
            Event::Timeout => {
                recovering = false;
                let standard = Window { cwnd: 1, ..halved(view.flight) };
                simulated.go_on_from(kernel.window);
                (native::welcome_rto(&mut kernel.core, &view, &standard), simulated.timeout(&clock, standard))
            }
            Event::Exit => {
                recovering = false;
                // The window that the simulator restores is the one stored by the controller.
                if let Some(window) = simulated.exit(&clock).window {
                    prop_assert!(held.is_some());
                    (kernel.window, kernel.count) = (held.take().unwrap_or(kernel.window), 0);
                    close(kernel.window, window)?;
                    simulated.go_on_from(kernel.window);
                }
                continue;
            }
        };
        held = (decision.guess() == Some("channel")).then_some(decision.window);
        prop_assert_eq!(decision.guess(), said.guess);
        *guesses.entry(said.guess.unwrap_or("none")).or_default() += 1;
        prop_assert_eq!(said.wait.is_some(), decision.wait > 0);
        if let Some(wait) = said.wait {
            prop_assert!((wait - f64::from(decision.wait)).abs() <= 2.0, "{wait} {decision:?}");
        }
        (kernel.window, kernel.count) = (decision.window, 0);
        close(kernel.window, simulated.window)?;
        simulated.go_on_from(kernel.window);
    }
    Ok(())
}

#[test]
fn welcome_of_the_kernel_is_that_of_the_simulator() {
    let guesses = RefCell::new(Guesses::new());
    let cases = config().cases;
    proptest!(config(), |(life in lives(3))| {
        welcome(&life, &mut guesses.borrow_mut())?;
    });
    // Every guess occurred often.
    for guess in ["congestion", "channel", "link-failure"] {
        let met = guesses.borrow().get(guess).copied().unwrap_or(0);
        assert!(met >= cases / 20, "{guess}: {met} times in {cases} lives");
    }
}
