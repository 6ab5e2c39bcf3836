//! A full-duplex connection: sender, receiver, and the connection states.

mod counters;
mod opening;
mod types;

pub use counters::{Counters, Ignored};
pub use types::{
    Amount, Arrival, Control, Phase, Ports, SegmentKind, Side, Snapshot, TcpAction, TcpNote, TcpTimer,
};

use crate::clock::heartbeat;
use crate::config::{AckPolicy, Handshake, TcpConfig};
use crate::control::{PathEvent, ProbeEvent};
use crate::parts::Needs;
use crate::receive::{AckWhen, Receiver, WindowField};
use crate::send::{Ack, Cx, Sender, ip_bytes};
use crate::variant::Variant;
use smallvec::SmallVec;
use tworay_base::{RngStream, Seq32, SimDuration, SimTime};
use tworay_wire::{ProbeKind, ProbeOption, Report, TcpFlags, TcpSegment};

/// State of the connection.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum State {
    /// Before [`Connection::open`].
    Closed,
    /// Waiting for a SYN.
    Listening,
    /// Our SYN was sent.
    SynSent,
    /// Our SYN-ACK was sent.
    SynReceived,
    /// Open.
    Established,
}

/// One end of a TCP connection. Every call appends the resulting actions to `out`, in order.
#[derive(Debug)]
pub struct Connection {
    config: TcpConfig,
    ports: Ports,
    side: Side,
    state: State,
    wants_sack: bool,
    wants_probes: bool,
    /// Both ends support the probe option.
    probes_agreed: bool,
    /// The newest timestamp of an ACK, for a variant that needs their order.
    newest_stamp: Option<u32>,
    sender: Sender,
    receiver: Receiver,
    counters: Counters,
    /// Phase of the ACK timer's granularity.
    ack_phase: SimDuration,
    closing: bool,
    finished: bool,
}

impl Connection {
    /// Creates a connection that is not open yet. `rng` supplies the phases of its clocks, and what a variant
    /// leaves to chance.
    pub fn new(config: &TcpConfig, variant: &Variant, side: Side, ports: Ports, mut rng: RngStream) -> Self {
        let clock_phase = rng.jitter(config.tick.max(config.heartbeat));
        // Drawn separately, so that the granularity of the ACK timer does not shift the sender's clock.
        let ack_phase = config.receiver.heartbeat.map_or(clock_phase, |period| rng.jitter(period));
        let config = variant.configured(config);
        let mut sender = Sender::new(variant, &config, clock_phase);
        sender.seed(|| rng.bits());
        Self {
            sender,
            receiver: Receiver::new(&config.receiver),
            config,
            ports,
            side,
            state: State::Closed,
            wants_sack: variant.wants_sack(),
            wants_probes: variant.needs().contains(Needs::PROBES),
            probes_agreed: false,
            newest_stamp: None,
            counters: Counters::default(),
            ack_phase,
            closing: false,
            finished: false,
        }
    }

    /// Opens: the active side sends its SYN, the passive side starts to listen.
    pub fn open(&mut self, now: SimTime, out: &mut Vec<TcpAction>) {
        if self.state != State::Closed {
            return;
        }
        match (self.config.handshake, self.side) {
            (Handshake::None, _) => {
                self.receiver.synchronise(Seq32(self.config.iss), self.wants_sack);
                self.agree_on_probes(None);
                self.sender.skip_syn();
                self.establish(out);
                self.with(now, out, |sender, cx| sender.send_window(cx, cx.cfg.max_burst));
            }
            (_, Side::Active) => {
                self.state = State::SynSent;
                self.with(now, out, |sender, cx| sender.send_window(cx, 1));
            }
            (_, Side::Passive) => self.state = State::Listening,
        }
    }

    /// Passes data to the connection; it is sent as soon as the window allows.
    pub fn write(&mut self, now: SimTime, amount: Amount, out: &mut Vec<TcpAction>) {
        if self.closing {
            return;
        }
        self.sender.space_mut().write(match amount {
            Amount::Bytes(n) => n,
            Amount::Endless => u64::MAX,
        });
        self.push(now, out);
    }

    /// Closes the sending direction: a FIN follows the data, if FINs are enabled.
    pub fn close(&mut self, now: SimTime, out: &mut Vec<TcpAction>) {
        if !self.closing {
            self.end_data(now, out);
        }
    }

    /// The application stops: takes back all data that has not been sent, and closes. What has been sent is
    /// still repaired. As ns-2's `$ftp stop`, which sets the end of the data to the highest packet sent.
    pub fn stop(&mut self, now: SimTime, out: &mut Vec<TcpAction>) {
        self.sender.space_mut().take_back_unsent();
        self.end_data(now, out);
    }

    fn end_data(&mut self, now: SimTime, out: &mut Vec<TcpAction>) {
        self.closing = true;
        if self.config.fin {
            self.sender.space_mut().want_fin();
        }
        self.push(now, out);
        self.check_finished(out);
    }

    fn push(&mut self, now: SimTime, out: &mut Vec<TcpAction>) {
        let rushes = self.state == State::SynSent && self.sender.data_goes_with_syn();
        if rushes || self.state == State::Established {
            self.with(now, out, |sender, cx| sender.send_window(cx, cx.cfg.max_burst));
        }
    }

    /// Time before an interruption of the path at which this end closes its window, if it does (Freeze-TCP).
    pub fn warning(&self) -> Option<SimDuration> {
        self.config.receiver.warning
    }

    /// True if the variant of this end uses notices of routes found.
    pub fn wants_routes(&self) -> bool {
        self.sender.wants_routes()
    }

    /// An armed timer expired.
    pub fn on_timer(&mut self, now: SimTime, timer: TcpTimer, out: &mut Vec<TcpAction>) {
        match timer {
            TcpTimer::Retransmit => self.with(now, out, |sender, cx| sender.on_rto(cx)),
            TcpTimer::Persist => self.with(now, out, |sender, cx| sender.on_persist(cx)),
            TcpTimer::Pace => self.with(now, out, |sender, cx| sender.on_pace(cx)),
            TcpTimer::Variant => self.with(now, out, |sender, cx| sender.on_variant_timer(cx)),
            TcpTimer::DelayedAck if self.receiver.is_holding() => {
                self.receiver.waited(now, &self.config);
                self.send_ack(now, out);
            }
            TcpTimer::DelayedAck => {}
        }
    }

    /// Information about the path that did not arrive with a segment, such as a route error (ELFN).
    pub fn on_path_event(&mut self, now: SimTime, event: PathEvent, out: &mut Vec<TcpAction>) {
        match event {
            PathEvent::Interruption | PathEvent::Restored => return self.announce(now, event, out),
            // In the peer's name, because its own ACK cannot get through.
            PathEvent::PeerWindow { open: false } => {
                self.sender.space_mut().set_peer_window(0);
            }
            _ => {}
        }
        self.with(now, out, |sender, cx| {
            sender.on_path_event(cx, event);
            // Routing selects a source route while it forwards one of our segments; segments behind that
            // one go first.
            let sending = matches!(event, PathEvent::SourceRoute(_));
            if !sending && cx.rx.is_synchronised() && !sender.is_standard() {
                sender.send_window(cx, cx.cfg.max_burst);
            }
        });
    }

    /// The path is about to be interrupted, or works again: the receiver announces its closed or open window.
    /// Three ACKs reopen it, because one may be lost (Goff et al. 2000).
    fn announce(&mut self, now: SimTime, event: PathEvent, out: &mut Vec<TcpAction>) {
        if self.state != State::Established {
            return;
        }
        let interrupted = event == PathEvent::Interruption;
        self.receiver.set_frozen(interrupted);
        for _ in 0..if interrupted { 1 } else { 3 } {
            self.send_ack(now, out);
        }
    }

    /// A segment arrived. Nothing in it is trusted: whatever does not fit is ignored and counted.
    pub fn on_segment(
        &mut self,
        now: SimTime,
        segment: &TcpSegment,
        arrival: Arrival,
        out: &mut Vec<TcpAction>,
    ) {
        if segment.flags.has(TcpFlags::RST) {
            return self.counters.ignore(Ignored::Reset);
        }
        match self.state {
            State::Closed => self.counters.ignore(Ignored::NoConnection),
            State::Listening => self.on_first_syn(now, segment, out),
            State::SynSent => self.on_answer(now, segment, arrival, out),
            State::SynReceived | State::Established => self.on_regular(now, segment, arrival, out),
        }
    }

    /// True if all data of a segment that is about to arrive would be discarded: it comes before its SYN,
    /// or lies beyond the window.
    #[inline]
    pub fn throws_away(&self, segment: &TcpSegment) -> bool {
        if segment.payload == 0 || segment.flags.has(TcpFlags::SYN) {
            return false;
        }
        match self.state {
            State::Closed | State::Listening | State::SynSent => true,
            State::SynReceived | State::Established => self.receiver.is_beyond_window(segment, &self.config),
        }
    }

    /// The probe option of a segment that may carry one: it must be empty, and the option negotiated. Other
    /// cases are counted.
    fn read_probe(&mut self, segment: &TcpSegment) -> Option<ProbeOption> {
        let probe = segment.options.probe?;
        if self.probes_agreed && segment.seq_len() == 0 && probe.kind != ProbeKind::Permitted {
            return Some(probe);
        }
        self.counters.ignore(Ignored::StrayProbe);
        None
    }

    fn on_regular(&mut self, now: SimTime, segment: &TcpSegment, arrival: Arrival, out: &mut Vec<TcpAction>) {
        if segment.flags.has(TcpFlags::SYN) {
            return self.on_repeated_syn(now, segment, out);
        }
        if !segment.flags.has(TcpFlags::ACK) {
            return self.counters.ignore(Ignored::NoConnection);
        }
        let Some(to) = self.sender.space().offset(segment.ack) else {
            return self.counters.ignore(Ignored::OldAck);
        };
        if to > self.sender.space().max {
            return self.counters.ignore(Ignored::AckTooHigh);
        }
        let placed = self.receiver.offset(segment.seq);
        let window = self.config.window_bytes();
        if placed.is_none_or(|o| o > self.next_expected() + window) {
            self.counters.ignore(Ignored::OutsideWindow);
            return self.send_ack(now, out);
        }
        let probe = self.read_probe(segment);
        let received = self.receiver.accept(now, &self.config, &mut self.counters, segment);
        if received.deliver > 0 {
            out.push(TcpAction::Deliver { bytes: received.deliver as u32 });
        }
        let mut when = received.ack;
        // A probe from below the window requests an ACK (RFC 9293 §3.8.6.1); a marked probe has its own
        // answer.
        if probe.is_none() && segment.seq_len() == 0 && placed.is_some_and(|o| o < self.next_expected()) {
            when = AckWhen::Alone;
        }
        if self.state == State::SynReceived && to >= 1 {
            self.establish(out);
        }
        let sent = self.take_ack(now, segment, to, arrival, out);
        if let Some(probe) = probe {
            self.on_probe(now, probe, out);
        }
        match when {
            AckWhen::Alone => self.send_ack(now, out),
            AckWhen::Now if !sent => self.send_ack(now, out),
            AckWhen::Later if !sent && received.wait.is_some() => {
                let wait = received.wait.unwrap_or_default();
                let at = heartbeat(now + wait, self.config.ack_heartbeat(), self.ack_phase);
                out.push(TcpAction::Arm(TcpTimer::DelayedAck, at));
            }
            _ => {}
        }
        if received.closed {
            out.push(TcpAction::PeerClosed);
        }
    }

    /// Answers a probe at once with its id; passes an answer to the variant.
    fn on_probe(&mut self, now: SimTime, probe: ProbeOption, out: &mut Vec<TcpAction>) {
        let ProbeOption { kind, id } = probe;
        match kind.answer() {
            Some(answer) => {
                self.counters.probes_answered += 1;
                self.send_marked_ack(now, Some(ProbeOption { kind: answer, id }), out);
            }
            None => self.with(now, out, |sender, cx| sender.on_probe_answer(cx, ProbeEvent { kind, id })),
        }
    }

    fn next_expected(&self) -> u64 {
        self.receiver.offset(self.receiver.ack()).unwrap_or(0)
    }

    /// Passes an acknowledgment up to offset `to` to the sender. Returns whether a segment was sent that
    /// carries our own acknowledgment.
    fn take_ack(
        &mut self,
        now: SimTime,
        segment: &TcpSegment,
        to: u64,
        arrival: Arrival,
        out: &mut Vec<TcpAction>,
    ) -> bool {
        let had_room = self.sender.space().peer_has_room();
        let changed = self.sender.space_mut().set_peer_window(segment.window);
        // Rare, and known only from a window that changed.
        let closed = changed && had_room && segment.window == 0;
        let reopened = changed && !had_room && segment.window > 0;
        let mut ack = Ack {
            to,
            pure: segment.seq_len() == 0 && !changed && segment.options.probe.is_none(),
            blocks: SmallVec::new(),
            dsack: None,
            echo: segment.options.timestamps.map(|(_, echo)| echo),
        };
        if self.receiver.sack_agreed() && !segment.options.sack.is_empty() {
            self.read_blocks(segment, &mut ack, out);
        }
        if to < self.sender.space().una && segment.seq_len() == 0 {
            self.counters.ignore(Ignored::OldAck);
        }
        if self.sender.wants_reports() {
            self.take_report(now, segment, to, out);
        }
        let sent = self.with(now, out, |sender, cx| {
            if let Some(hops) = arrival.path_hops() {
                sender.on_hops(cx, hops);
            }
            // A sender that freezes does so before it answers this ACK, and resumes with what it says.
            if closed {
                sender.on_path_event(cx, PathEvent::PeerWindow { open: false });
            }
            sender.on_ack(cx, &ack);
            if reopened {
                sender.on_path_event(cx, PathEvent::PeerWindow { open: true });
            }
            if changed {
                sender.send_window(cx, cx.cfg.max_burst);
            }
            cx.acknowledged
        });
        self.check_finished(out);
        sent
    }

    /// Passes on what an ACK reports about the path, and that it arrived after an ACK sent later: its
    /// timestamp is older, or it acknowledges less.
    #[inline(never)]
    fn take_report(&mut self, now: SimTime, segment: &TcpSegment, to: u64, out: &mut Vec<TcpAction>) {
        let mut late = to < self.sender.space().una && segment.seq_len() == 0;
        if let Some((stamp, _)) = segment.options.timestamps {
            let newest = *self.newest_stamp.get_or_insert(stamp);
            match stamp.wrapping_sub(newest) as i32 {
                ..0 => late = true,
                _ => self.newest_stamp = Some(stamp),
            }
        }
        let late = late.then_some(Report::OutOfOrder);
        for report in segment.options.report.into_iter().chain(late) {
            self.with(now, out, |sender, cx| sender.on_path_event(cx, PathEvent::Report(report)));
        }
    }

    /// Keeps the SACK blocks that are plausible.
    fn read_blocks(&mut self, segment: &TcpSegment, ack: &mut Ack, out: &mut Vec<TcpAction>) {
        let max = self.sender.space().max;
        let floor = ack.to.max(self.sender.space().una);
        for (i, block) in segment.options.sack.iter().enumerate() {
            let ends = self.sender.space().offset(block.left).zip(self.sender.space().offset(block.right));
            let Some((left, right)) = ends.filter(|&(l, r)| l < r && r <= max && l > 0) else {
                self.counters.ignore(Ignored::BadSackBlock);
                continue;
            };
            if i == 0 && (right <= ack.to || self.is_within_next(segment, left, right)) {
                ack.dsack = Some(right);
            }
            if i == 0 && right <= ack.to {
                // A block below the cumulative ACK reports a duplicate (RFC 2883 §4).
                self.counters.spurious_retransmissions += 1;
                out.push(TcpAction::Note(TcpNote::SpuriousRetransmission { seq: block.left }));
            }
            if right > floor {
                ack.blocks.push((left.max(floor), right));
            }
        }
    }

    /// True if the first block lies within the second: what it reports came twice, above the cumulative ACK
    /// (RFC 2883 §4.2).
    fn is_within_next(&self, segment: &TcpSegment, left: u64, right: u64) -> bool {
        let offset = |seq| self.sender.space().offset(seq);
        segment.options.sack.get(1).is_some_and(|second| {
            offset(second.left).is_some_and(|l| l <= left) && offset(second.right).is_some_and(|r| right <= r)
        })
    }

    fn check_finished(&mut self, out: &mut Vec<TcpAction>) {
        if self.closing
            && !self.finished
            && self.state == State::Established
            && self.sender.space().all_acked()
        {
            self.finished = true;
            out.push(TcpAction::Finished);
        }
    }

    fn send_ack(&mut self, now: SimTime, out: &mut Vec<TcpAction>) {
        self.send_marked_ack(now, None, out);
    }

    fn send_marked_ack(&mut self, now: SimTime, mark: Option<ProbeOption>, out: &mut Vec<TcpAction>) {
        let blocks = self.receiver.blocks(&self.config);
        let report = self.receiver.take_report();
        let (config, at) = (&self.config, self.sender.space().max);
        let cx = Cx {
            now,
            cfg: config,
            out,
            counters: &mut self.counters,
            rx: &self.receiver,
            ports: self.ports,
            acknowledged: true,
        };
        let mut segment = self.sender.blank(&cx, at);
        segment.options.sack = blocks;
        segment.options.probe = mark;
        segment.options.report = report;
        let ip_bytes = ip_bytes(config, &segment);
        cx.counters.acks_sent += 1;
        cx.out.push(TcpAction::Send { segment, ip_bytes, kind: SegmentKind::Ack });
        self.release_held(out);
    }

    /// An ACK was sent: no other is due.
    fn release_held(&mut self, out: &mut Vec<TcpAction>) {
        if self.receiver.is_holding() && self.config.receiver.acks != AckPolicy::EverySegment {
            out.push(TcpAction::Disarm(TcpTimer::DelayedAck));
        }
        self.receiver.acknowledged();
    }

    /// Calls the sender with its context.
    fn with<R>(
        &mut self,
        now: SimTime,
        out: &mut Vec<TcpAction>,
        call: impl FnOnce(&mut Sender, &mut Cx) -> R,
    ) -> R {
        let mut cx = Cx {
            now,
            cfg: &self.config,
            out,
            counters: &mut self.counters,
            rx: &self.receiver,
            ports: self.ports,
            acknowledged: false,
        };
        let result = call(&mut self.sender, &mut cx);
        if cx.acknowledged {
            self.release_held(out);
        }
        result
    }

    /// The sender's current state.
    pub fn snapshot(&self) -> Snapshot {
        self.sender.snapshot()
    }

    /// True before [`Connection::open`].
    pub fn is_unopened(&self) -> bool {
        self.state == State::Closed
    }

    /// Totals so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Counts of the variant's parts, by name.
    pub fn counted(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.sender.counted()
    }
}
