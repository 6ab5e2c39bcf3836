//! Network-wide counters of collisions and drops, by frame content.

use super::fact::{Fact, GaveUp, View};
use tworay_mac::FrameKind;
use tworay_routing::{RoutingCounters, RoutingNote};
use tworay_wire::{Body, Packet};

/// Frames by content: the columns of Papanastasiou 2006, §5.4, and the rest.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ByFrame {
    /// RTS frames.
    pub rts: u64,
    /// CTS frames.
    pub cts: u64,
    /// Data frames with TCP data (or UDP payload).
    pub data: u64,
    /// Data frames with a pure TCP acknowledgment.
    pub ack: u64,
    /// 802.11 ACK frames.
    pub mac_ack: u64,
    /// Data frames with routing messages.
    pub routing: u64,
    /// Data frames with ARP.
    pub arp: u64,
}

impl ByFrame {
    /// Counts a frame; `packet` is the content of a data frame.
    pub fn add(&mut self, kind: FrameKind, packet: Option<&Packet>) {
        match kind {
            FrameKind::Rts => self.rts += 1,
            FrameKind::Cts => self.cts += 1,
            FrameKind::Ack => self.mac_ack += 1,
            FrameKind::Data => {
                if let Some(p) = packet {
                    self.add_packet(p);
                }
            }
        }
    }

    fn add_packet(&mut self, p: &Packet) {
        match &p.body {
            Body::Tcp(s) if s.seq_len() == 0 => self.ack += 1,
            Body::Datagram(real) | Body::Frame(real) if real.pure_ack => self.ack += 1,
            Body::Tcp(_) | Body::Udp(_) | Body::Datagram(_) | Body::Frame(_) => self.data += 1,
            Body::Arp(_) => self.arp += 1,
            _ => self.routing += 1,
        }
    }

    /// Counts a packet given up: once by its content, and also under RTS if the RTS was not answered
    /// (ns-2's RET counts both).
    pub fn add_give_up(&mut self, rts: bool, p: &Packet) {
        if rts {
            self.rts += 1;
        }
        self.add_packet(p);
    }
}

/// Counters over all nodes.
#[derive(Clone, Debug, Default)]
pub struct NetworkCounters {
    /// Frames lost to overlap at a station they were addressed to.
    pub collisions: ByFrame,
    /// Broadcast frames among these, counted at each station.
    pub broadcast_collisions: u64,
    /// Frames lost to random errors at a station they were addressed to.
    pub corrupted: ByFrame,
    /// Packets (and RTSs) given up after the last attempt.
    pub give_ups: ByFrame,
    /// Packets rejected by interface queues and wires.
    pub queue_drops: u64,
    /// Packets replaced in ARP's hold slot.
    pub arp_drops: u64,
    /// Packets returned by the MAC or ARP.
    pub link_failures: u64,
    /// Those among them whose neighbour was up and in range.
    pub false_link_failures: u64,
    /// Routes found or changed.
    pub route_changes: u64,
    /// Notices of broken links at nodes that send no TCP data to that destination.
    pub stray_notices: u64,
    /// Counts of routers at the time when their nodes were switched off.
    pub stopped_routers: RoutingCounters,
}

impl NetworkCounters {
    /// Counts a fact.
    #[inline(always)]
    pub fn observe(&mut self, fact: Fact<'_>, view: View<'_>) {
        match fact {
            Fact::Collided { frame, .. } => {
                self.collisions.add(frame.kind, frame.packet.map(|p| view.packets.get(p)));
                self.broadcast_collisions += u64::from(frame.to.is_broadcast());
            }
            Fact::Corrupted { frame, .. } => {
                self.corrupted.add(frame.kind, frame.packet.map(|p| view.packets.get(p)));
            }
            Fact::GaveUp { packet, why, .. } => {
                let rts = matches!(why, GaveUp::Retries(FrameKind::Rts) | GaveUp::Gone(FrameKind::Rts));
                self.give_ups.add_give_up(rts, view.packets.get(packet));
            }
            Fact::Refused => self.queue_drops += 1,
            Fact::HoldReplaced => self.arp_drops += 1,
            Fact::LinkFailed { in_reach, .. } => {
                self.link_failures += 1;
                self.false_link_failures += u64::from(in_reach);
            }
            Fact::Noted {
                note: RoutingNote::RouteChanged { .. } | RoutingNote::RouteFound { .. }, ..
            } => {
                self.route_changes += 1;
            }
            Fact::StrayNotice => self.stray_notices += 1,
            Fact::RouterStopped { counters } => self.stopped_routers.add(counters),
            _ => {}
        }
    }
}
