//! One station driven by hand: inputs from the test, timers kept, outputs recorded.

use tworay_base::{BitRate, NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_mac::{Dcf, Frame, FrameKind, MacAction, MacConfig, MacQuirks, MacTimer, Outgoing, RxError};

/// The station under test and its peer; `OTHER` is a third station.
pub const ME: NodeId = NodeId(0);
pub const PEER: NodeId = NodeId(1);
pub const OTHER: NodeId = NodeId(2);

/// The standard MAC with ACKs at 1 Mb/s, as long as CTSs; the expected times in these tests assume it.
pub fn slow_acks() -> MacConfig {
    MacConfig { ack_rate: Some(BitRate::from_bps(1_000_000)), ..MacConfig::default() }
}

pub fn us(n: u64) -> SimDuration {
    SimDuration::from_micros(n)
}

pub struct Bench {
    pub mac: Dcf,
    pub now: SimTime,
    /// All actions but timers, with their times in µs.
    pub log: Vec<(u64, MacAction)>,
    packets: u32,
}

impl Bench {
    pub fn new(config: &MacConfig, quirks: MacQuirks, seed: u64) -> Self {
        Self {
            mac: Dcf::with_quirks(config, quirks, ME, RngStream::new(seed, ME, Purpose::Backoff)),
            now: SimTime::ZERO,
            log: Vec::new(),
            packets: 0,
        }
    }

    pub fn micros(&self) -> u64 {
        self.now.as_nanos() / 1_000
    }

    /// Time until the contention timer expires, µs.
    pub fn access_in(&self) -> Option<u64> {
        self.contention().map(|t| t.since(self.now).as_nanos() / 1_000)
    }

    /// Time until the exchange timer expires, µs.
    pub fn exchange_in(&self) -> Option<u64> {
        self.exchange().map(|t| t.since(self.now).as_nanos() / 1_000)
    }

    fn contention(&self) -> Option<SimTime> {
        Some(self.mac.contention_deadline()).filter(|&t| t != SimTime::NEVER)
    }

    fn exchange(&self) -> Option<SimTime> {
        Some(self.mac.exchange_deadline()).filter(|&t| t != SimTime::NEVER)
    }

    fn with(&mut self, input: impl FnOnce(&mut Dcf, SimTime, &mut Vec<MacAction>)) {
        let mut out = Vec::new();
        input(&mut self.mac, self.now, &mut out);
        let micros = self.micros();
        self.log.extend(out.into_iter().map(|action| (micros, action)));
    }

    /// Advances time and fires the timers that expire.
    pub fn wait(&mut self, micros: u64) -> &mut Self {
        let until = self.now + us(micros);
        let next = |bench: &Self| bench.contention().into_iter().chain(bench.exchange()).min();
        while let Some(next) = next(self).filter(|&t| t <= until) {
            self.now = next;
            if self.exchange() == Some(next) {
                self.with(|mac, now, out| mac.on_timer(now, MacTimer::Exchange, out));
            } else {
                self.with(|mac, now, out| mac.on_timer(now, MacTimer::Contention, out));
            }
        }
        self.now = until;
        self
    }

    /// Advances time until the station has sent a frame of this kind.
    pub fn until_sent(&mut self, kind: FrameKind) -> Frame {
        let before = self.sent(kind).len();
        for _ in 0..1_000_000 {
            self.wait(1);
            if let Some(&(_, frame)) = self.sent(kind).get(before) {
                self.wait(frame.airtime.as_nanos() / 1_000);
                return frame;
            }
        }
        panic!("no {kind:?} in a second: {:?}", self.log);
    }

    /// The frames of a kind sent so far, with their times in µs.
    pub fn sent(&self, kind: FrameKind) -> Vec<(u64, Frame)> {
        let frame = |&(t, a): &(u64, MacAction)| match a {
            MacAction::Transmit(f) if f.kind == kind => Some((t, f)),
            _ => None,
        };
        self.log.iter().filter_map(frame).collect()
    }

    pub fn delivered(&self) -> usize {
        self.log.iter().filter(|(_, a)| matches!(a, MacAction::Deliver { .. })).count()
    }

    pub fn gave_up(&self) -> usize {
        self.log.iter().filter(|(_, a)| matches!(a, MacAction::GaveUp(_))).count()
    }

    /// Offers the next packet for the peer.
    pub fn offer(&mut self, ip_bytes: u32) -> &mut Self {
        self.packets += 1;
        let packet = Outgoing { packet: PacketId(self.packets), to: PEER, ip_bytes };
        self.mac.offer(self.now, packet);
        self
    }

    /// The medium turns busy for the given µs.
    pub fn busy(&mut self, micros: u64) -> &mut Self {
        let until = self.now + us(micros);
        self.mac.on_busy(self.now, until);
        self
    }

    pub fn reserve(&mut self, micros: u64) -> &mut Self {
        let until = self.now + us(micros);
        self.mac.reserve(self.now, until);
        self
    }

    /// A reception failed just now.
    pub fn error(&mut self, error: RxError) -> &mut Self {
        self.mac.on_rx_error(self.now, error);
        self
    }

    /// A good frame was received just now.
    pub fn hear(&mut self, frame: Frame) -> &mut Self {
        self.with(|mac, now, out| mac.on_frame(now, &frame, out));
        self
    }

    /// A frame arrives: the medium is busy for its airtime, then the frame is received.
    pub fn receive(&mut self, frame: Frame) -> &mut Self {
        let airtime = frame.airtime.as_nanos() / 1_000;
        self.busy(airtime).wait(airtime).hear(frame)
    }
}

/// A control frame from the peer to `to`.
pub fn control(kind: FrameKind, to: NodeId, reserves: u64) -> Frame {
    let (bytes, airtime) = if kind == FrameKind::Rts { (20, 352) } else { (14, 304) };
    Frame {
        kind,
        from: PEER,
        to,
        duration: us(reserves),
        number: 0,
        retry: false,
        protected: false,
        packet: None,
        bytes,
        airtime: us(airtime),
    }
}

/// An RTS to this station, reserving 1000 µs of DATA.
pub fn rts() -> Frame {
    control(FrameKind::Rts, ME, 10 + 304 + 10 + 1000 + 10 + 304)
}

/// DATA of 1000 µs from the peer to this station.
pub fn data(number: u16, retry: bool, protected: bool) -> Frame {
    Frame {
        kind: FrameKind::Data,
        from: PEER,
        to: ME,
        duration: us(314),
        number,
        retry,
        protected,
        packet: Some(PacketId(1000 + number as u32)),
        bytes: 202,
        airtime: us(1000),
    }
}
