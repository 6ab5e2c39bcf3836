//! Runs the applications of a TCP connection that stays open: when they ask for transfers, and when these are done.
//!
//! Data flows from the flow's sender to its receiver. A transfer begins when it is asked for: with a request, when the
//! receiver writes that; else when the sender writes the data. It is done when its last byte is delivered.

use super::playout::Playout;
use tworay_base::{RngStream, SimDuration, SimTime};
use tworay_scenario::{Application, NextTransfer, Replay, Transfers};

/// A transfer over a flow's connection.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Transfer {
    /// Its size, bytes.
    pub bytes: u64,
    /// When it was asked for.
    pub asked: SimTime,
    /// When its last byte was delivered.
    pub done: Option<SimTime>,
}

/// Next step of the application.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(crate) struct Step {
    /// Bytes that the sender writes.
    pub data: u64,
    /// Bytes that the receiver writes.
    pub request: u64,
    /// When the application acts again.
    pub again: Option<SimTime>,
}

enum Source {
    Transfers(Transfers),
    Video(Playout),
    Replay(Replay),
}

/// The application of a flow.
pub(crate) struct Traffic {
    source: Source,
    /// Every transfer in the order in which they were asked for.
    pub transfers: Vec<Transfer>,
    /// Number of transfers that are done: they end in order, because one connection carries them.
    done: usize,
    /// Delivered bytes with which the next one is done.
    ends_at: u64,
    /// Transfers whose request has reached the sender, and the bytes of requests that have.
    answered: usize,
    heard: u64,
    stopped: bool,
}

impl Traffic {
    /// The traffic of an application, if it asks for transfers.
    pub fn new(application: &Application, start: SimTime) -> Option<Box<Self>> {
        let source = match application {
            Application::Transfers { transfers, .. } => Source::Transfers(transfers.clone()),
            Application::Video { video, .. } => Source::Video(Playout::new(*video, start)),
            Application::Replay { trace, variant: Some(_) } => Source::Replay(trace.clone()),
            _ => return None,
        };
        let traffic = Self {
            source,
            transfers: Vec::new(),
            done: 0,
            ends_at: 0,
            answered: 0,
            heard: 0,
            stopped: false,
        };
        Some(Box::new(traffic))
    }

    /// The flow starts.
    pub fn start(&mut self, now: SimTime, rng: &mut RngStream) -> Step {
        match &self.source {
            // The first arrival of a Poisson process comes after an interval, too.
            Source::Transfers(Transfers { next: NextTransfer::Poisson(mean), .. }) => {
                Step { again: Some(now + pause(*mean, rng)), ..Step::default() }
            }
            _ => self.act(now, rng),
        }
    }

    /// The time has come that an earlier step named.
    pub fn act(&mut self, now: SimTime, rng: &mut RngStream) -> Step {
        let made = self.transfers.len();
        if self.stopped {
            return Step::default();
        }
        let (bytes, request, again) = match &self.source {
            Source::Transfers(transfers) => {
                if transfers.count.is_some_and(|count| made as u64 >= count) {
                    return Step::default();
                }
                let bytes = transfers.sizes.draw(rng);
                let again = match transfers.next {
                    NextTransfer::Poisson(mean) => Some(now + pause(mean, rng)),
                    NextTransfer::After(_) => None,
                };
                (bytes, transfers.request, again)
            }
            Source::Video(playout) => (playout.video().chunk_bytes(), 0, None),
            Source::Replay(trace) => {
                let Some(packet) = trace.packets.get(made) else { return Step::default() };
                let again = trace.packets.get(made + 1).map(|next| now + next.at.saturating_sub(packet.at));
                (u64::from(packet.payload), 0, again)
            }
        };
        if self.done == made {
            self.ends_at += bytes;
        }
        self.transfers.push(Transfer { bytes, asked: now, done: None });
        Step { data: if request == 0 { bytes } else { 0 }, request, again }
    }

    /// In total `delivered` bytes have reached the receiver.
    pub fn delivered(&mut self, now: SimTime, delivered: u64, rng: &mut RngStream) -> Step {
        let mut step = Step::default();
        while self.done < self.transfers.len() && delivered >= self.ends_at {
            self.transfers[self.done].done = Some(now);
            self.done += 1;
            self.ends_at += self.transfers.get(self.done).map_or(0, |next| next.bytes);
            match &mut self.source {
                Source::Transfers(Transfers { next: NextTransfer::After(mean), .. }) => {
                    step.again = Some(now + pause(*mean, rng));
                }
                Source::Video(playout) => step.again = Some(playout.arrived(now)),
                Source::Transfers(_) | Source::Replay(_) => {}
            }
        }
        step
    }

    /// `bytes` of requests have reached the sender: it answers those that are whole.
    pub fn heard(&mut self, bytes: u64) -> Step {
        let Source::Transfers(transfers) = &self.source else { return Step::default() };
        self.heard += bytes;
        let mut data = 0;
        while self.answered < self.transfers.len()
            && self.heard >= (self.answered as u64 + 1) * transfers.request
        {
            data += self.transfers[self.answered].bytes;
            self.answered += 1;
        }
        Step { data, ..Step::default() }
    }

    /// The flow stops: nothing more is asked for, and a player plays no more.
    pub fn stop(&mut self, now: SimTime) {
        self.stopped = true;
        if let Source::Video(playout) = &mut self.source {
            playout.end(now);
        }
    }

    /// The player, if this is a video.
    pub fn playout(&self) -> Option<&Playout> {
        match &self.source {
            Source::Video(playout) => Some(playout),
            _ => None,
        }
    }
}

fn pause(mean: SimDuration, rng: &mut RngStream) -> SimDuration {
    SimDuration::from_secs_f64(rng.exponential(mean.as_secs_f64()))
}

#[cfg(test)]
mod tests;
