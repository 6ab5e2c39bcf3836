//! Fates of the packets that a station is sending, as [`Attempts`] of each, and the time that its exchanges lose.
//!
//! An exchange lasts until the next one begins: a frame that is lost costs the wait and the backoff before it is repeated, too.
//! Of an aggregate, the part is lost that its lost subframes take. If only the BlockAck is missing, and the station asks for it,
//! the wait for this BlockAckReq and its time are lost; otherwise all of the exchange.

use crate::observe::loss::attempts::{Attempts, Failure};
use crate::observe::loss::root_cause::RootCause;
use std::collections::BTreeMap;
use tworay_base::{LossCause, NodeId, PacketId, SimDuration, SimTime};
use tworay_mac::FrameKind;

/// Time between a packet that has expired and the first one behind it: longer than one of these lasts.
const MOMENT: SimDuration = SimDuration::from_secs(1);

/// Kinds of frames that begin an exchange or continue it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum TrialKind {
    Rts,
    /// A frame or an aggregate; `asks`: if its answer is missing, the station asks which packets have arrived.
    Data {
        asks: bool,
    },
    /// A BlockAckReq.
    Request,
}

/// Time of a station in which it has sent nothing, for a reason other than load.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Lost {
    pub time: SimDuration,
    pub failure: Failure,
    pub to: NodeId,
    /// The part of the exchange that each packet took, zero without any; none in the wait after it.
    pub each: Option<SimDuration>,
}

impl Lost {
    /// The root cause of the time that `node` has lost.
    pub fn root(&self, now: SimTime, node: NodeId) -> RootCause {
        RootCause::new(now, node, self.failure.cause()).towards(self.to)
    }
}

/// The end of a failed exchange: since then the station has waited for the next one.
#[derive(Copy, Clone, Debug)]
struct Pause {
    since: SimTime,
    /// Part of the exchange that was lost, above 0 to 1.
    share: f64,
    failure: Failure,
    to: NodeId,
}

/// The exchange in progress, or the latest one.
#[derive(Debug)]
struct Trial {
    kind: TrialKind,
    began: SimTime,
    /// When its exchange began: with the RTS before it.
    exchange: SimTime,
    /// True if it was not answered, or not for all of its packets.
    missed: bool,
    /// True if it was answered, or counts among those that were not.
    settled: bool,
    to: NodeId,
    /// Why the frame fails if it isn't answered; `None`: it arrived, and its answer counts.
    frame: Option<Failure>,
    /// Why its packets fail: as `frame`, for each.
    packets: Vec<(PacketId, Option<Failure>)>,
    /// Why the answer fails.
    answer: Failure,
    interferer: Option<NodeId>,
}

impl Trial {
    /// Why it fails if it isn't answered. A frame none of whose packets arrived has no answer: what most of them were lost to
    /// counts.
    fn failure(&self) -> Failure {
        let fates = || self.packets.iter().map(|(_, fate)| *fate);
        let common = |one: &Failure| fates().filter(|fate| *fate == Some(*one)).count();
        let lost = || fates().collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max_by_key(common));
        self.frame.or_else(lost).unwrap_or(self.answer)
    }

    /// Books it as a failed attempt that lasted from `began` to `now`, of which `airtime` was on the air.
    fn book(
        &self,
        attempts: &mut Attempts,
        failure: Failure,
        began: SimTime,
        (now, airtime): (SimTime, SimDuration),
    ) {
        attempts.begin(began, (FrameKind::Data, self.to), failure);
        attempts.interferer = self.interferer.filter(|_| failure == Failure::Collided);
        attempts.unanswered();
        attempts.end(now, airtime);
    }
}

/// Fates of the packets that a station is sending.
#[derive(Debug, Default)]
pub(super) struct Books {
    trial: Option<Trial>,
    /// Packets with failed attempts.
    failed: Vec<(PacketId, Attempts)>,
    /// Exchanges in a row that a neighbour has not answered: so many make it count as gone (802.11n and ac). Others
    /// before an answered exchange don't count for that, though they count as attempts with their packets.
    silent: BTreeMap<NodeId, Attempts>,
    /// A neighbour that counts as gone for this reason: the next exchange with it is the first of a new row.
    gone: Option<NodeId>,
    /// When a packet with failed attempts last expired, and why its latest attempt failed.
    expired: Option<(SimTime, Failure)>,
    pause: Option<Pause>,
    /// Why the latest exchange has failed, after which the station may send a BlockAckReq.
    asked_for: Option<Failure>,
}

impl Books {
    /// A frame to `to` goes on the air, which fails for the reason `failure` if it gets no answer. Returns the time lost since
    /// the exchange before it failed.
    pub fn begin(
        &mut self,
        now: SimTime,
        (kind, to): (TrialKind, NodeId),
        failure: Failure,
        packets: impl Iterator<Item = PacketId>,
    ) -> Option<Lost> {
        let answered = |trial: &&Trial| trial.kind == TrialKind::Rts && !trial.missed;
        let rts = self.trial.as_ref().filter(answered).filter(|_| kind != TrialKind::Rts);
        let exchange = rts.map_or(now, |rts| rts.exchange);
        let lost = self.lost_until(now);
        self.settle(now);
        if let Some(gone) = self.gone.take() {
            self.silent.remove(&gone);
        }
        self.pause = None;
        self.trial = Some(Trial {
            kind,
            exchange,
            missed: false,
            settled: false,
            began: now,
            to,
            frame: Some(failure),
            packets: packets.map(|packet| (packet, Some(failure))).collect(),
            answer: Failure::Busy,
            interferer: None,
        });
        lost
    }

    /// Time lost since the end of a failed exchange, or with a BlockAckReq.
    pub fn lost_until(&self, now: SimTime) -> Option<Lost> {
        let request = self.trial.as_ref().filter(|trial| trial.kind == TrialKind::Request);
        let request = request.and_then(|trial| {
            let own = trial.failure();
            let failure = if own == Failure::Busy { self.asked_for? } else { own };
            Some(Pause { since: trial.began, share: 1.0, failure, to: trial.to })
        });
        let Pause { since, share, failure, to } = request.filter(|p| !p.failure.is_load()).or(self.pause)?;
        Some(Lost { time: now.since(since).mul_f64(share), failure, to, each: None })
    }

    /// The station has nothing more to send.
    pub fn rest(&mut self) {
        self.pause = None;
        if self.trial.as_ref().is_some_and(|trial| trial.kind == TrialKind::Request) {
            self.trial = None;
        }
    }

    /// The whole frame is lost.
    pub fn frame_lost(&mut self, failure: Failure, interferer: Option<NodeId>) {
        let Some(trial) = &mut self.trial else { return };
        trial.frame = Some(failure);
        trial.packets.iter_mut().for_each(|(_, fate)| *fate = Some(failure));
        trial.interferer = interferer;
    }

    /// The frame was received; bits of the packets that are lost have failures, in order.
    pub fn frame_arrived(&mut self, fates: &[Option<Failure>], interferer: Option<NodeId>) {
        let Some(trial) = &mut self.trial else { return };
        trial.frame = None;
        for ((_, fate), found) in trial.packets.iter_mut().zip(fates) {
            *fate = *found;
        }
        trial.interferer = interferer;
    }

    /// The answer is lost.
    pub fn answer_lost(&mut self, failure: Failure, interferer: Option<NodeId>) {
        let Some(trial) = &mut self.trial else { return };
        trial.answer = failure;
        trial.interferer = trial.interferer.or(interferer);
    }

    /// A neighbour has answered a frame with packets, or a BlockAckReq.
    pub fn answered(&mut self, by: NodeId) {
        self.silent.remove(&by);
        if let Some(trial) = self.trial.as_mut().filter(|trial| trial.to == by) {
            trial.settled = true;
        }
    }

    /// The latest exchange is over. If it was not answered, it counts. An RTS counts only without its CTS, which no answer
    /// tells: then its packets are missed.
    fn settle(&mut self, now: SimTime) {
        let open = |trial: &&mut Trial| !trial.settled && (trial.kind != TrialKind::Rts || trial.missed);
        if let Some(trial) = self.trial.as_mut().filter(open) {
            trial.settled = true;
            let row = self.silent.entry(trial.to).or_default();
            trial.book(row, trial.failure(), trial.began, (now, SimDuration::ZERO));
        }
    }

    /// The station that the latest frame was for, when it went on the air, and why it fails if nothing else is known.
    pub fn latest(&self) -> Option<(SimTime, NodeId, Failure)> {
        self.trial.as_ref().map(|trial| (trial.began, trial.to, trial.failure()))
    }

    /// The receiver turned out to be out of reach.
    pub fn receiver_lost(&mut self, failure: Failure) {
        if let Some(trial) = &mut self.trial {
            trial.answer = failure;
            trial.frame = Some(failure);
            trial.packets.iter_mut().for_each(|(_, fate)| *fate = Some(failure));
        }
    }

    /// An attempt with `packets` has failed. Returns the time lost with it.
    pub fn missed(&mut self, now: SimTime, packets: &[PacketId]) -> Option<Lost> {
        self.trial.as_mut()?.missed = true;
        self.settle(now);
        let trial = self.trial.as_mut()?;
        let asks = trial.kind == TrialKind::Data { asks: true };
        let (mut lost, mut asks_now): (Option<(usize, Failure)>, bool) = (None, false);
        let share = now.since(trial.began) / packets.len().max(1) as u64;
        for &packet in packets {
            let found = trial.packets.iter().find(|(known, _)| *known == packet).map(|(_, fate)| *fate);
            let fate = found.unwrap_or(trial.frame);
            let failure = fate.unwrap_or(trial.answer);
            asks_now |= asks && fate.is_none();
            if !failure.is_load() && (fate.is_some() || !asks) {
                lost = Some((lost.map_or(0, |(count, _)| count) + 1, failure));
            }
            let attempts = match self.failed.iter().position(|(known, _)| *known == packet) {
                Some(at) => &mut self.failed[at].1,
                None => {
                    self.failed.push((packet, Attempts::default()));
                    &mut self.failed.last_mut().expect("it was just added").1
                }
            };
            let began = if failure.is_physical() {
                trial.began
            } else {
                trial.began + (now.since(trial.began) - share)
            };
            trial.book(attempts, failure, began, (now, share));
        }
        self.asked_for = Some(trial.failure());
        if asks_now && !trial.answer.is_load() {
            // The wait for the BlockAckReq would not be necessary.
            self.pause = Some(Pause { since: now, share: 1.0, failure: trial.answer, to: trial.to });
        }
        let (count, failure) = lost?;
        let all = trial.packets.len().max(packets.len());
        let part = count as f64 / all as f64;
        self.pause.get_or_insert(Pause { since: now, share: part, failure, to: trial.to });
        let exchange = now.since(trial.exchange);
        let data = matches!(trial.kind, TrialKind::Data { .. });
        let each = Some(if data { exchange / all as u64 } else { SimDuration::ZERO });
        Some(Lost { time: exchange.mul_f64(part), failure, to: trial.to, each })
    }

    /// True if attempts with a packet have failed that is not done.
    pub fn has_failed(&self, packet: PacketId) -> bool {
        self.failed.iter().any(|(known, _)| *known == packet)
    }

    /// The cause of most failed attempts with a packet.
    pub fn cause(&self, packet: PacketId) -> Option<LossCause> {
        let (_, attempts) = self.failed.iter().find(|(known, _)| *known == packet)?;
        let to = self.trial.as_ref()?.to;
        attempts.root_of(SimTime::ZERO, (to, to), FrameKind::Data).cause
    }

    /// True if attempts with any packet have failed that is not done.
    pub fn repeats(&self) -> bool {
        !self.failed.is_empty()
    }

    /// The number of these packets.
    pub fn repeated(&self) -> u32 {
        self.failed.len() as u32
    }

    /// A reason other than load for which attempts failed with a packet, and when the first such attempt began.
    pub fn slowed(&self, packet: PacketId) -> Option<(Failure, SimTime)> {
        let (_, attempts) = self.failed.iter().find(|(known, _)| *known == packet)?;
        attempts.slowed()
    }

    /// Why packets have not arrived for which others wait since a time: one that had expired a moment before, those that the station
    /// repeats, or one that has expired earlier; unless load is the reason.
    pub fn missing(&self, since: SimTime) -> Option<Failure> {
        let expired = |within: SimDuration| self.expired.filter(|(at, _)| *at + within >= since);
        let of_repeated = || self.failed.iter().find_map(|(_, attempts)| Some(attempts.slowed()?.0));
        let repeated_or_earlier = || of_repeated().or_else(|| Some(self.expired?.1));
        let failure = expired(MOMENT).map(|(_, failure)| failure).or_else(repeated_or_earlier);
        failure.filter(|failure| !failure.is_load())
    }

    /// Takes out the failed attempts with a packet that expires; `None` if there was none.
    pub fn take_expired(&mut self, now: SimTime, packet: PacketId) -> Option<Attempts> {
        let attempts = self.take(packet)?;
        self.expired = Some((now, attempts.current().2));
        Some(attempts)
    }

    /// Why the latest attempt failed with the first packet that has failed attempts, counting packets that expire now.
    pub fn failing(&self, now: SimTime) -> Option<Failure> {
        let expired = self.expired.filter(|(at, _)| *at == now).map(|(_, failure)| failure);
        expired.or_else(|| self.failed.first().map(|(_, attempts)| attempts.current().2))
    }

    /// Takes out the attempts that made a station give up a packet: those with the packet, or, if it took the neighbour for
    /// `gone`, the exchanges that this one has not answered.
    pub fn take_given_up(&mut self, packet: PacketId, gone: Option<NodeId>) -> Option<Attempts> {
        let own = self.take(packet);
        self.gone = gone.or(self.gone);
        let Some(row) = gone.and_then(|to| self.silent.get(&to)) else { return own };
        let mut row = row.clone();
        row.forget_lost_time();
        Some(row)
    }

    /// Takes out the failed attempts with a packet that is done.
    pub fn take(&mut self, packet: PacketId) -> Option<Attempts> {
        let at = self.failed.iter().position(|(known, _)| *known == packet)?;
        let mut attempts = self.failed.swap_remove(at).1;
        attempts.forget_lost_time();
        Some(attempts)
    }
}

#[cfg(test)]
mod tests;
