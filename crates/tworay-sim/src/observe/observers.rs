//! All observers of a run, and who reads which facts.

use super::animation::{Animation, Film};
use super::capture::{Capture, Layout};
use super::counters::NetworkCounters;
use super::fact::{Fact, View, Why};
use super::loss::ledger::{Death, Ledger};
use super::loss::root_cause::{Hop, RootCause};
use super::loss::service::Service;
use super::loss::twin::dies_on_hop;
use super::medium_log::MediumLog;
use super::path_probe::PathProbe;
use super::record::Recorder;
use super::root_causes::RootCauses;
use super::senders::{Guess, Resent, Senders};
use super::series::Series;
use super::watchers::Watchers;
use super::wire_trace::WireRecord;
use crate::network::hosts::gateway::Header;
use crate::network::packets::{UNTRACKED, is_message};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::Path;
use tworay_base::{Died, LossCause, NodeId, PacketId, SimTime};
use tworay_mac::{Frame, MacConfig};
use tworay_wire::{Body, Packet};

/// The observers of a run.
#[derive(Default)]
pub(crate) struct Observers {
    /// Every segment sent, and its outcome.
    pub ledger: Ledger,
    /// Determines root causes of losses.
    pub roots: RootCauses,
    /// The path of each flow.
    pub paths: Vec<PathProbe>,
    /// The opposite path of each added flow, which becomes its path if it turns.
    opposite: BTreeMap<usize, PathProbe>,
    /// Network-wide counters.
    pub counters: NetworkCounters,
    /// Guesses and retransmissions of the senders.
    pub senders: Senders,
    /// Time series of the senders.
    pub series: Series,
    /// Observers on request; `None` if there are none.
    watchers: Option<Box<Watchers>>,
}

impl Observers {
    /// Observers of `nodes` nodes and of flows between these ends, without observers on request; `series`: whether to
    /// record time series.
    pub fn new(nodes: usize, flows: &[(NodeId, NodeId)], series: bool) -> Self {
        Self {
            ledger: Ledger::new(flows.iter().map(|(from, _)| *from), series),
            roots: RootCauses::new(nodes),
            paths: flows.iter().map(|(_, to)| PathProbe::to(*to)).collect(),
            senders: Senders::new(flows.len()),
            series: Series::new(flows.len(), series),
            ..Self::default()
        }
    }

    /// Passes a fact to the observers.
    #[inline(always)]
    pub fn observe(&mut self, fact: Fact<'_>, view: View<'_>) {
        match fact {
            Fact::Taken { flow, carries, seq } => self.ledger.sent(flow, carries, seq, view.now),
            Fact::Made { packet } => self.roots.held_ups.made(packet),
            Fact::Copied { uid } => self.ledger.copied(uid),
            Fact::HandedOn { packet } => self.handed_on(packet, view),
            Fact::HopDone { packet, copy } => {
                self.roots.circles.hand_on(packet, copy);
                if self.roots.held_ups.is_held_up(packet) {
                    self.hop_done(packet, copy, view);
                }
            }
            Fact::Died { packet, node, why } => self.ended(packet, (node, why), view),
            Fact::Offered { node, packet, idle } => {
                if let Some(twin) = self.ledger.twin_mut() {
                    let of = view.packets.get(packet);
                    if !is_message(of) {
                        twin.carries(node, of.flow, view.now);
                    }
                }
                self.roots.offered(node, packet, idle, view);
            }
            Fact::LinkCut { node, to, until } => {
                if let Some(twin) = self.ledger.twin_mut() {
                    twin.cut(view.now, (node, to), until);
                }
            }
            Fact::Served { node } => self.roots.services[node.index()].served(view.now),
            Fact::Attempted { frame, failure } => {
                self.roots.exchanges.attempted(view.now, frame, failure);
            }
            Fact::LastAttempt { tx, frame, deaf, medium } => {
                let blocker = || medium.blocker(tx, frame.to);
                self.roots.exchanges.last_attempt(frame.from, deaf, blocker);
            }
            Fact::Reserved { station, until } => self.roots.exchanges.reserved(station, until),
            Fact::Spoiled { station, attempt, failure } => {
                if failure.is_noise() {
                    let (_, to, _) = self.roots.exchanges.of(station).current();
                    self.noise_on((station, to), view.now);
                }
                self.roots.exchanges.spoiled(station, attempt, failure);
            }
            Fact::SpoiledLast { tx, node, station, itself, medium } => {
                self.roots.exchanges.corrupted_last(station, itself, || medium.interferer(tx, node));
            }
            Fact::Unanswered { station, awaited } => self.roots.exchanges.unanswered(station, awaited),
            Fact::Answered { node, by } => self.roots.exchanges.answered(node, by),
            Fact::InOrder { node, copy, from, order } => self.roots.in_order((copy, node), from, order, view),
            Fact::GaveUp { node, packet, to, why } => {
                self.roots.gave_up((node, to), packet, why, view);
                self.counters.observe(fact, view);
                self.show(fact, view);
            }
            Fact::AirLost { frame, node, failure, interferer } => {
                if failure.is_noise() {
                    self.noise_on((frame.from, node), view.now);
                }
                self.roots.exchanges.lost(frame, node, failure, interferer);
            }
            Fact::Fates { frame, node, fates, interferer, .. } => {
                if fates.iter().flatten().any(|failure| failure.is_noise()) {
                    self.noise_on((frame.from, node), view.now);
                }
                if frame.to == node {
                    self.roots.exchanges.arrived(frame.from, fates, interferer);
                }
                if !fates.is_empty() {
                    self.show(fact, view);
                }
            }
            Fact::BreakOver => self.roots.break_over(),
            Fact::Delivered { packet, node } => self.delivered(packet, node, view),
            Fact::Sent { packet } => self.sent(packet, view),
            Fact::Guessed { flow, seq, sent_before, guess } => {
                if self.keeps_rows() {
                    self.senders.guessed(flow, Guess { at: view.now, seq, sent_before, guess });
                }
            }
            Fact::Resent { flow, from, seq, uid, phase } => {
                if self.keeps_rows() {
                    self.senders.resent(flow, Resent { at: view.now, from, seq, uid, phase });
                }
            }
            Fact::Entered { packet, header } => self.entered(packet, header, view),
            Fact::Sender { flow, state, acked } => self.series.note(view.now, flow, state, acked),
            Fact::FlowAdded { from, to } => {
                self.ledger.add_flow(from, view.now);
                self.opposite.insert(self.paths.len(), PathProbe::to(from));
                self.paths.push(PathProbe::to(to));
                self.senders.add_flow();
                self.series.add_flow();
            }
            Fact::FlowTurned { flow } => {
                let paths = (self.paths.get_mut(flow.index()), self.opposite.get_mut(&flow.index()));
                if let (Some(path), Some(opposite)) = paths {
                    std::mem::swap(path, opposite);
                }
            }
            Fact::Warm => {
                self.ledger.restart_means(view.now);
                self.paths.iter_mut().for_each(PathProbe::restart);
            }
            Fact::ArpStarted { node, target, packet } => {
                // Noise that has only slowed a packet down has not sent it here.
                let root = self.roots.held_ups.independent_root(packet);
                let root = root.filter(|_| self.roots.held_ups.noise(packet).is_none());
                let packet = view.packets.get(packet);
                let used = |path: &PathProbe| path.all_packets() > 0;
                let used = self.paths.get(packet.flow.index()).is_some_and(used);
                self.roots.causes.note_exchange((node, target), view.now, (packet, used), root);
            }
            Fact::ArpHeard { node, target } => self.roots.causes.note_heard(node, target, view.now),
            Fact::Unheard { frame, node, interferer } => {
                self.missed(frame, node, (LossCause::Contention, interferer), view);
            }
            Fact::Faded { frame, node } => {
                self.noise_on((frame.from, node), view.now);
                self.missed(frame, node, (LossCause::Channel, None), view);
            }
            Fact::WireOffered { wire, packet, length, rate } => {
                if let Some(queue) = self.roots.wires.get_mut(usize::from(wire)) {
                    queue.offered(view.now, length, || rate.airtime(view.packets.get(packet).ip_bytes));
                }
                if self.roots.held_ups.is_held_up(packet) {
                    self.roots.late_for_wire((wire, length), packet, view);
                }
            }
            Fact::WireSent { wire, length } => {
                if let Some(queue) = self.roots.wires.get_mut(usize::from(wire)) {
                    queue.sent(view.now, length);
                }
            }
            Fact::WireFull { wire, packet, waiting } => self.wire_full((wire, waiting), packet, view),
            Fact::Forwarded { node, packet } => {
                if self.roots.causes.lost_any(node) {
                    self.roots.causes.note_way_found(node, view.packets.get(packet).dst);
                }
            }
            Fact::Collided { frame, node, .. } => {
                self.counters.observe(fact, view);
                self.show(fact, view);
                if frame.to.is_broadcast() {
                    self.missed(frame, node, (LossCause::Contention, None), view);
                }
            }
            Fact::Corrupted { frame, node } => {
                self.noise_on((frame.from, node), view.now);
                self.counters.observe(fact, view);
                if frame.to.is_broadcast() {
                    self.missed(frame, node, (LossCause::Channel, None), view);
                }
            }
            _ => {
                self.counters.observe(fact, view);
                self.show(fact, view);
            }
        }
    }

    /// Passes a fact to the observers on request.
    #[inline(always)]
    fn show(&mut self, fact: Fact<'_>, view: View<'_>) {
        if let Some(watchers) = &mut self.watchers {
            watchers.observe(fact, view);
        }
    }

    /// Noise has destroyed something between two stations.
    #[cold]
    fn noise_on(&mut self, hop: Hop, now: SimTime) {
        if let Some(twin) = self.ledger.twin_mut() {
            twin.noise_on(hop, now);
        }
    }

    #[cold]
    fn sent(&mut self, packet: PacketId, view: View<'_>) {
        let packet = view.packets.get(packet);
        let again = self.senders.repeats(packet.flow, packet.uid);
        if let (Some(watchers), Some(carries)) = (&mut self.watchers, self.ledger.carries(packet.uid)) {
            watchers.sent(packet, carries, again, view.now);
        }
    }

    fn entered(&mut self, packet: PacketId, header: &Header, view: View<'_>) {
        let packet = view.packets.get(packet);
        if let (Some(watchers), Some(carries)) = (&mut self.watchers, self.ledger.carries(packet.uid)) {
            watchers.entered(packet, carries, header, view.now);
        }
    }

    #[inline]
    fn handed_on(&mut self, packet: PacketId, view: View<'_>) {
        let p = view.packets.get(packet);
        if p.uid < UNTRACKED {
            let booked = self.ledger.records().len();
            self.ledger.handed_on(p.uid, view.now);
            self.show_loss(packet, booked, view);
        } else {
            match &p.body {
                Body::Arp(arp) if arp.request => {
                    self.roots.causes.note_asked(arp.sender, arp.target, view.now);
                }
                Body::Olsr(_) => self.roots.causes.note_table_sent(view.now, p),
                _ => {}
            }
        }
    }

    /// A copy of a packet dies at `node`, whose place tells why.
    #[cold]
    #[inline(never)]
    fn ended(&mut self, packet: PacketId, (node, why): (NodeId, Why), view: View<'_>) {
        let p = view.packets.get(packet);
        if let Why::Errors(from) = why {
            self.noise_on((from, node), view.now);
            self.watchers.iter_mut().for_each(|watchers| watchers.destroyed(node, from));
            if is_message(p) {
                // The hop from the sender of the message is the one on which it was lost.
                let cause = (LossCause::Channel, None);
                return self.roots.causes.note_missed(view.now, (node, from), cause, Some(p));
            }
            // DSR without the MAC's feedback believes in a hop as long as such packets arrive.
            if p.dsr.as_ref().is_some_and(|header| header.ack_request.is_some() || !header.acks.is_empty()) {
                self.roots.causes.note_missed(view.now, (node, from), (LossCause::Channel, None), None);
            }
        }
        let (died, root) = self.roots.ended(why, node, view);
        self.died(packet, (node, died, root), view);
    }

    /// A copy of a packet dies at `node`. The root is `of`, unless an earlier root cause held it up.
    #[inline(never)]
    pub(super) fn died(
        &mut self,
        packet: PacketId,
        (node, died, of): (NodeId, Died, RootCause),
        view: View<'_>,
    ) {
        let root = match self.roots.held_ups.root_of(packet) {
            Some(held) if held.cause.is_some() => held,
            // A packet that waited for a search has the outcome that was found now.
            _ => of,
        };
        let p = view.packets.get(packet);
        if p.uid >= UNTRACKED {
            let hop = (root.node, root.next_hop.unwrap_or(NodeId::BROADCAST));
            return self.message_lost(packet, hop, root, view);
        }
        self.roots.causes.note_struck((view.now, node), p, root);
        let cause = root.cause.unwrap_or(LossCause::Unknown);
        let booked = self.ledger.records().len();
        let service = self.roots.services.get(node.index());
        // Noise has cost this MAC time with other packets, too: those whose frames have all collided are not lost to it.
        let attempts = self.roots.exchanges.of(node);
        let noisy = || attempts.slowed().is_some_and(|(failure, _)| failure.is_noise());
        let service = service.filter(|_| self.ledger.has_twin() && (!dies_on_hop(died) || noisy()));
        let slowed_by = service.and_then(Service::slowed_by);
        let death = Death { root, cause, died, node, at: view.now, from: p.src, hops: p.hops, slowed_by };
        self.ledger.died(p.uid, death, view.now);
        self.show_loss(packet, booked, view);
    }

    /// A wire rejects a packet. If those that wait there, or this one, were held up before, and load would not fill the queue
    /// without that, they have arrived together for that reason.
    #[cold]
    #[inline(never)]
    fn wire_full(&mut self, full: (u16, &VecDeque<PacketId>), packet: PacketId, view: View<'_>) {
        if let Some(root) = self.roots.wire_full(full, packet, view) {
            self.hold_up(packet, root, view);
        }
    }

    /// If the packet is a message of routing or ARP, it is lost on this hop because of `root`.
    pub(super) fn message_lost(
        &mut self,
        packet: PacketId,
        hop: (NodeId, NodeId),
        root: RootCause,
        view: View<'_>,
    ) {
        let packet = view.packets.get(packet);
        if is_message(packet) {
            self.roots.causes.note_message_lost(view.now, hop, &root, packet);
        }
    }

    /// `node` did not receive a broadcast; `cause`: why, and because of whose signal.
    fn missed(&mut self, frame: &Frame, node: NodeId, cause: (LossCause, Option<NodeId>), view: View<'_>) {
        let packet = frame.packet.map(|p| view.packets.get(p));
        if packet.is_some_and(is_message) {
            self.roots.causes.note_missed(view.now, (node, frame.from), cause, packet);
        }
    }

    /// A copy of `packet` is gone. If it was the last one, shows the ledger's new entry.
    #[inline]
    fn show_loss(&mut self, packet: PacketId, booked_before: usize, view: View<'_>) {
        if let Some(watchers) = &mut self.watchers
            && let Some(loss) = self.ledger.records().get(booked_before)
        {
            watchers.lost(view.packets.get(packet), loss, view);
        }
    }

    #[inline]
    fn delivered(&mut self, packet: &Packet, node: NodeId, view: View<'_>) {
        let Some(sent_at) = self.ledger.delivered(packet.uid, view.now) else { return };
        let (flow, delay) = (packet.flow.index(), view.now.since(sent_at));
        if let Some(path) = self.paths.get_mut(flow).filter(|path| path.ends_at(node)) {
            path.arrived(delay, packet.hops);
        } else if let Some(path) = self.opposite.get_mut(&flow).filter(|path| path.ends_at(node)) {
            path.arrived(delay, packet.hops);
        }
        if let Some(watchers) = &mut self.watchers {
            watchers.arrived(packet, view.now);
        }
    }

    /// True if there are observers on request. Facts that only these read need not be put together otherwise.
    #[inline(always)]
    pub fn watched(&self) -> bool {
        self.watchers.is_some()
    }

    /// True if flows keep a row for each retransmission and guess.
    fn keeps_rows(&self) -> bool {
        self.ledger.keeps_rows() || self.watched()
    }

    fn watchers(&mut self) -> &mut Watchers {
        self.watchers.get_or_insert_default()
    }

    /// Starts a capture of transmissions in a file at `path`.
    pub fn capture_to(&mut self, path: &Path, layout: &Layout, mac: &MacConfig) -> io::Result<()> {
        let capture = Box::new(Capture::create(path, layout, mac)?);
        self.watchers().capture = Some(capture);
        Ok(())
    }

    /// Starts an animation of transmissions at `path`; `flows` are the end nodes of each flow.
    pub fn animate_to(&mut self, path: &Path, film: Film, flows: &[(NodeId, NodeId)]) -> io::Result<()> {
        let animation = Box::new(Animation::create(path, film, flows)?);
        self.watchers().animation = Some(animation);
        Ok(())
    }

    /// Starts recording; `ranges` are the decoding and sensing range, m.
    pub fn record(&mut self, ranges: Option<(f64, f64)>) {
        self.watchers().recorder = Some(Box::new(Recorder::new(ranges)));
    }

    /// Starts a trace of the wires.
    pub fn trace_wires(&mut self) {
        self.watchers().wire_trace = Some(Vec::new());
    }

    /// Starts a log of the medium.
    pub fn log_medium(&mut self) {
        self.watchers().medium_log = Some(Box::default());
    }

    /// Takes the log of the medium, if there is one.
    pub fn take_medium_log(&mut self) -> Option<Box<MediumLog>> {
        self.watchers.as_mut()?.medium_log.take()
    }

    /// Takes the record, if there is one.
    pub fn take_record(&mut self) -> Option<Box<Recorder>> {
        self.watchers.as_mut()?.recorder.take()
    }

    /// Takes the trace of the wires, if there is one.
    pub fn take_wire_trace(&mut self) -> Vec<WireRecord> {
        self.watchers.as_mut().and_then(|watchers| watchers.wire_trace.take()).unwrap_or_default()
    }

    /// Completes the animation, if there is one.
    pub fn finish_animation(&mut self) -> io::Result<()> {
        let animation = self.watchers.as_mut().and_then(|watchers| watchers.animation.take());
        animation.map_or(Ok(()), |animation| animation.finish())
    }

    /// Passes what is captured so far on to its reader.
    pub fn flush_capture(&mut self) {
        if let Some(capture) = self.watchers.as_mut().and_then(|watchers| watchers.capture.as_mut()) {
            capture.flush();
        }
    }

    /// Completes the capture, if there is one.
    pub fn finish_capture(&mut self) -> io::Result<()> {
        let capture = self.watchers.as_mut().and_then(|watchers| watchers.capture.take());
        capture.map_or(Ok(()), |capture| capture.finish())
    }
}
