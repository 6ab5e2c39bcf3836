//! Freezes senders while a route is broken, using only acknowledgments, which any kernel understands.
//!
//! When a link on the route of a connection breaks, the simulated network sends the sender an
//! acknowledgment in the peer's name that closes the window (Freeze-TCP: Goff, Moronski, Phatak and Gupta
//! 2000). Data that the sender's kernel still sends is withheld from the network. Every [`PROBE_EVERY`] the
//! oldest unacknowledged segment is sent as a probe, as ELFN's sender does (Holland and Vaidya 1999), unless
//! routing still holds one that waits for a route. The first packet from the peer that gets through reopens
//! the window and ends the freeze.

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
    frozen: Option<Frozen>,
}

/// A freeze in progress.
#[derive(Copy, Clone, Debug)]
struct Frozen {
    since: SimTime,
    next_probe: SimTime,
    /// When the sender's node noticed that it had lost its route to the peer, and when it had one again.
    route_lost: Option<SimTime>,
    route_back: Option<SimTime>,
}

/// A freeze that has ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Freeze {
    /// When the window was closed.
    pub since: SimTime,
    /// When the peer's first packet reopened it.
    pub until: SimTime,
    /// When the sender's node lost its route to the peer; `None` if its routing protocol did not notice the
    /// break.
    pub route_lost: Option<SimTime>,
    /// When it last had one again.
    pub route_back: Option<SimTime>,
}

/// Senders that can be frozen.
#[derive(Debug, Default)]
pub(crate) struct Freezer {
    senders: BTreeMap<Sender, Memory>,
}

/// True if a packet from a sender may enter the network.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Admission {
    /// It enters the network.
    Pass,
    /// It is withheld because the sender is frozen.
    Withheld,
}

impl Freezer {
    /// `sender` sends a TCP packet at `place` in its sequence space, of which `acked` is acknowledged.
    pub fn sends(
        &mut self,
        sender: Sender,
        (place, acked): (u64, u64),
        tcp: &Tcp,
        bytes: &Arc<[u8]>,
    ) -> Admission {
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
        if memory.frozen.is_some() && tcp.payload > 0 { Admission::Withheld } else { Admission::Pass }
    }

    /// A packet from the peer arrives at `sender`, whose sequence space is acknowledged up to `acked`.
    /// Returns the freeze that it ends, if any.
    pub fn hears(&mut self, sender: Sender, acked: u64, now: SimTime, tcp: &Tcp) -> Option<Freeze> {
        let memory = self.senders.entry(sender).or_default();
        let next = Seq32(tcp.seq.0.wrapping_add(tcp.length()));
        memory.peer = Some((next, tcp.ack, tcp.timestamps.map(|t| t.0)));
        memory.forget(acked);
        let Frozen { since, route_lost, route_back, .. } = memory.frozen.take()?;
        Some(Freeze { since, until: now, route_lost, route_back })
    }

    /// The frozen senders.
    pub fn frozen(&self) -> impl Iterator<Item = Sender> {
        self.senders.iter().filter(|(_, memory)| memory.frozen.is_some()).map(|(sender, _)| *sender)
    }

    /// True if the node of a frozen sender has a route to the peer now.
    pub fn note_route(&mut self, sender: Sender, now: SimTime, has_route: bool) {
        let Some(frozen) = self.senders.get_mut(&sender).and_then(|memory| memory.frozen.as_mut()) else {
            return;
        };
        let lacks = frozen.route_lost.is_some() && frozen.route_back.is_none();
        if !has_route && !lacks {
            frozen.route_lost.get_or_insert(now);
            frozen.route_back = None;
        } else if has_route && lacks {
            frozen.route_back = Some(now);
            // No need to wait for the next round.
            frozen.next_probe = now;
        }
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
        let next_probe = now + PROBE_EVERY;
        memory.frozen = Some(Frozen { since: now, next_probe, route_lost: None, route_back: None });
        let timestamps = timestamp.map(|value| (value, memory.timestamp));
        Some(zero_window(&ZeroWindow { src, dst, src_port, dst_port, seq, ack, timestamps }))
    }

    /// The probes that are due: sender and segment.
    pub fn due(&mut self, now: SimTime) -> Vec<(Sender, Arc<[u8]>)> {
        let mut probes = Vec::new();
        for (sender, memory) in &mut self.senders {
            if let Some(frozen) = &mut memory.frozen
                && frozen.next_probe <= now
            {
                frozen.next_probe = now + PROBE_EVERY;
                probes.extend(memory.segments.front().map(|(_, bytes)| (*sender, Arc::clone(bytes))));
            }
        }
        probes
    }

    /// When the next probe is due.
    pub fn next_due(&self) -> SimTime {
        let due = self.senders.values().filter_map(|memory| memory.frozen.map(|frozen| frozen.next_probe));
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
            window: 0,
            scale: None,
            sacks: [None; 4],
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
            assert_eq!(freezer.sends(SENDER, (seq.into(), 1), &tcp, &bytes), Admission::Pass);
        }
        let ack = freezer.freeze(SENDER, at(100), ENDS).expect("an acknowledgment");
        let tcp = view(&ack).expect("a packet").tcp.expect("a segment");
        assert_eq!((tcp.seq, tcp.ack), (Seq32(5000), Seq32(1000)));
        assert!(freezer.freeze(SENDER, at(110), ENDS).is_none(), "once is enough");
        let (tcp, bytes) = segment(1, 500);
        assert_eq!(freezer.sends(SENDER, (1, 1), &tcp, &bytes), Admission::Withheld);
        assert!(freezer.due(at(250)).is_empty());
        assert_eq!(freezer.next_due(), at(300));
        let probes = freezer.due(at(300));
        assert_eq!((probes.len(), &probes[0].1[..]), (1, &1_u32.to_be_bytes()[..]));
        assert_eq!(freezer.next_due(), at(500));
        let lasted = freezer.hears(SENDER, 501, at(700), &segment(5000, 0).0);
        let ended = Freeze { since: at(100), until: at(700), route_lost: None, route_back: None };
        assert_eq!(lasted, Some(ended));
        assert_eq!(freezer.sends(SENDER, (1001, 501), &segment(1001, 500).0, &bytes), Admission::Pass);
        assert_eq!(freezer.next_due(), SimTime::NEVER);
    }

    /// The sender's node loses its route at 150 ms and finds one at 420 ms: both are recorded, and the probe
    /// of 500 ms is due at once.
    #[test]
    fn a_route_that_is_back_is_probed_at_once() {
        let mut freezer = Freezer::default();
        freezer.hears(SENDER, 1, at(10), &segment(5000, 0).0);
        let (tcp, bytes) = segment(1, 500);
        freezer.sends(SENDER, (1, 1), &tcp, &bytes);
        freezer.freeze(SENDER, at(100), ENDS).expect("an acknowledgment");
        assert_eq!(freezer.frozen().collect::<Vec<_>>(), [SENDER]);
        for (millis, route) in [(110, true), (150, false), (160, false)] {
            freezer.note_route(SENDER, at(millis), route);
        }
        assert_eq!(freezer.due(at(300)).len(), 1);
        assert_eq!(freezer.next_due(), at(500));
        freezer.note_route(SENDER, at(420), true);
        freezer.note_route(SENDER, at(425), true);
        assert_eq!(freezer.due(at(430)).len(), 1);
        let ended = freezer.hears(SENDER, 501, at(440), &segment(5000, 0).0).expect("it ends");
        assert_eq!((ended.route_lost, ended.route_back), (Some(at(150)), Some(at(420))));
        assert_eq!(freezer.frozen().count(), 0);
    }
}
