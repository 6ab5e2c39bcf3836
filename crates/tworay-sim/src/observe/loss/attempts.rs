//! The MAC's attempts to send a packet to its next hop, and the outcome of each.
//!
//! An attempt is an RTS, or a DATA frame. It ends when the MAC makes the next attempt with the same packet,
//! when the packet is sent, or when the MAC gives up. Only attempts that the MAC counted as failed are booked:
//! an answered RTS is not a failure.

use crate::observe::loss::root_cause::RootCause;
use smallvec::SmallVec;
use tworay_base::{LossCause, NodeId, SimDuration, SimTime};
use tworay_mac::FrameKind;

/// Why an attempt failed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nothing destroyed the frame or its answer, and the receiver was up and in range. It was transmitting,
    /// receiving another frame, or deferring to one.
    Busy,
    /// Overlap destroyed the frame at the receiver, or the answer at the sender.
    Collided,
    /// Bit errors or fading destroyed the frame or its answer.
    Errors,
    /// Noise destroyed the frame, which a slower rate would have carried.
    Rate,
    /// The receiver was out of range, or the link was cut.
    OutOfRange,
    /// The receiver was switched off.
    NodeDown,
}

impl Failure {
    /// The cause that an attempt with this outcome counts for.
    pub fn cause(self) -> LossCause {
        match self {
            Failure::Busy | Failure::Collided => LossCause::Contention,
            Failure::Errors => LossCause::Channel,
            Failure::Rate => LossCause::Rate,
            Failure::OutOfRange => LossCause::LinkFailure,
            Failure::NodeDown => LossCause::NodeDown,
        }
    }

    /// True if other transmissions are the reason.
    pub fn is_load(self) -> bool {
        matches!(self, Failure::Busy | Failure::Collided)
    }

    /// True if noise destroyed the frame or its answer.
    pub fn is_noise(self) -> bool {
        matches!(self, Failure::Errors | Failure::Rate)
    }

    /// True if the receiver was physically out of reach.
    pub fn is_physical(self) -> bool {
        matches!(self, Failure::OutOfRange | Failure::NodeDown)
    }
}

/// Failed attempts with frames of one kind, by cause, in the order of their first occurrence.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    counts: [(Option<LossCause>, u16); 5],
}

impl Tally {
    fn add(&mut self, cause: LossCause) {
        let place = self.counts.iter_mut().find(|(known, _)| known.is_none_or(|known| known == cause));
        if let Some((known, count)) = place {
            *known = Some(cause);
            *count = count.saturating_add(1);
        }
    }

    /// The cause of most failures; among equals the one that struck first. What noise alone has destroyed counts together,
    /// whether a slower rate would have helped or not: then the more frequent of the two is the cause.
    fn verdict(&self) -> Option<LossCause> {
        let noise = |cause: LossCause| matches!(cause, LossCause::Channel | LossCause::Rate);
        let known = || self.counts.iter().filter_map(|(cause, count)| Some(((*cause)?, *count)));
        let sum = |of: LossCause| -> u16 {
            known().filter(|(c, _)| *c == of || noise(*c) && noise(of)).map(|(_, n)| n).sum()
        };
        let most = known().map(|(cause, _)| sum(cause)).max()?;
        let (first, _) = known().find(|(cause, _)| sum(*cause) == most)?;
        // Of equals, `rev` makes `max` return the first.
        let same = known().filter(|(cause, _)| *cause == first || noise(*cause) && noise(first));
        same.collect::<SmallVec<[_; 5]>>().into_iter().rev().max_by_key(|(_, n)| *n).map(|(cause, _)| cause)
    }
}

/// Records of the failed attempts with one packet.
#[derive(Copy, Clone, Debug, Default)]
struct Failed {
    /// Failed RTS since the last answered one, and failed DATA. The MAC counts them against separate limits.
    rts: Tally,
    data: Tally,
    /// The latest failure.
    latest: Option<Failure>,
    /// Time spent on attempts that failed for a reason other than load, their number, and the latest such reason.
    lost: SimDuration,
    count: u16,
    delay: Option<Failure>,
    /// When the first attempt began that failed for such a reason.
    slow_since: SimTime,
    /// When an attempt was first made although the next hop was out of reach.
    out_of_reach_since: Option<SimTime>,
    /// The same, because the next hop was off.
    off_since: Option<SimTime>,
    /// When a receiver was last lost during an attempt; of an earlier attempt if before the latest one began.
    receiver_lost: SimTime,
}

/// State of the records of a MAC's attempts with its current packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Past {
    /// None has failed.
    Clean,
    /// All that have failed are booked; the latest attempt is not among them.
    Booked,
    /// The latest attempt has failed and is not booked yet. It will be when the next one begins, or when the MAC gives
    /// up: the time up to then is lost, too.
    Unbooked,
}

/// The attempts of a MAC with its current packet. What all attempts need is small, because each costs time; most of
/// them do not fail.
#[derive(Clone, Debug)]
pub(crate) struct Attempts {
    /// The attempt in progress, or the latest one: when it began, RTS or DATA, its receiver, why it fails if it fails.
    at: SimTime,
    kind: FrameKind,
    to: NodeId,
    failure: Failure,
    /// When the exchange began to which the attempt belongs: with the RTS before a DATA frame.
    exchange: SimTime,
    past: Past,
    /// Number of booked failures with the packet.
    failed: u16,
    /// Sender of the signal that corrupted the last attempt, or the answer to it.
    pub interferer: Option<NodeId>,
    /// (ns-2) The receiver has answered an RTS and reserves itself for the DATA until then.
    reserved_until: SimTime,
    /// Valid if `failed` is not zero.
    details: Box<Failed>,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            at: SimTime::ZERO,
            exchange: SimTime::ZERO,
            kind: FrameKind::Data,
            to: NodeId::BROADCAST,
            failure: Failure::Busy,
            past: Past::Clean,
            failed: 0,
            interferer: None,
            reserved_until: SimTime::ZERO,
            details: Box::default(),
        }
    }
}

impl Attempts {
    /// An attempt to reach `to` begins. `failure` is known already if the receiver is out of reach.
    #[inline]
    pub fn begin(&mut self, at: SimTime, (kind, to): (FrameKind, NodeId), failure: Failure) {
        // DATA follows an RTS only if that was answered.
        if kind == FrameKind::Rts || self.kind != FrameKind::Rts {
            self.exchange = at;
        }
        (self.at, self.kind, self.to, self.failure) = (at, kind, to, failure);
    }

    /// The attempt in progress, or the latest one: when it began, its receiver, why it fails if it fails.
    pub fn current(&self) -> (SimTime, NodeId, Failure) {
        (self.at, self.to, self.failure)
    }

    /// When the first attempt with the packet began, with the RTS before it; `None` if that is not known any more, because it has failed.
    pub fn only_exchange(&self) -> Option<SimTime> {
        (self.past == Past::Clean).then_some(self.exchange)
    }

    /// The receiver went out of reach while the attempt lasted, at `since` if that is known.
    pub fn lost_receiver(&mut self, failure: Failure, since: SimTime) {
        self.failure = failure;
        self.details.receiver_lost = since;
    }

    /// The latest attempt got no answer.
    pub fn unanswered(&mut self) {
        self.past = Past::Unbooked;
    }

    /// True if any attempt with the packet has failed: then the end of the latest one must be booked.
    #[inline]
    pub fn has_past(&self) -> bool {
        self.past != Past::Clean
    }

    /// True if a failed attempt with the packet was booked.
    #[inline]
    pub fn has_failed_before(&self) -> bool {
        self.failed > 0
    }

    /// The latest attempt has ended at `now`, and one with this packet has failed. `airtime` is that of an RTS.
    #[cold]
    #[inline(never)]
    pub fn end(&mut self, now: SimTime, airtime: SimDuration) {
        if self.past == Past::Unbooked {
            self.failed(now, airtime);
        } else if self.kind == FrameKind::Rts {
            // It was answered: the MAC counts failed RTS anew.
            self.details.rts = Tally::default();
        }
    }

    /// Books the latest attempt, which failed for the reason noted meanwhile.
    fn failed(&mut self, now: SimTime, airtime: SimDuration) {
        if self.failed == 0 {
            *self.details = Failed { receiver_lost: self.details.receiver_lost, ..Failed::default() };
        }
        let details = &mut *self.details;
        // (ns-2) The receiver refuses an RTS while it waits for DATA whose CTS did not arrive: what kept the
        // CTS away counts.
        let waits = self.failure == Failure::Busy && self.at + airtime < self.reserved_until;
        let failure = details.latest.filter(|_| waits).unwrap_or(self.failure);
        let cause = failure.cause();
        match self.kind {
            FrameKind::Rts | FrameKind::Cts => details.rts.add(cause),
            FrameKind::Data | FrameKind::Ack => details.data.add(cause),
        }
        if failure.is_physical() {
            let since = self.at.max(details.receiver_lost);
            details.out_of_reach_since.get_or_insert(since);
            if failure == Failure::NodeDown {
                details.off_since.get_or_insert(since);
            }
        }
        if !failure.is_load() {
            // The answered RTS before a DATA frame that is lost was in vain, too.
            if details.count == 0 {
                details.slow_since = self.exchange;
            }
            details.lost += now.since(self.exchange);
            details.count = details.count.saturating_add(1);
            details.delay = Some(failure);
            self.interferer = None;
        }
        details.latest = Some(failure);
        self.failed = self.failed.saturating_add(1);
        self.past = Past::Booked;
    }

    /// The MAC is done with the packet.
    pub fn reset(&mut self) {
        (self.past, self.failed, self.interferer) = (Past::Clean, 0, None);
        (self.failure, self.kind) = (Failure::Busy, FrameKind::Data);
    }

    /// The station books the time that it loses by exchanges: none is booked with the packet.
    pub fn forget_lost_time(&mut self) {
        self.details.lost = SimDuration::ZERO;
    }

    /// Numbers of failed attempts with the packet: because of load, and for other reasons.
    pub fn retries(&self) -> (u16, u16) {
        let other = if self.failed > 0 { self.details.count } else { 0 };
        (self.failed.saturating_sub(other), other)
    }

    /// Notes what spoils the attempt in progress with a frame of this kind, or the answer to it.
    pub fn spoil(&mut self, kind: FrameKind, failure: Failure) {
        if self.kind == kind {
            self.failure = failure;
        }
    }

    /// (ns-2) The receiver reserves itself for this station's DATA.
    #[inline]
    pub fn reserve(&mut self, until: SimTime) {
        self.reserved_until = until;
    }

    /// Time spent on attempts that failed for a reason other than load; the current attempt, if it will fail
    /// like the one before, counts up to `now`.
    pub fn lost_until(&self, now: SimTime) -> SimDuration {
        let fails_again = self.details.latest.is_some_and(|failure| !failure.is_load());
        let running = if fails_again { now.since(self.exchange) } else { SimDuration::ZERO };
        if self.failed > 0 { self.details.lost + running } else { SimDuration::ZERO }
    }

    /// Time spent on attempts that failed for a reason other than load.
    pub fn lost(&self) -> SimDuration {
        if self.failed > 0 { self.details.lost } else { SimDuration::ZERO }
    }

    /// The latest reason other than load for which an attempt with the packet has failed, and when the first such attempt began.
    pub fn slowed(&self) -> Option<(Failure, SimTime)> {
        let failure = self.details.delay.filter(|_| self.failed > 0)?;
        Some((failure, self.details.slow_since))
    }

    /// The root cause of `node` that [`Self::lost`] is due to.
    pub fn delay(&self, now: SimTime, node: NodeId) -> Option<RootCause> {
        let (failure, _) = self.slowed()?;
        Some(RootCause {
            attempts: self.failed,
            ..RootCause::new(now, node, failure.cause()).towards(self.to)
        })
    }

    /// The root cause at `now` of a packet that `node` could not send to `next_hop` so far. If the hop is out of
    /// reach, the packet is held up since the first attempt; otherwise any attempt could have succeeded, up
    /// to the last. `unanswered` is the kind of frame whose retry limit ran out.
    pub fn root_of(
        &self,
        now: SimTime,
        (node, next_hop): (NodeId, NodeId),
        unanswered: FrameKind,
    ) -> RootCause {
        if self.failed == 0 {
            return RootCause::new(now, node, LossCause::Unknown).towards(next_hop);
        }
        let Failed { rts, data, latest, .. } = *self.details;
        let (decisive, other) = if unanswered == FrameKind::Rts { (rts, data) } else { (data, rts) };
        // Once an RTS is answered, earlier RTS don't count any more; the latest DATA isn't booked before it is repeated.
        let latest = if self.past == Past::Unbooked { Some(self.failure) } else { latest };
        let cause = decisive.verdict().or_else(|| other.verdict()).or(latest.map(Failure::cause));
        let cause = cause.unwrap_or(LossCause::Unknown);
        let interferer = self.interferer.filter(|_| cause == LossCause::Contention);
        let root = RootCause {
            attempts: self.failed,
            interferer,
            ..RootCause::new(now, node, cause).towards(next_hop)
        };
        let off = self.details.off_since.filter(|_| cause == LossCause::NodeDown);
        match off.or(self.details.out_of_reach_since) {
            Some(at) if root.is_physical() => RootCause { at, ..root },
            _ => root,
        }
    }
}

#[cfg(test)]
mod tests;
