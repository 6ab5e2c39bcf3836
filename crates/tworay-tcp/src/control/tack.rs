//! Acknowledgments per round trip (after TACK, Li et al. 2020). Everything happens in the receiver; the
//! sender stays as it is and only enables the time stamps with which the receiver measures.

use super::*;
use crate::config::{AckPolicy, TackConfig, TcpConfig};

/// State of the sender: none.
#[derive(Debug)]
struct Nothing;

impl CongestionControl for Nothing {}

settings! {
    struct Options {
        /// minimum number of ACKs per round trip, as far as `most` allows
        beta: u32 = 2.0, 2.0..64.0;
        /// maximum number of segments per ACK; the ACK still waits for the shortest round trip / beta
        most: u32 = 8.0, 1.0..64.0;
    }
}

/// Changes the settings of the connections of this variant.
fn configure(values: &[f64], config: &mut TcpConfig) {
    let Options { beta, most } = Options::read(values);
    config.receiver.acks = AckPolicy::Tack;
    config.receiver.tack = TackConfig { beta, most };
    config.timestamps = true;
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "tack",
        summary: "two ACKs per round trip, however many segments it holds; time stamps on",
        source: "Li et al. 2020 (SIGCOMM), with an L that follows the path",
        rules: &[
            Rule::at(
                Event::Receiver,
                "an ACK for the segments of 1/beta of a round trip, at most `most` of them; gaps are acknowledged at once",
                "Li et al. 2020; draft-li-quic-optimizing-ack-in-wlan §4",
            ),
            Rule::at(
                Event::Start,
                "time stamps on: the receiver measures round trips with them",
                "our reading",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        configure: Some(configure),
        ..Part::new(Role::Acks, |_| factory(|| Nothing))
    }),
};

#[cfg(test)]
mod tests;
