//! The sender's side of a block acknowledgment agreement (§10.25.6.7): which frames are under way to a receiver.

use super::WINDOW;
use super::number::FrameNumber;
use super::reorder::BlockAck;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use tworay_base::{SimDuration, SimTime};

/// A sender's next step if the BlockAck of an aggregate doesn't come. The standard leaves the choice to it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissingBlockAck {
    /// It asks by BlockAckReq which frames have arrived (ns-3).
    Request,
    /// It sends the frames again (Linux' ath9k).
    Repeat,
}

/// The limit for frames that aren't acknowledged.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// A number of attempts, at least 1: outside an agreement (short retry count, §10.23.2.12.1).
    Attempts(u8),
    /// Time from admission on: under an agreement, whose frames have no retry count (§10.23.2.12.1;
    /// dot11EDCATableMSDULifetime).
    Lifetime(SimDuration),
}

/// The end of a frame's attempts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// The receiver has acknowledged it.
    Acknowledged(T),
    /// It reached the limit of attempts, or the receiver is taken for gone.
    GivenUp(T),
    /// Its lifetime is over.
    Expired(T),
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
    /// End of its lifetime.
    until: SimTime,
    state: State,
}

/// The frames with numbers, from the oldest that isn't done.
#[derive(Clone, Debug)]
pub struct TransmitWindow<T> {
    start: FrameNumber,
    slots: VecDeque<Slot<T>>,
    /// Number of frames that are not done.
    open: u16,
    limit: Persistence,
    /// True if a frame was given up since the receiver last heard of the window's start.
    must_tell: bool,
    /// True if a BlockAck is missing, so that the receiver has to say which of the frames sent have arrived.
    must_ask: bool,
}

impl<T: Copy> TransmitWindow<T> {
    /// An empty window that begins at `start`.
    pub fn new(start: FrameNumber, limit: Persistence) -> Self {
        Self { start, slots: VecDeque::new(), open: 0, limit, must_tell: false, must_ask: false }
    }

    /// The oldest number that isn't done, or the next new one.
    pub fn start(&self) -> FrameNumber {
        self.start
    }

    /// New frames that the window admits, 0 to 64.
    pub fn room(&self) -> u16 {
        WINDOW.saturating_sub(self.slots.len() as u16)
    }

    /// Gives a new frame of `bytes` (MAC header to FCS) the next number; its lifetime begins. `None` if the window is
    /// full.
    pub fn admit(&mut self, now: SimTime, frame: T, bytes: u32) -> Option<FrameNumber> {
        if self.room() == 0 {
            return None;
        }
        let number = self.start.plus(self.slots.len() as u16);
        let until = match self.limit {
            Persistence::Attempts(_) => SimTime::NEVER,
            Persistence::Lifetime(lifetime) => now + lifetime,
        };
        self.slots.push_back(Slot { frame, bytes, attempts: 0, until, state: State::Waiting });
        self.open += 1;
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

    /// Number of frames that are under way or waiting.
    pub fn open(&self) -> u16 {
        self.open
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

    /// No answer came: all frames sent wait again, but those at their limit of attempts.
    pub fn on_no_answer(&mut self, out: &mut Vec<Outcome<T>>) {
        self.finish(out, |_| false);
    }

    /// No BlockAck came, and the receiver is to be asked by a BlockAckReq which frames have arrived.
    pub fn on_missing_block_ack(&mut self) {
        self.must_ask = true;
    }

    /// Gives up the frames whose lifetime is over, sent ones as well.
    pub fn expire(&mut self, now: SimTime, out: &mut Vec<Outcome<T>>) {
        // Frames were admitted in order: the first one is the oldest.
        while let Some(slot) = self.slots.front().filter(|slot| slot.until <= now) {
            if slot.state != State::Done {
                out.push(Outcome::Expired(slot.frame));
                self.must_tell = true;
                self.open -= 1;
            }
            self.slots.pop_front();
            self.start = self.start.plus(1);
        }
        self.skip_done();
    }

    /// Gives up all frames, oldest first: the receiver doesn't answer. Numbers go on behind them.
    pub fn give_up(&mut self, out: &mut Vec<Outcome<T>>) {
        self.must_tell |= !self.slots.is_empty();
        self.must_ask = false;
        self.start = self.start.plus(self.slots.len() as u16);
        let left = self.slots.drain(..).filter(|slot| slot.state != State::Done);
        out.extend(left.map(|slot| Outcome::GivenUp(slot.frame)));
        self.open = 0;
    }

    fn finish(&mut self, out: &mut Vec<Outcome<T>>, arrived: impl Fn(u16) -> bool) {
        // Nearly every frame is acknowledged: growing step by step would copy them again and again.
        out.reserve(self.slots.len());
        for (i, slot) in (0u16..).zip(&mut self.slots) {
            if slot.state != State::Sent {
                continue;
            }
            slot.state = if arrived(i) {
                out.push(Outcome::Acknowledged(slot.frame));
                self.open -= 1;
                State::Done
            } else if matches!(self.limit, Persistence::Attempts(limit) if slot.attempts >= limit) {
                out.push(Outcome::GivenUp(slot.frame));
                self.must_tell = true;
                self.open -= 1;
                State::Done
            } else {
                State::Waiting
            };
        }
        self.skip_done();
    }

    fn skip_done(&mut self) {
        while self.slots.front().is_some_and(|slot| slot.state == State::Done) {
            self.slots.pop_front();
            self.start = self.start.plus(1);
        }
    }

    /// The number for a BlockAckReq, if one is due: the receiver has to say which frames have arrived, or must hear
    /// that the window goes on without frames that were given up; otherwise it would keep those behind them in its
    /// buffer (§10.25.6.3).
    pub fn request_due(&self) -> Option<FrameNumber> {
        (self.must_tell || self.must_ask).then_some(self.start)
    }

    /// True if frames were sent of which the receiver hasn't said if they have arrived.
    pub fn asks(&self) -> bool {
        self.must_ask && self.slots.iter().any(|slot| slot.state == State::Sent)
    }

    /// The BlockAckReq was answered, or is given up.
    pub fn request_done(&mut self) {
        (self.must_tell, self.must_ask) = (false, false);
    }
}

#[cfg(test)]
mod tests;
