//! A script, played to a sender of the simulator.

use super::read::{AckLine, At, Script, What};
use crate::common::numbered::{self, MSS, sender};
use tworay_base::{Bytes, SimDuration, SimTime};
use tworay_tcp::{
    Amount, Arrival, Connection, Handshake, InitialWindow, NamedInitialWindow, SegmentKind, TcpAction,
    TcpConfig, TcpTimer, WindowSize,
};
use tworay_wire::{TcpFlags, TcpSegment};

/// Room of the receiver that nothing in a script fills, segments.
const ROOM: u32 = 500;
/// A timer is late by this at most, ms: time stamps, by which most variants measure, count milliseconds.
const EXACT: f64 = 1.0;
/// The same for `linux`: 2 ms that it adds, rounded up to ticks of 4 ms.
const TICKS: f64 = 8.0;

fn time(ms: f64) -> SimTime {
    SimTime::ZERO + SimDuration::from_nanos((ms * 1e6).round() as u64)
}

fn ms(at: SimTime) -> f64 {
    at.since_start().as_nanos() as f64 * 1e-6
}

/// A segment that was sent: its number, 0 for a probe of a closed window.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Sent {
    at: f64,
    number: u32,
    stamp: u32,
}

struct Player {
    end: Connection,
    config: TcpConfig,
    timers: [SimTime; TcpTimer::COUNT],
    sent: Vec<Sent>,
    /// Acknowledgment number, echoed timestamp and window of the last ACK.
    acked: u32,
    echo: u32,
    window: u32,
}

/// Plays; an error says what the sender did instead.
pub fn play(script: &Script, variant: &str) -> Result<(), String> {
    let mut player = Player::new(variant, script.handshake);
    let late = if variant.starts_with("linux") { TICKS } else { EXACT };
    let (mut checked, mut before) = (0, 0.0);
    for line in script.lines.iter().filter(|line| line.is_for(variant)) {
        let at = match line.at {
            At::Start(at) => at,
            At::Sent(wait) => before + wait,
        };
        let late = match line.what {
            What::Sent(_, Some(_)) => late,
            _ => 0.0,
        };
        player.run(time(at + late));
        let fault =
            |what: String| Err(format!("{what}\n    {}\n    sent so far: {}", line.text, player.list()));
        let unexpected = player.sent.get(checked).copied();
        match &line.what {
            What::Sent(numbers, _) => {
                for number in numbers {
                    match player.sent.get(checked) {
                        Some(sent) if sent.number == *number && (at..=at + late).contains(&sent.at) => {}
                        Some(sent) => return fault(format!("segment {} at {:.1}", sent.number, sent.at)),
                        None => return fault(format!("segment {number} is not sent")),
                    }
                    checked += 1;
                }
                before = player.sent[checked - 1].at;
            }
            _ if let Some(sent) = unexpected => {
                return fault(format!(
                    "segment {} at {:.1}, of which nothing is written",
                    sent.number, sent.at
                ));
            }
            What::Write(segments) => {
                let bytes = Amount::Bytes(u64::from(segments * MSS));
                player.act(time(at), |end, now, out| end.write(now, bytes, out));
            }
            What::Arrives(ack) => player.arrives(time(at), ack),
            What::End => {}
        }
    }
    Ok(())
}

impl Player {
    fn new(variant: &str, handshake: f64) -> Self {
        let config = TcpConfig {
            handshake: Handshake::ThreeWay,
            window: WindowSize::Bytes(Bytes(u64::from(ROOM * MSS))),
            initial_window: InitialWindow::Named(NamedInitialWindow::Rfc6928),
            initial_ssthresh: Some(1e6),
            timestamps: true,
            fin: false,
            ..numbered::config()
        };
        let mut player = Self {
            end: sender(variant, &config),
            config,
            timers: [SimTime::NEVER; TcpTimer::COUNT],
            sent: Vec::new(),
            acked: 0,
            echo: 0,
            window: ROOM,
        };
        player.act(SimTime::ZERO, |end, now, out| end.open(now, out));
        let mut answer = player.segment(&[]);
        answer.seq = answer.seq.plus(0u32.wrapping_sub(1));
        answer.flags = TcpFlags::ACK.with(TcpFlags::SYN);
        answer.options.sack_permitted = true;
        answer.options.window_scale = Some(player.config.window_shift());
        player.act(time(handshake), |end, now, out| end.on_segment(now, &answer, Arrival::default(), out));
        player
    }

    /// The timers that are due by now expire.
    fn run(&mut self, until: SimTime) {
        while let Some((i, at)) = self.timers.iter().copied().enumerate().min_by_key(|(_, at)| *at)
            && at <= until
        {
            self.timers[i] = SimTime::NEVER;
            let timer = TcpTimer::from_index(i).expect("a timer");
            self.act(at, |end, now, out| end.on_timer(now, timer, out));
        }
    }

    fn act(&mut self, now: SimTime, act: impl FnOnce(&mut Connection, SimTime, &mut Vec<TcpAction>)) {
        let mut out = Vec::new();
        act(&mut self.end, now, &mut out);
        for action in out {
            match action {
                TcpAction::Send { segment, kind, .. } => self.note(now, &segment, kind),
                TcpAction::Arm(timer, at) => self.timers[timer.index()] = at,
                TcpAction::Disarm(timer) => self.timers[timer.index()] = SimTime::NEVER,
                _ => {}
            }
        }
    }

    fn note(&mut self, now: SimTime, segment: &TcpSegment, kind: SegmentKind) {
        let number = match kind {
            SegmentKind::Data { .. } => (segment.seq.0 - 1) / MSS + 1,
            SegmentKind::Probe => 0,
            _ => return,
        };
        let stamp = segment.options.timestamps.map_or(0, |(stamp, _)| stamp);
        self.sent.push(Sent { at: ms(now), number, stamp });
    }

    fn arrives(&mut self, now: SimTime, ack: &AckLine) {
        let echoed = ack.echo.or((ack.ack > self.acked).then_some((self.acked + 1, None)));
        if let Some((number, transmission)) = echoed {
            let mut stamps = self.sent.iter().filter(|sent| sent.number == number).map(|sent| sent.stamp);
            let stamp = match transmission {
                Some(from_one) => stamps.nth(from_one - 1),
                None => stamps.next_back(),
            };
            self.echo = stamp.expect("the script echoes what was sent");
        }
        self.acked = ack.ack;
        self.window = ack.window.unwrap_or(self.window);
        let segment = self.segment(&ack.blocks);
        self.act(now, |end, now, out| end.on_segment(now, &segment, Arrival::default(), out));
    }

    fn segment(&self, blocks: &[(u32, u32)]) -> TcpSegment {
        let mut segment = numbered::ack(self.acked, blocks, &self.config);
        segment.window = self.window * MSS;
        segment.options.timestamps = Some((1, self.echo));
        segment
    }

    fn list(&self) -> String {
        let words = self.sent.iter().map(|sent| format!("{} at {:.1}", sent.number, sent.at));
        words.collect::<Vec<_>>().join(", ")
    }
}
