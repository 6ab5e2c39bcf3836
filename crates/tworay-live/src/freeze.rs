//! Freezes senders while a route is broken, using only acknowledgments, which any kernel understands.
//!
//! When a link on the route of a connection breaks, the simulated network sends the sender an
//! acknowledgment in the peer's name that closes the window (Freeze-TCP: Goff, Moronski, Phatak and Gupta
//! 2000). Data that the sender's kernel still sends is withheld from the network. Every [`PROBE_EVERY`] the
//! oldest unacknowledged segment is sent as a probe, as ELFN's sender does (Holland and Vaidya 1999). The
//! first packet from the peer that gets through reopens the window and ends the freeze.

use crate::packet::{Tcp, ZeroWindow, zero_window};
use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use tworay_base::{Seq32, SimDuration, SimTime};

/// Interval between probes of a broken route.
const PROBE_EVERY: SimDuration = SimDuration::from_millis(200);
/// Most unacknowledged segments stored per sender.
const MOST_KEPT: usize = 1024;

/// A sender: index of its connection, and its end.
pub(crate) type Sender = (usize, usize);

/// State of a sender that is needed when its route breaks.
#[derive(Debug, Default)]
struct Memory {
    /// Unacknowledged segments with payload by place, oldest first.
    segments: VecDeque<(u64, Arc<[u8]>)>,
    /// Latest timestamp of the sender.
    timestamp: u32,
    /// Latest packet of the peer: next number, acknowledgment, timestamp.
    peer: Option<(Seq32, Seq32, Option<u32>)>,
    /// When the freeze started, and when the next probe is due.
    frozen: Option<(SimTime, SimTime)>,
}

/// Senders that can be frozen.
#[derive(Debug, Default)]
pub(crate) struct Freezer {
    senders: BTreeMap<Sender, Memory>,
}

/// Decision about a packet from a sender.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It enters the network.
    Pass,
    /// It is withheld because the sender is frozen.
    Kept,
}

impl Freezer {
    /// `sender` sends a TCP packet at `place` in its sequence space, of which `acked` is acknowledged.
    pub fn sends(
        &mut self,
        sender: Sender,
        (place, acked): (u64, u64),
        tcp: &Tcp,
        bytes: &Arc<[u8]>,
    ) -> Fate {
        let memory = self.senders.entry(sender).or_default();
        if let Some((value, _)) = tcp.timestamps {
            memory.timestamp = value;
        }
        memory.forget(acked);
        if tcp.payload > 0 {
            let after = memory.segments.partition_point(|(at, _)| *at < place);
            let room = memory.segments.len() < MOST_KEPT;
            match memory.segments.get_mut(after) {
                Some((at, known)) if *at == place => *known = Arc::clone(bytes),
                _ if room => {
                    memory.segments.insert(after, (place, Arc::clone(bytes)));
                }
                _ => {}
            }
        }
        // Acknowledgments of the peer's data, resets and FINs are passed: they do not reopen the window.
        if memory.frozen.is_some() && tcp.payload > 0 { Fate::Kept } else { Fate::Pass }
    }

    /// A packet from the peer arrives at `sender`, whose sequence space is acknowledged up to `acked`.
    /// Returns the duration of the freeze that it ends, if any.
    pub fn hears(&mut self, sender: Sender, acked: u64, now: SimTime, tcp: &Tcp) -> Option<SimDuration> {
        let memory = self.senders.entry(sender).or_default();
        let next = Seq32(tcp.seq.0.wrapping_add(tcp.length()));
        memory.peer = Some((next, tcp.ack, tcp.timestamps.map(|t| t.0)));
        memory.forget(acked);
        memory.frozen.take().map(|(since, _)| now.since(since))
    }

    /// The route of `sender` is broken. Returns the acknowledgment to send to it, unless it is already
    /// frozen or no packet from the peer has been seen.
    pub fn freeze(&mut self, sender: Sender, now: SimTime, ends: [(IpAddr, u16); 2]) -> Option<Vec<u8>> {
        let memory = self.senders.get_mut(&sender)?;
        let (seq, ack, timestamp) = memory.peer?;
        let [(IpAddr::V4(dst), dst_port), (IpAddr::V4(src), src_port)] = ends else { return None };
        if memory.frozen.is_some() {
            return None;
        }
        memory.frozen = Some((now, now + PROBE_EVERY));
        let timestamps = timestamp.map(|value| (value, memory.timestamp));
        Some(zero_window(&ZeroWindow { src, dst, src_port, dst_port, seq, ack, timestamps }))
    }

    /// The probes that are due: sender and segment.
    pub fn due(&mut self, now: SimTime) -> Vec<(Sender, Arc<[u8]>)> {
        let mut probes = Vec::new();
        for (sender, memory) in &mut self.senders {
            if let Some((_, next)) = &mut memory.frozen
                && *next <= now
            {
                *next = now + PROBE_EVERY;
                probes.extend(memory.segments.front().map(|(_, bytes)| (*sender, Arc::clone(bytes))));
            }
        }
        probes
    }

    /// When the next probe is due.
    pub fn next_due(&self) -> SimTime {
        let due = self.senders.values().filter_map(|memory| memory.frozen.map(|(_, next)| next));
        due.min().unwrap_or(SimTime::NEVER)
    }
}

impl Memory {
    fn forget(&mut self, acked: u64) {
        while self.segments.front().is_some_and(|(at, _)| *at < acked) {
            self.segments.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::view;

    const SENDER: Sender = (0, 0);
    const ENDS: [(IpAddr, u16); 2] = [
        (IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 0)), 4000),
        (IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 4)), 80),
    ];

    fn segment(seq: u32, payload: u32) -> (Tcp, Arc<[u8]>) {
        let blank = Tcp {
            seq: Seq32(seq),
            ack: Seq32(1000),
            syn: false,
            fin: false,
            rst: false,
            has_ack: true,
            payload,
            timestamps: None,
        };
        (blank, Arc::from(seq.to_be_bytes().as_slice()))
    }

    fn at(millis: u64) -> SimTime {
        SimTime::ZERO + SimDuration::from_millis(millis)
    }

    /// Break at 100 ms: one acknowledgment closes the window; data is withheld; the oldest segment is sent
    /// as a probe every 200 ms; the first answer ends the freeze.
    #[test]
    fn a_break_freezes_probes_and_thaws() {
        let mut freezer = Freezer::default();
        assert!(freezer.freeze(SENDER, at(0), ENDS).is_none(), "nothing is known of the sender");
        freezer.hears(SENDER, 1, at(10), &segment(5000, 0).0);
        for seq in [1, 501] {
            let (tcp, bytes) = segment(seq, 500);
            assert_eq!(freezer.sends(SENDER, (seq.into(), 1), &tcp, &bytes), Fate::Pass);
        }
        let ack = freezer.freeze(SENDER, at(100), ENDS).expect("an acknowledgment");
        let tcp = view(&ack).expect("a packet").tcp.expect("a segment");
        assert_eq!((tcp.seq, tcp.ack), (Seq32(5000), Seq32(1000)));
        assert!(freezer.freeze(SENDER, at(110), ENDS).is_none(), "once is enough");
        let (tcp, bytes) = segment(1, 500);
        assert_eq!(freezer.sends(SENDER, (1, 1), &tcp, &bytes), Fate::Kept);
        assert!(freezer.due(at(250)).is_empty());
        assert_eq!(freezer.next_due(), at(300));
        let probes = freezer.due(at(300));
        assert_eq!((probes.len(), &probes[0].1[..]), (1, &1_u32.to_be_bytes()[..]));
        assert_eq!(freezer.next_due(), at(500));
        let lasted = freezer.hears(SENDER, 501, at(700), &segment(5000, 0).0);
        assert_eq!(lasted, Some(SimDuration::from_millis(600)));
        assert_eq!(freezer.sends(SENDER, (1001, 501), &segment(1001, 500).0, &bytes), Fate::Pass);
        assert_eq!(freezer.next_due(), SimTime::NEVER);
    }
}
