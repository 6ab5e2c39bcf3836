//! Dynamic Adaptive ACK: the receiver acknowledges up to every fourth segment, and the sender keeps
//! its window at 2 to 4 segments (de Oliveira and Braun 2005; Papanastasiou 2006, p. 124). The receiver's
//! part is in the receiver. It never acknowledges a single segment by count once it has started up: with a
//! window of one segment only its timer would bring ACKs. So the window stays at two after timeouts too.
//!
//! The thesis calls the window "the only requirement" at the sender; the original also retransmits on
//! the second duplicate ACK and waits five times longer. Both are options.

use super::*;
use crate::config::{AckPolicy, TcpConfig};

#[derive(Debug)]
struct DaaSender;

/// The sender's window, segments.
const WINDOW: (f64, f64) = (2.0, 4.0);

impl CongestionControl for DaaSender {
    fn limit(&self) -> Option<f64> {
        Some(WINDOW.1)
    }
    fn floor(&self) -> Option<f64> {
        Some(WINDOW.0)
    }
}

settings! {
    struct Options {
        /// 1: two duplicate ACKs make a loss; 0: as configured (3)
        dupthresh2: bool = 0.0, 0.0..1.0;
        /// 1: the computed retransmission timeout is five times longer; 0: as computed
        rto_x5: bool = 0.0, 0.0..1.0;
    }
}

/// What the variant changes in the settings of its connections.
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
        summary: "one ACK for 2 to 4 segments, by their rhythm; window of 2 to 4 segments",
        source: "de Oliveira and Braun 2005; Papanastasiou 2006, chapter 5",
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        needs: Needs { bounds: true, ..Needs::NOTHING },
        configure: Some(configure),
        ..Part::new(Role::Limit, |_| factory(|| DaaSender))
    }),
};

#[cfg(test)]
mod tests;
