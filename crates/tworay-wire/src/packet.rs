//! A network-layer packet as the simulation carries it.

use crate::aodv::AodvMessage;
use crate::dsr::DsrHeader;
use crate::olsr::OlsrPacket;
use crate::real::RealPacket;
use crate::tcp::TcpSegment;
use tworay_base::{FlowId, NodeId};

/// An IPv4 packet: addresses, hop limit, size and a typed body. Payload bytes are counted, not stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet {
    /// Unique in a run, in order of creation; the ledger's key.
    pub uid: u64,
    /// Originating node.
    pub src: NodeId,
    /// Final destination, or [`NodeId::BROADCAST`].
    pub dst: NodeId,
    /// Hop limit left.
    pub ttl: u8,
    /// Hops travelled so far.
    pub hops: u8,
    /// Total length of the IP packet in bytes, headers included.
    pub ip_bytes: u32,
    /// The flow it belongs to, or [`FlowId::NONE`].
    pub flow: FlowId,
    /// DSR's options header between IP and the body, its bytes counted in `ip_bytes`.
    pub dsr: Option<Box<DsrHeader>>,
    /// What it carries.
    pub body: Body,
}

/// What a packet carries above IP.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A TCP segment.
    Tcp(TcpSegment),
    /// A UDP datagram of an application.
    Udp(UdpDatagram),
    /// An AODV message (UDP port 654).
    Aodv(Box<AodvMessage>),
    /// Nothing ("no next header", 59): a packet that consists of its DSR options alone.
    Dsr,
    /// An OLSR packet with its messages (UDP port 698).
    Olsr(Box<OlsrPacket>),
    /// An ARP request or reply (not an IP packet; 28 bytes).
    Arp(ArpBody),
    /// An IPv4 packet of a real station, whole: its own header's addresses are those of the ends.
    Datagram(RealPacket),
    /// An Ethernet frame of a real station, whole. It travels one hop.
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
    /// The application's own count, from 0.
    pub number: u64,
}

impl Packet {
    /// Whether this is a routing protocol's own message (queued before data).
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
    /// Request, otherwise reply.
    pub request: bool,
    /// Who sends it.
    pub sender: NodeId,
    /// Whose address is asked for, or who asked.
    pub target: NodeId,
}
