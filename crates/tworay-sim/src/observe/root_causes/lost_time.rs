//! Time that a MAC has lost: whose queues suffer, and which packets it holds up.
//!
//! Where relays are within reach of a station's signals, a packet of its queue takes the medium once for each of them. So what noise
//! costs a relay is lost for the queues before it, too, and what relays have sent while an attempt failed was not lost.

use super::RootCauses;
use crate::network::packets::is_message;
use crate::observe::fact::View;
use crate::observe::loss::exchanges::Lost;
use crate::observe::loss::root_cause::{Noise, RootCause};
use crate::observe::loss::scene::{Scene, World};
use crate::observe::loss::service::{Sharing, book};
use smallvec::SmallVec;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::Body;

/// Time for which the stations of a path are taken as known.
const KNOWN: SimDuration = SimDuration::from_secs(1);

impl RootCauses {
    /// The MAC of `node` has lost time because of `root`: packets that would not wait in its queue otherwise are held
    /// up by this, and go on together. TCP's would wait behind a link that is a little faster as well.
    #[cold]
    pub(super) fn hold_back(&mut self, node: NodeId, root: RootCause, world: &World<'_>) {
        let time = self.services[node.index()].take_held();
        let (service, queued) = (&self.services[node.index()], world.queued(node));
        if !service.would_be_short(queued) {
            return;
        }
        // Behind a backlog that an outage has left, they wait for that rather than for noise that costs a little more time.
        let root = RootCause::strongest([Some(root), service.main_reason(None)]).unwrap_or(root);
        let waiting = world.waiting(node);
        let is_tcp = |id: &&PacketId| matches!(world.packets.get(**id).body, Body::Tcp(_));
        let of_tcp = || root.is_noise() && 2 * waiting.iter().filter(is_tcp).count() >= waiting.len();
        if !service.would_be_short_of_tcp(queued) && of_tcp() {
            return;
        }
        let root = root.strikes(world.now);
        // The packet that the MAC sends has been held up, too.
        let since = world.now.earlier_by(time) + service.would_take(world.now);
        let noise = Noise { together: waiting.len() as u32 + 1, time, since: Some(since) };
        for packet in waiting {
            self.held_ups.delay_with(packet, root, noise);
        }
    }

    /// A packet was held up before, or waits behind others (`behind`) only because the MAC of `node` has lost time. After an
    /// outage it goes on with them, as fast as the MAC sends; errors here and there delay a packet by less than load does. A MAC that has been
    /// busy since noise held up the packet sends as much as it would have sent without that, so that later queues don't suffer.
    #[cold]
    #[inline(never)]
    pub(super) fn offered_late(&mut self, node: NodeId, packet: PacketId, behind: bool, view: View<'_>) {
        let service = &mut self.services[node.index()];
        if let Some(root) = self.held_ups.independent_root(packet) {
            let noise = self.held_ups.noise(packet);
            let early = service.offered_late(view.now, (view.packets.get(packet), root), noise);
            if noise.is_some() {
                self.held_ups.pass_on(packet, early);
            }
        }
        if behind && let Some(root) = service.main_reason(None).filter(RootCause::is_physical) {
            self.held_ups.delay(packet, root.strikes(view.now));
        }
    }

    /// The MAC of `node` has sent a packet after failed attempts.
    pub(super) fn served_late(&mut self, node: NodeId, packet: PacketId, world: &mut World<'_>) {
        let attempts = self.exchanges.of(node);
        let root = attempts.delay(world.now, node);
        let service = &mut self.services[node.index()];
        service.retried(attempts, root);
        if let Some(root) = root {
            service.queues(world.airtime_of_next(node));
            let (lost, end) = (attempts.lost(), attempts.current().0);
            self.lose_with((node, packet), (lost, root), end, world);
            self.hold_back(node, root, world);
        }
    }

    /// The MAC of `node`, which paces, has sent a packet, and pauses or not.
    #[cold]
    pub(super) fn paces(&mut self, (node, packet): (NodeId, PacketId), pauses: bool, world: &mut World<'_>) {
        self.done_by_pacing(node, packet, world);
        if pauses && let Some(pacing) = self.pacings.get_mut(node.index()) {
            let pause = world.airtime(node, world.packets.get(packet).ip_bytes);
            pacing.pauses(world.now, pause);
        }
    }

    /// A MAC that paces is done with a packet. Before that, it had paused.
    pub(super) fn done_by_pacing(&mut self, node: NodeId, packet: PacketId, world: &mut World<'_>) {
        let Some(pacing) = self.pacings.get_mut(node.index()) else { return };
        let idle_at = self.services[node.index()].idle_at();
        let attempts = self.exchanges.of(node);
        let lost = pacing.lost(attempts.only_exchange(), world.nodes[node].mac.mean_backoff(), idle_at);
        pacing.done(attempts.retries().0, attempts.delay(world.now, node));
        if let Some((end, time, root)) = lost {
            self.services[node.index()].queues(world.airtime_of_next(node));
            self.lose_with((node, packet), (time, root), end, world);
        }
    }

    /// The MAC of `node` has lost time with a packet, up to `end`. Stations of 802.11a/g/n/ac report theirs by exchange.
    pub(super) fn lose_with(
        &mut self,
        ends: (NodeId, PacketId),
        lost: (SimDuration, RootCause),
        end: SimTime,
        world: &mut World<'_>,
    ) {
        if !lost.0.is_zero() {
            self.share_path(ends, lost.1, world.exchange_time(ends.0, ends.1), world);
            self.lose(ends.0, lost, end, world);
        }
    }

    /// The station of `node` has lost time with an exchange, in which `packet` took part, if that is known.
    pub(super) fn lose_exchange(
        &mut self,
        node: NodeId,
        lost: Option<Lost>,
        packet: Option<PacketId>,
        world: &mut World<'_>,
    ) {
        let Some(lost) = lost else { return };
        let (now, root) = (world.now, lost.root(world.now, node));
        if let Some((packet, exchange)) = packet.zip(lost.each) {
            self.share_path((node, packet), root, exchange, world);
        }
        self.services[node.index()].queues(world.airtime_of_next(node));
        self.lose(node, (lost.time, root), now, world);
    }

    /// The MAC of `node` has lost time that ended at `end`. If noise is the reason, the queues before it on the path have lost it, too;
    /// what stations of the path have sent meanwhile was not lost, and what their imagined MACs have sent reaches the next one early. If a
    /// break is, the station before it had the medium to itself.
    pub(super) fn lose(
        &mut self,
        node: NodeId,
        (time, root): (SimDuration, RootCause),
        end: SimTime,
        world: &World<'_>,
    ) {
        let (now, begin) = (world.now, end.earlier_by(time));
        if root.is_noise() {
            self.services[node.index()].holds(time);
        }
        if root.is_physical() {
            self.backlogs.note(&self.services, (node, root), (begin, now));
        }
        let sharing = &self.services[node.index()].path.sharing;
        if let Some(of) = sharing.before.last().filter(|_| root.is_physical()) {
            let before_it = self.services[of.index()].path.counts((begin, end));
            return self.services[node.index()].lose_beside((now, time), before_it, root);
        }
        if !root.is_noise() || sharing.relays.is_empty() && sharing.before.is_empty() {
            return self.services[node.index()].lose(now, time, root);
        }
        let before_it = sharing.before.iter().copied();
        let next = sharing.relays.first().copied().filter(|next| root.next_hop == Some(*next));
        let path: SmallVec<[NodeId; 4]> = sharing.before.iter().copied().chain([node]).chain(next).collect();
        let queues = before_it.filter(|of| self.services[of.index()].is_backlogged()).chain([node]);
        for of in queues.collect::<SmallVec<[NodeId; 4]>>() {
            // What it loses with its own packet is booked once that is done.
            let running = self.exchanges.running(now, of).filter(|_| of != node);
            let own = running.map(|(time, _)| now.earlier_by(time));
            let until = own.map_or(end, |own| own.min(end));
            let lost = book(&mut self.services, of, node, (begin, until));
            let sent = self.services[of.index()].lose_and_send(now, lost, root);
            let after = path.iter().skip_while(|station| **station != of).nth(1);
            if let Some(after) = after.filter(|_| sent > 0)
                && let Ok([of, after]) = self.services.get_disjoint_mut([of.index(), after.index()])
            {
                after.feed(sent, of);
            }
        }
    }

    /// Notes which stations share the medium with `node` on the path of a packet that noise or a break delays.
    pub(super) fn share_path(
        &mut self,
        (node, packet): (NodeId, PacketId),
        root: RootCause,
        exchange: SimDuration,
        world: &mut World<'_>,
    ) {
        let p = world.packets.get(packet);
        let direct = p.hops == 0 && root.next_hop == Some(p.dst);
        if is_message(p) || p.dst.is_broadcast() || direct {
            return;
        }
        let path = &mut self.services[node.index()].path;
        // Before a hop that is out of reach, radios go down to rates at which they send nothing else.
        if !root.is_physical() {
            path.exchange = path.exchange.max(exchange);
        }
        let (now, ends) = (world.now, (node, p.src, p.dst));
        if let Some((noted, sharing)) = self.sharing.get(&ends)
            && *noted + KNOWN > now
        {
            path.sharing.clone_from(sharing);
            return;
        }
        let mut scene = world.scene(&self.held_ups, &self.services, &self.exchanges, &self.ways);
        let senders = scene.senders(node, packet);
        let here = senders.iter().position(|sender| *sender == node).unwrap_or(0);
        let sensed = |scene: &mut Scene<'_>, part: &[NodeId]| {
            part.iter().copied().filter(|sender| scene.senses(node, *sender)).collect()
        };
        let before = sensed(&mut scene, &senders[..here]);
        let relays = sensed(&mut scene, &senders[(here + 1).min(senders.len())..]);
        let sharing = Sharing { relays, before, path: senders.into() };
        self.sharing.insert(ends, (now, sharing.clone()));
        self.services[node.index()].path.sharing = sharing;
    }
}
