//! The distributed coordination function of one station (IEEE 802.11-1999 §9.2).
//!
//! ```text
//!            offer            backoff over              CTS               SIFS
//!   Free ──────────▶ Contending ─────────▶ AwaitCts ──────────▶ DataSoon ──────▶ AwaitAck ──ACK──▶ Free
//!                        ▲  │ no RTS needed                                        │
//!                        │  └──────────────────────────────────────────────────────┤
//!                        └──────────── timeout: retry, window doubled ◀─────────────┘
//!   any of them, when a frame for us arrives:  RTS ─SIFS─▶ CTS (─▶ AwaitData)   DATA ─SIFS─▶ ACK
//! ```

mod contend;
mod originate;
mod respond;

use crate::config::MacConfig;
use crate::contention::Backoff;
use crate::counters::MacCounters;
use crate::duplicate::DuplicateFilter;
use crate::frame::{Frame, FrameKind};
use crate::quirks::MacQuirks;
use crate::timing::Timing;
use tworay_base::{NodeId, PacketId, RngStream, SimDuration, SimTime};

/// The two timers of a station.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MacTimer {
    /// The backoff ends.
    Contention,
    /// A step of a frame exchange is due: SIFS over, response missing, broadcast done.
    Exchange,
}

/// A network packet handed down for transmission.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The packet.
    pub packet: PacketId,
    /// Receiving station, or broadcast.
    pub to: NodeId,
    /// Length of the network packet, bytes.
    pub ip_bytes: u32,
}

/// The MAC has exhausted its attempts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct GiveUp {
    /// The packet, handed back.
    pub packet: PacketId,
    /// Station that could not be reached.
    pub to: NodeId,
    /// Which frame went unanswered last: [`FrameKind::Rts`] or [`FrameKind::Data`].
    pub unanswered: FrameKind,
}

/// Why a reception ended without a good frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RxError {
    /// A decodable frame was spoiled by overlap or bit errors.
    Corrupt,
    /// Energy without a decodable frame.
    Undecodable,
}

/// What the station wants done.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MacAction {
    /// Put this frame on the air now.
    Transmit(Frame),
    /// Call [`Dcf::on_timer`] at this time; replaces an earlier deadline of the same timer.
    Arm(MacTimer, SimTime),
    /// The timer is not needed any more.
    Disarm(MacTimer),
    /// A packet arrived (the sender's handle; the receiver takes a copy).
    Deliver {
        /// The packet in the frame.
        packet: PacketId,
        /// Who sent the frame.
        from: NodeId,
    },
    /// The packet was acknowledged, or broadcast: this station is done with it.
    Sent {
        /// The packet.
        packet: PacketId,
    },
    /// The packet could not be delivered to the next hop.
    GaveUp(GiveUp),
    /// The station can take the next packet.
    Ready,
}

#[derive(Copy, Clone, Debug)]
struct Current {
    packet: PacketId,
    to: NodeId,
    bytes: u32,
    airtime: SimDuration,
    number: u16,
    retry: bool,
    /// Preceded by RTS/CTS by its size.
    protected: bool,
    /// The next thing to send for it is an RTS.
    rts_next: bool,
}

#[derive(Copy, Clone, Debug, PartialEq)]
enum Exchange {
    None,
    AwaitCts,
    DataSoon,
    AwaitAck,
    Broadcasting,
    /// A CTS or ACK goes out when its SIFS is over.
    RespondSoon(Frame),
    /// (ns-2) our CTS is out, DATA should follow.
    AwaitData,
    /// (ns-2) our ACK is going out; our own frame goes on after it.
    Acknowledging,
}

/// One station's DCF.
#[derive(Clone, Debug)]
pub struct Dcf {
    node: NodeId,
    /// Physical carrier: until when the air around is busy.
    busy_until: SimTime,
    /// Own transmission.
    tx_until: SimTime,
    /// Virtual carrier.
    nav_until: SimTime,
    /// Extra wait after a failed reception.
    eifs_until: SimTime,
    /// Own exchange in progress.
    hold_until: SimTime,
    backoff: Option<Backoff>,
    armed: SimTime,
    exchange: Exchange,
    current: Option<Current>,
    /// (ns-2) an ACK that waits for the end of our own exchange.
    late_ack: Option<Frame>,
    cw: u32,
    short_retries: u8,
    long_retries: u8,
    number: u16,
    cw_min: u32,
    cw_max: u32,
    short_limit: u8,
    long_limit: u8,
    quirks: MacQuirks,
    timing: Timing,
    duplicates: DuplicateFilter,
    counters: MacCounters,
    rng: RngStream,
}

impl Dcf {
    /// A station at rest. `rng` is its backoff stream.
    pub fn new(config: &MacConfig, node: NodeId, rng: RngStream) -> Self {
        Self::with_quirks(config, config.quirks(), node, rng)
    }

    /// A station at rest with habits chosen one by one.
    pub fn with_quirks(config: &MacConfig, quirks: MacQuirks, node: NodeId, rng: RngStream) -> Self {
        Self {
            node,
            busy_until: SimTime::ZERO,
            tx_until: SimTime::ZERO,
            nav_until: SimTime::ZERO,
            eifs_until: SimTime::ZERO,
            hold_until: SimTime::ZERO,
            backoff: None,
            armed: SimTime::NEVER,
            exchange: Exchange::None,
            current: None,
            late_ack: None,
            cw: config.cw_min,
            short_retries: 0,
            long_retries: 0,
            // ns-2 counts from 1: its filter never takes number 0 for a duplicate.
            number: u16::from(quirks.duplicate_by_number_only),
            cw_min: config.cw_min,
            cw_max: config.cw_max,
            short_limit: config.short_retry_limit,
            long_limit: config.long_retry_limit,
            quirks,
            timing: Timing::new(config, &quirks),
            duplicates: DuplicateFilter::new(quirks.duplicate_by_number_only),
            counters: MacCounters::default(),
            rng,
        }
    }

    /// Whether a packet can be offered.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.current.is_none()
    }

    /// Whether the station's own transmitter is on at `now`.
    #[inline]
    pub fn is_transmitting(&self, now: SimTime) -> bool {
        now < self.tx_until
    }

    /// The packet being sent, if any.
    pub fn holds(&self) -> Option<PacketId> {
        self.current.map(|c| c.packet)
    }

    /// The station's counters.
    pub fn counters(&self) -> &MacCounters {
        &self.counters
    }

    /// Frame lengths and times.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// The station loses its power: whatever it was doing is forgotten, its counters stay. Gives back the
    /// packet it held; the simulation forgets both timers.
    pub fn power_off(&mut self) -> Option<PacketId> {
        let held = self.current.take().map(|c| c.packet);
        for time in [
            &mut self.busy_until,
            &mut self.tx_until,
            &mut self.nav_until,
            &mut self.eifs_until,
            &mut self.hold_until,
        ] {
            *time = SimTime::ZERO;
        }
        self.backoff = None;
        self.armed = SimTime::NEVER;
        self.exchange = Exchange::None;
        self.late_ack = None;
        self.cw = self.cw_min;
        self.short_retries = 0;
        self.long_retries = 0;
        self.duplicates = DuplicateFilter::new(self.quirks.duplicate_by_number_only);
        held
    }

    // ---- inputs -------------------------------------------------------------------------------

    /// Takes a packet to send; call only when [`Dcf::is_free`].
    pub fn offer(&mut self, now: SimTime, packet: Outgoing, out: &mut Vec<MacAction>) {
        debug_assert!(self.current.is_none());
        let broadcast = packet.to.is_broadcast();
        let bytes = self.timing.data_bytes(packet.ip_bytes);
        let protected = !broadcast && self.timing.needs_rts(bytes);
        self.current = Some(Current {
            packet: packet.packet,
            to: packet.to,
            bytes,
            airtime: self.timing.data_airtime(bytes, broadcast),
            number: self.number,
            retry: false,
            protected,
            rts_next: protected,
        });
        self.number = if self.quirks.duplicate_by_number_only {
            self.number.wrapping_add(1)
        } else {
            (self.number + 1) & 0xfff
        };
        if !self.quirks.retries_outlive_packet {
            self.short_retries = 0;
            self.long_retries = 0;
        }
        self.begin_contention(now);
        self.arm_contention(out);
    }

    /// The air around the station is busy until `until`. Returns a new deadline for the contention timer if it
    /// moved, `NEVER` if it is not needed any more (the cheap form of an `Arm`, for the hottest calls of a
    /// simulation).
    #[inline]
    pub fn on_busy(&mut self, now: SimTime, until: SimTime) -> Option<SimTime> {
        if until <= self.busy_until {
            return None;
        }
        if self.backoff.is_some() {
            return self.busy_during_backoff(now, until);
        }
        self.busy_until = until;
        None
    }

    /// The medium counts as reserved until `until` (virtual carrier). Returns what [`Dcf::on_busy`] does.
    pub fn reserve(&mut self, now: SimTime, until: SimTime) -> Option<SimTime> {
        if until <= self.nav_until {
            return None;
        }
        self.nav_until = until;
        self.refreeze(now);
        self.moved_deadline()
    }

    /// A reception ended without a good frame. Returns what [`Dcf::on_busy`] does.
    pub fn on_rx_error(&mut self, now: SimTime, error: RxError) -> Option<SimTime> {
        if error == RxError::Undecodable && !self.quirks.eifs_after_undecodable {
            return None;
        }
        if self.quirks.eifs_is_nav {
            self.nav_until = self.nav_until.max(now + self.timing.eifs);
        } else {
            self.eifs_until = now + (self.timing.eifs - self.timing.difs);
        }
        self.refreeze(now);
        self.moved_deadline()
    }

    /// Whether a good frame for somebody else is only overheard now: it ends no wait of ours, and
    /// [`Dcf::on_overheard`] does what [`Dcf::on_frame`] would.
    #[inline]
    pub fn only_overhears(&self) -> bool {
        self.quirks.only_timeout_ends_wait
            || !matches!(self.exchange, Exchange::AwaitCts | Exchange::AwaitAck)
    }

    /// A good frame for one other station was received. Returns what [`Dcf::on_busy`] does.
    #[inline]
    pub fn on_overheard(&mut self, now: SimTime, frame: &Frame) -> Option<SimTime> {
        debug_assert!(frame.to != self.node && !frame.to.is_broadcast() && self.only_overhears());
        self.heed(now, frame);
        self.refreeze(now);
        self.moved_deadline()
    }

    /// What any good frame does: it ends the wait after an error, and reserves the medium for others.
    #[inline]
    fn heed(&mut self, now: SimTime, frame: &Frame) {
        self.eifs_until = SimTime::ZERO;
        if frame.to != self.node && !frame.duration.is_zero() {
            self.nav_until = self.nav_until.max(now + frame.duration);
        }
    }

    /// A good frame was received.
    pub fn on_frame(&mut self, now: SimTime, frame: &Frame, out: &mut Vec<MacAction>) {
        self.heed(now, frame);
        if !self.quirks.only_timeout_ends_wait {
            self.end_wait_by_other(now, frame, out);
        }
        if frame.to == self.node {
            match frame.kind {
                FrameKind::Rts => self.on_rts(now, frame, out),
                FrameKind::Cts => self.on_cts(now, out),
                FrameKind::Ack => self.on_ack(now, out),
                FrameKind::Data => self.on_data(now, frame, out),
            }
        } else if frame.to.is_broadcast()
            && let Some(packet) = frame.packet
        {
            out.push(MacAction::Deliver { packet, from: frame.from });
        }
        self.refreeze(now);
        self.arm_contention(out);
    }

    /// A timer expired.
    pub fn on_timer(&mut self, now: SimTime, timer: MacTimer, out: &mut Vec<MacAction>) {
        match timer {
            MacTimer::Contention => {
                self.armed = SimTime::NEVER;
                self.backoff = None;
                if self.exchange == Exchange::None {
                    self.send_current(now, out);
                } else if self.may_contend() {
                    // Our answer to another station is due first.
                    self.draw_backoff(now);
                }
            }
            MacTimer::Exchange => self.exchange_step(now, out),
        }
        self.refreeze(now);
        self.arm_contention(out);
    }
}

#[cfg(test)]
mod tests;
