//! Guesses and retransmissions of TCP senders, flow by flow.

use tworay_base::{FlowId, NodeId, Seq32, SimTime};
use tworay_tcp::Phase;

/// A retransmitted segment.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Resent {
    /// Time of the retransmission.
    pub at: SimTime,
    /// Node that sent it.
    pub from: NodeId,
    /// First byte.
    pub seq: Seq32,
    /// Uid of this transmission.
    pub uid: u64,
    /// Phase of the sender.
    pub phase: Phase,
}

/// A sender's guess about a loss.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Guess {
    /// Time of the guess.
    pub at: SimTime,
    /// First byte of the segment.
    pub seq: Seq32,
    /// Segments with uids below this had been sent.
    pub sent_before: u64,
    /// The assumed cause.
    pub guess: &'static str,
}

/// The sender of one flow, in order of time.
#[derive(Default)]
pub(crate) struct SenderLog {
    pub guesses: Vec<Guess>,
    pub resent: Vec<Resent>,
}

/// The senders of all flows.
#[derive(Default)]
pub(crate) struct Senders {
    pub logs: Vec<SenderLog>,
}

impl Senders {
    pub fn new(flows: usize) -> Self {
        Self { logs: (0..flows).map(|_| SenderLog::default()).collect() }
    }

    pub fn add_flow(&mut self) {
        self.logs.push(SenderLog::default());
    }

    pub fn guessed(&mut self, flow: FlowId, guess: Guess) {
        if let Some(log) = self.logs.get_mut(flow.index()) {
            log.guesses.push(guess);
        }
    }

    pub fn resent(&mut self, flow: FlowId, resent: Resent) {
        if let Some(log) = self.logs.get_mut(flow.index()) {
            log.resent.push(resent);
        }
    }

    /// True if this packet is the latest retransmission of its flow.
    pub fn repeats(&self, flow: FlowId, uid: u64) -> bool {
        let latest = self.logs.get(flow.index()).and_then(|log| log.resent.last());
        latest.is_some_and(|resent| resent.uid == uid)
    }
}
