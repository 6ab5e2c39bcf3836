//! A sender that gets the segments another stack got, at the same times: what does it send, and when?
//!
//! `replay VARIANT MSS < EVENTS`. A line of standard input is one of
//!
//! - `0 ticks PERIOD FIRST NUMBER`, the clock of the other stack's host: its first tick comes FIRST ns after
//!   the first packet, has this number, and the others follow every PERIOD ns. Without it timers are exact.
//! - `NANOSECONDS write BYTES`, data of the application.
//! - `NANOSECONDS syn|ack SEQ ACK WINDOW ECHO|- LEFT-RIGHT,...|-`, a segment that arrived, with numbers from
//!   the two SYNs and time stamps in milliseconds from the first packet.
//!
//! Times count from the first packet. Prints a line for each segment with payload that the sender sends:
//! `NANOSECONDS FIRST-BYTE LENGTH new|again`; and `stuck ACK` for an ACK of something it never sent.

use std::io::BufRead;
use tworay_base::{Bytes, NodeId, Purpose, RngStream, Seq32, SimDuration, SimTime};
use tworay_tcp::{
    Amount, Arrival, Connection, Ignored, InitialWindow, NamedInitialWindow, Ports, SegmentKind, Side,
    TcpAction, TcpConfig, TcpTimer, WindowSize,
};
use tworay_wire::{SackBlock, TcpFlags, TcpOptions, TcpSegment};

/// When timers expire on a host whose clock ticks, as in Linux' timer wheel (kernel/time/timer.c): never
/// early, and the longer they run the coarser, in steps of 1, 8, 64 ... ticks.
#[derive(Copy, Clone)]
struct Ticks {
    period: u64,
    first: u64,
    number: u64,
}

/// Ticks that a level of the wheel reaches ahead, in its own steps.
const REACH: u64 = 63;

impl Ticks {
    fn read(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("0 ticks ")?.split_whitespace().map(str::parse);
        let mut next = || words.next()?.ok();
        Some(Self { period: next()?, first: next()?, number: next()? })
    }

    /// When a timer expires that is set now and due then.
    fn expires(&self, now: SimTime, due: SimTime) -> SimTime {
        let since = |t: SimTime| t.since_start().as_nanos() + self.period - self.first;
        let current = self.number + since(now) / self.period - 1;
        let tick = current + (due.as_nanos() - now.as_nanos()).div_ceil(self.period);
        let ahead = tick - current;
        let mut shift = 0;
        while ahead >= REACH << shift {
            shift += 3;
        }
        let rounded = ((tick >> shift) + 1) << shift;
        SimTime::ZERO + SimDuration::from_nanos(self.first + (rounded - self.number) * self.period)
    }
}

struct Replay {
    end: Connection,
    timers: [SimTime; TcpTimer::COUNT],
    ticks: Option<Ticks>,
}

impl Replay {
    fn carry_out(&mut self, now: SimTime, out: Vec<TcpAction>) {
        for action in out {
            match action {
                TcpAction::Send { segment, kind: SegmentKind::Data { retransmission }, .. } => {
                    let kind = if retransmission { "again" } else { "new" };
                    println!("{} {} {} {kind}", now.as_nanos(), segment.seq.0, segment.payload);
                }
                TcpAction::Arm(timer, at) => {
                    self.timers[timer.index()] = self.ticks.map_or(at, |ticks| ticks.expires(now, at));
                }
                TcpAction::Disarm(timer) => self.timers[timer.index()] = SimTime::NEVER,
                _ => {}
            }
        }
    }

    /// Lets the timers expire that are due before `until`.
    fn run(&mut self, until: SimTime) {
        while let Some((i, at)) = self.timers.iter().copied().enumerate().min_by_key(|(_, at)| *at)
            && at < until
        {
            self.timers[i] = SimTime::NEVER;
            let mut out = Vec::new();
            if let Some(timer) = TcpTimer::from_index(i) {
                self.end.on_timer(at, timer, &mut out);
            }
            self.carry_out(at, out);
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [variant, mss] = &arguments[..] else {
        eprintln!("usage: replay VARIANT MSS < EVENTS");
        std::process::exit(2);
    };
    let variant = match variant.parse() {
        Ok(variant) => variant,
        Err(wrong) => {
            eprintln!("{wrong}");
            std::process::exit(2);
        }
    };
    let Ok(mss) = mss.parse() else {
        eprintln!("MSS is a whole number");
        std::process::exit(2);
    };
    let config = TcpConfig {
        mss: Bytes(mss),
        window: WindowSize::Bytes(Bytes(1 << 24)),
        initial_window: InitialWindow::Named(NamedInitialWindow::Rfc6928),
        initial_ssthresh: Some(1e6),
        fin: false,
        ..TcpConfig::default()
    };
    let ports = Ports { local: 1, remote: 2 };
    let end =
        Connection::new(&config, &variant, Side::Active, ports, RngStream::new(1, NodeId(0), Purpose::Tcp));
    let mut replay = Replay { end, timers: [SimTime::NEVER; TcpTimer::COUNT], ticks: None };
    let mut out = Vec::new();
    replay.end.open(SimTime::ZERO, &mut out);
    replay.carry_out(SimTime::ZERO, out);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if let Some(ticks) = Ticks::read(&line) {
            replay.ticks = Some(ticks);
            continue;
        }
        if let Some((now, bytes)) = write(&line) {
            replay.run(now);
            let mut out = Vec::new();
            replay.end.write(now, Amount::Bytes(bytes), &mut out);
            replay.carry_out(now, out);
            continue;
        }
        let Some((now, segment)) = read(&line) else {
            eprintln!("not an event: {line}");
            std::process::exit(2);
        };
        replay.run(now);
        let mut out = Vec::new();
        let before = replay.end.counters().ignored_for(Ignored::AckTooHigh);
        replay.end.on_segment(now, &segment, Arrival::default(), &mut out);
        replay.carry_out(now, out);
        if replay.end.counters().ignored_for(Ignored::AckTooHigh) > before {
            println!("stuck {}", segment.ack.0);
        }
    }
}

fn write(line: &str) -> Option<(SimTime, u64)> {
    let (at, bytes) = line.split_once(" write ")?;
    Some((SimTime::ZERO + SimDuration::from_nanos(at.parse().ok()?), bytes.trim().parse().ok()?))
}

fn read(line: &str) -> Option<(SimTime, TcpSegment)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [at, kind, seq, ack, window, echo, blocks] = words[..] else { return None };
    let sack = match blocks {
        "-" => Some(Vec::new()),
        list => list.split(',').map(block).collect(),
    };
    let syn = kind == "syn";
    let options = TcpOptions {
        sack: sack?.into_iter().collect(),
        timestamps: echo.parse().ok().map(|echo: u32| (0, echo)),
        sack_permitted: syn,
        // A shift of 0: the windows of the events are whole.
        window_scale: syn.then_some(0),
        ..TcpOptions::default()
    };
    let flags = if syn { TcpFlags::ACK.with(TcpFlags::SYN) } else { TcpFlags::ACK };
    let segment = TcpSegment {
        src_port: 2,
        dst_port: 1,
        seq: Seq32(seq.parse().ok()?),
        ack: Seq32(ack.parse().ok()?),
        flags,
        window: window.parse().ok()?,
        payload: 0,
        options,
    };
    Some((SimTime::ZERO + SimDuration::from_nanos(at.parse().ok()?), segment))
}

fn block(text: &str) -> Option<SackBlock> {
    let (left, right) = text.split_once('-')?;
    Some(SackBlock { left: Seq32(left.parse().ok()?), right: Seq32(right.parse().ok()?) })
}
