//! Senders' guesses beside the truth: which loss was a guess about?
//!
//! A guess names a segment, at a time, and stands for a loss event: what has happened to that segment
//! since it was last sent again, and to its acknowledgments. Its true cause is that of the *earliest* loss
//! of this event that had already happened when the guess was made:
//!
//! 1. the newest transmission of the segment sent before the guess, if that was lost. An older transmission
//!    was the matter of an earlier guess: this one is the answer to it;
//! 2. otherwise the earliest lost of the acknowledgments beyond the segment that were sent after that
//!    transmission and before the guess: the data arrived, but the sender couldn't know;
//! 3. otherwise none: nothing had been lost, the guess is needless or early.
//!
//! A loss has happened when its root struck ([`LossRecord::since`]), provided that the segment was lost in
//! the end. A packet that the MAC gave up on and that then waits in a routing buffer isn't lost yet, but
//! the broken link that keeps it there is what the sender notices and guesses about: if the packet dies of
//! it later, the guess is matched with that break. If it is saved and arrives, nothing was lost (rule 3).
//! What strikes after the guess is never matched: no sender can know the future.

use crate::flow::{Flow, Resent};
use crate::ledger::{Carries, LossRecord};
use std::collections::BTreeMap;
use tworay_base::{FlowId, LossCause, Seq32, SimTime};

/// The name of cause 3.
pub const NONE: &str = "none";

/// A guess with its true cause.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Diagnosed {
    /// When it was made.
    pub at: SimTime,
    /// By whose sender.
    pub flow: FlowId,
    /// First byte of the segment.
    pub seq: Seq32,
    /// What the sender thought.
    pub guess: &'static str,
    /// What it was.
    pub cause: Option<LossCause>,
}

impl Diagnosed {
    /// The cause's name, or `none`.
    pub fn cause_name(&self) -> &'static str {
        self.cause.map_or(NONE, LossCause::name)
    }
}

/// When a loss struck, and why.
type Struck = (SimTime, LossCause);

/// Losses of one flow, ready to be asked.
#[derive(Default)]
struct Losses {
    /// Lost data by first byte and uid.
    data: BTreeMap<(u32, u64), Struck>,
    /// Lost acknowledgments by uid: what they acknowledged.
    acks: BTreeMap<u64, (Seq32, Struck)>,
}

impl Losses {
    /// The cause of a guess made at `at` about the segment at `seq`, when the next packet's uid was
    /// `sent_before`.
    fn cause(&self, (at, seq, sent_before): (SimTime, Seq32, u64), resent: &[Resent]) -> Option<LossCause> {
        let newest_again =
            resent.iter().rev().find(|r| r.seq == seq && r.uid < sent_before).map_or(0, |r| r.uid);
        let happened = |struck: &Struck| struck.0 <= at;
        let lost = self.data.range((seq.0, newest_again)..(seq.0, sent_before)).next_back();
        let lost = lost.map(|(_, struck)| *struck).filter(happened);
        let ack = || {
            let acks = self.acks.range(newest_again..sent_before).map(|(_, ack)| ack);
            let of_this = acks.filter(|(ack, struck)| ack.gt(seq) && happened(struck));
            of_this.map(|(_, struck)| *struck).min_by_key(|(since, _)| *since)
        };
        lost.or_else(ack).map(|(_, cause)| cause)
    }
}

/// The losses of each flow.
fn gather(flows: usize, records: &[LossRecord]) -> Vec<Losses> {
    let mut losses: Vec<Losses> = (0..flows).map(|_| Losses::default()).collect();
    for r in records {
        let Some(of) = losses.get_mut(r.flow.index()) else { continue };
        match r.carries {
            Carries::Data => {
                of.data.insert((r.seq.0, r.uid), (r.since, r.cause));
            }
            Carries::Ack => {
                of.acks.insert(r.uid, (r.seq, (r.since, r.cause)));
            }
        }
    }
    losses
}

/// Every guess with its cause, flow by flow and in order of time.
pub(crate) fn match_all(flows: &[Flow], records: &[LossRecord]) -> Vec<Diagnosed> {
    let losses = gather(flows.len(), records);
    let mut out = Vec::new();
    for (i, (flow, losses)) in flows.iter().zip(&losses).enumerate() {
        for g in &flow.guesses {
            let cause = losses.cause((g.at, g.seq, g.sent_before), &flow.resent);
            out.push(Diagnosed { at: g.at, flow: FlowId(i as u16), seq: g.seq, guess: g.guess, cause });
        }
    }
    out
}

/// How often each guess met each cause.
pub(crate) fn count<'a>(
    guesses: impl IntoIterator<Item = &'a Diagnosed>,
) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut table: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for g in guesses {
        *table.entry(g.guess.into()).or_default().entry(g.cause_name().into()).or_default() += 1;
    }
    table
}

#[cfg(test)]
mod tests;
