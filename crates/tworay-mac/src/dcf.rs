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
use crate::overload::Overload;
use crate::quirks::MacQuirks;
use crate::timing::Timing;
use tworay_base::{NodeId, PacketId, RngStream, SimDuration, SimTime};

/// The two timers of a station.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MacTimer {
    /// The backoff ends.
    Contention,
    /// The next step of a frame exchange is due: SIFS over, response missing, broadcast sent.
    Exchange,
}

/// A network packet passed down for transmission.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The packet.
    pub packet: PacketId,
    /// Receiving station, or broadcast.
    pub to: NodeId,
    /// Length of the network packet, bytes.
    pub ip_bytes: u32,
}

/// The MAC has reached a retry limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct GiveUp {
    /// The packet, returned.
    pub packet: PacketId,
    /// Station that could not be reached.
    pub to: NodeId,
    /// Which frame went unanswered last: [`FrameKind::Rts`] or [`FrameKind::Data`].
    pub unanswered: FrameKind,
}

/// Why a reception ended without a good frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RxError {
    /// Overlap or bit errors corrupted a decodable frame.
    Corrupt,
    /// Only energy, no decodable frame.
    Undecodable,
}

/// Actions that the caller carries out for the station.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MacAction {
    /// Transmit this frame now.
    Transmit(Frame),
    /// A packet arrived. The handle is the sender's; the receiver makes a copy.
    Deliver {
        /// The packet in the frame.
        packet: PacketId,
        /// Who sent the frame.
        from: NodeId,
    },
    /// The packet was acknowledged, or its broadcast ended; the station no longer needs it.
    Sent {
        /// The packet.
        packet: PacketId,
    },
    /// An attempt with the current packet, an RTS or a DATA frame, got no answer. Comes before what follows
    /// from it.
    Unanswered {
        /// The station that did not answer.
        to: NodeId,
    },
    /// The packet could not be delivered to the next hop.
    GaveUp(GiveUp),
    /// The station can accept the next packet.
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
    /// Long enough for RTS/CTS.
    protected: bool,
    /// The next frame to send is an RTS.
    rts_next: bool,
}

#[derive(Copy, Clone, Debug, PartialEq)]
enum Exchange {
    None,
    AwaitCts,
    DataSoon,
    AwaitAck,
    Broadcasting,
    /// A CTS or ACK follows when its SIFS is over.
    RespondSoon(Frame),
    /// (ns-2) CTS sent, DATA expected.
    AwaitData,
    /// (ns-2) ACK being sent; the station's own exchange resumes after it.
    Acknowledging,
}

/// One station's DCF.
#[derive(Clone, Debug)]
pub struct Dcf {
    node: NodeId,
    /// Physical carrier sense: the medium is busy until then.
    busy_until: SimTime,
    /// The station's own transmission ends.
    tx_until: SimTime,
    /// Virtual carrier sense.
    nav_until: SimTime,
    /// End of the EIFS after a failed reception, less DIFS.
    eifs_until: SimTime,
    /// The station's own exchange holds the medium until then.
    hold_until: SimTime,
    backoff: Option<Backoff>,
    exchange: Exchange,
    /// When the exchange's next step is due.
    step_at: SimTime,
    current: Option<Current>,
    /// (ns-2) an ACK postponed until the station's own exchange ends.
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
    /// `None` unless the station helps TCP when its link is overloaded.
    overload: Option<Box<Overload>>,
}

impl Dcf {
    /// An idle station. `rng` is its backoff stream.
    pub fn new(config: &MacConfig, node: NodeId, rng: RngStream) -> Self {
        Self::with_quirks(config, config.quirks(), node, rng)
    }

    /// An idle station with quirks chosen one by one.
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
            // ns-2 starts at 1, because its duplicate filter never matches number 0.
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
            overload: None,
        }
    }

    /// Link-RED and adaptive pacing as configured; `rng` decides which packets are dropped.
    #[must_use]
    pub fn with_overload(mut self, config: &MacConfig, rng: RngStream) -> Self {
        self.overload = Overload::new(&config.overload, rng);
        self
    }

    /// True if link-RED drops the next data packet instead of sending it. Each question is about another
    /// packet.
    #[inline]
    pub fn drops_early(&mut self) -> bool {
        self.overload.as_mut().is_some_and(|overload| overload.drops())
    }

    /// True if the station waits longer after a packet just sent, because its packets need many retries.
    pub fn paces(&self) -> bool {
        self.overload.as_ref().is_some_and(|overload| overload.paces())
    }

    /// The mean of the backoff before a first attempt.
    pub fn mean_backoff(&self) -> SimDuration {
        self.timing.slot * u64::from(self.cw_min) / 2
    }

    /// True if a packet can be offered.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.current.is_none()
    }

    /// True if the station is transmitting at `now`.
    #[inline]
    pub fn is_transmitting(&self, now: SimTime) -> bool {
        now < self.tx_until
    }

    /// The packet being sent, if any.
    pub fn holds(&self) -> Option<PacketId> {
        self.current.map(|c| c.packet)
    }

    /// The station that the packet being sent is for.
    pub fn addressee(&self) -> Option<NodeId> {
        self.current.map(|c| c.to)
    }

    /// (ns-2) Until when the station, which is sending a CTS, refuses every RTS because it expects the DATA.
    #[inline]
    pub fn reserved_for_data(&self) -> Option<SimTime> {
        (self.exchange == Exchange::AwaitData).then_some(self.hold_until)
    }

    /// The station's counters.
    pub fn counters(&self) -> &MacCounters {
        &self.counters
    }

    /// Frame lengths and times.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// The station loses power: clears all state and timers, keeps the counters. Returns the packet it held.
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

    /// When [`Dcf::on_timer`] must be called for the exchange in progress.
    #[inline]
    pub fn exchange_deadline(&self) -> SimTime {
        self.step_at
    }

    // ---- inputs -------------------------------------------------------------------------------
    //
    // `offer`, `on_frame` and `on_timer` may change either deadline. `on_overheard` may bring the contention
    // deadline forward. All other inputs can only postpone it, so a contention timer that expires must first
    // compare the time with `contention_deadline`.

    /// Accepts a packet to send; call only when [`Dcf::is_free`].
    pub fn offer(&mut self, now: SimTime, packet: Outgoing) {
        debug_assert!(self.current.is_none());
        let broadcast = packet.to.is_broadcast();
        let bytes = self.timing.data_bytes(packet.ip_bytes);
        let protected = !broadcast && self.timing.needs_rts(bytes);
        // Must precede setting `current`: discards a backoff that ended with nothing to send.
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

    /// The station senses a busy medium until `until`. Returns whether this stops a backoff; then contention
    /// cannot end before `until` plus DIFS.
    #[inline]
    pub fn on_busy(&mut self, now: SimTime, until: SimTime) -> bool {
        if until <= self.busy_until {
            return false;
        }
        let stops = self.backoff.is_some() && self.taken_until() <= now && self.stop_backoff(now);
        self.busy_until = until;
        stops
    }

    /// Reserves the medium until `until` (virtual carrier sense).
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

    /// True if a good frame for another station cannot end a wait for CTS or ACK. Then [`Dcf::on_overheard`]
    /// replaces [`Dcf::on_frame`].
    #[inline]
    pub fn only_overhears(&self) -> bool {
        self.quirks.only_timeout_ends_wait
            || !matches!(self.exchange, Exchange::AwaitCts | Exchange::AwaitAck)
    }

    /// A good frame for one other station was received. Returns whether this may have brought the contention
    /// deadline forward.
    #[inline]
    pub fn on_overheard(&mut self, now: SimTime, frame: &Frame) -> bool {
        debug_assert!(frame.to != self.node && !frame.to.is_broadcast() && self.only_overhears());
        let waited_longer = self.eifs_until > now;
        self.note_good_frame(now, frame);
        waited_longer && self.backoff.is_some()
    }

    /// Effects of any good frame: it ends EIFS, and sets the NAV if it is for another station.
    #[inline(always)]
    fn note_good_frame(&mut self, now: SimTime, frame: &Frame) {
        if self.eifs_until != SimTime::ZERO {
            // The end of EIFS must not credit slots from before it: the backoff counts from here.
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
        self.note_good_frame(now, frame);
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
                    // The pending response to another station goes first.
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
