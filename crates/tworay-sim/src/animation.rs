//! The animation of a run for NetAnim: where the nodes are, which flows they serve, and every packet that
//! one radio reads from another.
//!
//! Shown are frames that carry a packet: data, acknowledgments of TCP, routing, ARP. RTS, CTS and the MAC's
//! own acknowledgments aren't, nor frames that nobody reads. A file has at most [`FLIGHTS`] of them (about
//! 300 bytes each), the moves always.

use crate::capture::CaptureFile;
use crate::moves::animate;
use std::io::{self, Write};
use std::path::Path;
use tworay_base::{NodeId, SimTime};
use tworay_mac::Frame;
use tworay_mobility::Track;
use tworay_wire::Packet;
use tworay_wire::netanim::{Colour, Flight, NetAnim};

/// Frames shown, counted at each receiver; NetAnim holds a whole file in memory.
pub(crate) const FLIGHTS: u64 = 100_000;
/// Bytes that are written at a time.
const CHUNK: usize = 1 << 16;
const SOURCE: Colour = [0, 110, 220];
const SINK: Colour = [0, 150, 60];
const OTHER: Colour = [160, 160, 160];

/// An animation being written.
#[derive(Debug)]
pub(crate) struct Animation {
    file: CaptureFile,
    /// The first failure to write: nothing is written after it.
    failure: Option<io::Error>,
    anim: NetAnim,
    flights: u64,
    most: u64,
    /// When each transmission in the air began.
    begun: Vec<SimTime>,
}

impl Animation {
    /// Opens the file and writes how the nodes move until `end`; `flows` are the ends of each flow.
    pub fn create(
        path: &Path,
        tracks: Vec<Track>,
        end: SimTime,
        flows: &[(NodeId, NodeId)],
    ) -> io::Result<Self> {
        let nodes = tracks.len();
        let mut anim = animate(tracks, end);
        for i in 0..nodes {
            let node = NodeId(i as u16);
            let role = |of: fn(&(NodeId, NodeId)) -> NodeId, word: &str| -> Option<String> {
                let served: Vec<String> =
                    (0..flows.len()).filter(|&f| of(&flows[f]) == node).map(|f| f.to_string()).collect();
                (!served.is_empty()).then(|| format!("{word} {}", served.join(" ")))
            };
            let (source, sink) = (role(|f| f.0, "source of flow"), role(|f| f.1, "sink of flow"));
            let colour = if source.is_some() {
                SOURCE
            } else if sink.is_some() {
                SINK
            } else {
                OTHER
            };
            anim.colour(SimTime::ZERO, node, colour);
            let words: Vec<String> = source.into_iter().chain(sink).collect();
            if !words.is_empty() {
                anim.name(SimTime::ZERO, node, &format!("{node} {}", words.join(" ")));
            }
        }
        let file = CaptureFile::create(path)?;
        let mut animation = Self { file, failure: None, anim, flights: 0, most: FLIGHTS, begun: Vec::new() };
        animation.write();
        Ok(animation)
    }

    /// A frame begins to be sent as transmission `tx`.
    pub fn transmitted(&mut self, now: SimTime, tx: u32) {
        let slot = tx as usize;
        if slot >= self.begun.len() {
            self.begun.resize(slot + 1, SimTime::ZERO);
        }
        self.begun[slot] = now;
    }

    /// Transmission `tx` has been read at `node`, which it was for.
    pub fn received(&mut self, now: SimTime, tx: u32, node: NodeId, frame: &Frame, packet: &Packet) {
        let Some(&begun) = self.begun.get(tx as usize) else { return };
        if self.flights >= self.most {
            return;
        }
        self.flights += 1;
        let last = begun + frame.airtime;
        let first_here = begun + now.since(last);
        let flight = Flight { from: frame.from, to: node, sent: (begun, last), received: (first_here, now) };
        self.anim.flight(&flight, packet);
        if self.anim.pending() > CHUNK {
            self.write();
        }
    }

    /// Completes the file and gives it its name.
    pub fn finish(mut self) -> io::Result<()> {
        self.write();
        let end = self.anim.finish();
        match self.failure {
            Some(failure) => Err(failure),
            None => {
                self.file.write_all(end.as_bytes())?;
                self.file.finish()
            }
        }
    }

    fn write(&mut self) {
        let text = self.anim.take();
        if self.failure.is_none() {
            self.failure = self.file.write_all(text.as_bytes()).err();
        }
    }
}

#[cfg(test)]
mod tests;
