//! Animation of a run for NetAnim: node movement, the flows at each node, and every packet that one radio
//! receives from another.
//!
//! Only frames that carry a packet are shown (TCP data and acknowledgments, routing, ARP), and only if they
//! are received. RTS, CTS and MAC acknowledgments are left out. A file contains at most [`FLIGHTS`] frames
//! (about 300 bytes each), but always the whole movement.

use super::capture::CaptureFile;
use crate::moves::animate;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use tworay_base::{NodeId, SimTime};
use tworay_mac::Frame;
use tworay_mobility::Track;
use tworay_wire::Packet;
use tworay_wire::netanim::{Colour, Flight, NetAnim};

/// Limit of frames shown, counted at each receiver; NetAnim keeps a whole file in memory.
pub(crate) const FLIGHTS: u64 = 100_000;
/// Bytes written at a time.
const CHUNK: usize = 1 << 16;
const SOURCE: Colour = [0, 110, 220];
const SINK: Colour = [0, 150, 60];
const OTHER: Colour = [160, 160, 160];

/// Contents of an animation besides frames.
pub(crate) struct Film {
    /// Movement of the nodes.
    pub tracks: Vec<Track>,
    /// End of the run.
    pub end: SimTime,
    /// Names of nodes, by number.
    pub names: BTreeMap<u16, String>,
}

/// An animation file being written.
#[derive(Debug)]
pub(crate) struct Animation {
    file: CaptureFile,
    /// First write error; nothing is written after it.
    failure: Option<io::Error>,
    anim: NetAnim,
    flights: u64,
    most: u64,
    /// Start time of each transmission on the air.
    begun: Vec<SimTime>,
}

impl Animation {
    /// Opens the file and writes the movement of the nodes until `end`; `flows` are the end nodes of each
    /// flow.
    pub fn create(path: &Path, film: Film, flows: &[(NodeId, NodeId)]) -> io::Result<Self> {
        let Film { tracks, end, names } = film;
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
            let name = names.get(&node.0);
            if !words.is_empty() || name.is_some() {
                let shown = name.cloned().unwrap_or_else(|| node.to_string());
                anim.name(SimTime::ZERO, node, [shown, words.join(" ")].join(" ").trim_end());
            }
        }
        let file = CaptureFile::create(path)?;
        let mut animation = Self { file, failure: None, anim, flights: 0, most: FLIGHTS, begun: Vec::new() };
        animation.write();
        Ok(animation)
    }

    /// Transmission `tx` of a frame starts.
    pub fn transmitted(&mut self, now: SimTime, tx: u32) {
        let slot = tx as usize;
        if slot >= self.begun.len() {
            self.begun.resize(slot + 1, SimTime::ZERO);
        }
        self.begun[slot] = now;
    }

    /// Transmission `tx` was received at `node`, to which it was addressed.
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

    /// Completes the file and renames it to its final name.
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
