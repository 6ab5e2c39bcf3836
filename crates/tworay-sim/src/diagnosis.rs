//! Compares senders' guesses with the true causes: finds the loss that each guess refers to.
//!
//! A guess names a segment at a point in time and refers to a loss event: the losses of that segment since
//! its last retransmission, and of its acknowledgments. The true cause is that of the *earliest* loss of
//! this event that had already happened at the time of the guess:
//!
//! 1. the newest transmission of the segment before the guess, if it was lost. An older transmission
//!    belonged to an earlier guess, which this retransmission answered;
//! 2. otherwise the earliest loss among the acknowledgments beyond the segment that were sent after that
//!    transmission and before the guess: the data arrived, but the sender could not know;
//! 3. otherwise none: nothing had been lost, so the guess is needless or early.
//!
//! A loss has happened when its root struck ([`LossRecord::since`]), provided that the segment was lost in
//! the end. A packet that the MAC gave up and that waits in a routing buffer is not lost yet, but the
//! sender notices the broken link that holds it up and makes a guess about it: if the packet dies of this
//! break later, the guess is matched with it. If it arrives after all, nothing was lost (rule 3). Losses
//! after the guess are never matched: no sender can know the future.

use crate::flow::{Flow, Resent};
use crate::ledger::{Carries, LossRecord};
use std::collections::BTreeMap;
use tworay_base::{FlowId, LossCause, Seq32, SimTime};

/// Name of the third result.
pub const NONE: &str = "none";

/// A guess with its true cause.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Diagnosed {
    /// Time of the guess.
    pub at: SimTime,
    /// Flow of the sender.
    pub flow: FlowId,
    /// First byte of the segment.
    pub seq: Seq32,
    /// The cause that the sender assumed.
    pub guess: &'static str,
    /// The true cause; `None` if nothing had been lost.
    pub cause: Option<LossCause>,
}

impl Diagnosed {
    /// The cause's name, or `none`.
    pub fn cause_name(&self) -> &'static str {
        self.cause.map_or(NONE, LossCause::name)
    }
}

/// Time and cause of a loss.
type Struck = (SimTime, LossCause);

/// Losses of one flow, indexed for matching.
#[derive(Default)]
struct Losses {
    /// Lost data by first byte and uid.
    data: BTreeMap<(u32, u64), Struck>,
    /// Lost acknowledgments by uid, with their acknowledgment numbers.
    acks: BTreeMap<u64, (Seq32, Struck)>,
}

impl Losses {
    /// The cause of a guess made at `at` about the segment at `seq`, when `sent_before` was the next
    /// packet's uid.
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

/// Every guess with its cause, by flow and in order of time.
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

/// Counts pairs of guess and cause.
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
