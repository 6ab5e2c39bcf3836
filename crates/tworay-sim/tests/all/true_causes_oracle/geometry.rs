//! Geometry of a scenario, computed from its text alone: who could decode whom, and which paths existed.
//!
//! Two-ray ground propagation of the WaveLAN radio: 250 m of decoding range, 550 m of carrier sense range.
//! Time runs in steps. Within a step a link can be there at one moment and be gone at another; `near` asks for
//! some moment, `far` for some moment of the opposite.

use super::world::{BitErrors, STEP, Scene};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tworay_radio::Verdict;
use tworay_sim::Emission;

/// Decoding range and carrier sense range, m.
const RANGE: f64 = 250.0;
const SENSE: f64 = 550.0;
/// A distance this close to a range counts as both inside and outside, m.
const MARGIN: f64 = 0.5;

/// A time during which the link between two stations was cut, seconds.
#[derive(Copy, Clone, Debug)]
pub struct CutTime {
    pub ends: (usize, usize),
    pub from: f64,
    pub until: f64,
}

/// Every station and link that some simple path between two stations uses.
#[derive(Debug, Default)]
pub struct OnPath {
    pub nodes: BTreeSet<usize>,
    /// In the direction of the path.
    links: BTreeSet<(usize, usize)>,
}

impl OnPath {
    /// True if a path uses the link in either direction.
    pub fn has_link(&self, a: usize, b: usize) -> bool {
        self.leads(a, b) || self.leads(b, a)
    }

    /// True if a path goes from `a` to `b`.
    pub fn leads(&self, a: usize, b: usize) -> bool {
        self.links.contains(&(a, b))
    }
}

/// Positions, links and paths of a scenario over time.
pub struct Geometry {
    scene: Scene,
    nodes: usize,
    steps: usize,
    /// By step, then pair.
    near: Vec<Vec<bool>>,
    far: Vec<Vec<bool>>,
    up: Vec<Vec<bool>>,
    /// Pairs that were near at some time.
    ever: Vec<bool>,
    on_path: RefCell<BTreeMap<(usize, usize), Rc<OnPath>>>,
}

impl Scene {
    /// Position of a station at a time in seconds.
    fn position(&self, node: usize, t: f64) -> (f64, f64) {
        let mut here = self.positions[node];
        let mut walks: Vec<_> = self.walks.iter().filter(|w| w.node == node).collect();
        walks.sort_by_key(|w| w.at);
        for (i, walk) in walks.iter().enumerate() {
            let begins = f64::from(walk.at) / 10.0;
            let until = walks.get(i + 1).map_or(t, |next| t.min(f64::from(next.at) / 10.0));
            if until <= begins {
                break;
            }
            let (dx, dy) = (walk.to.0 - here.0, walk.to.1 - here.1);
            let length = dx.hypot(dy);
            let share = if length > 0.0 { ((until - begins) * walk.speed / length).min(1.0) } else { 0.0 };
            here = (here.0 + share * dx, here.1 + share * dy);
        }
        here
    }

    /// Distance of two stations at a time in seconds, m.
    pub fn distance(&self, a: usize, b: usize, t: f64) -> f64 {
        let (a, b) = (self.position(a, t), self.position(b, t));
        (a.0 - b.0).hypot(a.1 - b.1)
    }
}

impl Geometry {
    pub fn new(scene: &Scene, cuts: &[CutTime]) -> Self {
        let nodes = scene.positions.len();
        let steps = scene.duration as usize + 1;
        let mut geometry = Self {
            scene: scene.clone(),
            nodes,
            steps,
            near: Vec::new(),
            far: Vec::new(),
            up: Vec::new(),
            ever: vec![false; nodes * nodes],
            on_path: RefCell::default(),
        };
        for step in 0..steps {
            geometry.add_step(step, cuts);
        }
        geometry
    }

    fn add_step(&mut self, step: usize, cuts: &[CutTime]) {
        let (from, to) = (step as f64 * STEP, (step + 1) as f64 * STEP);
        let (mut near, mut far) =
            (vec![false; self.nodes * self.nodes], vec![false; self.nodes * self.nodes]);
        for a in 0..self.nodes {
            for b in 0..self.nodes {
                let pair = a * self.nodes + b;
                let distances = [from, (from + to) / 2.0, to].map(|t| self.distance(a, b, t));
                let between = |c: &&CutTime| c.ends == (a, b) || c.ends == (b, a);
                let cut = cuts.iter().filter(between).any(|c| c.from < to && c.until > from);
                let cut_throughout = cuts.iter().filter(between).any(|c| c.from <= from && c.until >= to);
                let comes_near = a != b && distances.iter().any(|d| *d <= RANGE + MARGIN);
                near[pair] = comes_near && !cut_throughout;
                far[pair] = cut || distances.iter().any(|d| *d >= RANGE - MARGIN);
                self.ever[pair] |= comes_near;
            }
        }
        let off = |node| {
            let now = step as u32;
            let during = |o: &&super::world::Outage| {
                o.node == node && o.from <= now && o.until.is_none_or(|until| now < until)
            };
            self.scene.outages.iter().find(during).is_some()
        };
        self.up.push((0..self.nodes).map(|node| !off(node)).collect());
        self.near.push(near);
        self.far.push(far);
    }

    /// Shadowing that stays for a minute (600 tenths of a second) or longer may carry a link that is longer than the mean reach. A frame that was strong enough shows it, for as long as the
    /// shadowing stays the same.
    pub fn carry(&mut self, log: &[Emission]) {
        let BitErrors::Shadowing(_, keeps @ 600..) = self.scene.errors else { return };
        let keeps = f64::from(keeps) / 10.0;
        for e in log {
            let a = e.from.index();
            for r in e.receptions.iter().filter(|r| matches!(r.verdict, Verdict::Good | Verdict::Collided)) {
                let (at, b) = (e.at.as_secs_f64(), r.node.index());
                let began = (at / keeps).floor() * keeps;
                for step in self.steps(began, began + keeps) {
                    for pair in [a * self.nodes + b, b * self.nodes + a] {
                        self.near[step][pair] = true;
                        self.ever[pair] = true;
                    }
                }
            }
        }
    }

    fn distance(&self, a: usize, b: usize, t: f64) -> f64 {
        self.scene.distance(a, b, t)
    }

    /// True if `b` could sense a signal of `a` at a time. Fading may let it sense signals from farther away.
    pub fn senses(&self, a: usize, b: usize, t: f64) -> bool {
        self.scene.errors.fades() || self.distance(a, b, t) <= SENSE + MARGIN
    }

    /// True if the mean power of a signal of `a` suffices for `b` to decode it.
    pub fn in_mean_range(&self, a: usize, b: usize, t: f64) -> bool {
        self.distance(a, b, t) <= RANGE + MARGIN
    }

    /// Effect of the channel on frames.
    pub fn errors(&self) -> BitErrors {
        self.scene.errors
    }

    pub fn stations(&self) -> usize {
        self.nodes
    }

    /// The steps of a window of time, seconds.
    pub fn steps(&self, from: f64, to: f64) -> impl Iterator<Item = usize> + Clone + use<> {
        let step = |t: f64| (t.max(0.0) / STEP + 1e-6) as usize;
        step(from - 1e-6)..(step(to) + 1).min(self.steps)
    }

    /// True if the link was missing at some moment of the step.
    pub fn far(&self, step: usize, a: usize, b: usize) -> bool {
        self.far[step][a * self.nodes + b]
    }

    /// True if the link was there at some moment of the step.
    pub fn near(&self, step: usize, a: usize, b: usize) -> bool {
        self.near[step][a * self.nodes + b]
    }

    /// True if a station was switched off during the step.
    pub fn off(&self, step: usize, node: usize) -> bool {
        !self.up[step][node]
    }

    /// True if all stations are on and every link of the beginning is there at some moment of the step.
    pub fn undisturbed(&self, step: usize) -> bool {
        let pairs = 0..self.nodes * self.nodes;
        self.up[step].iter().all(|up| *up)
            && pairs.into_iter().all(|p| self.near[step][p] || !self.near[0][p])
    }

    /// True if a path over stations that are on may have existed at some moment of the step.
    pub fn may_connect(&self, step: usize, from: usize, to: usize) -> bool {
        self.search(from, to, |a, b| self.near(step, a, b), |node| self.up[step][node]).is_some()
    }

    /// Number of hops of the shortest path over stations that are on, during the whole step.
    pub fn hops(&self, step: usize, from: usize, to: usize) -> Option<usize> {
        self.search(from, to, |a, b| !self.far(step, a, b), |node| self.up[step][node])
    }

    /// As [`Self::hops`], also over stations that are switched off.
    pub fn hops_over_all(&self, step: usize, from: usize, to: usize) -> Option<usize> {
        self.search(from, to, |a, b| !self.far(step, a, b), |_| true)
    }

    fn search(
        &self,
        from: usize,
        to: usize,
        link: impl Fn(usize, usize) -> bool,
        works: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut hops = vec![None; self.nodes];
        let mut open = std::collections::VecDeque::new();
        if works(from) && works(to) {
            hops[from] = Some(0);
            open.push_back(from);
        }
        while let Some(a) = open.pop_front() {
            for b in 0..self.nodes {
                if b != a && hops[b].is_none() && works(b) && link(a, b) {
                    hops[b] = hops[a].map(|h: usize| h + 1);
                    open.push_back(b);
                }
            }
        }
        hops[to]
    }

    /// Every simple path between two stations over links that existed at some time of the run.
    pub fn on_path(&self, from: usize, to: usize) -> Rc<OnPath> {
        if let Some(known) = self.on_path.borrow().get(&(from, to)) {
            return Rc::clone(known);
        }
        let mut found = OnPath::default();
        self.walk_paths(&mut vec![from], to, &mut found);
        let found = Rc::new(found);
        self.on_path.borrow_mut().insert((from, to), Rc::clone(&found));
        found
    }

    fn walk_paths(&self, path: &mut Vec<usize>, to: usize, found: &mut OnPath) {
        let Some(&here) = path.last() else { return };
        if here == to {
            found.nodes.extend(path.iter());
            found.links.extend(path.windows(2).map(|w| (w[0], w[1])));
            return;
        }
        for next in 0..self.nodes {
            if self.ever[here * self.nodes + next] && !path.contains(&next) {
                path.push(next);
                self.walk_paths(path, to, found);
                path.pop();
            }
        }
    }
}
