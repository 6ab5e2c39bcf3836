//! Searches for routes as the medium shows them: requests, and the packets that were sent meanwhile.

use super::medium::Segment;
use std::collections::BTreeMap;
use tworay_mac::FrameKind;
use tworay_sim::{Content, Emission};

/// A search that takes longer is late: without a lost message, a request and its answer cross a few hops within
/// milliseconds, and AODV's first rings follow each other within 0.6 s (RFC 3561 §10: 2 × 40 ms × 7 hops).
const LATE: f64 = 1.0;

/// The requests of all stations, and when they sent packets.
#[derive(Debug, Default)]
pub struct Searches {
    /// Searching station and destination: times of its own requests, seconds.
    requests: BTreeMap<(usize, usize), Vec<f64>>,
    /// Station and final destination: times of its frames with or for such segments, seconds.
    sent: BTreeMap<(usize, usize), Vec<f64>>,
    /// By station: data frames with segments that it sent, or that were sent to it and meant for it: times in seconds,
    /// and uids.
    carried: BTreeMap<usize, Vec<(f64, u64)>>,
}

impl Searches {
    pub fn new(log: &[Emission], segments: &BTreeMap<u64, Segment>) -> Self {
        let mut found = Self::default();
        for e in log {
            let (at, from) = (e.at.as_secs_f64(), e.from.index());
            match e.content {
                Content::Request { searcher, target } if searcher == e.from => {
                    found.requests.entry((from, target.index())).or_default().push(at);
                }
                Content::Segment(uid) => {
                    let Some(segment) = segments.get(&uid) else { continue };
                    found.sent.entry((from, segment.to)).or_default().push(at);
                    if e.kind == FrameKind::Data {
                        found.carried.entry(from).or_default().push((at, uid));
                        if e.to.index() == segment.to {
                            found.carried.entry(segment.to).or_default().push((at, uid));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// When a station first sent a segment.
    pub fn first_sent(&self, station: usize) -> Option<f64> {
        self.carried.get(&station).and_then(|frames| frames.first()).map(|(at, _)| *at)
    }

    fn requests(&self, search: (usize, usize), from: f64, until: f64) -> &[f64] {
        let times = self.requests.get(&search).map_or(&[][..], Vec::as_slice);
        &times[times.partition_point(|t| *t < from)..times.partition_point(|t| *t <= until)]
    }

    fn sent(&self, search: (usize, usize), from: f64, until: f64) -> bool {
        let times = self.sent.get(&search).map_or(&[][..], Vec::as_slice);
        times.partition_point(|t| *t <= from) < times.partition_point(|t| *t < until)
    }

    /// True if the station asked for a route at all.
    pub fn asked(&self, search: (usize, usize), from: f64, until: f64) -> bool {
        !self.requests(search, from, until).is_empty()
    }

    /// The latest request in a window of time to which the station has not sent a packet for that destination since.
    pub fn unanswered(&self, search: (usize, usize), from: f64, until: f64) -> Option<f64> {
        let latest = self.requests(search, from, until).last().copied()?;
        (!self.sent(search, latest, until)).then_some(latest)
    }

    /// True if a search in a window of time was late: a packet waited for it, and for longer than a search takes after a
    /// request, the station sent nothing to that destination.
    pub fn late(&self, search: (usize, usize), from: f64, until: f64) -> bool {
        let mut times = self.requests(search, from, until - LATE).iter();
        times.any(|asked| !self.sent(search, *asked, asked + LATE))
    }

    /// True if a station has neither sent nor taken in any segment but this one for a time.
    pub fn idle(&self, station: usize, uid: u64, from: f64, until: f64) -> bool {
        let frames = self.carried.get(&station).map_or(&[][..], Vec::as_slice);
        !frames.iter().any(|(at, other)| *other != uid && *at > from && *at < until)
    }
}
