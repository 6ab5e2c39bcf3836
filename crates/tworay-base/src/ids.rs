//! Integer identifiers of nodes, flows and packets.

use std::fmt;

/// A node's index in its scenario, `0..=65_534`; [`NodeId::BROADCAST`] addresses every neighbour.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u16);

impl NodeId {
    /// The broadcast address: every station in range.
    pub const BROADCAST: NodeId = NodeId(u16::MAX);

    /// The index for table look-ups.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// True if this is the broadcast address.
    #[inline]
    pub fn is_broadcast(self) -> bool {
        self == Self::BROADCAST
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_broadcast() { f.write_str("*") } else { write!(f, "{}", self.0) }
    }
}

/// A flow's index in its scenario; [`FlowId::NONE`] marks packets of no flow (routing, ARP).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowId(pub u16);

impl FlowId {
    /// Marks a packet that belongs to no flow.
    pub const NONE: FlowId = FlowId(u16::MAX);

    /// The index for table look-ups.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for FlowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A handle to a packet in the simulation's slab. Valid until the packet is delivered or dropped.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PacketId(pub u32);

impl PacketId {
    /// The index for table look-ups.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
