//! The receiving half: reassembly, acknowledgments, SACK blocks.

mod daa;
mod report;
mod tack;

use crate::config::{AckPolicy, AckSize, ReceiverConfig, TcpConfig};
use crate::endpoint::{Counters, Ignored};
use crate::ranges::{Range, RangeSet};
use report::{Arrival, Reporter};
use smallvec::SmallVec;
use tworay_base::Seq32;
use tworay_base::{SimDuration, SimTime};
use tworay_wire::{Report, SackBlock, SackBlocks, TcpFlags, TcpSegment};

/// Actions that follow the arrival of payload or a FIN.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Received {
    /// In-order bytes for the application.
    pub deliver: u64,
    /// When to acknowledge.
    pub ack: AckWhen,
    /// Restart the delayed-ACK timer with this length.
    pub wait: Option<SimDuration>,
    /// The peer's FIN has just arrived in order.
    pub closed: bool,
}

/// When to acknowledge.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) enum AckWhen {
    /// There is nothing to acknowledge.
    #[default]
    Never,
    /// When the delayed-ACK timer expires, or with the next data sent.
    Later,
    /// Now; a data segment sent now carries it.
    Now,
    /// Now and in a segment of its own, because it must count as a duplicate ACK.
    Alone,
}

/// The receiving half of a connection. Offsets count from the peer's SYN.
#[derive(Debug)]
pub(crate) struct Receiver {
    irs: Option<Seq32>,
    /// Next offset expected.
    next: u64,
    /// Data that arrived after a gap.
    beyond: RangeSet,
    /// Blocks reported most recently, newest first.
    recent: SmallVec<[Range; 8]>,
    /// A duplicate to report first (D-SACK).
    duplicate: Option<Range>,
    /// Offset of the peer's FIN.
    fin: Option<u64>,
    closed: bool,
    /// In-order segments not acknowledged yet.
    unacked: u32,
    /// `next` when the last ACK was sent.
    acked: u64,
    sack: bool,
    echo: u32,
    daa: daa::Daa,
    tack: tack::Tack,
    field: WindowField,
    /// The window is closed until the path is back (Freeze-TCP).
    frozen: bool,
    /// Observes arrivals for the reports in the ACKs.
    reporter: Option<Box<dyn Reporter>>,
}

/// Meaning of the header's window field.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum WindowField {
    /// Any window: SYNs carry no options (ns-2), so nothing is negotiated.
    Unlimited,
    /// 16 bits: scaling was not negotiated, or not yet.
    Plain,
    /// 16 bits and this shift (RFC 7323).
    Scaled(u8),
}

impl WindowField {
    /// The largest window not above `bytes` that the field can represent.
    pub fn hold(self, bytes: u64) -> u64 {
        match self {
            WindowField::Unlimited => bytes,
            WindowField::Plain => bytes.min(u16::MAX.into()),
            WindowField::Scaled(shift) => (bytes >> shift).min(u16::MAX.into()) << shift,
        }
    }
}

impl Receiver {
    pub fn new(cfg: &ReceiverConfig) -> Self {
        Self {
            irs: None,
            next: 0,
            beyond: RangeSet::default(),
            recent: SmallVec::new(),
            duplicate: None,
            fin: None,
            closed: false,
            unacked: 0,
            acked: 0,
            sack: false,
            echo: 0,
            daa: daa::Daa::new(),
            tack: tack::Tack::new(),
            field: WindowField::Unlimited,
            frozen: false,
            reporter: cfg.reporting.map(report::make),
        }
    }

    /// The peer's SYN has sequence number `irs`; `sack` says whether SACK was negotiated.
    pub fn synchronise(&mut self, irs: Seq32, sack: bool) {
        self.irs = Some(irs);
        (self.next, self.acked) = (1, 1);
        self.sack = sack;
    }
    /// The timestamp of the peer's SYN is the first one to echo (RFC 7323 §3.2).
    pub fn take_timestamp(&mut self, syn: &TcpSegment) {
        if let Some((value, _)) = syn.options.timestamps {
            self.echo = value;
        }
    }
    #[inline]
    pub fn is_synchronised(&self) -> bool {
        self.irs.is_some()
    }
    pub fn irs(&self) -> Option<Seq32> {
        self.irs
    }
    /// True if SACK was negotiated.
    pub fn sack_agreed(&self) -> bool {
        self.sack
    }
    /// The cumulative acknowledgment.
    #[inline]
    pub fn ack(&self) -> Seq32 {
        self.irs.unwrap_or_default().plus(self.next as u32)
    }
    /// The window for data, bytes. What was sent into it is accepted also after it was closed (RFC 9293
    /// §3.8.6: the window should not shrink).
    pub fn window(&self, cfg: &TcpConfig) -> u64 {
        self.field.hold(cfg.window_bytes())
    }
    /// The window to advertise, bytes.
    pub fn advertised(&self, cfg: &TcpConfig) -> u64 {
        if self.frozen { 0 } else { self.window(cfg) }
    }
    /// Closes the advertised window, or reopens it.
    pub fn set_frozen(&mut self, frozen: bool) {
        self.frozen = frozen;
    }
    /// True if both sides scale their windows.
    pub fn scales(&self) -> bool {
        matches!(self.field, WindowField::Scaled(_))
    }
    /// Sets the meaning of the window field from now on.
    pub fn agree_on_window(&mut self, field: WindowField) {
        self.field = field;
    }
    pub fn timestamp_to_echo(&self) -> u32 {
        self.echo
    }
    /// True if an ACK is being delayed.
    pub fn is_holding(&self) -> bool {
        self.unacked > 0
    }
    /// An ACK was sent.
    pub fn acknowledged(&mut self) {
        self.unacked = 0;
        self.acked = self.next;
        self.duplicate = None;
    }

    /// The report of the pure ACK that is about to be sent.
    #[inline]
    pub fn take_report(&mut self) -> Option<Report> {
        let reporter = self.reporter.as_mut()?;
        reporter.take(self.beyond.total() > 0)
    }

    /// Payload `[start, end)` arrived with this timestamp.
    #[inline(never)]
    fn observe(&mut self, now: SimTime, cfg: &TcpConfig, stamp: u32, [start, end]: [u64; 2]) {
        let Some(reporter) = &mut self.reporter else { return };
        let clock = cfg.timestamp_clock;
        let age = i64::from(crate::clock::timestamp(now, clock).wrapping_sub(stamp) as i32);
        let ticks = now.since_start().whole(clock) as i64 - age;
        reporter.heard(&Arrival { at: now, sent: ticks * clock.as_nanos() as i64, start, end });
    }

    /// The delayed-ACK timer expired: the ACK is sent now.
    pub fn waited(&mut self, now: SimTime, cfg: &TcpConfig) {
        self.daa.disturbed(&cfg.receiver.daa);
        self.tack.disturbed(now);
    }

    /// The offset of a sequence number near the next expected one; `None` if it lies before the SYN.
    pub fn offset(&self, seq: Seq32) -> Option<u64> {
        self.next.checked_add_signed(i64::from(seq.diff(self.ack())))
    }

    /// True if a segment's payload begins at or after the end of the window.
    #[inline]
    pub fn is_beyond_window(&self, segment: &TcpSegment, cfg: &TcpConfig) -> bool {
        let end = self.next + self.window(cfg);
        segment.payload > 0 && self.offset(segment.seq).is_some_and(|start| start >= end)
    }

    /// Processes a segment's payload and FIN.
    pub fn accept(
        &mut self,
        now: SimTime,
        cfg: &TcpConfig,
        counters: &mut Counters,
        segment: &TcpSegment,
    ) -> Received {
        let mut result = Received::default();
        let fin = segment.flags.has(TcpFlags::FIN);
        let window_end = self.next + self.window(cfg);
        // Start of the payload, which follows the SYN if there is one.
        let start = self.offset(segment.seq).map(|o| o + u64::from(segment.flags.has(TcpFlags::SYN)));
        let Some(start) = start else {
            counters.ignore(Ignored::OutsideWindow);
            result.ack = AckWhen::Alone;
            return result;
        };
        let data_end = start + u64::from(segment.payload);
        let end = data_end + u64::from(fin);
        if let Some((value, echo)) = segment.options.timestamps {
            // If one ACK answers several segments, it echoes the first one's timestamp (RFC 7323 §4.3). A
            // segment without data counts as well.
            if start <= self.acked {
                self.echo = value;
            }
            if cfg.receiver.acks == AckPolicy::Tack {
                self.tack.heard(echo, now, cfg.timestamp_clock);
            }
        }
        if end == start {
            return result;
        }
        if start.max(self.next) >= window_end && end > self.next {
            counters.ignore(Ignored::OutsideWindow);
            counters.discarded += 1;
            result.ack = AckWhen::Alone;
            return result;
        }
        if self.reporter.is_some()
            && data_end > start
            && let Some((stamp, _)) = segment.options.timestamps
        {
            self.observe(now, cfg, stamp, [start, data_end]);
        }
        // Data beyond the window, or beyond a FIN received earlier, is cut off.
        let end = end.min(window_end).min(self.fin.map_or(u64::MAX, |f| f + 1));
        if fin
            && end == data_end + 1
            && self.fin.is_none()
            && self.beyond.last().is_none_or(|r| r.end <= data_end)
        {
            self.fin = Some(data_end);
        }
        let before = self.beyond.total();
        let fills = start <= self.next && end > self.next;
        if fills {
            let reached = self.beyond.insert(self.next, end).map_or(end, |r| r.end);
            self.beyond.clear_below(reached);
            result.deliver = reached - self.next - u64::from(self.fin.is_some_and(|f| f < reached));
            self.next = reached;
            self.prune_recent();
        } else if end > self.next {
            counters.out_of_order += 1;
            if let Some(block) = self.beyond.insert(start, end) {
                self.remember(block);
            }
        }
        let news = fills || self.beyond.total() != before;
        if !news {
            counters.duplicates += 1;
            if cfg.sack.dsack && end > start {
                self.duplicate = Some(Range { start, end });
            }
        }
        counters.delivered_bytes += result.deliver;
        result.closed = self.fin.is_some_and(|f| self.next > f)
            && !std::mem::replace(&mut self.closed, self.next > self.fin.unwrap_or(u64::MAX));
        result.ack = if !fills {
            AckWhen::Alone
        } else if before > 0 || result.closed || fin {
            // A segment that fills a gap is acknowledged at once (RFC 5681 §4.2).
            AckWhen::Now
        } else {
            self.unacked += 1;
            match cfg.receiver.acks {
                AckPolicy::EverySegment => AckWhen::Now,
                AckPolicy::Delayed if self.unacked >= cfg.receiver.every => AckWhen::Now,
                AckPolicy::Stretched if self.unacked >= cfg.receiver.stretched.every(self.segment(cfg)) => {
                    AckWhen::Now
                }
                AckPolicy::Delayed | AckPolicy::Stretched => {
                    result.wait = (self.unacked == 1).then_some(cfg.receiver.interval);
                    AckWhen::Later
                }
                AckPolicy::Daa => {
                    result.wait = self.daa.in_order(&cfg.receiver.daa, now);
                    if result.wait.is_some() { AckWhen::Later } else { AckWhen::Now }
                }
                AckPolicy::Tack => {
                    result.wait = self.tack.in_order(&cfg.receiver, now);
                    if result.wait.is_some() { AckWhen::Later } else { AckWhen::Now }
                }
            }
        };
        if !fills || before > 0 {
            self.daa.disturbed(&cfg.receiver.daa);
            self.tack.disturbed(now);
        }
        result
    }

    /// The position in the transfer of the segment received last, counted from 1.
    fn segment(&self, cfg: &TcpConfig) -> u64 {
        (self.next - 1).div_ceil(cfg.mss.0)
    }

    /// Puts a block first and removes blocks it covers (RFC 2018 §4).
    fn remember(&mut self, block: Range) {
        self.recent.retain(|r| r.end < block.start || r.start > block.end);
        self.recent.truncate(7);
        self.recent.insert(0, block);
    }

    fn prune_recent(&mut self) {
        let next = self.next;
        self.recent.retain(|r| r.start > next);
    }

    /// The SACK blocks of the next ACK: a duplicate first (RFC 2883 §4), then the newest.
    pub fn blocks(&self, cfg: &TcpConfig) -> SackBlocks {
        let mut blocks = SackBlocks::new();
        if !self.sack {
            return blocks;
        }
        let irs = self.irs.unwrap_or_default();
        let wire = |r: Range| SackBlock { left: irs.plus(r.start as u32), right: irs.plus(r.end as u32) };
        let most = match cfg.ack_size {
            // Timestamps leave space for three blocks (RFC 2018 §3).
            AckSize::Encoded if cfg.timestamps => cfg.sack.max_blocks.min(3),
            _ => cfg.sack.max_blocks,
        } as usize;
        if let Some(duplicate) = self.duplicate {
            blocks.push(wire(duplicate));
        }
        for &block in self.recent.iter().take(most - blocks.len().min(most)) {
            blocks.push(wire(block));
        }
        blocks
    }
}

#[cfg(test)]
mod tests;
