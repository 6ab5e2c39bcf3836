//! The MAC's attempts to send a packet to its next hop, and the outcome of each.
//!
//! An attempt is an RTS, or a DATA frame. It ends when the MAC makes the next attempt with the same packet,
//! when the packet is sent, or when the MAC gives up. Only attempts that the MAC counted as failed are booked:
//! an answered RTS is not a failure.

use crate::provenance::Setback;
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
            Failure::OutOfRange => LossCause::LinkFailure,
            Failure::NodeDown => LossCause::NodeDown,
        }
    }

    /// Whether the receiver was physically out of reach.
    fn is_physical(self) -> bool {
        matches!(self, Failure::OutOfRange | Failure::NodeDown)
    }
}

/// The attempt in progress.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Attempt {
    /// RTS or DATA.
    pub kind: FrameKind,
    /// When it began.
    pub at: SimTime,
    /// Its last bit leaves the sender.
    pub until: SimTime,
    /// Why it fails if it fails, as far as known.
    pub failure: Failure,
    /// Number of attempts that the MAC had counted as failed when it began.
    counted: u64,
}

/// Failed attempts with frames of one kind, by cause, in the order of their first occurrence.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    counts: [(Option<LossCause>, u16); 4],
}

impl Tally {
    fn add(&mut self, cause: LossCause) {
        let place = self.counts.iter_mut().find(|(known, _)| known.is_none_or(|known| known == cause));
        if let Some((known, count)) = place {
            *known = Some(cause);
            *count = count.saturating_add(1);
        }
    }

    /// The cause of most failures; among equals the one that struck first.
    fn verdict(&self) -> Option<LossCause> {
        let most = self.counts.iter().map(|(_, count)| *count).max()?;
        self.counts.iter().find(|(_, count)| *count == most).and_then(|(cause, _)| *cause)
    }
}

/// The attempts with the MAC's current packet.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Attempts {
    current: Option<Attempt>,
    /// Failed RTS since the last answered one, and failed DATA. The MAC counts them against separate limits.
    rts: Tally,
    data: Tally,
    /// Number of failed attempts.
    failed: u16,
    /// The latest failure.
    latest: Option<Failure>,
    /// Time spent on attempts that failed for a reason other than load, the latest such reason, and the
    /// receiver.
    lost: SimDuration,
    delay: Option<(Failure, NodeId)>,
    /// Sender of the signal that corrupted the last attempt, or the answer to it.
    pub interferer: Option<NodeId>,
    /// When an attempt was first made although the next hop was out of reach.
    out_of_reach_since: Option<SimTime>,
    /// (ns-2) The receiver has answered an RTS and reserves itself for the DATA until then.
    reserved_until: SimTime,
}

impl Attempts {
    /// An attempt begins. `failure` is known already if the receiver is out of reach. `counted`: number of
    /// attempts that the MAC has counted as failed.
    #[inline]
    pub fn begin(
        &mut self,
        kind: FrameKind,
        (at, until): (SimTime, SimTime),
        failure: Failure,
        counted: u64,
    ) {
        self.current = Some(Attempt { kind, at, until, failure, counted });
    }

    /// The attempt in progress, or the one that has just ended.
    #[inline]
    pub fn current(&self) -> Option<&Attempt> {
        self.current.as_ref()
    }

    /// Whether the attempt in progress has failed, if the MAC has counted this many failures by now.
    #[inline]
    pub fn has_failed(&self, counted: u64) -> bool {
        self.current.as_ref().is_some_and(|attempt| counted > attempt.counted)
    }

    /// Whether an earlier attempt with the packet has failed.
    #[inline]
    pub fn has_failed_before(&self) -> bool {
        self.failed > 0
    }

    /// The attempt has ended and was answered.
    #[inline]
    pub fn answered(&mut self) {
        if let Some(attempt) = self.current.take()
            && attempt.kind == FrameKind::Rts
        {
            self.rts = Tally::default();
        }
    }

    /// The attempt to reach `to` has ended at `now` and failed, for the reason noted meanwhile.
    pub fn failed(&mut self, now: SimTime, to: NodeId) {
        let Some(attempt) = self.current.take() else { return };
        // (ns-2) The receiver refuses an RTS while it waits for DATA whose CTS did not arrive: what kept the
        // CTS away counts.
        let waits = attempt.failure == Failure::Busy && attempt.until < self.reserved_until;
        let failure = self.latest.filter(|_| waits).unwrap_or(attempt.failure);
        let cause = failure.cause();
        match attempt.kind {
            FrameKind::Rts | FrameKind::Cts => self.rts.add(cause),
            FrameKind::Data | FrameKind::Ack => self.data.add(cause),
        }
        if failure.is_physical() {
            self.out_of_reach_since.get_or_insert(attempt.at);
        }
        if failure != Failure::Busy && failure != Failure::Collided {
            self.lost += now.since(attempt.at);
            self.delay = Some((failure, to));
            self.interferer = None;
        }
        self.failed = self.failed.saturating_add(1);
        self.latest = Some(failure);
    }

    /// Notes what spoils the attempt in progress with a frame of this kind, or the answer to it.
    pub fn spoil(&mut self, kind: FrameKind, failure: Failure) {
        if let Some(attempt) = &mut self.current
            && attempt.kind == kind
        {
            attempt.failure = failure;
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
        let independent = |f: &Failure| !matches!(f, Failure::Busy | Failure::Collided);
        let running = self.current.filter(|_| self.latest.as_ref().is_some_and(independent));
        self.lost + running.map_or(SimDuration::ZERO, |attempt| now.since(attempt.at))
    }

    /// Time spent on attempts that failed for a reason other than load.
    #[inline]
    pub fn lost(&self) -> SimDuration {
        self.lost
    }

    /// The setback of `node` that [`Self::lost`] is due to.
    pub fn delay(&self, now: SimTime, node: NodeId) -> Option<Setback> {
        let (failure, to) = self.delay?;
        Some(Setback { attempts: self.failed, ..Setback::new(now, node, failure.cause()).towards(to) })
    }

    /// The setback at `now` of a packet that `node` could not send to `next_hop` so far. If the hop is out of
    /// reach, the packet is held up since the first attempt; otherwise any attempt could have succeeded, up
    /// to the last. `unanswered` is the kind of frame whose retry limit ran out.
    pub fn setback(
        &self,
        now: SimTime,
        (node, next_hop): (NodeId, NodeId),
        unanswered: FrameKind,
    ) -> Setback {
        let (decisive, other) =
            if unanswered == FrameKind::Rts { (&self.rts, &self.data) } else { (&self.data, &self.rts) };
        let cause = decisive.verdict().or_else(|| other.verdict()).unwrap_or(LossCause::Unknown);
        let interferer = self.interferer.filter(|_| cause == LossCause::Contention);
        let setback =
            Setback { attempts: self.failed, interferer, ..Setback::new(now, node, cause).towards(next_hop) };
        match self.out_of_reach_since {
            Some(at) if setback.is_physical() => Setback { at, ..setback },
            _ => setback,
        }
    }
}

#[cfg(test)]
mod tests;
