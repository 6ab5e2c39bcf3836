//! Trace of the wires, if time series are recorded.

use super::fact::{View, WireEvent};
use tworay_base::{NodeId, PacketId, SimTime};
use tworay_wire::{Body, Packet, TcpFlags};

/// One line of the trace.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct WireRecord {
    /// Time of the event.
    pub at: SimTime,
    /// Sending end.
    pub from: NodeId,
    /// Receiving end.
    pub to: NodeId,
    /// The event.
    pub event: WireEvent,
    /// Flow of the packet.
    pub flow: u16,
    /// `data`, `ack` or `udp`.
    pub kind: &'static str,
    /// Sequence number; for an ACK the acknowledgment number, for a datagram its count.
    pub seq: u32,
    /// IP length, bytes.
    pub bytes: u32,
}

impl WireRecord {
    /// An event of a packet on the wire between `ends`, from the first to the second.
    pub fn new((from, to): (NodeId, NodeId), event: WireEvent, packet: PacketId, view: View<'_>) -> Self {
        let p = view.packets.get(packet);
        let (kind, seq) = describe(p);
        Self { at: view.now, from, to, event, flow: p.flow.0, kind, seq, bytes: p.ip_bytes }
    }
}

fn describe(p: &Packet) -> (&'static str, u32) {
    match &p.body {
        Body::Tcp(s) if s.seq_len() == 0 => ("ack", s.ack.0),
        Body::Tcp(s) if s.flags.has(TcpFlags::SYN) && s.flags.has(TcpFlags::ACK) => ("ack", s.ack.0),
        Body::Tcp(s) => ("data", s.seq.0),
        Body::Udp(d) => ("udp", d.number as u32),
        _ => ("other", 0),
    }
}

#[cfg(test)]
mod tests;
