//! Acknowledgments by the round trip (after TACK, Li et al. 2020). All of it is in the receiver; the sender stays
//! as it is and only learns the time stamps that the receiver measures with.

use super::*;
use crate::config::{AckPolicy, TackConfig, TcpConfig};

/// The sender's half: none.
#[derive(Debug)]
struct Nothing;

impl CongestionControl for Nothing {}

settings! {
    struct Options {
        /// ACKs per round trip at least, as long as `most` allows it
        beta: u32 = 2.0, 2.0..64.0;
        /// segments that make an ACK due, at most; it still waits for the shortest round trip / beta
        most: u32 = 8.0, 1.0..64.0;
    }
}

/// What the variant changes in the settings of its connections.
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
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        configure: Some(configure),
        ..Part::new(Role::Acks, |_| factory(|| Nothing))
    }),
};

#[cfg(test)]
mod tests;
