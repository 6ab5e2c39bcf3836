//! The receiver's side of a block acknowledgment agreement (§10.25.6.3 to §10.25.6.6).

use super::WINDOW;
use super::number::FrameNumber;
use std::collections::VecDeque;
use tworay_base::{SimDuration, SimTime};

/// Time after which the receiver stops to wait for a missing frame (mac80211: 100 ms).
const PATIENCE: SimDuration = SimDuration::from_millis(100);

/// Times at which it went on without frames that are remembered: those of the last window or two.
const SKIPS: usize = 16;

/// A compressed BlockAck: the frames received from `start` on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BlockAck {
    /// The number of the lowest bit.
    pub start: FrameNumber,
    /// Bit i: `start` + i was received.
    pub bitmap: u64,
}

impl BlockAck {
    /// True if `number` is among the 64 and was received.
    pub const fn has(&self, number: FrameNumber) -> bool {
        let i = number.since(self.start);
        i < WINDOW && self.bitmap >> i & 1 == 1
    }
}

/// Which of the latest 64 frames were received (full state operation).
#[derive(Copy, Clone, Debug)]
pub struct Scoreboard(BlockAck);

impl Scoreboard {
    /// Nothing received yet; the first frame will have the number `start`.
    pub const fn new(start: FrameNumber) -> Self {
        Self(BlockAck { start, bitmap: 0 })
    }

    /// A frame was received.
    pub fn on_frame(&mut self, number: FrameNumber) {
        if number.is_before(self.0.start) {
            return;
        }
        let i = number.since(self.0.start);
        if i >= WINDOW {
            self.move_to(number.plus(0x1000 - (WINDOW - 1)));
        }
        self.0.bitmap |= 1 << number.since(self.0.start);
    }

    /// True if `number` was received, or is too old for the board to know.
    pub const fn has_or_is_beyond(&self, number: FrameNumber) -> bool {
        number.is_before(self.0.start) || self.0.has(number)
    }

    /// A BlockAckReq was received: the sender's window begins at `start`.
    pub fn on_request(&mut self, start: FrameNumber) {
        if !start.is_before(self.0.start) {
            self.move_to(start);
        }
    }

    fn move_to(&mut self, start: FrameNumber) {
        let by = u32::from(start.since(self.0.start));
        self.0.bitmap = self.0.bitmap.checked_shr(by).unwrap_or(0);
        self.0.start = start;
    }

    /// The answer to an aggregate or a BlockAckReq.
    pub const fn answer(&self) -> BlockAck {
        self.0
    }
}

#[derive(Clone, Debug)]
struct Held<T> {
    frame: T,
    arrived: SimTime,
}

/// Puts frames in order. A frame is handed up when all before it were, when the sender says that it goes on
/// without them, or after 100 ms.
#[derive(Clone, Debug)]
pub struct Reorder<T> {
    /// The number that is to be handed up next.
    start: FrameNumber,
    /// Frames by their distance from `start`, modulo the window: slot `number % 64`.
    held: Vec<Option<Held<T>>>,
    waiting: u16,
    /// The latest times at which it went on without missing frames, and the number that was next then.
    skips: VecDeque<(SimTime, FrameNumber)>,
}

impl<T> Reorder<T> {
    /// An empty buffer; the first frame will have the number `start`.
    pub fn new(start: FrameNumber) -> Self {
        Self { start, held: (0..WINDOW).map(|_| None).collect(), waiting: 0, skips: VecDeque::new() }
    }

    fn slot(&mut self, number: FrameNumber) -> &mut Option<Held<T>> {
        // 64 divides 4,096, so that slots stay apart where numbers wrap.
        &mut self.held[usize::from(number.get() % WINDOW)]
    }

    /// True if [`Reorder::on_frame`] would keep or hand up the frame: it isn't a duplicate.
    pub fn is_new(&self, number: FrameNumber) -> bool {
        let held = &self.held[usize::from(number.get() % WINDOW)];
        !number.is_before(self.start) && (number.since(self.start) >= WINDOW || held.is_none())
    }

    /// The frames that are held.
    pub fn frames(&self) -> impl Iterator<Item = &T> {
        self.held.iter().flatten().map(|held| &held.frame)
    }

    /// When it went on without a frame, if that was lately.
    pub fn skipped_at(&self, number: FrameNumber) -> Option<SimTime> {
        self.skips.iter().find(|(_, start)| number.is_before(*start)).map(|(at, _)| *at)
    }

    /// Hands up all frames that are held.
    pub fn flush(&mut self, now: SimTime, out: &mut Vec<T>) {
        self.release_before(now, self.start.plus(WINDOW), out);
    }

    /// A frame was received. Appends those that can be handed up to `out`, in order. Returns false if it is a
    /// duplicate: handed up before, or in the buffer.
    pub fn on_frame(&mut self, now: SimTime, number: FrameNumber, frame: T, out: &mut Vec<T>) -> bool {
        if number.is_before(self.start) {
            return false;
        }
        if number.since(self.start) >= WINDOW {
            self.release_before(now, number.plus(0x1000 - (WINDOW - 1)), out);
        }
        let slot = self.slot(number);
        if slot.is_some() {
            return false;
        }
        *slot = Some(Held { frame, arrived: now });
        self.waiting += 1;
        self.release_run(out);
        true
    }

    /// A BlockAckReq was received: the sender doesn't send anything before `start` any more.
    pub fn on_request(&mut self, now: SimTime, start: FrameNumber, out: &mut Vec<T>) {
        if !start.is_before(self.start) {
            self.release_before(now, start, out);
            self.release_run(out);
        }
    }

    /// When [`Reorder::on_timer`] is due: the first held frame has waited for 100 ms. `NEVER` if none is held.
    pub fn deadline(&self) -> SimTime {
        let first = self.held.iter().flatten().map(|held| held.arrived).min();
        first.map_or(SimTime::NEVER, |arrived| arrived + PATIENCE)
    }

    /// Hands up the frames that have waited for 100 ms, and those before and right behind them.
    pub fn on_timer(&mut self, now: SimTime, out: &mut Vec<T>) {
        let start = self.start;
        let overdue = (0..WINDOW).rev().map(|i| start.plus(i)).find(|number| {
            let held = &self.held[usize::from(number.get() % WINDOW)];
            held.as_ref().is_some_and(|held| now >= held.arrived + PATIENCE)
        });
        if let Some(last) = overdue {
            self.release_before(now, last.plus(1), out);
            self.release_run(out);
        }
    }

    /// Frames in the buffer.
    pub fn waiting(&self) -> u16 {
        self.waiting
    }

    /// Hands up what is held before `start`, which becomes the next number.
    fn release_before(&mut self, now: SimTime, start: FrameNumber, out: &mut Vec<T>) {
        let passed = start.since(self.start);
        let before = out.len();
        // Beyond the window nothing is held.
        for i in 0..passed.min(WINDOW) {
            let number = self.start.plus(i);
            self.take(number, out);
        }
        self.start = start;
        if out.len() - before < usize::from(passed) {
            if self.skips.len() == SKIPS {
                self.skips.pop_front();
            }
            self.skips.push_back((now, start));
        }
    }

    /// Hands up the frames from the next number to the first gap.
    fn release_run(&mut self, out: &mut Vec<T>) {
        while self.take(self.start, out) {
            self.start = self.start.plus(1);
        }
    }

    fn take(&mut self, number: FrameNumber, out: &mut Vec<T>) -> bool {
        let Some(held) = self.slot(number).take() else { return false };
        self.waiting -= 1;
        out.push(held.frame);
        true
    }
}

#[cfg(test)]
mod tests;
