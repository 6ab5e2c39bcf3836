//! Fractional window increment (Nahm, Helmy and Kuo 2005): on a multihop path, a window that grows by one
//! segment per round trip soon exceeds what the path can carry, and routing mistakes the contention for
//! broken links. Congestion avoidance therefore grows by a small fraction of that: cwnd += α / cwnd per
//! ACK.
//!
//! The default of α is ours, from what others report of the paper (0.01 to 0.02); WiFu, an implementation,
//! uses 0.2. Growing by α on every ACK and growing fully on one ACK in 1/α (`sca(1/α - 1)`) are nearly the
//! same: evaluate the two together.

use super::*;
use crate::control::{AckEvent, Effects, SenderView, Window};

settings! {
    struct Options {
        /// segments that congestion avoidance adds in a round trip; 1 is plain TCP
        alpha: f64 = 0.02, 0.0001..1.0;
    }
}

#[derive(Debug)]
struct Few(Options);

impl CongestionControl for Few {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        if view.cwnd < view.ssthresh || !event.may_grow {
            return event.standard;
        }
        // A fraction of the standard increase, which already respects the window's upper limit.
        let step = event.standard.cwnd - view.cwnd;
        Window { cwnd: view.cwnd + self.0.alpha * step, ..event.standard }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "few",
        summary: "congestion avoidance grows by a fraction of a segment per round trip",
        source: "Nahm, Helmy and Kuo 2005",
        rules: &[Rule::at(
            Event::Ack,
            "congestion avoidance: cwnd grows by alpha/cwnd; slow start is standard",
            "Nahm, Helmy and Kuo 2005; default of alpha: ours",
        )],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_STANDARD,
        unless: "Vegas has a growth of its own",
        ..Part::new(Role::Growth, |values| {
            let options = Options::read(values);
            factory(move || Few(options))
        })
    }),
};

#[cfg(test)]
mod tests;
