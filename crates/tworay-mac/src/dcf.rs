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
    exchange: Exchange,
    /// When the exchange's next step is due.
    step_at: SimTime,
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
            exchange: Exchange::None,
            step_at: SimTime::NEVER,
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

    /// The station loses its power: whatever it was doing is forgotten, its timers too, its counters stay.
    /// Gives back the packet it held.
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
        self.exchange = Exchange::None;
        self.step_at = SimTime::NEVER;
        self.late_ack = None;
        self.cw = self.cw_min;
        self.short_retries = 0;
        self.long_retries = 0;
        self.duplicates = DuplicateFilter::new(self.quirks.duplicate_by_number_only);
        held
    }

    /// When [`Dcf::on_timer`] wants to be called next for the exchange in progress.
    #[inline]
    pub fn exchange_deadline(&self) -> SimTime {
        self.step_at
    }

    // ---- inputs -------------------------------------------------------------------------------
    //
    // After `offer`, `on_frame` and `on_timer` either deadline may be another; after `on_overheard` that of
    // the contention may have come nearer. All other inputs can only put it off: a timer that was set
    // before them and expires asks `contention_deadline` whether it is time.

    /// Takes a packet to send; call only when [`Dcf::is_free`].
    pub fn offer(&mut self, now: SimTime, packet: Outgoing) {
        debug_assert!(self.current.is_none());
        let broadcast = packet.to.is_broadcast();
        let bytes = self.timing.data_bytes(packet.ip_bytes);
        let protected = !broadcast && self.timing.needs_rts(bytes);
        // Before the packet is taken: a backoff that ran out with nothing to send is over.
        self.begin_contention(now);
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
    }

    /// The air around the station is busy until `until`. Returns whether that stops a backoff: then the contention
    /// isn't due before `until` and DIFS.
    #[inline]
    pub fn on_busy(&mut self, now: SimTime, until: SimTime) -> bool {
        if until <= self.busy_until {
            return false;
        }
        let stops = self.backoff.is_some() && self.taken_until() <= now && self.stop_backoff(now);
        self.busy_until = until;
        stops
    }

    /// The medium counts as reserved until `until` (virtual carrier).
    pub fn reserve(&mut self, now: SimTime, until: SimTime) {
        if until > self.nav_until {
            self.use_up(now);
            self.nav_until = until;
            self.review_backoff(now);
        }
    }

    /// A reception ended without a good frame.
    pub fn on_rx_error(&mut self, now: SimTime, error: RxError) {
        if error == RxError::Undecodable && !self.quirks.eifs_after_undecodable {
            return;
        }
        self.use_up(now);
        if self.quirks.eifs_is_nav {
            self.nav_until = self.nav_until.max(now + self.timing.eifs);
        } else {
            self.eifs_until = now + (self.timing.eifs - self.timing.difs);
        }
        self.review_backoff(now);
    }

    /// Whether a good frame for somebody else is only overheard now: it ends no wait of ours, and
    /// [`Dcf::on_overheard`] does what [`Dcf::on_frame`] would.
    #[inline]
    pub fn only_overhears(&self) -> bool {
        self.quirks.only_timeout_ends_wait
            || !matches!(self.exchange, Exchange::AwaitCts | Exchange::AwaitAck)
    }

    /// A good frame for one other station was received. Returns whether that may have brought the contention's
    /// deadline nearer.
    #[inline]
    pub fn on_overheard(&mut self, now: SimTime, frame: &Frame) -> bool {
        debug_assert!(frame.to != self.node && !frame.to.is_broadcast() && self.only_overhears());
        let waited_longer = self.eifs_until > now;
        self.heed(now, frame);
        waited_longer && self.backoff.is_some()
    }

    /// What any good frame does: it ends the wait after an error, and reserves the medium for others.
    #[inline]
    fn heed(&mut self, now: SimTime, frame: &Frame) {
        if self.eifs_until != SimTime::ZERO {
            // Slots that have passed stay passed: none is counted from before that wait.
            let waited_until = self.free_from().min(now);
            if let Some(backoff) = &mut self.backoff {
                backoff.wait_until(waited_until);
            }
            self.eifs_until = SimTime::ZERO;
        }
        if frame.to != self.node && !frame.duration.is_zero() {
            self.use_up(now);
            self.nav_until = self.nav_until.max(now + frame.duration);
            self.review_backoff(now);
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
                FrameKind::Rts => self.on_rts(now, frame),
                FrameKind::Cts => self.on_cts(now),
                FrameKind::Ack => self.on_ack(now, out),
                FrameKind::Data => self.on_data(now, frame, out),
            }
        } else if frame.to.is_broadcast()
            && let Some(packet) = frame.packet
        {
            out.push(MacAction::Deliver { packet, from: frame.from });
        }
        self.review_backoff(now);
    }

    /// A timer expired.
    pub fn on_timer(&mut self, now: SimTime, timer: MacTimer, out: &mut Vec<MacAction>) {
        match timer {
            MacTimer::Contention => {
                self.backoff = None;
                if self.exchange == Exchange::None {
                    self.send_current(now, out);
                } else if self.may_contend() {
                    // Our answer to another station is due first.
                    self.draw_backoff(now);
                }
            }
            MacTimer::Exchange => {
                self.step_at = SimTime::NEVER;
                self.exchange_step(now, out);
            }
        }
        self.review_backoff(now);
    }
}

#[cfg(test)]
mod tests;
