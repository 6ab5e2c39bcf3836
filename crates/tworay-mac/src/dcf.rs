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

use crate::config::MacConfig;
use crate::contention::Backoff;
use crate::counters::MacCounters;
use crate::duplicate::DuplicateFilter;
use crate::frame::{Frame, FrameKind};
use crate::quirks::MacQuirks;
use crate::timing::Timing;
use tworay_base::{NodeId, PacketId, RngStream, SimDuration, SimTime};

/// How long the medium must be busy before a DSSS station can know (aCCATime, IEEE 802.11-1999 §15.3.3).
const CCA_TIME: SimDuration = SimDuration::from_micros(15);

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
    /// (ns-2) our ACK is going out.
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
    /// The backoff's end is so near that the busy medium can't be noticed any more.
    committed: bool,
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
            committed: false,
            armed: SimTime::NEVER,
            exchange: Exchange::None,
            current: None,
            late_ack: None,
            cw: config.cw_min,
            short_retries: 0,
            long_retries: 0,
            number: 0,
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

    /// The next time the medium is idle as far as is known now (physical and virtual carrier).
    #[inline]
    fn idle_from(&self) -> SimTime {
        self.busy_until.max(self.tx_until).max(self.nav_until).max(self.eifs_until).max(self.hold_until)
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
        // A backoff that ran out while there was nothing to send is over.
        if self.backoff.is_some_and(|b| b.ends(self.timing.slot) <= now) {
            self.backoff = None;
        }
        if self.backoff.is_none() && self.may_contend() {
            let idle_from = self.idle_from();
            if self.quirks.backoff_always || idle_from > now {
                self.draw_backoff(now);
            } else {
                self.backoff = Some(Backoff::new(0, (idle_from + self.timing.difs).max(now)));
            }
        }
        self.arm_contention(out);
    }

    /// The air around the station is busy until `until`. Returns a new deadline for the contention timer
    /// where one is running (the cheap form of an `Arm`: this is the hottest call of a simulation).
    #[inline]
    pub fn on_busy(&mut self, now: SimTime, until: SimTime) -> Option<SimTime> {
        if until <= self.busy_until {
            return None;
        }
        self.busy_until = until;
        if self.backoff.is_some() { self.freeze_backoff(now) } else { None }
    }

    fn freeze_backoff(&mut self, now: SimTime) -> Option<SimTime> {
        self.refreeze(now);
        let deadline = self.contention_deadline()?;
        (deadline != self.armed).then(|| {
            self.armed = deadline;
            deadline
        })
    }

    /// The medium counts as reserved until `until` (virtual carrier).
    pub fn reserve(&mut self, now: SimTime, until: SimTime, out: &mut Vec<MacAction>) {
        if until > self.nav_until {
            self.nav_until = until;
            self.refreeze(now);
            self.arm_contention(out);
        }
    }

    /// A reception ended without a good frame.
    pub fn on_rx_error(&mut self, now: SimTime, error: RxError, out: &mut Vec<MacAction>) {
        if error == RxError::Undecodable && !self.quirks.eifs_after_undecodable {
            return;
        }
        if self.quirks.eifs_is_nav {
            self.nav_until = self.nav_until.max(now + self.timing.eifs);
        } else {
            self.eifs_until = now + (self.timing.eifs - self.timing.difs);
        }
        self.refreeze(now);
        self.arm_contention(out);
    }

    /// A good frame was received.
    pub fn on_frame(&mut self, now: SimTime, frame: &Frame, out: &mut Vec<MacAction>) {
        self.eifs_until = SimTime::ZERO;
        if frame.to != self.node && !frame.duration.is_zero() {
            self.nav_until = self.nav_until.max(now + frame.duration);
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
                self.committed = false;
                if self.exchange == Exchange::None {
                    self.send_current(now, out);
                } else if self.may_contend() {
                    self.draw_backoff(now);
                }
            }
            MacTimer::Exchange => self.exchange_step(now, out),
        }
        self.refreeze(now);
        self.arm_contention(out);
    }

    // ---- contention ---------------------------------------------------------------------------

    /// Whether contention for our own frame may go on (no exchange of our own in progress).
    fn may_contend(&self) -> bool {
        !matches!(
            self.exchange,
            Exchange::AwaitCts | Exchange::DataSoon | Exchange::AwaitAck | Exchange::Broadcasting
        )
    }

    fn draw_backoff(&mut self, now: SimTime) {
        let range = if self.quirks.backoff_below_cw { self.cw } else { self.cw + 1 };
        let slots = self.rng.below(range);
        self.backoff = Some(Backoff::new(slots, self.idle_from().max(now) + self.timing.difs));
        self.committed = false;
    }

    fn refreeze(&mut self, now: SimTime) {
        let idle_from = self.idle_from();
        let resume = idle_from + self.timing.difs;
        let slot = self.timing.slot;
        let instant = self.quirks.instant_carrier_sense;
        let pending = self.current.is_some();
        let Some(backoff) = &mut self.backoff else { return };
        if self.committed {
            return;
        }
        // Nothing new since counting began.
        if idle_from < now {
            return;
        }
        if !instant && pending && idle_from > now {
            let ends = backoff.ends(slot);
            if ends >= now && ends.since(now) < CCA_TIME {
                self.committed = true;
                return;
            }
        }
        backoff.freeze(now, resume, slot);
    }

    fn contention_deadline(&self) -> Option<SimTime> {
        let backoff = self.backoff?;
        self.current?;
        Some(backoff.ends(self.timing.slot))
    }

    fn arm_contention(&mut self, out: &mut Vec<MacAction>) {
        match self.contention_deadline() {
            Some(deadline) if deadline != self.armed => {
                self.armed = deadline;
                out.push(MacAction::Arm(MacTimer::Contention, deadline));
            }
            None if self.armed != SimTime::NEVER => {
                self.armed = SimTime::NEVER;
                out.push(MacAction::Disarm(MacTimer::Contention));
            }
            _ => {}
        }
    }

    fn double_window(&mut self) {
        self.cw = (2 * self.cw + 1).min(self.cw_max);
    }

    // ---- sending ------------------------------------------------------------------------------

    fn send_current(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        let Some(c) = self.current else { return };
        if c.rts_next {
            let t = &self.timing;
            let duration = t.sifs + t.cts + t.sifs + c.airtime + t.sifs + t.ack;
            let frame = self.control(FrameKind::Rts, c.to, duration);
            self.counters.tx_rts += 1;
            self.transmit(now, frame, out);
            self.expect(Exchange::AwaitCts, self.tx_until + self.timing.cts_timeout, out);
        } else {
            self.send_data(now, c, out);
        }
    }

    fn send_data(&mut self, now: SimTime, c: Current, out: &mut Vec<MacAction>) {
        let broadcast = c.to.is_broadcast();
        let frame = Frame {
            kind: FrameKind::Data,
            from: self.node,
            to: c.to,
            duration: if broadcast { SimDuration::ZERO } else { self.timing.sifs + self.timing.ack },
            number: c.number,
            retry: c.retry,
            protected: c.protected,
            packet: Some(c.packet),
            bytes: c.bytes,
            airtime: c.airtime,
        };
        self.transmit(now, frame, out);
        if broadcast {
            self.counters.tx_broadcast += 1;
            self.expect(Exchange::Broadcasting, self.tx_until, out);
        } else {
            self.counters.tx_data += 1;
            self.expect(Exchange::AwaitAck, self.tx_until + self.timing.ack_timeout, out);
        }
    }

    fn control(&self, kind: FrameKind, to: NodeId, duration: SimDuration) -> Frame {
        let (rts, cts, ack) = Timing::control_bytes();
        let (bytes, airtime) = match kind {
            FrameKind::Rts => (rts, self.timing.rts),
            FrameKind::Cts => (cts, self.timing.cts),
            _ => (ack, self.timing.ack),
        };
        Frame {
            kind,
            from: self.node,
            to,
            duration,
            number: 0,
            retry: false,
            protected: false,
            packet: None,
            bytes,
            airtime,
        }
    }

    fn transmit(&mut self, now: SimTime, frame: Frame, out: &mut Vec<MacAction>) {
        self.tx_until = now + frame.airtime;
        out.push(MacAction::Transmit(frame));
    }

    fn expect(&mut self, exchange: Exchange, until: SimTime, out: &mut Vec<MacAction>) {
        self.exchange = exchange;
        self.hold_until = until;
        out.push(MacAction::Arm(MacTimer::Exchange, until));
    }

    /// Ends whatever exchange was going on at `now`.
    fn settle(&mut self, now: SimTime) {
        self.exchange = Exchange::None;
        self.hold_until = now;
    }

    fn exchange_step(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        match self.exchange {
            Exchange::None => {}
            Exchange::AwaitCts | Exchange::AwaitAck => self.unanswered(now, out),
            Exchange::DataSoon => self.data_after_cts(now, out),
            Exchange::Broadcasting => {
                self.settle(now);
                self.cw = self.cw_min;
                self.finish_current(now, out);
            }
            Exchange::RespondSoon(frame) => self.respond(now, frame, out),
            Exchange::AwaitData | Exchange::Acknowledging => {
                self.settle(now);
                self.resume_own(now);
            }
        }
    }

    /// (ns-2) After an exchange for others: our own frame draws a backoff if none is left.
    fn resume_own(&mut self, now: SimTime) {
        if self.current.is_some() && self.backoff.is_none() {
            self.draw_backoff(now);
        }
    }

    fn data_after_cts(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        self.settle(now);
        let idle = self.idle_from() <= now;
        if self.quirks.data_needs_idle_after_sifs && !idle {
            if let Some(c) = &mut self.current {
                c.rts_next = c.protected;
            }
            self.double_window();
            self.draw_backoff(now);
        } else if let Some(c) = self.current {
            self.send_data(now, c, out);
        }
    }

    /// The packet is done: acknowledged or broadcast.
    fn finish_current(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        self.draw_backoff(now);
        if let Some(c) = self.current.take() {
            out.push(MacAction::Sent { packet: c.packet });
        }
        out.push(MacAction::Ready);
    }

    /// No CTS or no ACK came in time.
    fn unanswered(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        let was_rts = self.exchange == Exchange::AwaitCts;
        self.settle(now);
        let Some(mut c) = self.current else { return };
        let (count, limit) = if was_rts {
            self.counters.rts_failures += 1;
            (&mut self.short_retries, self.short_limit)
        } else {
            self.counters.ack_failures += 1;
            if c.protected {
                (&mut self.long_retries, self.long_limit)
            } else {
                (&mut self.short_retries, self.short_limit)
            }
        };
        *count = count.saturating_add(1);
        if *count >= limit {
            *count = 0;
            self.cw = self.cw_min;
            self.current = None;
            if was_rts {
                self.counters.give_ups_rts += 1;
            } else {
                self.counters.give_ups_data += 1;
            }
            if !self.quirks.no_backoff_after_give_up {
                self.draw_backoff(now);
            }
            let unanswered = if was_rts { FrameKind::Rts } else { FrameKind::Data };
            out.push(MacAction::GaveUp(GiveUp { packet: c.packet, to: c.to, unanswered }));
            self.send_late_ack(now, out);
            out.push(MacAction::Ready);
        } else {
            if !was_rts {
                c.retry = true;
                c.rts_next = c.protected;
            }
            self.current = Some(c);
            self.double_window();
            self.draw_backoff(now);
            self.send_late_ack(now, out);
        }
    }

    fn send_late_ack(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        if let Some(ack) = self.late_ack.take() {
            self.exchange = Exchange::RespondSoon(ack);
            out.push(MacAction::Arm(MacTimer::Exchange, now + self.timing.sifs));
        }
    }

    // ---- receiving ----------------------------------------------------------------------------

    fn on_rts(&mut self, now: SimTime, frame: &Frame, out: &mut Vec<MacAction>) {
        let reserved = !self.quirks.cts_needs_idle_after_sifs && self.nav_until > now;
        if self.exchange != Exchange::None || reserved {
            self.counters.busy += 1;
            return;
        }
        let t = &self.timing;
        let duration = frame.duration.saturating_sub(t.sifs + t.cts);
        let cts = self.control(FrameKind::Cts, frame.from, duration);
        self.respond_after_sifs(now, cts, out);
    }

    fn on_cts(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        if self.exchange != Exchange::AwaitCts {
            self.counters.unexpected += 1;
            return;
        }
        self.short_retries = 0;
        if let Some(c) = &mut self.current {
            c.rts_next = false;
        }
        self.settle(now);
        self.exchange = Exchange::DataSoon;
        out.push(MacAction::Arm(MacTimer::Exchange, now + self.timing.sifs));
    }

    fn on_ack(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        if self.exchange != Exchange::AwaitAck {
            self.counters.unexpected += 1;
            return;
        }
        if self.current.is_some_and(|c| c.protected) {
            self.long_retries = 0;
        } else {
            self.short_retries = 0;
        }
        self.cw = self.cw_min;
        out.push(MacAction::Disarm(MacTimer::Exchange));
        self.settle(now);
        self.send_late_ack(now, out);
        self.finish_current(now, out);
    }

    fn on_data(&mut self, now: SimTime, frame: &Frame, out: &mut Vec<MacAction>) {
        let Some(packet) = frame.packet else { return };
        let ack = self.control(FrameKind::Ack, frame.from, SimDuration::ZERO);
        if self.quirks.data_needs_cts && frame.protected {
            if self.exchange != Exchange::AwaitData {
                self.counters.busy += 1;
                return;
            }
            self.settle(now);
            self.respond_after_sifs(now, ack, out);
        } else if self.quirks.ack_after_own_exchange {
            let responding = matches!(
                self.exchange,
                Exchange::RespondSoon(_) | Exchange::AwaitData | Exchange::Acknowledging
            );
            if responding || self.late_ack.is_some() {
                self.counters.busy += 1;
                return;
            }
            if self.exchange == Exchange::None {
                self.respond_after_sifs(now, ack, out);
            } else {
                self.late_ack = Some(ack);
            }
        } else {
            // Any frame but the expected one means that our own attempt has failed (§9.2.5.7, §9.2.8).
            if matches!(self.exchange, Exchange::AwaitCts | Exchange::AwaitAck) {
                self.unanswered(now, out);
            }
            self.settle(now);
            self.respond_after_sifs(now, ack, out);
        }
        if self.duplicates.is_duplicate(frame.from, frame.number, frame.retry) {
            self.counters.duplicates += 1;
        } else {
            out.push(MacAction::Deliver { packet, from: frame.from });
        }
    }

    fn respond_after_sifs(&mut self, now: SimTime, frame: Frame, out: &mut Vec<MacAction>) {
        self.exchange = Exchange::RespondSoon(frame);
        out.push(MacAction::Arm(MacTimer::Exchange, now + self.timing.sifs));
    }

    fn respond(&mut self, now: SimTime, frame: Frame, out: &mut Vec<MacAction>) {
        self.settle(now);
        if frame.kind == FrameKind::Cts {
            if self.quirks.cts_needs_idle_after_sifs && self.idle_from() > now {
                self.counters.busy += 1;
                return;
            }
            self.counters.tx_cts += 1;
            self.transmit(now, frame, out);
            if self.quirks.cts_waits_for_data {
                let t = &self.timing;
                // CTS + planned DATA, with 2 µs of propagation each way (ns-2's DSSS_MaxPropagationDelay).
                let planned = t.cts + frame.duration + SimDuration::from_micros(4);
                let until = now + planned.saturating_sub(t.sifs + t.ack);
                self.expect(Exchange::AwaitData, until, out);
            }
        } else {
            self.counters.tx_ack += 1;
            self.transmit(now, frame, out);
            if self.quirks.cts_waits_for_data {
                self.expect(Exchange::Acknowledging, self.tx_until, out);
            }
        }
    }
}

#[cfg(test)]
mod tests;
