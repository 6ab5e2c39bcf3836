//! The player of a video: its buffer, and its stalls.
//!
//! Nothing happens while it plays: the buffer's state is worked out when a chunk arrives.

use tworay_base::{SimDuration, SimTime};
use tworay_scenario::Video;

/// State of the player since the last chunk.
#[derive(Copy, Clone, Debug, PartialEq)]
enum State {
    /// Fills its buffer before it plays for the first time.
    Starting,
    /// Plays.
    Playing,
    /// Fills its buffer again; it ran empty at this time.
    Stalled(SimTime),
    /// Plays no more.
    Ended,
}

/// A player.
#[derive(Clone, Debug)]
pub(crate) struct Playout {
    video: Video,
    state: State,
    /// Playing time in the buffer at `since`.
    buffered: SimDuration,
    since: SimTime,
    start: SimTime,
    /// Time from the flow's start to the first picture.
    pub startup: Option<SimDuration>,
    /// Number of stalls.
    pub stalls: u64,
    /// Time spent in stalls that are over.
    stalled: SimDuration,
}

impl Playout {
    /// A player that asks for its first chunk at `start`.
    pub fn new(video: Video, start: SimTime) -> Self {
        Self {
            video,
            state: State::Starting,
            buffered: SimDuration::ZERO,
            since: start,
            start,
            startup: None,
            stalls: 0,
            stalled: SimDuration::ZERO,
        }
    }

    pub fn video(&self) -> &Video {
        &self.video
    }

    /// A chunk is complete; returns when the player asks for the next one.
    pub fn arrived(&mut self, now: SimTime) -> SimTime {
        self.play_until(now);
        self.buffered += self.video.chunk;
        if self.buffered >= self.video.startup {
            match self.state {
                State::Starting => self.startup = Some(now.since(self.start)),
                State::Stalled(from) => self.stalled += now.since(from),
                State::Playing | State::Ended => {}
            }
            if self.state != State::Ended {
                self.state = State::Playing;
            }
        }
        // Room for the next chunk is there when the buffer has played down to this.
        let most = self.video.buffer.saturating_sub(self.video.chunk);
        match self.state {
            State::Playing => now + self.buffered.saturating_sub(most),
            _ => now,
        }
    }

    fn play_until(&mut self, now: SimTime) {
        let passed = now.since(self.since);
        if self.state == State::Playing {
            // A chunk that arrives with the last picture is in time.
            if passed > self.buffered {
                self.state = State::Stalled(self.since + self.buffered);
                self.stalls += 1;
            }
            self.buffered = self.buffered.saturating_sub(passed);
        }
        self.since = now;
    }

    /// The player is switched off, or the run ends.
    pub fn end(&mut self, now: SimTime) {
        self.play_until(now);
        if let State::Stalled(from) = self.state {
            self.stalled += now.since(from);
        }
        self.state = State::Ended;
    }

    /// Stalls and the time spent in them up to `end`.
    pub fn stalls_until(&self, end: SimTime) -> (u64, SimDuration) {
        let mut last = self.clone();
        if last.state != State::Ended {
            last.end(end);
        }
        (last.stalls, last.stalled)
    }
}

#[cfg(test)]
mod tests;
