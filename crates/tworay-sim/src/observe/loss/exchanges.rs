//! Exchanges of every station with its next hops: which attempts have failed, why, and what time that took.
//!
//! A MAC of 802.11b sends one packet at a time: its attempts are those with its current packet. A station of 802.11a/g/n/ac sends
//! several, so its [`Books`] keep the attempts with each; once it is done with a packet, those become the current ones.

mod books;

use crate::observe::fact::Awaited;
use crate::observe::loss::attempts::{Attempts, Failure};
use crate::observe::loss::root_cause::RootCause;
pub(crate) use books::Lost;
use books::{Books, TrialKind};
use tworay_base::{LossCause, NodeId, PacketId, SimDuration, SimTime};
use tworay_mac::hcf::{AirFrame, AirKind, Order};
use tworay_mac::{Frame, FrameKind, MacConfig, Timing};
use tworay_radio::phy::MAX_PPDU;

/// Delay of a packet that is in order at its next hop: why it was held up, since when, and how many go on together.
pub(crate) type Delay = (Failure, SimTime, u32);

/// The exchanges of every station.
#[derive(Debug, Default)]
pub(crate) struct Exchanges {
    attempts: Vec<Attempts>,
    /// Those of stations of 802.11a/g/n/ac; empty without such.
    books: Vec<Books>,
    /// Airtime of an RTS of 802.11b.
    rts: SimDuration,
}

impl Exchanges {
    pub fn new(nodes: usize) -> Self {
        Self { attempts: vec![Attempts::default(); nodes], ..Self::default() }
    }

    /// The stations follow this configuration; `several`: they send several packets at a time.
    pub fn expect(&mut self, mac: &MacConfig, several: bool) {
        self.rts = Timing::new(mac, &mac.quirks()).rts;
        let stations = if several { self.attempts.len() } else { 0 };
        self.books.resize_with(stations, Books::default);
    }

    /// The attempts of a station with its current packet, or with the one that it is done with now.
    #[inline]
    pub fn of(&self, station: NodeId) -> &Attempts {
        &self.attempts[station.index()]
    }

    #[inline(always)]
    fn of_mut(&mut self, station: NodeId) -> &mut Attempts {
        &mut self.attempts[station.index()]
    }

    /// A MAC of 802.11b tries to reach the next hop of its packet, and fails for the reason `failure` if it gets no answer.
    #[inline(always)]
    pub fn attempted(&mut self, now: SimTime, frame: &Frame, failure: Failure) {
        let rts = self.rts;
        let attempts = self.of_mut(frame.from);
        if attempts.has_past() {
            attempts.end(now, rts);
        }
        attempts.begin(now, (frame.kind, frame.to), failure);
    }

    /// The attempt that begins is the last one with its packet. `deaf`: its receiver transmits; `blocker`: the sender of the signal that
    /// the receiver hears already.
    pub fn last_attempt(
        &mut self,
        station: NodeId,
        deaf: Option<NodeId>,
        blocker: impl FnOnce() -> Option<NodeId>,
    ) {
        let attempts = self.of_mut(station);
        let repeated = attempts.has_failed_before();
        attempts.interferer = deaf.or_else(|| if repeated { blocker() } else { None });
    }

    /// (ns-2) A receiver reserves itself for the DATA of a station.
    #[inline]
    pub fn reserved(&mut self, station: NodeId, until: SimTime) {
        self.of_mut(station).reserve(until);
    }

    /// Something spoils the attempt of a station with a frame of this kind, or the answer to it.
    #[inline]
    pub fn spoiled(&mut self, station: NodeId, attempt: FrameKind, failure: Failure) {
        self.of_mut(station).spoil(attempt, failure);
    }

    /// A signal corrupts the last attempt of a station; `itself`: not the answer to it. What destroyed the frame from its start on may be
    /// over by now.
    pub fn corrupted_last(
        &mut self,
        station: NodeId,
        itself: bool,
        interferer: impl FnOnce() -> Option<NodeId>,
    ) {
        let attempts = self.of_mut(station);
        attempts.interferer = attempts.interferer.filter(|_| itself).or_else(interferer);
    }

    /// The latest attempt of a MAC of 802.11b got no answer. If nothing is known to have destroyed the frame or its answer, and the
    /// receiver is still there and in range by the mean power, then the receiver was busy.
    #[cold]
    #[inline(never)]
    pub fn unanswered(&mut self, station: NodeId, awaited: Awaited) {
        let attempts = self.of_mut(station);
        attempts.unanswered();
        let (began, _, failure) = attempts.current();
        if failure == Failure::Busy
            && let Some((failure, since)) = awaited.lost_since(began)
        {
            attempts.lost_receiver(failure, since);
        }
    }

    /// A station has given up a packet; `gone`: because it takes this neighbour for gone.
    pub fn gave_up(&mut self, now: SimTime, station: NodeId, packet: PacketId, gone: Option<NodeId>) {
        let taken = self.books.get_mut(station.index()).and_then(|books| books.take_given_up(packet, gone));
        let rts = self.rts;
        let attempts = self.of_mut(station);
        if let Some(taken) = taken {
            *attempts = taken;
        }
        attempts.end(now, rts);
    }

    /// The lifetime of a packet in a station is over.
    pub fn expired(&mut self, now: SimTime, station: NodeId, packet: PacketId) {
        let taken = self.books.get_mut(station.index()).and_then(|books| books.take_expired(now, packet));
        *self.of_mut(station) = taken.unwrap_or_default();
    }

    /// A station is done with a packet that was acknowledged or broadcast.
    pub fn sent(&mut self, station: NodeId, packet: PacketId) {
        let taken = self.books.get_mut(station.index()).and_then(|books| books.take(packet));
        if let Some(taken) = taken {
            *self.of_mut(station) = taken;
        }
    }

    /// True if attempts of a station with a packet have failed, with which it is done now.
    #[inline]
    pub fn has_failed(&self, station: NodeId, packet: PacketId) -> bool {
        match self.books.get(station.index()) {
            None => self.of(station).has_failed_before(),
            Some(books) => books.has_failed(packet),
        }
    }

    /// The consequences for the packet with which a station is done are complete.
    pub fn reset(&mut self, station: NodeId) {
        self.of_mut(station).reset();
    }

    /// A station loses its power.
    pub fn restart(&mut self, station: NodeId) {
        self.reset(station);
        if let Some(books) = self.books.get_mut(station.index()) {
            *books = Books::default();
        }
    }

    /// Time for which a station has lost its exchanges until now for a reason other than load, and the reason.
    pub fn running(&self, now: SimTime, station: NodeId) -> Option<(SimDuration, RootCause)> {
        if let Some(books) = self.books.get(station.index()) {
            let lost = books.lost_until(now)?;
            return Some((lost.time, lost.root(now, station)));
        }
        let attempts = self.of(station);
        let lost = attempts.lost_until(now);
        let root = attempts.delay(now, station).filter(|_| !lost.is_zero())?;
        Some((lost, root))
    }
}

/// Stations of 802.11a/g/n/ac.
impl Exchanges {
    /// A station sends a frame that fails for the reason `failure` if it gets no answer; `asks`: the station asks then which packets have
    /// arrived. Returns the time lost since the exchange before it failed.
    pub fn began(&mut self, now: SimTime, frame: &AirFrame, asks: bool, failure: Failure) -> Option<Lost> {
        let kind = match frame.kind {
            AirKind::Rts => TrialKind::Rts,
            AirKind::BlockAckReq(_) => TrialKind::Request,
            AirKind::Aggregate => TrialKind::Data { asks },
            _ => TrialKind::Data { asks: false },
        };
        let packets = frame.packets.iter().map(|packet| packet.packet);
        self.books.get_mut(frame.from.index())?.begin(now, (kind, frame.to), failure, packets)
    }

    /// A station has nothing more to send.
    #[inline]
    pub fn rest(&mut self, station: NodeId) {
        if let Some(books) = self.books.get_mut(station.index()) {
            books.rest();
        }
    }

    /// A whole frame is lost at `node`, which it is addressed to.
    pub fn lost(&mut self, frame: &AirFrame, node: NodeId, failure: Failure, interferer: Option<NodeId>) {
        let is_answer = frame.kind.is_answer();
        let awaiting = if is_answer { node } else { frame.from };
        match self.books.get_mut(awaiting.index()) {
            Some(books) if is_answer => books.answer_lost(failure, interferer),
            Some(books) => books.frame_lost(failure, interferer),
            None => {}
        }
    }

    /// A frame of `station` was received; bits of the packets that are lost have failures, in order.
    pub fn arrived(&mut self, station: NodeId, fates: &[Option<Failure>], interferer: Option<NodeId>) {
        if let Some(books) = self.books.get_mut(station.index()) {
            books.frame_arrived(fates, interferer);
        }
    }

    /// A neighbour has answered a frame of a station.
    pub fn answered(&mut self, station: NodeId, by: NodeId) {
        if let Some(books) = self.books.get_mut(station.index()) {
            books.answered(by);
        }
    }

    /// An attempt of a station with `packets` got no answer, or was answered without them. If nothing is known to have destroyed the frame or
    /// its answer, and the receiver is gone meanwhile, that is why. Returns the time lost with it.
    pub fn missed(
        &mut self,
        now: SimTime,
        station: NodeId,
        packets: &[PacketId],
        awaited: Awaited,
    ) -> Option<Lost> {
        let books = self.books.get_mut(station.index())?;
        if let Some((began, _, Failure::Busy)) = books.latest()
            && let Some((failure, _)) = awaited.lost_since(began)
        {
            books.receiver_lost(failure);
        }
        books.missed(now, packets)
    }

    /// The neighbour that a station has tried to reach last, and why that fails if nothing else is known.
    pub fn latest(&self, station: NodeId) -> Option<(NodeId, Failure)> {
        let (_, to, failure) = self.books.get(station.index())?.latest()?;
        Some((to, failure))
    }

    /// The cause of most failed attempts of a station with a packet that it repeats.
    pub fn cause(&self, station: NodeId, packet: PacketId) -> Option<LossCause> {
        self.books.get(station.index())?.cause(packet)
    }

    /// Why the latest attempt of a station failed with the first packet that has failed attempts, counting packets that expire now.
    pub fn failing(&self, now: SimTime, station: NodeId) -> Option<Failure> {
        self.books.get(station.index())?.failing(now)
    }

    /// Delay of a packet of a station that is in order at its next hop now, if it was sent more than once or has waited for others.
    pub fn delay(&self, now: SimTime, station: NodeId, order: Order) -> Option<Delay> {
        let books = self.books.get(station.index())?;
        match order {
            Order::Next(_) if !books.repeats() => None,
            // It comes among those that were sent meanwhile, unless it was first sent longer ago than three of the longest frames last.
            Order::Next(packet) => {
                let slow = books.slowed(packet).filter(|(_, since)| *since + MAX_PPDU * 3 <= now);
                slow.map(|(failure, since)| (failure, since, books.repeated()))
            }
            Order::Waited { since, together, behind } => {
                let slow = |packet| books.slowed(packet).map(|(failure, _)| failure);
                let failure = behind.map_or_else(|| books.missing(since), slow)?;
                Some((failure, since, together.into()))
            }
        }
    }
}
