//! Packets that the next hop's station takes for ones that it has had.

use crate::network::packets::UNTRACKED;
use crate::observe::fact::View;
use crate::observe::loss::ledger::Death;
use crate::observe::observers::Observers;
use tworay_base::{Died, LossCause, NodeId, PacketId};
use tworay_mac::FrameKind;

impl Observers {
    /// The MAC of `node` has sent a packet after failed attempts. If the next hop has no copy, its station has discarded it, because the
    /// last frame that it had from here has the same number. It would have taken the first attempt, which was not marked as repeated: what
    /// has destroyed the attempts before has cost the packet.
    pub(super) fn note_repetition(&mut self, node: NodeId, packet: PacketId, view: View<'_>) {
        let p = view.packets.get(packet);
        if p.uid >= UNTRACKED || !self.ledger.is_only_copy(p.uid) {
            return;
        }
        let attempts = self.roots.exchanges.of(node);
        let to = attempts.current().1;
        let root = attempts.root_of(view.now, (node, to), FrameKind::Data);
        let cause = root.cause.unwrap_or(LossCause::Unknown);
        let (died, at, from, hops) = (Died::Repetition, view.now, p.src, p.hops);
        let death = Death { root, cause, died, node: to, at, from, hops, slowed_by: None };
        self.ledger.dies_when_handed_on(p.uid, death);
    }
}
