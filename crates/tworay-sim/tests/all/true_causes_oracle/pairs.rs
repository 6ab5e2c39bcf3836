//! Pairs of disturbances: each loss has the cause of one that could have touched its packet.

use super::generate::{Ground, bit_errors, grounds, light, oracle, ring, string};
use super::medium::Loss;
use super::world::{BitErrors, Flow, Scene, Traffic};
use proptest::prelude::*;

/// Something that can go wrong.
#[derive(Copy, Clone, Debug)]
pub enum Disturbance {
    Errors(BitErrors),
    /// More datagrams than the first link can carry.
    Load {
        kbps: u32,
        queue: u32,
    },
    /// A flow against the first one.
    Counterflow {
        window: u32,
    },
    Walk {
        who: usize,
        at: u32,
        returns: bool,
    },
    Outage {
        who: usize,
        at: u32,
        lasts: Option<u32>,
    },
    Cut {
        at: u32,
        lasts: Option<u32>,
    },
    /// Routing reaches few hops.
    Reach {
        hops: u32,
    },
    /// A relay is off for a while, long before the flows start.
    Past {
        who: usize,
        lasts: u32,
    },
    /// The same network again, 4.4 km away, with a flow and a relay that fails.
    Elsewhere {
        who: usize,
        at: u32,
    },
}

pub fn disturbances() -> impl Strategy<Value = Disturbance> {
    let lasts = || proptest::option::of(5u32..60);
    prop_oneof![
        bit_errors().prop_map(Disturbance::Errors),
        (1000u32..4000, 2u32..30).prop_map(|(kbps, queue)| Disturbance::Load { kbps, queue }),
        (1u32..20).prop_map(|window| Disturbance::Counterflow { window }),
        (0usize..8, 30u32..120, any::<bool>()).prop_map(|(who, at, returns)| Disturbance::Walk {
            who,
            at,
            returns
        }),
        (0usize..8, 30u32..120, lasts()).prop_map(|(who, at, lasts)| Disturbance::Outage { who, at, lasts }),
        (20u32..120, lasts()).prop_map(|(at, lasts)| Disturbance::Cut { at, lasts }),
        (1u32..=2).prop_map(|hops| Disturbance::Reach { hops }),
        (0usize..8, 10u32..60).prop_map(|(who, lasts)| Disturbance::Past { who, lasts }),
        (0usize..8, 30u32..120).prop_map(|(who, at)| Disturbance::Elsewhere { who, at }),
    ]
}

impl Disturbance {
    pub fn apply(self, scene: &mut Scene) {
        // The number of stations before any other island is added.
        let nodes =
            scene.flows.iter().map(|f| f.from.max(f.to)).max().unwrap_or(0).max(scene.positions.len() - 1)
                + 1;
        match self {
            Disturbance::Errors(errors) => scene.errors = errors,
            Disturbance::Load { kbps, queue } => {
                scene.queue = queue;
                scene.flows[0].traffic = Traffic::Datagrams { kbps };
            }
            Disturbance::Counterflow { window } => {
                let Flow { from, to, start, .. } = scene.flows[0];
                let traffic = Traffic::Transfer { window };
                scene.flows.push(Flow { from: to, to: from, traffic, start, stop: None });
            }
            Disturbance::Walk { who, at, returns } => {
                let node = who % nodes;
                // One walk for a station.
                if scene.walks.iter().all(|w| w.node != node) {
                    let (x, y) = scene.positions[node];
                    let away = (x, y + 3000.0);
                    *scene = scene.clone().with_walk(node, at, away, 150.0);
                    if returns {
                        *scene = scene.clone().with_walk(node, at + 40, (x, y), 150.0);
                    }
                }
            }
            Disturbance::Outage { who, at, lasts } => {
                let node = who % nodes;
                if scene.outages.iter().all(|o| o.node != node) {
                    *scene = scene.clone().with_outage(node, at, lasts);
                }
            }
            Disturbance::Cut { at, lasts } => {
                if scene.cuts.iter().all(|c| c.at != at) {
                    *scene = scene.clone().with_cut(at, lasts);
                }
            }
            Disturbance::Reach { hops } => scene.reach = Some(hops),
            Disturbance::Past { who, lasts } => {
                let node = who % nodes;
                if scene.outages.iter().all(|o| o.node != node) {
                    *scene = scene.clone().later(400).with_outage(node, 20, Some(lasts));
                }
            }
            Disturbance::Elsewhere { who, at } => {
                if nodes <= 8 {
                    let first = scene.positions.clone();
                    scene.positions.extend(first.iter().map(|(x, y)| (x + 4400.0, *y)));
                    let Flow { from, to, start, .. } = scene.flows[0];
                    let traffic = Traffic::Datagrams { kbps: 20 };
                    scene.flows.push(Flow { from: from + nodes, to: to + nodes, traffic, start, stop: None });
                    *scene = scene.clone().with_outage(nodes + who % nodes, at, None);
                }
            }
        }
    }
}

/// A string, a ring, or two rows.
pub fn places() -> impl Strategy<Value = (Vec<(f64, f64)>, usize)> {
    prop_oneof![
        (1usize..=5, 150.0f64..235.0).prop_map(|(hops, spacing)| (string(hops, spacing), hops)),
        (6usize..=8).prop_map(|nodes| (ring(nodes), nodes / 2)),
        (2usize..=3).prop_map(|columns| {
            let at = |i: usize| ((i / 2) as f64 * 200.0, (i % 2) as f64 * 200.0);
            ((0..2 * columns).map(at).collect(), 2 * columns - 1)
        }),
    ]
}

/// Any two disturbances, in any network, with any protocol. Only the invariant holds.
#[test]
fn two_disturbances() {
    let scenes = (grounds(), places(), light(), disturbances(), disturbances()).prop_map(
        |(ground, (positions, to), traffic, first, second)| {
            let mut scene = ground.scene(positions).with_flow(0, to, traffic);
            first.apply(&mut scene);
            second.apply(&mut scene);
            scene.after_convergence()
        },
    );
    oracle(file!(), "two_disturbances", scenes, 10, |_, _| true);
}

/// The same network twice, 4.4 km apart. A station of the other one fails; here there are only errors, load or
/// a counterflow. What happened there is never a cause here.
#[test]
fn a_break_elsewhere_is_no_cause() {
    let scenes = (proactive_half(), places(), light(), harmless(), 0usize..8, 30u32..120).prop_map(
        |(ground, (positions, to), traffic, here, who, at)| {
            let mut scene = ground.scene(positions).with_flow(0, to, traffic);
            here.apply(&mut scene);
            Disturbance::Elsewhere { who, at }.apply(&mut scene);
            scene.after_convergence()
        },
    );
    oracle(file!(), "a_break_elsewhere_is_no_cause", scenes, 10, |loss, case| {
        case.segment(loss).from >= case.scene.positions.len() / 2 || !is_break(loss)
    });
}

/// A station is off until 39 s before the flow starts or longer. Another flow between the same ends stopped
/// meanwhile. Then another station walks away. Only the walk can keep the later flow's packets from their way.
#[test]
fn an_old_break_is_no_cause() {
    let breaks = (0usize..8, 1usize..8, 20u32..300, -300i32..100, 0u32..150);
    let scenes = (proactive_half(), places(), light(), breaks).prop_map(
        |(ground, (positions, to), traffic, (who, next, lasts, at, stop))| {
            let count = positions.len();
            let mut scene = ground.scene(positions).with_flow(0, to, traffic).later(700);
            scene = scene.with_outage(who % count, 20, Some(lasts));
            let flow = scene.flows[0];
            scene.flows.push(Flow { start: 10, stop: Some(30 + stop), ..flow });
            let at = flow.start.saturating_add_signed(at);
            let walk = Disturbance::Walk { who: who % count + next % count, at, returns: false };
            walk.apply(&mut scene);
            scene.after_convergence()
        },
    );
    oracle(file!(), "an_old_break_is_no_cause", scenes, 5, |loss, case| {
        case.segment(loss).flow > 0 || loss.cause != "node-down"
    });
}

/// As [`grounds`], every other one with OLSR, whose messages do not name what broke.
fn proactive_half() -> impl Strategy<Value = Ground> {
    (grounds(), any::<bool>()).prop_map(|(ground, proactive)| match proactive {
        true => Ground { protocol: 10 + ground.protocol % 3, ..ground },
        false => ground,
    })
}

fn is_break(loss: &Loss) -> bool {
    matches!(loss.cause, "link-failure" | "node-down")
}

/// Disturbances that break no link.
fn harmless() -> impl Strategy<Value = Disturbance> {
    disturbances().prop_filter("breaks a link", |d| {
        matches!(
            d,
            Disturbance::Errors(_)
                | Disturbance::Load { .. }
                | Disturbance::Counterflow { .. }
                | Disturbance::Reach { .. }
        )
    })
}
