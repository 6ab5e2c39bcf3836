//! A network-layer packet in the simulation.

use crate::aodv::AodvMessage;
use crate::dsr::DsrHeader;
use crate::olsr::OlsrPacket;
use crate::real::RealPacket;
use crate::tcp::TcpSegment;
use tworay_base::{FlowId, NodeId};

/// An IPv4 packet: addresses, hop limit, size and a typed body. Payload bytes are counted, not stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet {
    /// Unique in a run, in order of creation; the key of the ledger.
    pub uid: u64,
    /// Originating node.
    pub src: NodeId,
    /// Destination, or [`NodeId::BROADCAST`].
    pub dst: NodeId,
    /// Remaining hop limit.
    pub ttl: u8,
    /// Hops travelled so far.
    pub hops: u8,
    /// Total length of the IP packet in bytes, headers included.
    pub ip_bytes: u32,
    /// The flow it belongs to, or [`FlowId::NONE`].
    pub flow: FlowId,
    /// DSR's options header between IP and the body; `ip_bytes` includes it.
    pub dsr: Option<Box<DsrHeader>>,
    /// Contents above IP.
    pub body: Body,
}

/// Contents of a packet above IP.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A TCP segment.
    Tcp(TcpSegment),
    /// A UDP datagram of an application.
    Udp(UdpDatagram),
    /// An AODV message (UDP port 654).
    Aodv(Box<AodvMessage>),
    /// Nothing ("no next header", 59): the packet consists of its DSR options.
    Dsr,
    /// An OLSR packet with its messages (UDP port 698).
    Olsr(Box<OlsrPacket>),
    /// An ARP request or reply (not an IP packet; 28 bytes).
    Arp(ArpBody),
    /// A complete IPv4 packet of a real station; its addresses are those of the ends.
    Datagram(RealPacket),
    /// A complete Ethernet frame of a real station. It travels one hop.
    Frame(RealPacket),
}

/// A UDP datagram of an application.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct UdpDatagram {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Payload bytes.
    pub payload: u32,
    /// The application's packet number, from 0.
    pub number: u64,
}

impl Packet {
    /// True if this is a routing protocol's message (queued before data).
    #[inline]
    pub fn is_routing(&self) -> bool {
        matches!(self.body, Body::Aodv(_) | Body::Dsr | Body::Olsr(_))
    }

    /// The TCP segment inside, if there is one.
    #[inline]
    pub fn tcp(&self) -> Option<&TcpSegment> {
        match &self.body {
            Body::Tcp(s) => Some(s),
            _ => None,
        }
    }
}

/// An ARP request or reply (RFC 826); node ids stand for both kinds of address.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ArpBody {
    /// True if this is a request; otherwise a reply.
    pub request: bool,
    /// Sender.
    pub sender: NodeId,
    /// The node whose address is requested; in a reply, the node that requested it.
    pub target: NodeId,
}
