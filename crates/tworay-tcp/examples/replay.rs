//! A sender that gets the segments another stack got, at the same times: what does it send, and when?
//!
//! `replay VARIANT MSS < EVENTS`. A line of standard input is `NANOSECONDS write BYTES`, data of the application (given
//! when the other stack sent it, so that both send new data in the same order), or a segment that arrived:
//! `NANOSECONDS syn|ack SEQ ACK WINDOW ECHO|- LEFT-RIGHT,...|-`, with numbers from the two SYNs, time stamps in
//! milliseconds from the first packet, and times from there too. Prints a line for each segment with payload that the
//! sender sends: `NANOSECONDS FIRST-BYTE LENGTH new|again`; and `stuck ACK` for an ACK of something it never sent.

use std::io::BufRead;
use tworay_base::{Bytes, NodeId, Purpose, RngStream, Seq32, SimDuration, SimTime};
use tworay_tcp::{
    Amount, Arrival, Connection, Ignored, InitialWindow, NamedInitialWindow, Ports, SegmentKind, Side,
    TcpAction, TcpConfig, TcpTimer, WindowSize,
};
use tworay_wire::{SackBlock, TcpFlags, TcpOptions, TcpSegment};

struct Replay {
    end: Connection,
    timers: [SimTime; TcpTimer::COUNT],
}

impl Replay {
    fn carry_out(&mut self, now: SimTime, out: Vec<TcpAction>) {
        for action in out {
            match action {
                TcpAction::Send { segment, kind: SegmentKind::Data { retransmission }, .. } => {
                    let kind = if retransmission { "again" } else { "new" };
                    println!("{} {} {} {kind}", now.as_nanos(), segment.seq.0, segment.payload);
                }
                TcpAction::Arm(timer, at) => self.timers[timer.index()] = at,
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
    let mut replay = Replay { end, timers: [SimTime::NEVER; TcpTimer::COUNT] };
    let mut out = Vec::new();
    replay.end.open(SimTime::ZERO, &mut out);
    replay.carry_out(SimTime::ZERO, out);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
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
