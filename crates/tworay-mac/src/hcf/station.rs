//! One station with EDCA, aggregates and immediate block acknowledgment (§10.23 to §10.25), or, without QoS, the
//! DCF of 802.11a and g.
//!
//! ```text
//!           request         backoff over            CTS            SIFS
//!   None ───────────▶ (EDCA) ──────────▶ AwaitCts ───────▶ PpduSoon ─────▶ AwaitAnswer ──ACK, BlockAck──▶ None
//!                                │  no RTS needed                                │
//!                                └──────────────▶ AwaitAnswer                    └─ missing: window grows, again
//!   None, when a frame for the station arrives:  RTS ─SIFS─▶ CTS    DATA ─SIFS─▶ ACK    A-MPDU, BAR ─SIFS─▶ BlockAck
//! ```
//!
//! The station takes packets from its host when it may transmit, not before: what waits, waits in the interface
//! queue. Agreements exist from the first frame on; ADDBA frames aren't exchanged, and every frame carries the
//! beginning of its sender's window instead.

mod originate;
mod peer;
mod respond;

use super::edca::Edca;
use super::frame::{AirFrame, AirKind};
use super::window::MissingBlockAck;
use crate::counters::MacCounters;
use crate::dcf::Outgoing;
use crate::rate::{MinstrelConfig, RateControl};
use peer::{Neighbour, Peer};
use std::sync::Arc;
use tworay_base::{NodeId, PacketId, RngStream, SimDuration, SimTime};
use tworay_radio::phy::{AccessCategory, Airtime, DurationRules, Mode, Phy, PhyTiming};

/// Choice of rates towards each neighbour.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum RateChoice {
    /// Always this mode.
    Fixed(Mode),
    /// The best mode for the SINR that the receiver gets without interference.
    Ideal,
    /// Minstrel-HT.
    MinstrelHt(MinstrelConfig),
}

impl RateChoice {
    /// The mode, if it is always the same.
    pub const fn fixed(&self) -> Option<Mode> {
        match self {
            Self::Fixed(mode) => Some(*mode),
            Self::Ideal | Self::MinstrelHt(_) => None,
        }
    }
}

/// Settings of a station.
#[derive(Clone, Debug)]
pub struct HcfConfig {
    /// Its radio.
    pub phy: Phy,
    /// Whose durations.
    pub rules: DurationRules,
    /// Mode of broadcasts and RTS.
    pub basic: Mode,
    /// Choice of rates.
    pub rate: RateChoice,
    /// PSDUs longer than this are preceded by RTS/CTS, bytes.
    pub rts_above: u32,
    /// Longest aggregate, bytes; 0: frames are sent singly.
    pub max_aggregate: u32,
    /// Attempts with a frame outside an agreement and with a BlockAckReq after which nothing is left to be asked, at
    /// least 1 (dot11ShortRetryLimit).
    pub attempts: u8,
    /// Time that a frame under an agreement may spend in the station (dot11EDCATableMSDULifetime).
    pub lifetime: SimDuration,
    /// After this many exchanges in a row without ACK or BlockAck, at least 1, a neighbour counts as gone, and all
    /// frames for it are given up. `None`: they stay until their lifetimes end.
    pub gone_after: Option<u8>,
    /// The next step if the BlockAck of an aggregate doesn't come.
    pub missing: MissingBlockAck,
    /// Seed of the rate controls' random streams.
    pub seed: u64,
}

impl HcfConfig {
    /// True if frames have a QoS field and contend by EDCA: `n` and `ac`.
    pub const fn has_qos(&self) -> bool {
        self.phy.standard.has_aggregates()
    }

    /// True if receivers put frames in order and answer aggregates by BlockAck.
    pub const fn has_agreements(&self) -> bool {
        self.has_qos() && self.max_aggregate > 0
    }

    /// Length of the frame (MAC header to FCS) that carries a network packet of `ip_bytes`: MAC header 24, QoS
    /// control 2, LLC and SNAP 8, FCS 4.
    pub const fn frame_bytes(&self, ip_bytes: u32) -> u32 {
        ip_bytes + 36 + if self.has_qos() { 2 } else { 0 }
    }
}

/// Requests of a station to its node.
pub trait Host {
    /// True if packets of a category wait.
    fn waits(&self, category: AccessCategory) -> bool;
    /// Takes out the next packet of a category, or the next for `to`.
    fn take(&mut self, now: SimTime, category: AccessCategory, to: Option<NodeId>) -> Option<Outgoing>;
    /// Ratio (a factor) of the mean signal to noise that `to` gets of a frame sent with `mode`.
    fn sinr(&mut self, now: SimTime, to: NodeId, mode: Mode) -> f64;
}

/// The way in which a packet came into order: at once, or after a wait for others.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// It was the next one when it arrived. The handle is the sender's.
    Next(PacketId),
    /// It has waited for others that were sent before it, or comes behind packets that have.
    Waited {
        /// When it arrived.
        since: SimTime,
        /// The first packet that has waited and all behind it, which are handed up together.
        together: u16,
        /// The latest packet before it that has arrived now; if there is none, the station has stopped to wait. The handle is the sender's.
        behind: Option<PacketId>,
    },
}

/// Actions that the caller carries out for the station, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HcfAction {
    /// Transmit this frame now.
    Transmit(AirFrame),
    /// A packet arrived. The handle is the sender's; the receiver makes a copy.
    Deliver {
        /// The packet.
        packet: PacketId,
        /// Who sent it.
        from: NodeId,
    },
    /// A packet that the receiver has copied when it arrived is in order now.
    HandUp {
        /// The receiver's copy.
        copy: PacketId,
        /// Who sent it.
        from: NodeId,
        /// When it has arrived.
        order: Order,
    },
    /// A packet arrived after the station had handed up later ones: it is acknowledged and thrown away, as by
    /// mac80211. The handle is the sender's.
    TooLate {
        /// The packet.
        packet: PacketId,
        /// Who sent it.
        from: NodeId,
        /// When the station had stopped to wait for it.
        since: SimTime,
    },
    /// The packet was acknowledged, or its broadcast ended.
    Sent {
        /// The packet.
        packet: PacketId,
    },
    /// An attempt with these packets failed. Comes before what follows from it.
    Missed {
        /// The packets that weren't acknowledged.
        packets: Vec<PacketId>,
        /// The station that didn't acknowledge them.
        to: NodeId,
        /// True if an RTS went unanswered.
        rts: bool,
    },
    /// The packet's lifetime ended before it was acknowledged.
    Expired {
        /// The packet, returned.
        packet: PacketId,
        /// Station that has not acknowledged it.
        to: NodeId,
    },
    /// The packet could not be delivered to the next hop.
    GaveUp {
        /// The packet, returned.
        packet: PacketId,
        /// Station that could not be reached.
        to: NodeId,
        /// True if an RTS went unanswered last.
        rts: bool,
    },
}

/// A planned exchange of the station itself.
#[derive(Clone, Debug)]
struct Plan {
    frame: AirFrame,
    peer: usize,
    /// Mode of the answer.
    response: Mode,
    /// RTS before it.
    rts: bool,
    sample: bool,
}

#[derive(Clone, Debug)]
enum Exchange {
    None,
    AwaitCts,
    PpduSoon,
    AwaitAnswer,
    Broadcasting(PacketId, AccessCategory),
    /// An answer follows when its SIFS is over.
    RespondSoon(Box<AirFrame>),
    /// The answer is on the air.
    Responding,
}

/// One station.
#[derive(Debug)]
pub struct Hcf {
    node: NodeId,
    config: Arc<HcfConfig>,
    airtime: Airtime,
    timing: PhyTiming,
    edca: Edca,
    neighbours: Vec<Neighbour>,
    peers: Vec<Peer>,
    /// By category: place of the peer that was served last.
    turns: [usize; 4],
    exchange: Exchange,
    plan: Option<Plan>,
    /// When the exchange's next step is due.
    step_at: SimTime,
    /// The station's own transmission ends.
    tx_until: SimTime,
    /// Physical carrier sense.
    sensed_until: SimTime,
    /// Virtual carrier sense.
    nav_until: SimTime,
    /// The NAV is due to an RTS; if nothing is heard until then, it ends (§10.3.2.4).
    nav_check: SimTime,
    /// When a receiver may stop to wait for a missing frame.
    reorder_at: SimTime,
    /// Number of times that the station was switched off: each time its agreements end.
    agreement: u32,
    /// By category: exchanges in a row that failed (QSRC, §10.23.2.2).
    failures: [u8; 4],
    counters: MacCounters,
}

impl Hcf {
    /// An idle station. `rng` is its backoff stream.
    pub fn new(config: Arc<HcfConfig>, node: NodeId, rng: RngStream) -> Self {
        let airtime = Airtime::new(&config.phy, config.rules);
        let timing = PhyTiming::new(&config.phy, &airtime);
        let edca = if config.has_qos() { Edca::new(&timing, rng) } else { Edca::dcf(&timing, rng) };
        Self {
            node,
            config,
            airtime,
            timing,
            edca,
            neighbours: Vec::new(),
            peers: Vec::new(),
            turns: [0; 4],
            exchange: Exchange::None,
            plan: None,
            step_at: SimTime::NEVER,
            tx_until: SimTime::ZERO,
            sensed_until: SimTime::ZERO,
            nav_until: SimTime::ZERO,
            nav_check: SimTime::NEVER,
            reorder_at: SimTime::NEVER,
            agreement: 0,
            failures: [0; 4],
            counters: MacCounters::default(),
        }
    }

    /// True if the station is transmitting at `now`.
    pub fn is_transmitting(&self, now: SimTime) -> bool {
        now < self.tx_until
    }

    /// End of its latest transmission.
    pub fn transmits_until(&self) -> SimTime {
        self.tx_until
    }

    /// The station's counters.
    pub fn counters(&self) -> &MacCounters {
        &self.counters
    }

    /// The settings.
    pub fn config(&self) -> &HcfConfig {
        &self.config
    }

    /// True if it has nothing to send, apart from what waits at its host.
    pub fn is_free(&self) -> bool {
        self.plan.is_none()
            && !matches!(self.exchange, Exchange::Broadcasting(..))
            && self.peers.iter().all(Peer::is_idle)
    }

    /// Appends the packets that it holds: those to be sent, and copies that wait for others.
    pub fn held(&self, out: &mut Vec<PacketId>) {
        if let Exchange::Broadcasting(packet, _) = self.exchange {
            out.push(packet);
        }
        self.peers.iter().for_each(|peer| peer.held(out));
    }

    /// Appends the packets that it has taken from its host and is sending.
    pub fn sending(&self, out: &mut Vec<PacketId>) {
        self.peers.iter().for_each(|peer| out.extend(peer.window.frames()));
    }

    /// Number of those packets.
    pub fn taken(&self) -> usize {
        self.peers.iter().map(|peer| usize::from(peer.window.open())).sum()
    }

    /// When [`Hcf::on_timer`] must be called.
    pub fn deadline(&self) -> SimTime {
        let access =
            if matches!(self.exchange, Exchange::None) { self.edca.deadline() } else { SimTime::NEVER };
        access.min(self.step_at).min(self.nav_check).min(self.reorder_at)
    }

    /// The station loses power: clears all state, keeps the counters. Appends the packets that it held.
    pub fn power_off(&mut self, now: SimTime, out: &mut Vec<PacketId>) {
        self.held(out);
        self.neighbours.clear();
        self.peers.clear();
        self.turns = [0; 4];
        self.plan = None;
        self.agreement += 1;
        self.failures = [0; 4];
        self.tx_until = SimTime::ZERO;
        self.sensed_until = SimTime::ZERO;
        self.nav_until = SimTime::ZERO;
        self.nav_check = SimTime::NEVER;
        self.reorder_at = SimTime::NEVER;
        self.edca.reset(now);
        self.settle(now);
    }

    // ---- inputs -------------------------------------------------------------------------------

    /// Packets of a category wait at the host, or may wait.
    pub fn on_waiting(&mut self, now: SimTime, category: AccessCategory, host: &impl Host) {
        if host.waits(category) {
            self.edca.request(now, category);
        }
    }

    /// The station senses a busy medium until `until`.
    pub fn on_busy(&mut self, now: SimTime, until: SimTime) {
        self.nav_check = SimTime::NEVER;
        self.sensed_until = self.sensed_until.max(until);
        self.edca.on_busy(now, until);
    }

    /// The signal that kept the medium busy turned out not to count: the medium is busy until `until` at most.
    pub fn on_less_busy(&mut self, now: SimTime, until: SimTime) {
        self.sensed_until = until;
        self.reconsider(now);
    }

    /// A reception began and ended without a good frame.
    pub fn on_bad_frame(&mut self, now: SimTime) {
        self.edca.on_bad_frame(now);
    }

    /// A timer expired. `receives_until`: the station is receiving a frame that ends then.
    pub fn on_timer(
        &mut self,
        now: SimTime,
        receives_until: Option<SimTime>,
        host: &mut impl Host,
        out: &mut Vec<HcfAction>,
    ) {
        if self.nav_check <= now {
            self.nav_check = SimTime::NEVER;
            self.nav_until = now;
            self.reconsider(now);
        }
        if self.reorder_at <= now {
            self.release_overdue(now, out);
        }
        if self.step_at <= now {
            self.step_at = SimTime::NEVER;
            self.step(now, receives_until, host, out);
        }
        if matches!(self.exchange, Exchange::None)
            && self.edca.deadline() <= now
            && let Some(access) = self.edca.on_deadline(now)
        {
            for category in AccessCategory::ALL {
                if access.collided[category as usize] {
                    self.failed(now, category, false);
                }
            }
            self.begin(now, access.winner, host, out);
        }
    }

    fn step(
        &mut self,
        now: SimTime,
        receives_until: Option<SimTime>,
        host: &mut impl Host,
        out: &mut Vec<HcfAction>,
    ) {
        match std::mem::replace(&mut self.exchange, Exchange::None) {
            Exchange::None => {}
            waits @ (Exchange::AwaitCts | Exchange::AwaitAnswer) => {
                // A preamble was detected in time: the wait ends with that frame (§10.3.2.11).
                if let Some(until) = receives_until.filter(|until| *until >= now) {
                    self.exchange = waits;
                    self.hold(now, until + SimDuration::from_nanos(1));
                } else {
                    self.exchange = waits;
                    self.unanswered(now, host, out);
                }
            }
            Exchange::PpduSoon => self.send_planned(now, out),
            Exchange::Broadcasting(packet, category) => {
                self.settle(now);
                self.edca.succeeded(now, category);
                out.push(HcfAction::Sent { packet });
                self.want(now, host);
            }
            Exchange::RespondSoon(frame) => {
                self.exchange = Exchange::Responding;
                self.count_answer(&frame);
                self.transmit(now, *frame, out);
                self.hold(now, self.tx_until);
            }
            Exchange::Responding => {
                self.settle(now);
                self.want(now, host);
            }
        }
    }

    fn transmit(&mut self, now: SimTime, frame: AirFrame, out: &mut Vec<HcfAction>) {
        self.tx_until = now + frame.airtime;
        self.nav_check = SimTime::NEVER;
        self.edca.on_busy(now, self.tx_until);
        out.push(HcfAction::Transmit(frame));
    }

    /// The exchange in progress holds the medium until its next step.
    fn hold(&mut self, now: SimTime, until: SimTime) {
        self.step_at = until;
        self.edca.on_busy(now, until);
    }

    /// The exchange in progress is over.
    fn settle(&mut self, now: SimTime) {
        self.exchange = Exchange::None;
        self.step_at = SimTime::NEVER;
        self.reconsider(now);
    }

    /// Something that kept the medium busy may have ended earlier than expected.
    fn reconsider(&mut self, now: SimTime) {
        let own = if self.step_at == SimTime::NEVER { self.tx_until } else { self.step_at };
        let until = self.sensed_until.max(self.nav_until).max(own);
        self.edca.on_idle_at(now, until.max(now));
    }

    /// Asks for access for all categories of which anything is to be sent.
    fn want(&mut self, now: SimTime, host: &impl Host) {
        let mut wants = AccessCategory::ALL.map(|category| host.waits(category));
        for category in self.peers.iter().filter_map(Peer::wants) {
            wants[category as usize] = true;
        }
        for category in AccessCategory::ALL {
            if wants[category as usize] {
                self.edca.request(now, category);
            }
        }
    }

    /// An exchange of `category` has failed, or it lost against a higher one of this station. While QSRC is below the limit,
    /// a failure increments it and the window grows; at the limit, the next failure makes both the smallest again
    /// (§10.23.2.2), though the frames stay. With `given_up`, the frame was the last attempt.
    fn failed(&mut self, now: SimTime, category: AccessCategory, given_up: bool) {
        let failures = &mut self.failures[category as usize];
        *failures = failures.saturating_add(1);
        let reset = given_up || self.config.has_agreements() && *failures > self.config.attempts;
        if reset {
            *failures = 0;
        }
        self.edca.failed(now, category, reset);
    }

    /// The rate control towards a neighbour.
    pub fn rate_to(&self, node: NodeId) -> Option<&RateControl> {
        self.neighbours.iter().find(|neighbour| neighbour.node == node).map(|neighbour| &neighbour.rate)
    }

    fn control(&self, kind: AirKind, to: NodeId, mode: Mode, duration: SimDuration) -> AirFrame {
        let bytes = match kind {
            AirKind::Rts => RTS_BYTES,
            AirKind::BlockAck(_) => BLOCK_ACK_BYTES,
            AirKind::BlockAckReq(_) => BLOCK_ACK_REQ_BYTES,
            _ => ACK_BYTES,
        };
        AirFrame {
            kind,
            from: self.node,
            to,
            duration,
            mode,
            bytes,
            airtime: self.airtime.frame(mode, bytes),
            category: AccessCategory::BestEffort,
            agreement: self.agreement,
            start: super::FrameNumber::default(),
            packets: Vec::new(),
        }
    }
}

/// Lengths of control frames, MAC header to FCS (§9.3.1). A CTS is as long as an ACK.
const RTS_BYTES: u32 = 20;
const ACK_BYTES: u32 = 14;
const BLOCK_ACK_BYTES: u32 = 32;
const BLOCK_ACK_REQ_BYTES: u32 = 24;

#[cfg(test)]
mod tests;
