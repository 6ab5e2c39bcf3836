//! Dynamic Adaptive ACK: the receiver acknowledges up to every fourth segment, and the sender keeps
//! its window at 4 segments (de Oliveira and Braun 2005). The receiver's part is in the receiver.

use super::*;

#[derive(Debug)]
struct DaaSender;

impl CongestionControl for DaaSender {
    fn limit(&self) -> Option<f64> {
        Some(4.0)
    }
}

pub(crate) const NAME: &str = "daa";

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: NAME,
        summary: "one ACK for 2 to 4 segments, by their rhythm; window of 4 segments",
        source: "de Oliveira and Braun 2005; Papanastasiou 2006, chapter 5",
        parameters: &[],
    },
    meaning: Meaning::Part { role: Role::Limit, with: ANY, unless: "", make: |_| factory(|| DaaSender) },
};
