//! The sender's side of a block acknowledgment agreement (§10.25.6.7): which frames are under way to a receiver.

use super::WINDOW;
use super::number::FrameNumber;
use super::reorder::BlockAck;
use std::collections::VecDeque;

/// The end of a frame's attempts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// The receiver has acknowledged it.
    Acknowledged(T),
    /// It reached the limit of attempts.
    GivenUp(T),
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum State {
    /// To be sent, or sent again.
    Waiting,
    /// Sent; the BlockAck isn't here yet.
    Sent,
    /// Acknowledged or given up; its number can't be used again before those in front are done.
    Done,
}

#[derive(Clone, Debug)]
struct Slot<T> {
    frame: T,
    bytes: u32,
    attempts: u8,
    state: State,
}

/// The frames with numbers, from the oldest that isn't done.
#[derive(Clone, Debug)]
pub struct TransmitWindow<T> {
    start: FrameNumber,
    slots: VecDeque<Slot<T>>,
    limit: u8,
    /// True if a frame was given up since the receiver last heard of the window's start.
    must_tell: bool,
}

impl<T: Copy> TransmitWindow<T> {
    /// An empty window that begins at `start`. A frame is given up after `limit` attempts, at least 1.
    pub fn new(start: FrameNumber, limit: u8) -> Self {
        Self { start, slots: VecDeque::new(), limit: limit.max(1), must_tell: false }
    }

    /// The oldest number that isn't done, or the next new one.
    pub fn start(&self) -> FrameNumber {
        self.start
    }

    /// New frames that the window admits, 0 to 64.
    pub fn room(&self) -> u16 {
        WINDOW.saturating_sub(self.slots.len() as u16)
    }

    /// Gives a new frame of `bytes` (MAC header to FCS) the next number. `None` if the window is full.
    pub fn admit(&mut self, frame: T, bytes: u32) -> Option<FrameNumber> {
        if self.room() == 0 {
            return None;
        }
        let number = self.start.plus(self.slots.len() as u16);
        self.slots.push_back(Slot { frame, bytes, attempts: 0, state: State::Waiting });
        Some(number)
    }

    /// Frames that are to be sent, oldest first: number, frame, bytes, attempts so far.
    pub fn waiting(&self) -> impl Iterator<Item = (FrameNumber, T, u32, u8)> + '_ {
        let start = self.start;
        (0u16..)
            .zip(&self.slots)
            .filter(|(_, slot)| slot.state == State::Waiting)
            .map(move |(i, slot)| (start.plus(i), slot.frame, slot.bytes, slot.attempts))
    }

    /// The frames that are under way or waiting.
    pub fn frames(&self) -> impl Iterator<Item = T> + '_ {
        self.slots.iter().filter(|slot| slot.state != State::Done).map(|slot| slot.frame)
    }

    /// True if no frame is under way or waiting.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    fn slot(&mut self, number: FrameNumber) -> Option<&mut Slot<T>> {
        self.slots.get_mut(usize::from(number.since(self.start)))
    }

    /// The waiting frame `number` goes on the air. Others have no effect.
    pub fn sent(&mut self, number: FrameNumber) {
        if let Some(slot) = self.slot(number).filter(|slot| slot.state == State::Waiting) {
            slot.state = State::Sent;
            slot.attempts = slot.attempts.saturating_add(1);
        }
    }

    /// A BlockAck arrived: frames sent are done or wait again. Outcomes are appended in order of their numbers. A
    /// frame that the BlockAck counts as too old to be reported was received (§10.25.6.7).
    pub fn on_block_ack(&mut self, ack: &BlockAck, out: &mut Vec<Outcome<T>>) {
        let start = self.start;
        self.finish(out, |i| {
            let number = start.plus(i);
            number.is_before(ack.start) || ack.has(number)
        });
    }

    /// An ACK arrived: what was sent is done.
    pub fn on_ack(&mut self, out: &mut Vec<Outcome<T>>) {
        self.finish(out, |_| true);
    }

    /// No BlockAck came: all frames sent wait again, but those at their limit.
    pub fn on_no_answer(&mut self, out: &mut Vec<Outcome<T>>) {
        self.finish(out, |_| false);
    }

    fn finish(&mut self, out: &mut Vec<Outcome<T>>, arrived: impl Fn(u16) -> bool) {
        for (i, slot) in (0u16..).zip(&mut self.slots) {
            if slot.state != State::Sent {
                continue;
            }
            slot.state = if arrived(i) {
                out.push(Outcome::Acknowledged(slot.frame));
                State::Done
            } else if slot.attempts >= self.limit {
                out.push(Outcome::GivenUp(slot.frame));
                self.must_tell = true;
                State::Done
            } else {
                State::Waiting
            };
        }
        while self.slots.front().is_some_and(|slot| slot.state == State::Done) {
            self.slots.pop_front();
            self.start = self.start.plus(1);
        }
    }

    /// The number for a BlockAckReq, if the receiver must hear that the window goes on without frames that were
    /// given up; otherwise it would keep those behind them in its buffer (§10.25.6.3).
    pub fn request_due(&self) -> Option<FrameNumber> {
        self.must_tell.then_some(self.start)
    }

    /// The receiver has answered the BlockAckReq.
    pub fn request_answered(&mut self) {
        self.must_tell = false;
    }

    /// Takes out all frames, oldest first: the receiver has gone. Numbers go on behind them.
    pub fn clear(&mut self) -> impl Iterator<Item = T> + '_ {
        self.start = self.start.plus(self.slots.len() as u16);
        self.slots.drain(..).filter(|slot| slot.state != State::Done).map(|slot| slot.frame)
    }
}

#[cfg(test)]
mod tests;
