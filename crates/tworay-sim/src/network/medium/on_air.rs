//! The medium: who hears a transmission, with which power, and after which delay.
//!
//! A transmission costs O(neighbours). A grid finds the candidates that may hear a node; they stay valid
//! until some node could have moved across the margin. All arrivals of a frame share one event for its
//! start and one for its end.

use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_mac::Frame;
use tworay_mobility::Track;
use tworay_radio::{Channel, Fader, MEASURED_DELAY, MeasuredLink, RadioConfig};

/// A station that hears a transmission.
#[derive(Copy, Clone, Debug)]
pub struct Hearer {
    /// The station.
    pub node: NodeId,
    /// Propagation delay in nanoseconds.
    pub delay: u32,
    /// Received power, W.
    pub power: f64,
}

impl Hearer {
    /// The propagation delay.
    #[inline]
    pub fn delay(&self) -> SimDuration {
        SimDuration::from_nanos(self.delay as u64)
    }
}

/// A frame on the air.
#[derive(Clone, Debug)]
pub struct Transmission {
    /// The frame.
    pub frame: Frame,
    /// When its first bit left the sender.
    pub start: SimTime,
    /// Its hearers, where stations move; see [`Medium::hearers`].
    hearers: Vec<Hearer>,
    /// Largest delay among the hearers, nanoseconds.
    pub farthest: u32,
    /// Number of hearers already passed when the frame's start or end had to wait for other events.
    pub passed: u32,
    /// True if the list is sorted by delay.
    sorted: bool,
    live: bool,
}

/// The medium between all stations.
pub struct Medium {
    channel: Channel,
    /// Shadowing and fading, if configured.
    fader: Option<Fader>,
    /// Distance up to which a signal is sensed, m.
    reach: f64,
    /// By how much candidates may exceed the reach, m.
    margin: f64,
    candidates: Vec<Vec<NodeId>>,
    /// Static stations or measured links: exact lists, computed once.
    fixed: Option<Vec<Vec<Hearer>>>,
    /// Measured links: for each sender the nodes that can decode it, in ascending order. Positions are then
    /// ignored.
    measured: Option<Vec<Vec<NodeId>>>,
    candidates_until: SimTime,
    max_speed: f64,
    air: Vec<Transmission>,
    free: Vec<u32>,
}

/// By how much candidates may exceed the reach, relative to it.
const MARGIN: f64 = 0.1;
/// Bytes of a candidate and of a hearer in a list.
const CANDIDATE: u64 = size_of::<NodeId>() as u64;
const HEARER: u64 = size_of::<Hearer>() as u64;

/// Distance up to which a signal may be sensed, m.
fn reach_of(channel: &Channel, fader: Option<&Fader>) -> f64 {
    channel.range_of(channel.cs_threshold() / fader.map_or(1.0, Fader::most))
}

/// Bytes of the lists of a medium of stations that move along `tracks`: one entry for every two stations in
/// reach of each other. They are counted, not made, so that a scenario can be refused before it takes the
/// memory.
pub fn bytes_of_lists(config: &RadioConfig, seed: u64, tracks: &mut [Track]) -> u64 {
    let near = in_reach(config, seed, tracks);
    if !config.links.is_empty() {
        return near * (2 * CANDIDATE + HEARER);
    }
    let still = config.fader(seed).is_none() && tracks.iter().all(Track::is_static);
    near * (CANDIDATE + if still { HEARER } else { 0 })
}

/// Ordered pairs of stations in reach of each other at the start.
pub fn in_reach(config: &RadioConfig, seed: u64, tracks: &mut [Track]) -> u64 {
    if !config.links.is_empty() {
        return config.links.len() as u64;
    }
    let fader = config.fader(seed);
    let wide = (1.0 + MARGIN) * reach_of(&Channel::new(config), fader.as_ref());
    let grid = Grid::new(tracks.iter_mut().map(|t| t.position(SimTime::ZERO)).collect(), wide);
    let mut near = 0u64;
    (0..tracks.len()).for_each(|i| grid.near(i, |_| near += 1));
    near
}

/// Stations sorted into square cells that are as wide as the distance within which stations are looked for.
struct Grid {
    points: Vec<tworay_base::Position>,
    cells: Vec<Vec<u16>>,
    columns: usize,
    corner: (f64, f64),
    cell: f64,
    wide: f64,
}

impl Grid {
    fn new(points: Vec<tworay_base::Position>, wide: f64) -> Self {
        let (mut x0, mut y0, mut x1, mut y1) = (f64::MAX, f64::MAX, f64::MIN, f64::MIN);
        for p in &points {
            (x0, y0, x1, y1) = (x0.min(p.x), y0.min(p.y), x1.max(p.x), y1.max(p.y));
        }
        // Limits the number of cells, however far apart the stations are.
        let cell = wide.max((x1 - x0).max(y1 - y0) / 1024.0).max(1.0);
        let columns = ((x1 - x0) / cell) as usize + 1;
        let rows = ((y1 - y0) / cell) as usize + 1;
        let mut grid =
            Self { points, cells: vec![Vec::new(); columns * rows], columns, corner: (x0, y0), cell, wide };
        for i in 0..grid.points.len() {
            let (cx, cy) = grid.place(i);
            grid.cells[cy * columns + cx].push(i as u16);
        }
        grid
    }

    fn place(&self, i: usize) -> (usize, usize) {
        let (p, (x0, y0)) = (&self.points[i], self.corner);
        (((p.x - x0) / self.cell) as usize, ((p.y - y0) / self.cell) as usize)
    }

    /// Calls `found` with every other station within the distance of station `i`.
    #[inline]
    fn near(&self, i: usize, mut found: impl FnMut(u16)) {
        let (cx, cy) = self.place(i);
        let rows = self.cells.len() / self.columns;
        let here = self.points[i];
        for y in cy.saturating_sub(1)..=(cy + 1).min(rows - 1) {
            for x in cx.saturating_sub(1)..=(cx + 1).min(self.columns - 1) {
                for &j in &self.cells[y * self.columns + x] {
                    let d2 = self.points[j as usize].distance_squared(here);
                    if j as usize != i && d2 <= self.wide * self.wide {
                        found(j);
                    }
                }
            }
        }
    }
}

impl Medium {
    /// The medium of stations that move along `tracks`.
    pub fn new(channel: Channel, fader: Option<Fader>, tracks: &mut [Track]) -> Self {
        let reach = reach_of(&channel, fader.as_ref());
        let max_speed = tracks.iter().map(|t| t.max_speed().get()).fold(0.0, f64::max);
        let mut medium = Self {
            channel,
            fader,
            reach,
            margin: MARGIN * reach,
            candidates: vec![Vec::new(); tracks.len()],
            fixed: None,
            measured: None,
            candidates_until: SimTime::ZERO,
            max_speed,
            air: Vec::new(),
            free: Vec::new(),
        };
        medium.refresh(SimTime::ZERO, tracks);
        if medium.fader.is_none() && tracks.iter().all(Track::is_static) {
            let lists = (0..tracks.len())
                .map(|i| {
                    let mut list = Vec::new();
                    medium.measure(SimTime::ZERO, NodeId(i as u16), tracks, &mut list);
                    list.sort_by_key(|h: &Hearer| (h.delay, h.node));
                    list
                })
                .collect();
            medium.fixed = Some(lists);
        }
        medium
    }

    /// Upper bound of a signal's propagation delay.
    pub fn longest_delay(&self) -> SimDuration {
        // Without a threshold the reach is infinite; no network is wider than this.
        const WIDEST_M: f64 = 300_000.0;
        let reach = (self.reach + self.margin).min(WIDEST_M);
        if self.measured.is_some() { MEASURED_DELAY } else { self.channel.delay(reach) }
    }

    /// The medium of `nodes` stations that are connected by the listed links, whatever their positions.
    pub fn measured(channel: Channel, links: &[MeasuredLink], nodes: usize) -> Self {
        let mut lists = vec![Vec::new(); nodes];
        let delay = MEASURED_DELAY.as_nanos() as u32;
        for link in links {
            let power = link.power(channel.rx_threshold());
            lists[usize::from(link.from)].push(Hearer { node: NodeId(link.to), delay, power });
        }
        for list in &mut lists {
            list.sort_by_key(|h: &Hearer| h.node);
        }
        let threshold = channel.rx_threshold();
        let decoders = |list: &Vec<Hearer>| {
            list.iter().filter(|h| h.power >= threshold).map(|h| h.node).collect::<Vec<_>>()
        };
        let readable = lists.iter().map(decoders).collect();
        Self {
            channel,
            fader: None,
            reach: 0.0,
            margin: 0.0,
            candidates: lists.iter().map(|list| list.iter().map(|h| h.node).collect()).collect(),
            fixed: Some(lists),
            measured: Some(readable),
            candidates_until: SimTime::NEVER,
            max_speed: 0.0,
            air: Vec::new(),
            free: Vec::new(),
        }
    }

    /// True if `b` can decode `a` over a measured link; `None` where distance decides.
    pub fn measured_reach(&self, a: NodeId, b: NodeId) -> Option<bool> {
        let list = self.measured.as_ref()?.get(a.index())?;
        Some(list.binary_search(&b).is_ok())
    }

    /// Power at which `b` gets the signals of `a`, W, if lists of static stations or measured links say so.
    pub fn listed_power(&self, a: NodeId, b: NodeId) -> Option<f64> {
        let list = self.fixed.as_ref()?.get(a.index())?;
        list.iter().find(|h| h.node == b).map(|h| h.power)
    }

    /// The radio channel.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Stations that may be in reach of `node`, in ascending order: all that are, and some slightly too far
    /// away.
    pub fn candidates(&self, node: NodeId) -> &[NodeId] {
        &self.candidates[node.index()]
    }

    /// The same if it never changes: nothing moves or fades.
    pub fn lasting_candidates(&self, node: NodeId) -> Option<&[NodeId]> {
        self.fixed.as_ref().map(|_| self.candidates(node))
    }

    /// False if signals of `from` never reach `node`.
    pub fn may_reach(&self, from: NodeId, node: NodeId) -> bool {
        self.lasting_candidates(from).is_none_or(|near| near.binary_search(&node).is_ok())
    }

    /// The factor of shadowing and fading on the power between two stations now.
    pub fn gain(&self, now: SimTime, from: NodeId, to: NodeId) -> f64 {
        self.fader.as_ref().map_or(1.0, |fader| fader.gain(from, to, now))
    }

    /// True if slow shadowing, which is the same both ways, lifts a mean power between two stations to what decoding needs.
    pub fn favours(&self, now: SimTime, a: NodeId, b: NodeId, power: f64) -> bool {
        let lifted = |fader: &Fader| power * fader.slow_gain(a, b, now) >= self.channel.rx_threshold();
        self.fader.as_ref().is_some_and(lifted)
    }

    /// True if received powers are random.
    pub fn fades(&self) -> bool {
        self.fader.is_some()
    }

    /// Recomputes all candidates.
    fn refresh(&mut self, now: SimTime, tracks: &mut [Track]) {
        let grid = Grid::new(tracks.iter_mut().map(|t| t.position(now)).collect(), self.reach + self.margin);
        for (i, list) in self.candidates.iter_mut().enumerate() {
            list.clear();
            grid.near(i, |j| list.push(NodeId(j)));
            list.sort_unstable();
        }
        self.candidates_until = if self.max_speed > 0.0 {
            now + SimDuration::from_secs_f64(self.margin / (2.0 * self.max_speed))
        } else {
            SimTime::NEVER
        };
    }

    /// A station was moved otherwise than before. Frames on the air keep their hearers; those to come reach the stations
    /// that are near then.
    pub fn displaced(&mut self, now: SimTime, tracks: &mut [Track]) {
        if self.measured.is_some() {
            return;
        }
        if let Some(lists) = self.fixed.take() {
            for t in self.air.iter_mut().filter(|t| t.live) {
                t.hearers.clone_from(&lists[t.frame.from.index()]);
            }
        }
        self.max_speed = tracks.iter().map(|track| track.max_speed_from(now).get()).fold(0.0, f64::max);
        self.refresh(now, tracks);
    }

    /// Appends the stations that can decode `from` now, by their mean power or because slow shadowing favours them, of those that
    /// are `wanted`.
    pub fn reached(
        &mut self,
        now: SimTime,
        from: NodeId,
        tracks: &mut [Track],
        wanted: impl Fn(NodeId) -> bool,
        out: &mut Vec<NodeId>,
    ) {
        if self.measured.is_some() {
            let both = |&b: &NodeId| {
                wanted(b)
                    && self.measured_reach(from, b) == Some(true)
                    && self.measured_reach(b, from) == Some(true)
            };
            out.extend(self.candidates[from.index()].iter().copied().filter(both));
            return;
        }
        if now > self.candidates_until {
            self.refresh(now, tracks);
        }
        let here = tracks[from.index()].position(now);
        let threshold = self.channel.rx_threshold();
        for &node in self.candidates[from.index()].iter().filter(|node| wanted(**node)) {
            let d2 = tracks[node.index()].position(now).distance_squared(here);
            let power = self.channel.rx_power_squared(d2);
            if power >= threshold || self.favours(now, from, node, power) {
                out.push(node);
            }
        }
    }

    /// True if more than one transmission is on the medium.
    pub fn is_shared(&self) -> bool {
        self.air.len() > self.free.len() + 1
    }

    /// Transmissions on the medium, by number.
    pub fn live(&self) -> impl Iterator<Item = (u32, &Transmission)> {
        (0u32..).zip(&self.air).filter(|(_, t)| t.live)
    }

    /// The sender of the strongest signal at `node` among those that overlapped transmission `tx`.
    pub fn interferer(&self, tx: u32, node: NodeId) -> Option<NodeId> {
        self.strongest_overlap(tx, node).map(|(_, from)| from)
    }

    /// The sender whose signal prevents `node` from receiving transmission `tx`, which starts now.
    pub fn blocker(&self, tx: u32, node: NodeId) -> Option<NodeId> {
        let wanted = self.power_at(tx, node)?;
        let spoils = |power: f64| wanted < self.channel.capture_ratio() * power;
        self.strongest_overlap(tx, node).filter(|(power, _)| spoils(*power)).map(|(_, from)| from)
    }

    fn power_at(&self, tx: u32, node: NodeId) -> Option<f64> {
        self.hearers(tx).iter().find(|h| h.node == node).map(|h| h.power)
    }

    fn strongest_overlap(&self, tx: u32, node: NodeId) -> Option<(f64, NodeId)> {
        let spoiled = &self.air[tx as usize];
        let end = |t: &Transmission| t.start + t.frame.airtime;
        let mut strongest: Option<(f64, NodeId)> = None;
        for (id, t) in (0u32..).zip(&self.air) {
            let from = t.frame.from;
            if id == tx || from == spoiled.frame.from || t.start >= end(spoiled) || end(t) <= spoiled.start {
                continue;
            }
            if let Some(power) = self.power_at(id, node)
                && strongest.is_none_or(|(most, _)| power > most)
            {
                strongest = Some((power, from));
            }
        }
        strongest
    }

    /// Appends the stations that sense `from` now; returns the largest delay among them, nanoseconds.
    fn measure(&self, now: SimTime, from: NodeId, tracks: &mut [Track], out: &mut Vec<Hearer>) -> u32 {
        match &self.fader {
            None => self.hearing(now, from, tracks, out, |_, power| power),
            Some(fader) => {
                self.hearing(now, from, tracks, out, |node, power| power * fader.gain(from, node, now))
            }
        }
    }

    /// As [`Self::measure`]; `faded` is the power that arrives at a station, from the mean power. Whether there is
    /// fading is asked once, not at each station.
    #[inline(always)]
    fn hearing(
        &self,
        now: SimTime,
        from: NodeId,
        tracks: &mut [Track],
        out: &mut Vec<Hearer>,
        faded: impl Fn(NodeId, f64) -> f64,
    ) -> u32 {
        let here = tracks[from.index()].position(now);
        let threshold = self.channel.cs_threshold();
        let mut farthest = 0;
        for &node in &self.candidates[from.index()] {
            let d2 = tracks[node.index()].position(now).distance_squared(here);
            let power = faded(node, self.channel.rx_power_squared(d2));
            if power >= threshold {
                let delay = self.channel.delay(d2.sqrt()).as_nanos() as u32;
                farthest = farthest.max(delay);
                out.push(Hearer { node, delay, power });
            }
        }
        farthest
    }

    /// Puts a frame on the air; returns the transmission's number. Inlined in the old air, where a call takes 0.3 % more
    /// instructions.
    #[inline(always)]
    pub fn transmit(&mut self, now: SimTime, frame: &Frame, tracks: &mut [Track]) -> u32 {
        if now > self.candidates_until {
            self.refresh(now, tracks);
        }
        let id = self.free.pop().unwrap_or_else(|| {
            self.air.push(Transmission {
                frame: *frame,
                start: now,
                hearers: Vec::new(),
                farthest: 0,
                passed: 0,
                sorted: false,
                live: false,
            });
            self.air.len() as u32 - 1
        });
        if let Some(lists) = &self.fixed {
            let t = &mut self.air[id as usize];
            t.farthest = lists[frame.from.index()].last().map_or(0, |h| h.delay);
            t.sorted = true;
        } else {
            let mut hearers = std::mem::take(&mut self.air[id as usize].hearers);
            hearers.clear();
            let farthest = self.measure(now, frame.from, tracks, &mut hearers);
            let t = &mut self.air[id as usize];
            t.hearers = hearers;
            t.farthest = farthest;
            t.sorted = false;
        }
        let t = &mut self.air[id as usize];
        t.frame = *frame;
        t.start = now;
        t.passed = 0;
        t.live = true;
        id
    }

    /// A transmission on the air.
    #[inline]
    pub fn get(&self, id: u32) -> &Transmission {
        &self.air[id as usize]
    }

    /// The hearers of a transmission.
    pub fn hearers(&self, id: u32) -> &[Hearer] {
        let t = &self.air[id as usize];
        match &self.fixed {
            Some(lists) => &lists[t.frame.from.index()],
            None => &t.hearers,
        }
    }

    /// A transmission on the air.
    #[inline]
    pub fn get_mut(&mut self, id: u32) -> &mut Transmission {
        &mut self.air[id as usize]
    }

    /// Takes out the list of hearers for iteration; return it with [`Medium::give_back`].
    #[inline]
    pub fn take_hearers(&mut self, id: u32) -> Vec<Hearer> {
        std::mem::take(self.list(id))
    }

    /// Undoes [`Medium::take_hearers`].
    #[inline]
    pub fn give_back(&mut self, id: u32, hearers: Vec<Hearer>) {
        *self.list(id) = hearers;
    }

    #[inline]
    fn list(&mut self, id: u32) -> &mut Vec<Hearer> {
        let t = &mut self.air[id as usize];
        match &mut self.fixed {
            Some(lists) => &mut lists[t.frame.from.index()],
            None => &mut t.hearers,
        }
    }

    /// Sorts the hearers by delay.
    pub fn sort(&mut self, id: u32) {
        let t = &mut self.air[id as usize];
        if !t.sorted {
            t.hearers.sort_unstable_by_key(|h| (h.delay, h.node));
            t.sorted = true;
        }
    }

    /// The transmission has ended at all hearers; its number is reused.
    pub fn retire(&mut self, id: u32) {
        debug_assert!(self.air[id as usize].live);
        self.air[id as usize].live = false;
        self.free.push(id);
    }
}

#[cfg(test)]
mod tests;
