//! The radio side of a network: signal strengths between stations, frames corrupted in transit, and cut
//! links. A wired-only network has none.

pub(crate) mod cuts;
pub(crate) mod ends;
pub(crate) mod errors;
pub(crate) mod on_air;
mod orders;
pub(crate) mod signals;

pub(crate) use signals::bad_end;

use super::agenda::Agenda;
use super::event::Event;
use crate::network::medium::on_air::{Hearer, Medium, Transmission};
use cuts::Cuts;
use errors::Errors;
use tworay_base::{FlowId, NodeId, SimDuration, SimTime};
use tworay_mac::Frame;
use tworay_mobility::{Leg, Position, Track};
use tworay_radio::{BodyRates, Channel, Reception};
use tworay_scenario::{LinkCut, Settings};

/// Time in which a station notices that another one sends: 802.11b's slot, the longest.
const DETECTED: SimDuration = SimDuration::from_micros(20);

/// The radio side of a network.
pub(crate) struct Radio {
    pub(super) medium: Medium,
    /// Squares of the distances up to which nodes decode each other's frames for certain, and from which on they don't, m².
    sure: (f64, f64),
    /// Rules for overlapping signals.
    rules: Reception,
    pub(super) tracks: Vec<Track>,
    pub(super) cuts: Cuts,
    pub(super) errors: Option<Box<Errors>>,
    /// True if anything can corrupt a frame that is received well: errors, a cut, or the sender's death.
    may_spoil: bool,
    /// True if links can change: stations move, or links are cut.
    links_change: bool,
    /// When the first station moves.
    moves_from: SimTime,
    /// (ns-2) Whether a station that has sent a CTS reserves itself for the DATA.
    reserves: bool,
    /// Number of broadcasts on the medium.
    broadcasts: u32,
}

impl Radio {
    /// Creates the radio side for stations that move along `tracks`.
    pub fn new(settings: &Settings, mut tracks: Vec<Track>, cuts: Vec<LinkCut>, seed: u64) -> Self {
        let Settings { radio: config, errors, mac, .. } = settings;
        let channel = Channel::new(config);
        let rates = BodyRates([mac.basic_rate, mac.rate_of_acks(), mac.data_rate]);
        let rules = Reception::new(config, &channel, config.quirks(), rates, mac.plcp);
        let medium = match config.links.as_slice() {
            [] => Medium::new(channel, config.fader(seed), &mut tracks),
            links => Medium::measured(channel, links, tracks.len()),
        };
        let reach = medium.channel().range_of(medium.channel().rx_threshold());
        let links_change = !cuts.is_empty() || tracks.iter().any(|track| !track.is_static());
        let moves_from = tracks.iter_mut().map(Track::moves_from).min().unwrap_or(SimTime::NEVER);
        let errors = Errors::new(errors, &config.links, seed, tracks.len());
        Self {
            sure: (0.999 * reach * reach, 1.001 * reach * reach),
            medium,
            rules,
            may_spoil: errors.is_some(),
            tracks,
            cuts: Cuts::new(cuts),
            errors,
            links_change,
            moves_from,
            reserves: mac.quirks().cts_waits_for_data,
            broadcasts: 0,
        }
    }

    /// The signals on the air.
    pub fn medium(&self) -> &Medium {
        &self.medium
    }

    /// Movement of the stations.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// Every station's movement up to `end`.
    pub fn legs_until(&mut self, end: SimTime) -> Vec<Vec<Leg>> {
        self.tracks.iter_mut().map(|track| track.legs_until(end).to_vec()).collect()
    }

    /// Decoding and sensing range, m; `None` where they do not depend on distance alone.
    pub fn ranges(&self) -> Option<(f64, f64)> {
        let channel = self.medium.channel();
        let of = |threshold: f64| Some(channel.range_of(threshold)).filter(|r| r.is_finite() && *r > 0.0);
        of(channel.rx_threshold()).zip(of(channel.cs_threshold()))
    }

    /// True if two nodes can decode each other's frames now by their mean power, or because slow shadowing carries a hop that is longer
    /// than the mean reach.
    pub fn reaches(&mut self, now: SimTime, a: NodeId, b: NodeId) -> bool {
        if let Some(known) = self.link_anywhere(a, b) {
            return known;
        }
        let pa = self.tracks[a.index()].position(now);
        let pb = self.tracks[b.index()].position(now);
        self.carries(now, (a, pa), (b, pb))
    }

    /// True if two nodes can decode each other's frames now by their mean power.
    pub fn in_range(&mut self, now: SimTime, a: NodeId, b: NodeId) -> bool {
        if let Some(known) = self.link_anywhere(a, b) {
            return known;
        }
        let pa = self.tracks[a.index()].position(now);
        let pb = self.tracks[b.index()].position(now);
        self.decodes(pa, pb)
    }

    /// Distance of two nodes now, m.
    pub fn distance(&mut self, now: SimTime, a: NodeId, b: NodeId) -> f64 {
        let (pa, pb) = (self.tracks[a.index()].position(now), self.tracks[b.index()].position(now));
        pa.distance_squared(pb).sqrt()
    }

    /// Every node's position at a time, for `reached_at`.
    pub fn positions(&mut self, at: SimTime) -> Vec<Position> {
        self.tracks.iter_mut().map(|track| track.position(at)).collect()
    }

    /// True if two nodes could decode each other's frames at a time, when they were at their places of `positions`.
    pub fn reached_at(&self, (at, positions): (SimTime, &[Position]), a: NodeId, b: NodeId) -> bool {
        if self.cuts.between_at(at, a, b) {
            return false;
        }
        self.could_decode((at, positions), a, b)
    }

    /// Stations that may be in reach of `node`, in ascending order, if they are the same all the time.
    pub fn lasting_candidates(&self, node: NodeId) -> Option<&[NodeId]> {
        self.medium.lasting_candidates(node)
    }

    /// As [`Radio::reached_at`], where nothing moves or fades.
    pub fn reached_in_place(&mut self, at: SimTime, a: NodeId, b: NodeId) -> bool {
        let [pa, pb] = [a, b].map(|node| self.tracks[node.index()].position(at));
        let carries = || self.carries(at, (a, pa), (b, pb));
        !self.cuts.between_at(at, a, b) && self.measured_link(a, b).unwrap_or_else(carries)
    }

    /// The same without cuts.
    pub fn could_decode(&self, (at, positions): (SimTime, &[Position]), a: NodeId, b: NodeId) -> bool {
        let carries = || self.carries(at, (a, positions[a.index()]), (b, positions[b.index()]));
        self.measured_link(a, b).unwrap_or_else(carries)
    }

    /// True if the mean power between two nodes at these places suffices, or does with slow shadowing.
    fn carries(&self, at: SimTime, (a, pa): (NodeId, Position), (b, pb): (NodeId, Position)) -> bool {
        let power = || self.medium.channel().rx_power_squared(pa.distance_squared(pb));
        self.decodes(pa, pb) || self.medium.fades() && self.medium.favours(at, a, b, power())
    }

    /// Two nodes' ability to decode each other's frames, if it does not depend on where they are.
    #[inline]
    fn link_anywhere(&self, a: NodeId, b: NodeId) -> Option<bool> {
        if self.cuts.between(a, b) {
            return Some(false);
        }
        self.measured_link(a, b)
    }

    /// True if a measured link works in both directions; `None` where distance decides.
    #[inline]
    fn measured_link(&self, a: NodeId, b: NodeId) -> Option<bool> {
        let reach = self.medium.measured_reach(a, b)?;
        Some(reach && self.medium.measured_reach(b, a) == Some(true))
    }

    /// Mean power that `to` gets from `from`, fading aside, W. Over a measured link it is that of the list.
    pub fn mean_power(&mut self, now: SimTime, from: NodeId, to: NodeId) -> f64 {
        if let Some(power) = self.medium.listed_power(from, to) {
            return power;
        }
        let here = self.tracks[from.index()].position(now);
        let there = self.tracks[to.index()].position(now);
        self.medium.channel().rx_power_squared(here.distance_squared(there))
    }

    /// True if `node` senses frames of `sender` by their mean power.
    pub fn senses(&mut self, now: SimTime, node: NodeId, sender: NodeId) -> bool {
        self.mean_power(now, sender, node) >= self.medium.channel().cs_threshold()
    }

    /// True if only shadowing or fading keeps `node`, which begins a frame now, from hearing that `other` has been sending for a while:
    /// `hears` tells if it would at a power.
    pub fn is_deaf(
        &mut self,
        now: SimTime,
        node: NodeId,
        other: NodeId,
        hears: impl Fn(f64) -> bool,
    ) -> bool {
        let sends = |t: &Transmission| {
            t.frame.from == other && t.start + DETECTED <= now && now < t.start + t.frame.airtime
        };
        let heard = |tx| self.medium.hearers(tx).iter().any(|h| h.node == node && hears(h.power));
        let unheard = self.medium.fades() && self.medium.live().any(|(tx, t)| sends(t) && !heard(tx));
        unheard && hears(self.mean_power(now, other, node))
    }

    /// True if shadowing or fading keeps a frame of one of two nodes, or the answer, from the other now.
    pub fn is_faded(&mut self, now: SimTime, a: NodeId, b: NodeId) -> bool {
        let threshold = self.medium.channel().rx_threshold();
        self.medium.fades()
            && [(a, b), (b, a)].into_iter().any(|(from, to)| {
                let power = self.mean_power(now, from, to);
                power >= threshold && power * self.medium.gain(now, from, to) < threshold
            })
    }

    #[inline]
    fn decodes(&self, a: Position, b: Position) -> bool {
        let (channel, d2) = (self.medium.channel(), a.distance_squared(b));
        // The power itself costs a power function, and is asked for at every packet that a full queue rejects.
        d2 < self.sure.0 || d2 < self.sure.1 && channel.rx_power_squared(d2) >= channel.rx_threshold()
    }

    /// True if links can change: stations move, or links are cut.
    pub fn changes(&self) -> bool {
        self.links_change
    }

    /// True if links may have changed by now: a station has moved, or a link was cut.
    pub fn changes_by(&self, now: SimTime) -> bool {
        self.links_change && (self.moves_from <= now || self.cuts.any_so_far())
    }

    /// Appends the stations that `node` reaches now ([`Radio::reaches`]), of those that are `wanted`.
    pub fn neighbours(
        &mut self,
        now: SimTime,
        node: NodeId,
        wanted: impl Fn(NodeId) -> bool,
        out: &mut Vec<NodeId>,
    ) {
        let first = out.len();
        self.medium.reached(now, node, &mut self.tracks, wanted, out);
        if self.cuts.none() {
            return;
        }
        let mut kept = first;
        for i in first..out.len() {
            if !self.cuts.between(node, out[i]) {
                out[kept] = out[i];
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    /// Times at which links are to be cut, by order.
    pub fn cut_times(&self) -> Vec<SimTime> {
        self.cuts.orders().iter().map(|order| order.at).collect()
    }

    /// An order to cut a link is due.
    pub fn cut_due(&mut self, order: u16) {
        self.cuts.await_packet(order);
    }

    /// True if an order waits for the next packet of some flow.
    #[inline(always)]
    pub fn awaits_packets(&self) -> bool {
        self.cuts.await_packets()
    }

    /// A data packet of `flow` has crossed the link between two nodes. If an order waits for it, the link
    /// is cut; returns the event that restores it, and when that comes, if ever.
    pub fn cut_behind(&mut self, now: SimTime, flow: FlowId, ends: [NodeId; 2]) -> Option<(SimTime, Event)> {
        let (order, mended) = self.cuts.cut_behind(now, flow, ends)?;
        self.may_spoil = true;
        Some((mended.unwrap_or(SimTime::NEVER), Event::Mend(order)))
    }

    /// The link cut by an order works again.
    pub fn mend(&mut self, now: SimTime, order: u16) {
        self.cuts.mend(now, order);
    }

    /// True if the link between two nodes was cut, and restored after `from`.
    pub fn mended_since(&self, from: SimTime, a: NodeId, b: NodeId) -> bool {
        self.cuts.mended_since(from, a, b)
    }

    /// True if the link between two nodes is cut, or was after `from`.
    pub fn was_cut_since(&self, from: SimTime, a: NodeId, b: NodeId) -> bool {
        self.cuts.between(a, b) || self.cuts.mended_since(from, a, b)
    }

    /// A node was switched off or died: frames it was sending are corrupted.
    pub fn node_failed(&mut self) {
        self.may_spoil = true;
    }

    /// From now on a station loses this share of the frames that it would receive.
    pub fn lose(&mut self, node: NodeId, share: f64, seed: u64) {
        self.errors.get_or_insert_with(Box::default).lose(node, share, seed);
        self.may_spoil = true;
    }

    /// A station leaves its place for another one, at a speed in m/s or at once.
    pub fn displace(&mut self, now: SimTime, node: NodeId, place: Position, speed: Option<f64>) {
        let Some(track) = self.tracks.get_mut(node.index()) else { return };
        track.redirect(now, place, speed);
        self.links_change = true;
        self.moves_from = self.moves_from.min(now);
        self.medium.displaced(now, &mut self.tracks);
    }

    /// True if a packet received by the MAC is lost above it.
    #[inline]
    pub fn packet_errs(&mut self, node: NodeId, ip_bytes: u32) -> bool {
        self.errors.as_mut().is_some_and(|errors| errors.packet_errs(node, ip_bytes))
    }

    /// Takes out the list of a transmission's hearers for iteration; return it with [`Radio::give_back`].
    #[inline]
    pub fn take_hearers(&mut self, tx: u32) -> Vec<Hearer> {
        self.medium.take_hearers(tx)
    }

    /// Undoes [`Radio::take_hearers`].
    #[inline]
    pub fn give_back(&mut self, tx: u32, hearers: Vec<Hearer>) {
        self.medium.give_back(tx, hearers);
    }

    /// Iterates over the hearers of a transmission in time order; end with [`Radio::end_turns`].
    #[inline(always)]
    pub fn turns(&mut self, tx: u32, origin: SimTime, now: SimTime, begins: bool) -> Turns {
        self.medium.sort(tx);
        let next = self.medium.get(tx).passed as usize;
        Turns { tx, hearers: self.medium.take_hearers(tx), next, origin, since: now, begins }
    }

    /// Returns the hearers; if some remain, gives the time of the next one.
    #[inline(always)]
    pub fn end_turns(&mut self, turns: Turns) -> Option<SimTime> {
        let rest = turns.hearers.get(turns.next).map(|h| turns.origin + h.delay());
        self.medium.get_mut(turns.tx).passed = if rest.is_some() { turns.next as u32 } else { 0 };
        self.medium.give_back(turns.tx, turns.hearers);
        rest
    }
}

/// Iteration over the hearers of a transmission in time order, until another event comes first.
pub(crate) struct Turns {
    tx: u32,
    hearers: Vec<Hearer>,
    next: usize,
    origin: SimTime,
    since: SimTime,
    begins: bool,
}

impl Turns {
    /// The next hearer and its time, unless something on the agenda comes first.
    #[inline(always)]
    pub fn next(&mut self, agenda: &Agenda) -> Option<(Hearer, SimTime)> {
        let hearer = *self.hearers.get(self.next)?;
        let at = self.origin + hearer.delay();
        // A station that starts to transmit in the very nanosecond in which a signal arrives has not heard
        // it: timers of that time run before starts of signals, and after ends.
        let other = agenda.next();
        if at > self.since && (other < at || self.begins && other == at) {
            return None;
        }
        self.next += 1;
        Some((hearer, at))
    }
}

/// True if a frame is addressed to `node`, alone or among others.
fn is_for(frame: &Frame, node: NodeId) -> bool {
    frame.to == node || frame.to.is_broadcast()
}
