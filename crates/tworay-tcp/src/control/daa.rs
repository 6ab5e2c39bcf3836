//! Dynamic Adaptive ACK: the receiver acknowledges up to four segments at once, and the sender keeps its
//! window at 2 to 4 segments (de Oliveira and Braun 2005; Papanastasiou 2006, p. 124). The receiver's part
//! is in `receive/daa.rs`. After start-up the receiver always counts to at least two segments before it
//! sends an ACK, so with a window of one segment only its timer would send ACKs. For this reason the window
//! stays at two after timeouts too.
//!
//! The thesis calls the window "the only requirement" at the sender. The original also retransmits on the
//! second duplicate ACK and uses a five times longer timeout; both are options.

use super::*;
use crate::config::{AckPolicy, TcpConfig};

#[derive(Debug)]
struct DaaSender {
    /// Cumulative ACKs by how many segments they covered.
    covered: [(&'static str, u64); COVERED.len()],
}

/// Names of the counts; the last one takes all above.
const COVERED: [&str; 5] = ["acks-of-1", "acks-of-2", "acks-of-3", "acks-of-4", "acks-of-more"];

impl DaaSender {
    fn new() -> Self {
        Self { covered: COVERED.map(|name| (name, 0)) }
    }
}

/// Bounds of the sender's window, segments.
const WINDOW: (f64, f64) = (2.0, 4.0);

impl CongestionControl for DaaSender {
    fn counted(&self) -> &[(&'static str, u64)] {
        &self.covered
    }
    fn on_ack(&mut self, _: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        let segments = (event.segments.round() as usize).clamp(1, COVERED.len());
        self.covered[segments - 1].1 += 1;
        event.standard
    }
    fn limit(&self) -> Option<f64> {
        Some(WINDOW.1)
    }
    fn floor(&self) -> Option<f64> {
        Some(WINDOW.0)
    }
}

settings! {
    struct Options {
        /// 1: two duplicate ACKs indicate a loss; 0: as configured (3)
        dupthresh2: bool = 0.0, 0.0..1.0;
        /// 1: multiply the computed retransmission timeout by five; 0: leave it as computed
        rto_x5: bool = 0.0, 0.0..1.0;
    }
}

/// Changes the settings of the variant's connections.
fn configure(values: &[f64], config: &mut TcpConfig) {
    let options = Options::read(values);
    config.receiver.acks = AckPolicy::Daa;
    if options.dupthresh2 {
        config.dup_threshold = 2;
    }
    if options.rto_x5 {
        config.rto.multiplier = 5;
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "daa",
        summary: "one ACK per 2 to 4 segments, timed by their arrivals; window of 2 to 4 segments",
        source: "de Oliveira and Braun 2005; Papanastasiou 2006, chapter 5",
        rules: &[
            Rule::at(
                Event::Receiver,
                "in order: an ACK for up to 4 segments, one more each time; out of order or at the timer: at once, and back to 2",
                "Papanastasiou 2006 §5.2.2, equations 5.1 and 5.3",
            ),
            Rule::at(
                Event::Receiver,
                "its timer is 2 + kappa times the smoothed gap between segments, at most 500 ms",
                "Papanastasiou 2006 §5.2.2, equation 5.2",
            ),
            Rule::at(Event::Send, "cwnd is 2 to 4 segments", "Papanastasiou 2006 §5.2.2"),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        needs: Needs::BOUNDS,
        configure: Some(configure),
        ..Part::new(Role::LimitAndAcks, |_| factory(DaaSender::new))
    }),
};

#[cfg(test)]
mod tests;
