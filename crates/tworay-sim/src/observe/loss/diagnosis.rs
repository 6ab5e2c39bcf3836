//! Compares senders' guesses with the true causes: finds the loss that each guess refers to.
//!
//! A guess names a segment at a point in time and refers to a loss event: the losses of that segment since
//! its last retransmission, and of its acknowledgments. There are two views.
//!
//! **At the time of the guess** (`diagnosis`): what kept the segment back when the sender made its guess. That
//! includes a segment held up by a break, which routing may deliver later. No sender can know the future, so
//! this view scores senders.
//!
//! **By outcome** (`diagnosis_by_outcome`): only segments and acknowledgments that were lost in the end. A guess
//! about a segment that arrived after all has no cause here.
//!
//! In both views the true cause is that of the *earliest* loss of the event that had already happened at the
//! time of the guess:
//!
//! 1. the newest transmission of the segment before the guess, if it was lost. An older transmission
//!    belonged to an earlier guess, which this retransmission answered;
//! 2. otherwise the earliest loss among the acknowledgments beyond the segment that were sent after that
//!    transmission and before the guess: the data arrived, but the sender could not know;
//! 3. otherwise none: nothing had been lost, so the guess is needless or early.
//!
//! A loss has happened when its root struck ([`LossRecord::since`]). A packet that the MAC gave up and that
//! waits in a routing buffer is not lost yet, but the sender notices the broken link that holds it up and makes
//! a guess about it. If the packet dies of this break later, both views match the guess with it. If it arrives
//! after all, the first view does, provided that the guess was made while it was held up
//! ([`Hold`]). Losses after the guess are never matched.

use crate::observe::loss::ledger::{Carries, Hold, LossRecord};
use crate::observe::{Resent, SenderLog};
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
    /// The true cause at the time of the guess; `None` if nothing had been lost or was held up.
    pub cause: Option<LossCause>,
    /// The true cause by outcome; `None` if nothing that had been lost by then stayed lost.
    pub by_outcome: Option<LossCause>,
}

impl Diagnosed {
    /// The name of the cause at the time of the guess, or `none`.
    pub fn cause_name(&self) -> &'static str {
        self.cause.map_or(NONE, LossCause::name)
    }

    /// The name of the cause by outcome, or `none`.
    pub fn outcome_name(&self) -> &'static str {
        self.by_outcome.map_or(NONE, LossCause::name)
    }
}

/// A loss, or a period in which something held up a segment that arrived in the end.
#[derive(Copy, Clone, Debug)]
struct Struck {
    since: SimTime,
    /// End of the period; `None` for a loss.
    until: Option<SimTime>,
    cause: LossCause,
}

/// Losses and holds of one flow, indexed for matching.
#[derive(Default)]
struct Losses {
    /// Data by first byte and uid.
    data: BTreeMap<(u32, u64), Vec<Struck>>,
    /// Acknowledgments by uid, with their acknowledgment numbers.
    acks: BTreeMap<u64, Vec<(Seq32, Struck)>>,
}

/// The views of a guess.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum View {
    AtTheTime,
    ByOutcome,
}

impl Losses {
    fn add(&mut self, carries: Carries, seq: Seq32, uid: u64, struck: Struck) {
        match carries {
            Carries::Data => self.data.entry((seq.0, uid)).or_default().push(struck),
            Carries::Ack => self.acks.entry(uid).or_default().push((seq, struck)),
        }
    }

    /// The cause of a guess made at `at` about the segment at `seq`, when `sent_before` was the next
    /// packet's uid.
    fn cause(
        &self,
        (at, seq, sent_before): (SimTime, Seq32, u64),
        resent: &[Resent],
        view: View,
    ) -> Option<LossCause> {
        let newest_again =
            resent.iter().rev().find(|r| r.seq == seq && r.uid < sent_before).map_or(0, |r| r.uid);
        let counts = |struck: &Struck| match (struck.until, view) {
            (None, _) => struck.since <= at,
            (Some(until), View::AtTheTime) => struck.since <= at && at < until,
            (Some(_), View::ByOutcome) => false,
        };
        let first = |of: &mut dyn Iterator<Item = Struck>| of.filter(counts).min_by_key(|s| s.since);
        // The newest transmission of the segment on record.
        let newest = self.data.range((seq.0, newest_again)..(seq.0, sent_before)).next_back();
        let data = newest.and_then(|(_, struck)| first(&mut struck.iter().copied()));
        let ack = || {
            let acks = self.acks.range(newest_again..sent_before).flat_map(|(_, acks)| acks);
            first(&mut acks.filter(|(ack, _)| ack.gt(seq)).map(|(_, struck)| *struck))
        };
        data.or_else(ack).map(|struck| struck.cause)
    }
}

/// The losses and holds of each flow.
fn gather(flows: usize, records: &[LossRecord], holds: &[Hold]) -> Vec<Losses> {
    let mut losses: Vec<Losses> = (0..flows).map(|_| Losses::default()).collect();
    for r in records {
        if let Some(of) = losses.get_mut(r.flow.index()) {
            of.add(r.carries, r.seq, r.uid, Struck { since: r.since, until: None, cause: r.cause });
        }
    }
    for h in holds {
        if let Some(of) = losses.get_mut(h.flow.index()) {
            of.add(h.carries, h.seq, h.uid, Struck { since: h.since, until: Some(h.until), cause: h.cause });
        }
    }
    losses
}

/// Every guess with its causes, by flow and in order of time.
pub(crate) fn match_all(senders: &[SenderLog], records: &[LossRecord], holds: &[Hold]) -> Vec<Diagnosed> {
    let mut out = Vec::new();
    if senders.iter().all(|sender| sender.guesses.is_empty()) {
        return out;
    }
    let losses = gather(senders.len(), records, holds);
    for (i, (sender, losses)) in senders.iter().zip(&losses).enumerate() {
        for g in &sender.guesses {
            let cause = |view| losses.cause((g.at, g.seq, g.sent_before), &sender.resent, view);
            let (cause, by_outcome) = (cause(View::AtTheTime), cause(View::ByOutcome));
            let flow = FlowId(i as u16);
            out.push(Diagnosed { at: g.at, flow, seq: g.seq, guess: g.guess, cause, by_outcome });
        }
    }
    out
}

/// Counts pairs of guess and cause, by one of the views.
pub(crate) fn count<'a>(
    guesses: impl IntoIterator<Item = &'a Diagnosed>,
    name: impl Fn(&Diagnosed) -> &'static str,
) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut table: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for g in guesses {
        *table.entry(g.guess.into()).or_default().entry(name(g).into()).or_default() += 1;
    }
    table
}

#[cfg(test)]
mod tests;
