//! The main loop in virtual time, where the network is simulated ahead of the kernels.
//!
//! In real time the engine wakes for every event of the network, because a kernel may send at any moment. In
//! virtual time the kernel says when its next timer expires: until then only a packet that arrives makes a
//! program act. So the network runs to the first packet for a kernel, or to that timer, without a system call.

use crate::clock::Clock;
use crate::diag::Told;
use crate::engine::{End, Engine, NAP, Progress, Reports};
use crate::idle::Idle;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use std::time::Duration;
use tworay_base::SimTime;
use tworay_sim::Leaving;

impl Engine {
    /// Runs until something ends it.
    pub(crate) fn run_ahead(
        &mut self,
        idle: &Idle,
        clock: &Clock,
        stop: &AtomicBool,
        told: &Receiver<Told>,
        mut tell: impl FnMut(Progress),
    ) -> End {
        let mut reports = Reports::default();
        let mut busy = false;
        loop {
            let quiet = match if busy { idle.look(clock) } else { idle.wait(clock) } {
                Ok(quiet) => quiet,
                Err(error) => {
                    return End::Failed(format!("the machine's idle device can't be read: {error}"));
                }
            };
            busy = quiet.until.is_none();
            // Programs that ran meanwhile have moved the time a little by reading the clock.
            let now = quiet.now.min(self.rules.limit);
            let next = self.live.next_time();
            if next <= now {
                self.lateness.note(now.since(next).as_nanos());
            }
            let sent = match self.advance(now, stop) {
                Ok(sent) => sent,
                Err(end) => return end,
            };
            let limit = self.rules.limit;
            // A program that waits in a loop can send at any time: then the network keeps step with it.
            let next = self.live.next_time().min(self.freezer.next_due()).min(limit);
            let wait = if busy { clock.span(now, next).min(NAP) } else { Duration::ZERO };
            let at = || if busy { idle.look(clock).map_or(now, |quiet| quiet.now.min(limit)) } else { now };
            if let Err(error) = self.take_in(wait, usize::MAX, at) {
                return End::Failed(format!("the devices can't be read: {error}"));
            }
            self.report(&mut reports, told, 0.0, &mut tell);
            let (Some(until), 0) = (quiet.until, sent) else {
                // Another program runs, or the kernels have work again.
                continue;
            };
            let mut until = until.min(limit);
            if self.rules.freeze {
                // Broken routes make the engine send to the kernels, which no packet announces.
                until = until.min(self.live.next_time()).min(self.freezer.next_due());
            }
            let leaving = self.simulate(until);
            let at = self.live.now();
            clock.sleep_until(if leaving.is_empty() { until } else { at });
            self.hand_out(leaving);
        }
    }

    /// Simulates until a packet leaves the network, or `until`; returns the packets that leave at this time.
    fn simulate(&mut self, until: SimTime) -> Vec<Leaving> {
        let mut leaving = Vec::new();
        while leaving.is_empty() && self.live.next_time() <= until {
            let next = self.live.next_time();
            self.live.run_until(next);
            self.answer_expired();
            leaving.extend(std::iter::from_fn(|| self.live.pop_leaving()));
        }
        leaving
    }
}
