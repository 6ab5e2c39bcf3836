//! The invariant: a cause may be named only if its disturbance occurred at a hop and a time that could have
//! touched the packet. The table in `main.rs` lists what each cause needs.

use super::geometry::{Geometry, OnPath};
use super::medium::{
    Attempt, Failure, Loss, Medium, Reason, Segment, cut_times, losses, queue_lengths, segments,
};
use super::searches::Searches;
use super::world::Scene;
use std::collections::BTreeMap;
use std::rc::Rc;
use tworay_sim::{Content, RunControl, RunOptions, run};

/// Longest service of one packet by the MAC, seconds: 7 RTS and 4 data frames with the largest windows.
const SERVICE: f64 = 3.0;

/// Most requests for an address.
const ADDRESS_REQUESTS: u16 = 3;

/// Longest wait in a routing buffer, seconds: packets held up by a break may fill a queue that much later.
const HELD: f64 = 30.0;
/// Resolution of the simulator's clock, seconds.
const INSTANT: f64 = 1e-9;
/// Hop limit of a new packet.
const HOP_LIMIT: usize = 64;
/// A judgement by geometry may be this old, seconds.
const GLANCE: f64 = 1.1;

/// Time after its end for which a disturbance can still keep routing from using a path, seconds.
///
/// Static routes forget nothing; what a break left in the queue is sent within two seconds. AODV searches at
/// intervals of up to 10 s (ns-2: `max_rreq_timeout`; RFC 3561: 2.8 s, doubled twice), DSR of up to 10 s
/// (MaxRequestPeriod). OLSR believes a TC message for 15 s and hears HELLOs every 2 s.
fn memory(scene: &Scene) -> f64 {
    match scene.routing() {
        "static" => 2.0,
        "olsr" => 20.0,
        _ => 13.0,
    }
}

/// Time within which a search succeeds that nothing delays, seconds: AODV's rings (RFC 3561 §6.4, §10), of which each takes
/// RING_TRAVERSAL_TIME: 1.92 s with the values of the RFC, 0.96 s with ns-2's. Without rings, a request and its answer
/// cross a few hops within milliseconds.
fn chance(scene: &Scene) -> f64 {
    let routing = scene.scenario().settings.routing;
    let rings = match scene.routing() {
        "aodv" if routing.aodv.expanding_ring => {
            let aodv = &routing.aodv;
            let limits = (aodv.ttl_start..=aodv.ttl_threshold).step_by(aodv.ttl_increment.into());
            let hops: u32 = limits.map(|limit| u32::from(limit) + u32::from(aodv.timeout_buffer)).sum();
            2.0 * aodv.node_traversal_time.as_secs_f64() * f64::from(hops)
        }
        _ => 0.0,
    };
    rings.max(1.0)
}

/// A run with all that the rules look at.
pub struct Case {
    pub scene: Scene,
    pub geometry: Geometry,
    pub medium: Medium,
    pub losses: Vec<Loss>,
    pub searches: Searches,
    segments: BTreeMap<u64, Segment>,
    queues: Vec<Vec<(f64, i64)>>,
}

impl Case {
    pub fn run(scene: &Scene) -> Self {
        let options =
            RunOptions { seed: scene.seed, record: true, medium_log: true, ..RunOptions::default() };
        let report = run(&scene.scenario(), &options, &RunControl::new())
            .unwrap_or_else(|e| panic!("seed {}: {e}\n{}", scene.seed, scene.toml()));
        let segments = segments(&report);
        let mut geometry = Geometry::new(scene, &cut_times(scene, &report, &segments));
        let log = report.medium_log().expect("the medium was logged").emissions();
        geometry.carry(log);
        Self {
            searches: Searches::new(log, &segments),
            medium: Medium::new(&geometry, &report),
            losses: losses(&report),
            queues: queue_lengths(&report, scene.positions.len()),
            scene: scene.clone(),
            geometry,
            segments,
        }
    }

    /// Every violation of the invariant, in words.
    pub fn violations(&self) -> Vec<String> {
        let wrong = |loss: &Loss| {
            let why = Touch::new(self, loss).objection()?;
            let s = self.segment(loss);
            Some(format!("{why}: {loss:?}, sent at {:.3} s from {} to {}", s.sent, s.from, s.to))
        };
        self.losses.iter().filter_map(wrong).collect()
    }

    /// The segment that was lost.
    pub fn segment(&self, loss: &Loss) -> &Segment {
        &self.segments[&loss.uid]
    }

    /// True if a relay has forgotten its route: AODV's routes expire ACTIVE_ROUTE_TIMEOUT after their last packet (RFC
    /// 3561 §6.2), however well the path works.
    pub fn route_expired(&self, loss: &Loss) -> bool {
        let lifetime = self.route_lifetime();
        let relayed = loss.died == "no-route" && loss.node != self.segment(loss).from;
        self.scene.routing() == "aodv"
            && relayed
            && self.searches.idle(loss.node, loss.uid, loss.since - lifetime, loss.since)
    }

    /// ACTIVE_ROUTE_TIMEOUT of AODV, seconds.
    fn route_lifetime(&self) -> f64 {
        self.scene.scenario().settings.routing.aodv.active_route_timeout.as_secs_f64()
    }

    /// True if errors and fading have destroyed nothing for as long as routing may need to recover.
    pub fn has_no_noise(&self, loss: &Loss) -> bool {
        let from = loss.since - memory(&self.scene);
        let mut lately = self.medium.failures_between(from, loss.at).iter().filter(|f| f.at >= from);
        lately.all(|f| f.why != Reason::Corruption)
    }

    /// True if any reception at an addressed station failed by overlap, or a station had to leave a frame
    /// unanswered because of others.
    pub fn collides(&self) -> bool {
        self.medium.failures.iter().any(|f| f.why != Reason::Corruption)
    }
}

/// A lost packet, and the paths on which a disturbance could have touched it.
struct Touch<'a> {
    case: &'a Case,
    loss: &'a Loss,
    segment: &'a Segment,
    /// Paths from its source, and from where it died.
    paths: [Rc<OnPath>; 2],
}

impl<'a> Touch<'a> {
    fn new(case: &'a Case, loss: &'a Loss) -> Self {
        let segment = case.segment(loss);
        let paths = [segment.from, loss.node].map(|from| case.geometry.on_path(from, segment.to));
        Self { case, loss, segment, paths }
    }

    /// Why the cause of the loss cannot be true.
    fn objection(&self) -> Option<String> {
        let fault = match self.loss.cause {
            "link-failure" => self.link_failure(),
            "node-down" => self.node_down(),
            "channel" => self.failure_of(&[Reason::Corruption]),
            "contention" => self.failure_of(&[Reason::Overlap, Reason::Reserved]),
            "congestion" => self.congestion(),
            "no-route" => self.no_route(),
            "ttl" => self.ttl(),
            "reorder-discard" => {
                (self.loss.died != "receiver").then(|| "the receiver did not discard it".into())
            }
            other => Some(format!("{other} explains nothing here")),
        };
        fault.or_else(|| self.attempts()).or_else(|| self.since())
    }

    /// A packet is held up after it was sent, and before it is lost: other times would widen all windows here.
    fn since(&self) -> Option<String> {
        let Loss { since, at, .. } = *self.loss;
        let sent = self.segment.sent;
        let possible = (sent - INSTANT..=at + INSTANT).contains(&since);
        (!possible).then(|| format!("it was held up at {since} s, but sent at {sent} s and lost at {at} s"))
    }

    /// True if something was full when the packet died. The packets in it may have been held up by a disturbance
    /// that this one did not meet.
    fn fills(&self) -> bool {
        matches!(self.loss.died, "ifq" | "codel" | "arp" | "buffer" | "link-red")
    }

    /// When the disturbance may have occurred, seconds.
    fn window(&self) -> (f64, f64) {
        let held = if self.fills() { HELD } else { 0.0 };
        (self.loss.since - memory(&self.case.scene) - SERVICE - held, self.loss.at)
    }

    /// From when on a missing path may have been seen, seconds.
    fn judged_since(&self) -> f64 {
        if self.fills() { self.window().0 } else { self.loss.since - GLANCE }
    }

    fn has_link(&self, a: usize, b: usize) -> bool {
        self.paths.iter().any(|paths| paths.has_link(a, b)) || self.fades_in(a, b)
    }

    /// True if fading may let routing find a hop that is out of range by the mean power.
    fn fades_in(&self, a: usize, b: usize) -> bool {
        self.case.scene.errors.fades() && self.has_node(a) && self.has_node(b)
    }

    /// True if a path of the packet goes from `a` to `b`. What filled a queue or a slot may have waited behind packets
    /// in the other direction.
    fn leads(&self, a: usize, b: usize) -> bool {
        let leads = self.paths.iter().any(|paths| paths.leads(a, b));
        leads || self.fills() && self.has_link(a, b) || self.fades_in(a, b)
    }

    fn has_node(&self, node: usize) -> bool {
        self.paths.iter().any(|paths| paths.nodes.contains(&node))
    }

    fn link_failure(&self) -> Option<String> {
        let geometry = &self.case.geometry;
        let (a, to) = (self.loss.root_node, self.segment.to);
        let (from, until) = self.window();
        let Some(b) = self.loss.next_hop else {
            let mut steps = geometry.steps(self.judged_since(), until);
            let apart = |step| geometry.hops_over_all(step, a, to).is_none();
            let apart = steps.any(apart) || self.asked_in_vain(apart);
            return (!apart).then(|| format!("a path from {a} to {to} existed all the time"));
        };
        let broke = geometry.steps(from, until).any(|step| geometry.far(step, a, b));
        match (broke, self.leads(a, b)) {
            (false, _) => Some(format!("{a} and {b} were in range from {from:.1} to {until:.1} s")),
            (_, false) => Some(format!("no path of the packet goes from {a} to {b}")),
            (true, true) => None,
        }
    }

    fn node_down(&self) -> Option<String> {
        let geometry = &self.case.geometry;
        let (a, to) = (self.loss.root_node, self.segment.to);
        let (from, until) = self.window();
        if self.loss.died == "node-down" && self.loss.next_hop.is_none() {
            let (node, since) = (self.loss.node, self.loss.since);
            let off = geometry.steps(since, since).any(|step| geometry.off(step, node));
            return (!off).then(|| format!("{node} was on at {since:.1} s"));
        }
        let Some(b) = self.loss.next_hop else {
            let mut steps = geometry.steps(self.judged_since(), until);
            let missing =
                |step| geometry.hops(step, a, to).is_none() && geometry.hops_over_all(step, a, to).is_some();
            let missing = steps.any(missing) || self.asked_in_vain(missing);
            // A station that was off itself has lost its routes.
            let missing = missing || geometry.steps(from, until).any(|step| geometry.off(step, a));
            return (!missing)
                .then(|| format!("no station that was off would have completed a path from {a} to {to}"));
        };
        // A station that was off itself has lost its routes and its neighbours' addresses: packets wait, replace each
        // other in hold slots, and are sent in bursts.
        let waited = self.fills() || self.loss.died == "arp-unanswered";
        if waited && geometry.steps(from, until).any(|step| geometry.off(step, a)) {
            return None;
        }
        let off = geometry.steps(from, until).any(|step| geometry.off(step, b));
        match (off, self.leads(a, b)) {
            (false, _) => Some(format!("{b} was on from {from:.1} to {until:.1} s")),
            (_, false) => Some(format!("no path of the packet goes from {a} to {b}")),
            (true, true) => None,
        }
    }

    /// True if the packet waits for a search whose latest request was sent when the path was missing: until the next one,
    /// nothing can be found.
    fn asked_in_vain(&self, missing: impl Fn(usize) -> bool) -> bool {
        let search = (self.loss.root_node, self.segment.to);
        let asked = self.case.searches.unanswered(search, self.window().0, self.loss.since);
        asked.is_some_and(|at| self.case.geometry.steps(at, at).any(missing))
    }

    /// Channel and contention: a reception failed for one of these reasons at the hop, or, if no hop is named,
    /// of a message of the search at a station on a path.
    fn failure_of(&self, reasons: &[Reason]) -> Option<String> {
        let (from, until) = self.window();
        let Some(b) = self.loss.next_hop else {
            // Its own frame arrived, and it was lost above the MAC.
            let above = |f: &Failure| {
                f.content == Content::Segment(self.loss.uid)
                    && f.receiver == self.loss.node
                    && reasons.contains(&f.why)
            };
            let lost_above =
                self.loss.died == "error" && self.case.medium.failures_between(from, until).iter().any(above);
            let found = lost_above || self.message_failed(reasons) || self.starved(reasons);
            return (!found)
                .then(|| format!("no message was lost by {reasons:?} on a path since {from:.1} s"));
        };
        let a = self.loss.root_node;
        let own = Content::Segment(self.loss.uid);
        // If nothing had held up the packet before its MAC gave it up, its own frames have failed.
        let given_up = self.given_up();
        let at_hop = |f: &&Failure| {
            let between = (f.from, f.receiver) == (a, b) || (f.from, f.receiver) == (b, a);
            between
                && reasons.contains(&f.why)
                && (!given_up || f.content == own || f.content == Content::Nothing)
        };
        let from = if given_up { self.loss.since - SERVICE } else { from };
        let from = self.asked_in_vain_at(b).map_or(from, |asked| asked.min(from));
        let failures = |from| self.case.medium.failures_between(from, until).iter();
        // A route may also be lost for longer, as long as the same disturbance keeps the search from finding another.
        let found = failures(from).any(|f| at_hop(&f))
            || !given_up && self.message_failed(reasons) && failures(0.0).any(|f| at_hop(&f));
        match (found, self.has_link(a, b)) {
            (false, _) => {
                Some(format!("no frame between {a} and {b} failed by {reasons:?} since {from:.1} s"))
            }
            (_, false) => Some(format!("no path of the packet contains the link {a}-{b}")),
            (true, true) => None,
        }
    }

    /// When the latest message for the address of `b` was lost at the hop, if the packet waits for it and `b` has sent none
    /// since. ns-2 repeats a request only for the next packet, however late that is.
    fn asked_in_vain_at(&self, b: usize) -> Option<f64> {
        let Loss { root_node: a, died, at, .. } = *self.loss;
        let medium = &self.case.medium;
        let lost = |f: &&Failure| (f.content, f.from, f.receiver) == (Content::Arp, a, b) && f.at <= at;
        let asked = medium.failures.iter().rev().find(lost).filter(|_| died == "arp-unanswered")?.at;
        let answers = |t: &Attempt| (t.content, t.from, t.to) == (Content::Arp, b, a);
        let answered = medium.attempts.iter().any(|t| answers(t) && asked < t.at && t.at <= at);
        (!answered).then_some(asked)
    }

    /// True if a relay had no route any more, and an earlier segment between the same ends was destroyed there, or at the root
    /// before it, within the lifetime of AODV's routes.
    fn starved(&self, reasons: &[Reason]) -> bool {
        let Loss { node, root_node, died, since, uid, .. } = *self.loss;
        let earlier = |f: &Failure| match f.content {
            Content::Segment(other) if other != uid => {
                let ends = |s: &Segment| (s.from, s.to);
                ends(&self.case.segments[&other]) == ends(self.segment)
            }
            _ => false,
        };
        let here = |f: &&Failure| f.receiver == root_node && reasons.contains(&f.why) && earlier(f);
        let lifetime = self.case.route_lifetime();
        died == "no-route"
            && node != self.segment.from
            && self.case.medium.failures_between(since - lifetime, since).iter().any(|f| here(&f))
    }

    /// True if the MAC at the root gave up the packet itself, and nothing had held it up before. A packet that was salvaged
    /// may have passed the root before: only its latest stay counts.
    fn given_up(&self) -> bool {
        let Loss { node, root_node, died, since, uid, .. } = *self.loss;
        let carries = |t: &&Attempt| t.content == Content::Segment(uid) && t.at <= since;
        let attempts = self.case.medium.attempts.iter().filter(carries);
        let mut stay = attempts.rev().take_while(|t| t.to != node);
        matches!(died, "rts-retries" | "data-retries") && root_node == node && stay.any(|t| t.from == node)
    }

    /// True if a message of the search failed for one of these reasons at a station on a path.
    fn message_failed(&self, reasons: &[Reason]) -> bool {
        let (from, until) = self.window();
        let message = |f: &Failure| {
            reasons.contains(&f.why) && !matches!(f.content, Content::Segment(_)) && self.has_node(f.receiver)
        };
        self.case.medium.failures_between(from, until).iter().any(message)
    }

    fn congestion(&self) -> Option<String> {
        let Loss { node, at, since, died, next_hop, root_node, .. } = *self.loss;
        let geometry = &self.case.geometry;
        let mut then = geometry.steps(since, at);
        let here = root_node == node && matches!(died, "ifq" | "codel" | "arp" | "arp-unanswered" | "buffer");
        if let (Some(b), false) = (next_hop, here) {
            // Load kept ARP or HELLOs from a neighbour, or exhausted ARP, and the route over it was lost.
            let mut then = geometry.steps(since - memory(&self.case.scene), since);
            let near = then.any(|step| geometry.near(step, root_node, b) && !geometry.off(step, b));
            let scene = &self.case.scene;
            let fast = scene.can_fill_a_queue() || scene.can_exhaust_arp() || scene.can_contest_a_slot();
            let possible = near && self.has_link(root_node, b) && fast;
            return (!possible).then(|| format!("load cannot have cost the route over {root_node}-{b}"));
        }
        match died {
            "ifq" => {
                // The packet died when it was held up, or had waited for an address before. The queue may have
                // changed several times in that instant.
                let queue = &self.case.queues[node];
                let capacity = i64::from(self.case.scene.queue_capacity());
                let full = |t: f64| {
                    let first = queue.partition_point(|(then, _)| *then < t - 1e-9).saturating_sub(1);
                    let last = queue.partition_point(|(then, _)| *then <= t + 1e-9);
                    queue[first..last].iter().any(|(_, n)| *n >= capacity)
                };
                if !full(since) && !full(at) {
                    return Some(format!("the queue of {node} was not full"));
                }
                let light = !self.case.scene.can_fill_a_queue();
                light.then(|| "the load alone cannot fill a queue".into())
            }
            // CoDel drops from a queue that need not be full.
            "codel" => {
                let light = !self.case.scene.can_fill_a_queue();
                light.then(|| "the load alone keeps no queue standing".into())
            }
            // Packets that arrive faster than addresses are resolved replace each other in the hold slot. In ns-2's
            // dialect each of them asks again, and the third one finds the neighbour silent.
            "arp" | "arp-unanswered" => {
                let gone = next_hop
                    .filter(|&b| then.all(|step| !geometry.near(step, node, b) || geometry.off(step, b)));
                gone.map(|b| format!("{b} could not be reached from {node}"))
            }
            "buffer" => {
                let to = self.segment.to;
                let path = then.any(|step| geometry.hops(step, node, to).is_some());
                (!path).then(|| format!("there was no path from {node} to {to}"))
            }
            other => Some(format!("nothing is full where a packet dies of {other}")),
        }
    }

    fn no_route(&self) -> Option<String> {
        let Loss { node, at, since, died, .. } = *self.loss;
        // Packets that waited for a late search are released together, and fill what load alone would not fill.
        let searches = !matches!(self.case.scene.routing(), "static" | "olsr");
        if matches!(died, "ifq" | "arp") && searches {
            let root = self.loss.root_node;
            return (!self.search_was_late()).then(|| format!("no search of {root} was late"));
        }
        if matches!(died, "ifq" | "arp" | "rts-retries" | "data-retries" | "error") {
            return Some(format!("a packet that dies of {died} had a route"));
        }
        let to = self.segment.to;
        let geometry = &self.case.geometry;
        // A limited search cannot find the path from the start, also if something else keeps the packet from it.
        let initial = geometry.hops_over_all(0, node, to);
        if self.case.scene.reach.zip(initial).is_some_and(|(reach, hops)| hops > reach as usize) {
            return None;
        }
        // A search has had its chance after some time; it does not matter if the path is gone later.
        let until =
            if self.case.scene.reach.is_some() { since } else { at.min(since + chance(&self.case.scene)) };
        let apart = |step: &usize| !geometry.may_connect(*step, node, to);
        // The death of its own node ends the wait.
        let waits = |step: &usize| died != "node-down" || !geometry.off(*step, node);
        let apart = geometry.steps(since, until).filter(waits).find(apart);
        apart.map(|step| format!("in step {step} there was no path from {node} to {to}"))
    }

    /// True if the station at the root searched late, or in vain, for the destination of a flow: packets for all of them
    /// meet in queues and slots, there and further on.
    fn search_was_late(&self) -> bool {
        let Case { scene, geometry, searches, .. } = self.case;
        let (a, (from, until)) = (self.loss.root_node, self.window());
        let beyond = |to: usize| {
            let mut steps = geometry.steps(from, until);
            let hops = steps.find_map(|step| geometry.hops(step, a, to));
            scene.reach.zip(hops).is_some_and(|(reach, hops)| hops > reach as usize)
        };
        let late = |to: usize| {
            searches.late((a, to), from, until) || beyond(to) && searches.asked((a, to), from, until)
        };
        let leads_here = a == self.loss.node || !geometry.on_path(a, self.loss.node).nodes.is_empty();
        leads_here && scene.flows.iter().flat_map(|flow| [flow.from, flow.to]).any(late)
    }

    fn ttl(&self) -> Option<String> {
        let Loss { at, died, .. } = *self.loss;
        let Segment { from, to, sent, .. } = *self.segment;
        let geometry = &self.case.geometry;
        let long = |step| geometry.hops(step, from, to).is_some_and(|hops| hops >= HOP_LIMIT);
        let found = died == "ttl" && geometry.steps(sent, at).any(long);
        (!found).then(|| format!("the path from {from} to {to} is shorter than the hop limit"))
    }

    /// No more frames are counted as unsuccessful than were not answered at that hop shortly before the segment was held up. Few may be
    /// requests for an address.
    fn attempts(&self) -> Option<String> {
        let Loss { root_node: node, since, at, attempts, .. } = *self.loss;
        if !self.given_up() && attempts <= ADDRESS_REQUESTS {
            return None;
        }
        let b = self.loss.next_hop?;
        if self.fades_in(node, b) && !self.case.geometry.in_mean_range(node, b, since) {
            // Over a hop this long, an answer may come after the timer for it.
            return None;
        }
        let at_hop = |a: &&Attempt| {
            (a.from, a.to, a.answered) == (node, b, false) && a.at >= since - SERVICE && a.at <= at
        };
        let failed = self.case.medium.attempts.iter().filter(at_hop).count();
        (usize::from(attempts) > failed)
            .then(|| format!("{attempts} attempts are booked, but only {failed} were not answered"))
    }
}
