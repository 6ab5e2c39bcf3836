//! Pairs of disturbances: each loss has the cause of one that could have touched its packet.

use crate::generate::{Ground, bit_errors, config, grounds, judge, light, ring, string};
use crate::world::{BitErrors, Flow, Scene, Traffic};
use proptest::prelude::*;

/// Something that can go wrong.
#[derive(Copy, Clone, Debug)]
enum Disturbance {
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

fn disturbances() -> impl Strategy<Value = Disturbance> {
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
    fn apply(self, scene: &mut Scene) {
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
                scene.flows.push(Flow { from: to, to: from, traffic, start });
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
                    delay(scene, 400);
                    *scene = scene.clone().with_outage(node, 20, Some(lasts));
                }
            }
            Disturbance::Elsewhere { who, at } => {
                if nodes <= 8 {
                    let first = scene.positions.clone();
                    scene.positions.extend(first.iter().map(|(x, y)| (x + 4400.0, *y)));
                    let Flow { from, to, start, .. } = scene.flows[0];
                    let traffic = Traffic::Datagrams { kbps: 20 };
                    scene.flows.push(Flow { from: from + nodes, to: to + nodes, traffic, start });
                    *scene = scene.clone().with_outage(nodes + who % nodes, at, None);
                }
            }
        }
    }
}

/// Moves everything by this many tenths of a second.
fn delay(scene: &mut Scene, tenths: u32) {
    scene.duration += tenths;
    scene.flows.iter_mut().for_each(|f| f.start += tenths);
    scene.walks.iter_mut().for_each(|w| w.at += tenths);
    scene.cuts.iter_mut().for_each(|c| c.at += tenths);
    for o in &mut scene.outages {
        o.from += tenths;
        o.until = o.until.map(|until| until + tenths);
    }
}

/// A string, a ring, or two rows.
fn places() -> impl Strategy<Value = (Vec<(f64, f64)>, usize)> {
    prop_oneof![
        (1usize..=5, 150.0f64..235.0).prop_map(|(hops, spacing)| (string(hops, spacing), hops)),
        (6usize..=8).prop_map(|nodes| (ring(nodes), nodes / 2)),
        (2usize..=3).prop_map(|columns| {
            let at = |i: usize| ((i / 2) as f64 * 200.0, (i % 2) as f64 * 200.0);
            ((0..2 * columns).map(at).collect(), 2 * columns - 1)
        }),
    ]
}

proptest! {
    #![proptest_config(config())]

    /// Any two disturbances, in any network, with any protocol. Only the invariant holds.
    #[test]
    fn two_disturbances(ground in grounds(), (positions, to) in places(), traffic in light(), first in disturbances(), second in disturbances()) {
        let ground: Ground = ground;
        let mut scene = ground.scene(positions).with_flow(0, to, traffic);
        first.apply(&mut scene);
        second.apply(&mut scene);
        judge(&scene.after_convergence(), |_| true)?;
    }
}
