//! What the comments say: how a frame fared at the stations it was for, and why a packet was lost.

use crate::ledger::{Carries, LossRecord};
use smallvec::SmallVec;
use std::fmt::Write;
use tworay_base::NodeId;

/// How a frame fared at a station it was for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It was read.
    Received,
    /// It was spoiled by another signal.
    Collision,
    /// It was spoiled by random errors.
    ChannelError,
    /// The station is too far away.
    OutOfRange,
    /// The station was sending itself, or reading another frame.
    ReceiverBusy,
    /// It was read, but the station may not answer: its medium is reserved, or it is in an exchange.
    NotAnswered,
    /// The station is switched off.
    NodeDown,
}

impl Fate {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Received => "received",
            Fate::Collision => "collision",
            Fate::ChannelError => "channel-error",
            Fate::OutOfRange => "out-of-range",
            Fate::ReceiverBusy => "receiver-busy",
            Fate::NotAnswered => "not-answered",
            Fate::NodeDown => "node-down",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Fate::Received => "received",
            Fate::Collision => "collision",
            Fate::ChannelError => "channel error",
            Fate::OutOfRange => "out of range",
            Fate::ReceiverBusy => "receiver busy",
            Fate::NotAnswered => "receiver busy (heard, but may not answer)",
            Fate::NodeDown => "node down",
        }
    }
}

/// Fates of one frame by station.
#[derive(Debug, Default)]
pub(super) struct Fates(SmallVec<[(NodeId, Fate); 4]>);

impl Fates {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// What was said first counts, except that a received frame may turn out to stay unanswered.
    pub fn note(&mut self, node: NodeId, fate: Fate) {
        match self.0.iter_mut().find(|(n, _)| *n == node) {
            None => self.0.push((node, fate)),
            Some((_, known)) if *known == Fate::Received && fate == Fate::NotAnswered => *known = fate,
            Some(_) => {}
        }
    }

    /// Appends the comment: nothing if every station received the frame.
    pub fn describe(&mut self, comment: &mut String) {
        self.0.sort_unstable_by_key(|(node, _)| *node);
        let mut lost = self.0.iter().filter(|(_, fate)| *fate != Fate::Received).peekable();
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

/// The comment on a packet of the ledger: the root, and how it ended.
pub(super) fn loss_comment(loss: &LossRecord) -> String {
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
