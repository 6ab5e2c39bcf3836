//! Address resolution with a hold of one packet per neighbour (RFC 826, ns-2's `ARPTable`).

use tworay_base::{NodeId, PacketId};
pub use tworay_wire::ArpBody;

/// What resolving an address leads to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ArpAction {
    /// The address is known: send at once.
    Send(PacketId),
    /// The packet waits; a request for the address goes out. A packet that waited before it is pushed out.
    Request {
        /// The packet that lost its place.
        pushed_out: Option<PacketId>,
    },
    /// Three requests went unanswered: the packet and the one that waited come back undelivered.
    Unreachable {
        /// The packet that waited.
        held: Option<PacketId>,
    },
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    known: bool,
    requests: u8,
    held: Option<PacketId>,
}

/// One station's table.
#[derive(Clone, Debug, Default)]
pub struct ArpTable {
    entries: Vec<Entry>,
}

/// Requests for an address before its packets come back undelivered.
const MAX_REQUESTS: u8 = 3;

impl ArpTable {
    fn entry(&mut self, node: NodeId) -> &mut Entry {
        let i = node.index();
        if i >= self.entries.len() {
            self.entries.resize(i + 1, Entry::default());
        }
        &mut self.entries[i]
    }

    /// Wants to send `packet` to `node`.
    pub fn resolve(&mut self, node: NodeId, packet: PacketId) -> ArpAction {
        let e = self.entry(node);
        if e.known {
            return ArpAction::Send(packet);
        }
        if e.requests >= MAX_REQUESTS {
            e.requests = 0;
            return ArpAction::Unreachable { held: e.held.take() };
        }
        e.requests += 1;
        ArpAction::Request { pushed_out: e.held.replace(packet) }
    }

    /// The address of `node` was learnt; gives back the packet that waited for it.
    pub fn learn(&mut self, node: NodeId) -> Option<PacketId> {
        let e = self.entry(node);
        e.known = true;
        e.held.take()
    }

    /// The packets that wait.
    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        self.entries.iter().filter_map(|e| e.held)
    }
}

#[cfg(test)]
mod tests;
