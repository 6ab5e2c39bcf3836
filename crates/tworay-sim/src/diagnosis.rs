//! Senders' guesses beside the truth: which loss was a guess about?
//!
//! A guess names a segment and stands for a loss event. Its true cause is
//!
//! 1. that of the newest transmission of the segment sent before the guess, if it was lost, even if its
//!    last copy died only after the guess (it may have waited in a routing buffer);
//! 2. otherwise that of the newest lost acknowledgment beyond the segment sent before the guess: the
//!    data arrived, but the sender couldn't know;
//! 3. otherwise none: nothing was lost, the retransmission is needless (also where the segment is still
//!    on its way when the run ends).

use crate::flow::Flow;
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

/// Losses of one flow, ready to be asked.
#[derive(Default)]
struct Losses {
    /// Lost data by first byte and uid.
    data: BTreeMap<(u32, u64), LossCause>,
    /// Lost acknowledgments by uid: what they acknowledged.
    acks: BTreeMap<u64, (Seq32, LossCause)>,
}

impl Losses {
    fn cause(&self, seq: Seq32, sent_before: u64, resent: &[(Seq32, u64)]) -> Option<LossCause> {
        let newest_again =
            resent.iter().rev().find(|(s, uid)| *s == seq && *uid < sent_before).map_or(0, |(_, uid)| *uid);
        let lost = self.data.range((seq.0, newest_again)..(seq.0, sent_before)).next_back();
        lost.map(|(_, cause)| *cause).or_else(|| {
            let mut acks = self.acks.range(..sent_before).rev();
            acks.find(|(_, (ack, _))| ack.gt(seq)).map(|(_, (_, cause))| *cause)
        })
    }
}

/// Every guess with its cause, flow by flow and in order of time.
pub(crate) fn match_all(flows: &[Flow], records: &[LossRecord]) -> Vec<Diagnosed> {
    let mut losses: Vec<Losses> = flows.iter().map(|_| Losses::default()).collect();
    for r in records {
        let Some(of) = losses.get_mut(r.flow.index()) else { continue };
        match r.carries {
            Carries::Data => {
                of.data.insert((r.seq.0, r.uid), r.cause);
            }
            Carries::Ack => {
                of.acks.insert(r.uid, (r.seq, r.cause));
            }
        }
    }
    let mut out = Vec::new();
    for (i, (flow, losses)) in flows.iter().zip(&losses).enumerate() {
        for g in &flow.guesses {
            let cause = losses.cause(g.seq, g.sent_before, &flow.resent);
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
