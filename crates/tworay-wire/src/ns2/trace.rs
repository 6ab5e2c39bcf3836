//! ns-2's wireless traces in the old and the new format, as `trace-all` writes them.
//!
//! ```text
//! s 1.033571829 _0_ RTR  --- 0 tcp 40 [0 0 0 0] ------- [0:0 4:0 30 1] [0 0] 0 0
//! s -t 1.033571829 -Hs 0 -Hd 1 -Ni 0 -Nx 100.00 … -Nl RTR -Nw --- … -Is 0.0 -Id 4.0 -It tcp -Il 40 …
//! ```
//!
//! A file may mix both. Remarks of routing protocols and of the energy model, and movement lines, are
//! skipped; every other line must be a record.

mod new;
mod old;
mod summary;

pub use summary::{TraceFate, TraceFlow, TracePacket, TraceSummary};

use crate::text_file::ReadError;
use tworay_base::{Position, SimTime};

/// What happened to a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceEvent {
    /// A layer passed it down (`s`).
    Send,
    /// A layer received it (`r`).
    Receive,
    /// Routing forwarded it (`f`).
    Forward,
    /// It was dropped here (`d`, in old traces `D`).
    Drop,
}

/// Where it happened.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceLayer {
    /// Transport and application (`AGT`).
    Agent,
    /// Routing (`RTR`).
    Router,
    /// Interface queue (`IFQ`).
    Queue,
    /// Link layer with ARP (`LL`).
    Link,
    /// Medium access (`MAC`).
    Mac,
    /// Radio (`PHY`).
    Radio,
}

impl TraceLayer {
    /// ns-2's name.
    pub const fn name(self) -> &'static str {
        match self {
            TraceLayer::Agent => "AGT",
            TraceLayer::Router => "RTR",
            TraceLayer::Queue => "IFQ",
            TraceLayer::Link => "LL",
            TraceLayer::Mac => "MAC",
            TraceLayer::Radio => "PHY",
        }
    }

    fn named(name: &str) -> Option<Self> {
        use TraceLayer::{Agent, Link, Mac, Queue, Radio, Router};
        [Agent, Router, Queue, Link, Mac, Radio].into_iter().find(|layer| layer.name() == name)
    }
}

/// One end of a flow: node and port; node −1 means all nodes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraceEnd {
    /// Node.
    pub node: i32,
    /// Port.
    pub port: i32,
}

/// The IP header of a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TraceIp {
    /// Source.
    pub src: TraceEnd,
    /// Destination.
    pub dst: TraceEnd,
    /// Hop limit left.
    pub ttl: i32,
}

/// The 802.11 header of a record, as ns-2 prints it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TraceMac {
    /// Duration field, µs.
    pub duration: u32,
    /// Receiver; `u32::MAX` means all stations.
    pub to: u32,
    /// Transmitter, 0 if the frame has none.
    pub from: u32,
    /// EtherType, 0 for frames of the MAC itself.
    pub ethertype: u32,
}

/// A trace line about a packet.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TraceRecord<'a> {
    /// Line, counted from 1.
    pub line: u32,
    /// Time.
    pub at: SimTime,
    /// Event.
    pub event: TraceEvent,
    /// Node.
    pub node: u16,
    /// Layer within the node.
    pub layer: TraceLayer,
    /// The reason, if given: ns-2's abbreviation, such as `COL`, `RET`, `NRTE`, `IFQ`, `CBK`, `TTL`, `END`.
    pub reason: Option<&'a str>,
    /// ns-2's name of the packet type (`tcp`, `ack`, `cbr`, `AODV`, `RTS`, …). Empty for MAC frames in the
    /// new format, which omits it.
    pub kind: &'a str,
    /// Number of the packet in the simulation, if the record has one. MAC frames and AODV messages share 0.
    pub uid: Option<u64>,
    /// Bytes as this layer counts them.
    pub bytes: Option<u32>,
    /// The node's position in metres (new format only).
    pub position: Option<Position>,
    /// 802.11 header.
    pub mac: Option<TraceMac>,
    /// IP header.
    pub ip: Option<TraceIp>,
    /// Number within the flow: TCP's sequence number in packets, or CBR's.
    pub number: Option<i64>,
}

/// The records of `text`, the content of a file called `file`.
pub fn records<'a>(
    file: &'a str,
    text: &'a str,
) -> impl Iterator<Item = Result<TraceRecord<'a>, ReadError>> + 'a {
    text.lines().zip(1u32..).filter_map(move |(raw, number)| {
        let line = Line { file, number, text: raw.trim() };
        line.read().transpose()
    })
}

/// A line being read.
#[derive(Copy, Clone)]
struct Line<'a> {
    file: &'a str,
    number: u32,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn read(&self) -> Result<Option<TraceRecord<'a>>, ReadError> {
        let mut words = self.text.split_ascii_whitespace();
        let Some(first) = words.next() else { return Ok(None) };
        let event = match first {
            "s" => TraceEvent::Send,
            "r" => TraceEvent::Receive,
            "f" => TraceEvent::Forward,
            "d" | "D" => TraceEvent::Drop,
            // DSR's remarks, movement, energy, remarks for nam, comments.
            _ if first.starts_with(['#', 'S', 'M', 'N', 'v', 'V', 'A']) => return Ok(None),
            "+" | "-" | "h" => {
                return Err(self.error(
                    "this is a line of a wired trace",
                    "give the trace of a wireless network, or remove the lines of its wired links",
                ));
            }
            _ => {
                return Err(self.error(
                    "this is not a line of a wireless trace",
                    "records begin with s, r, f, d or D; check that trace-all of ns-2 wrote the file",
                ));
            }
        };
        let new = words.next().is_some_and(|w| w.starts_with("-t"));
        let record = if new { new::read(self, event) } else { old::read(self, event) };
        record.map(Some)
    }

    fn error(&self, problem: &str, remedy: &str) -> ReadError {
        let shown: String = self.text.chars().take(90).collect();
        let dots = if shown.len() < self.text.len() { "…" } else { "" };
        ReadError::at(self.file, self.number, format!("{problem}: `{shown}{dots}`"), remedy)
    }

    /// An error about one word or its absence.
    fn bad(&self, what: &str, word: Option<&str>) -> ReadError {
        let problem = match word {
            Some(word) => format!("\"{word}\" is not a valid {what}"),
            None => format!("the {what} is missing"),
        };
        self.error(&problem, "the line may be cut off or edited; trace the run again, or remove the line")
    }

    fn parsed<T>(
        &self,
        what: &str,
        word: Option<&str>,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ReadError> {
        word.and_then(parse).ok_or_else(|| self.bad(what, word))
    }

    fn time(&self, word: Option<&str>) -> Result<SimTime, ReadError> {
        let seconds = |w: &str| w.parse::<f64>().ok().filter(|t| (0.0..=1e9).contains(t));
        self.parsed("time in seconds", word, seconds).map(SimTime::from_secs_f64)
    }

    fn node(&self, word: Option<&str>) -> Result<u16, ReadError> {
        self.parsed("node number", word, |w| w.parse().ok())
    }

    fn layer(&self, word: Option<&str>) -> Result<TraceLayer, ReadError> {
        self.parsed("layer (AGT, RTR, IFQ, LL, MAC or PHY)", word, TraceLayer::named)
    }

    fn bytes(&self, word: Option<&str>) -> Result<u32, ReadError> {
        self.parsed("number of bytes", word, |w| w.parse().ok())
    }

    fn uid(&self, word: Option<&str>) -> Result<u64, ReadError> {
        self.parsed("packet number", word, |w| w.parse().ok())
    }

    fn hex(&self, word: Option<&str>) -> Result<u32, ReadError> {
        self.parsed("hexadecimal number of the MAC header", word, |w| u32::from_str_radix(w, 16).ok())
    }

    /// `node:port` or `node.port`.
    fn end(&self, word: Option<&str>, separator: char) -> Result<TraceEnd, ReadError> {
        self.parsed("address (node and port)", word, |w| {
            let (node, port) = w.split_once(separator)?;
            Some(TraceEnd { node: node.parse().ok()?, port: port.parse().ok()? })
        })
    }

    fn whole(&self, what: &str, word: Option<&str>) -> Result<i64, ReadError> {
        self.parsed(what, word, |w| w.parse().ok())
    }

    fn ttl(&self, word: Option<&str>) -> Result<i32, ReadError> {
        self.parsed("hop limit", word, |w| w.parse().ok())
    }
}

/// ns-2 writes three dashes if there is no reason.
fn reason(word: Option<&str>) -> Option<&str> {
    word.filter(|w| *w != "---")
}

#[cfg(test)]
mod tests;
