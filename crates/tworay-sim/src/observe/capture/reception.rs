//! Texts of the comments: how a frame was received at the stations it was addressed to, and why a packet
//! was lost.

use crate::observe::loss::attempts::Failure;
use crate::observe::loss::ledger::{Carries, LossRecord};
use smallvec::SmallVec;
use std::fmt::Write;
use tworay_base::NodeId;

/// Result of a frame at a station it was addressed to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum FrameResult {
    /// It was received.
    Received,
    /// It was corrupted by another signal.
    Collision,
    /// It was corrupted by random errors, or faded.
    ChannelError,
    /// It was corrupted by noise, which a slower rate would have withstood.
    Rate,
    /// The station is out of range, or the link is cut.
    OutOfRange,
    /// The station was transmitting, or receiving another frame.
    ReceiverBusy,
    /// It was received, but the station may not answer: its medium is reserved, or it is in another
    /// exchange.
    NotAnswered,
    /// The station is switched off, or the sender went off before the frame's end.
    NodeDown,
}

impl FrameResult {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            FrameResult::Received => "received",
            FrameResult::Collision => "collision",
            FrameResult::ChannelError => "channel-error",
            FrameResult::Rate => "rate",
            FrameResult::OutOfRange => "out-of-range",
            FrameResult::ReceiverBusy => "receiver-busy",
            FrameResult::NotAnswered => "not-answered",
            FrameResult::NodeDown => "node-down",
        }
    }

    fn words(self) -> &'static str {
        match self {
            FrameResult::Received => "received",
            FrameResult::Collision => "collision",
            FrameResult::ChannelError => "channel error",
            FrameResult::Rate => "rate too high",
            FrameResult::OutOfRange => "out of range",
            FrameResult::ReceiverBusy => "receiver busy",
            FrameResult::NotAnswered => "receiver busy (heard, but may not answer)",
            FrameResult::NodeDown => "node down",
        }
    }
}

impl From<Option<Failure>> for FrameResult {
    /// `None`: nothing failed.
    fn from(failure: Option<Failure>) -> Self {
        match failure {
            None => FrameResult::Received,
            Some(Failure::Busy) => FrameResult::ReceiverBusy,
            Some(Failure::Collided) => FrameResult::Collision,
            Some(Failure::Errors) => FrameResult::ChannelError,
            Some(Failure::Rate) => FrameResult::Rate,
            Some(Failure::OutOfRange) => FrameResult::OutOfRange,
            Some(Failure::NodeDown) => FrameResult::NodeDown,
        }
    }
}

/// Results of one frame by station.
#[derive(Debug, Default)]
pub(crate) struct FrameResults(SmallVec<[(NodeId, FrameResult); 4]>);

impl FrameResults {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The first result counts, except that a received frame may later count as not answered.
    pub fn note(&mut self, node: NodeId, fate: FrameResult) {
        match self.0.iter_mut().find(|(n, _)| *n == node) {
            None => self.0.push((node, fate)),
            Some((_, known)) if *known == FrameResult::Received && fate == FrameResult::NotAnswered => {
                *known = fate
            }
            Some(_) => {}
        }
    }

    /// Appends the comment; empty if every station received the frame.
    pub fn describe(&mut self, comment: &mut String) {
        self.0.sort_unstable_by_key(|(node, _)| *node);
        let mut lost = self.0.iter().filter(|(_, fate)| *fate != FrameResult::Received).peekable();
        if lost.peek().is_none() {
            return;
        }
        if !comment.is_empty() {
            comment.push_str("; ");
        }
        comment.push_str("lost: ");
        for (i, (node, fate)) in lost.enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            // Writing to a String doesn't fail.
            let _ = write!(comment, "{comma}{} at node {node}", fate.words());
        }
    }
}

/// Comment on a packet of the ledger: the root cause, and how the packet died.
pub(crate) fn loss_comment(loss: &LossRecord) -> String {
    let LossRecord { node, flow, seq, .. } = *loss;
    let what = match loss.carries {
        Carries::Data => "data",
        Carries::Ack => "ack",
    };
    let (cause, died) = (loss.cause.name(), loss.died.name());
    let (at, since) = (loss.at.as_secs_f64(), loss.since.as_secs_f64());
    let root_node = loss.root_node;
    let mut comment = format!("lost: {cause} at node {root_node}");
    // Writing to a String doesn't fail.
    if let Some(next_hop) = loss.next_hop {
        let _ = write!(comment, " towards node {next_hop}");
    }
    let _ = write!(comment, " since {since:.9} s; died: {died} at node {node} at {at:.9} s");
    let _ = write!(comment, " ({what} of flow {flow}, seq {seq})");
    comment
}
