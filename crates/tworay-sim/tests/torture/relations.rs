//! Relations between the results of a scenario and of a changed one (metamorphic relations: Chen, Cheung and Yiu 1998).
//!
//! Each relation is exact: streams are named by (seed, node, purpose), so that a change that no packet notices changes
//! nothing at all. Features for which a relation doesn't hold (rounding on the way of moving stations, states that depend
//! on the time) are taken out of the scenario first: what is left is its ground. A scenario is held to one relation, the
//! first that applies from a place that its seed chooses.

use crate::checks::{Fault, column, ensure};
use crate::guarded::{Run, run, run_plainly};
use crate::plan::{Plan, Step};
use serde_json::{Value as Json, json};
use toml::Value;
use tworay_base::{SimDuration, SimTime};
use tworay_sim::LossRecord;

/// A change of a scenario, and the comparison of both runs.
struct Relation {
    name: &'static str,
    /// The part of a scenario for which the relation holds; `None` if for nothing.
    ground: fn(&Plan) -> Option<Plan>,
    /// The ground, changed.
    change: fn(&Plan) -> Option<Plan>,
    /// Compares a run of the ground with the changed scenario.
    compare: fn(&Run, &Plan) -> Result<Vec<String>, Fault>,
}

impl Relation {
    /// The ground and the changed scenario, if the relation applies to `plan`.
    fn pair(&self, plan: &Plan) -> Option<(Plan, Plan)> {
        let ground = (self.ground)(plan)?;
        let changed = (self.change)(&ground)?;
        (ground.scenario().is_ok() && changed.scenario().is_ok()).then_some((ground, changed))
    }
}

const RELATIONS: [Relation; 8] = [
    Relation { name: "mirrored field", ground: placed, change: mirrored, compare: all_equal },
    Relation { name: "field turned by a right angle", ground: placed, change: turned, compare: all_equal },
    Relation { name: "moved field", ground: standing, change: moved, compare: all_equal },
    Relation {
        name: "longer run",
        ground: |plan| Some(plan.clone()),
        change: longer,
        compare: same_beginning,
    },
    Relation {
        name: "unreachable node",
        ground: placed,
        change: with_unreachable_node,
        compare: flows_equal,
    },
    Relation { name: "listener out of range", ground: quiet, change: with_listener, compare: flows_equal },
    Relation { name: "shifted time", ground: timeless, change: later, compare: all_later },
    Relation { name: "flows swapped", ground: drawless, change: swapped, compare: flows_swapped },
];

pub fn check(plan: &Plan, of_plan: &Run) -> Result<(), Fault> {
    let first = plan.seed as usize;
    for relation in (first..first + RELATIONS.len()).map(|i| &RELATIONS[i % RELATIONS.len()]) {
        let Some((ground, changed)) = relation.pair(plan) else { continue };
        let differing = if ground.tree == plan.tree {
            (relation.compare)(of_plan, &changed)?
        } else {
            (relation.compare)(&run(&ground)?, &changed)?
        };
        return ensure(relation.name, differing.is_empty(), || {
            format!("{}\n{}", differing.join("; "), changed.toml())
        });
    }
    Ok(())
}

// Grounds.

/// The same without these tables and keys.
fn without(plan: &Plan, paths: &[&str]) -> Plan {
    let mut changed = plan.clone();
    for path in paths {
        let steps: Vec<Step> = path.split('.').map(|key| Step::Key(key.to_owned())).collect();
        changed.remove(&steps);
    }
    changed
}

/// With positions instead of a rule for them: multiples of a quarter of a metre, whose sums and differences are exact.
fn placed(plan: &Plan) -> Option<Plan> {
    plan.get("topology")?;
    let mut changed = match plan.text("mobility.kind", "static") {
        "waypoints" => plan.clone(),
        _ => without(plan, &["mobility"]),
    };
    let mut setup = plan.scenario().ok()?.setup(plan.seed, false).ok()?;
    let places = setup.tracks.iter_mut().map(|track| {
        let place = track.position(SimTime::ZERO);
        Value::Array([place.x, place.y].map(|x| Value::Float((x * 4.0).round() / 4.0)).to_vec())
    });
    let places: Vec<Value> = places.collect();
    let mut topology = toml::Table::new();
    topology.insert("kind".into(), Value::String("explicit".into()));
    topology.insert("positions".into(), Value::Array(places));
    changed.tree.insert("topology".into(), Value::Table(topology));
    Some(changed)
}

/// As [`placed`], and no station moves: places on the way are sums that a moved field rounds differently.
fn standing(plan: &Plan) -> Option<Plan> {
    placed(&without(plan, &["mobility"]))
}

/// The default radio, and routing that says nothing by itself.
fn quiet(plan: &Plan) -> Option<Plan> {
    let protocol = plan.text("routing.protocol", "aodv");
    let path = format!("routing.{protocol}");
    (protocol != "olsr").then(|| standing(&without(plan, &["radio", "errors", &path])))?
}

/// Nothing happens by itself, and no state depends on the time.
fn timeless(plan: &Plan) -> Option<Plan> {
    let protocol = plan.text("routing.protocol", "aodv");
    let path = format!("routing.{protocol}");
    let gone = ["mobility", "energy", "errors", "warmup", "radio", "wire", "tcp", "dialect", &path];
    (protocol != "olsr").then(|| without(plan, &gone))
}

/// Flows that draw nothing from the streams of their place in the file.
fn drawless(plan: &Plan) -> Option<Plan> {
    let mut changed = without(plan, &["tcp", "dialect", "radio", "wire"]);
    for flow in changed.tables_mut("flow") {
        let draws =
            |tcp: &str| ["probing", "freeze", "bbr", "daa", "cdg"].iter().any(|word| tcp.contains(word));
        if flow.get("tcp").and_then(Value::as_str).is_some_and(draws) {
            flow.insert("tcp".into(), Value::String("sack".into()));
        }
    }
    Some(changed)
}

// Changes.

/// Changes every position and every target of a move. Positions of kinds other than `explicit` are rules.
fn places(plan: &Plan, change: impl Fn(f64, f64) -> (f64, f64)) -> Option<Plan> {
    let mut changed = plan.clone();
    let all = changed.tree.get_mut("topology")?.get_mut("positions")?.as_array_mut()?;
    for place in all {
        at(place, &change)?;
    }
    if plan.get("mobility").is_some() {
        let legs = changed.tree.get_mut("mobility")?.get_mut("legs")?.as_array_mut()?;
        for leg in legs {
            at(leg.get_mut("to")?, &change)?;
        }
    }
    Some(changed)
}

fn at(place: &mut Value, change: impl Fn(f64, f64) -> (f64, f64)) -> Option<()> {
    let pair = place.as_array()?;
    let (x, y) = change(pair.first()?.as_float()?, pair.get(1)?.as_float()?);
    *place = Value::Array(vec![Value::Float(x), Value::Float(y)]);
    Some(())
}

fn mirrored(plan: &Plan) -> Option<Plan> {
    places(plan, |x, y| (-x, y))
}

fn turned(plan: &Plan) -> Option<Plan> {
    places(plan, |x, y| (-y, x))
}

/// By powers of two.
fn moved(plan: &Plan) -> Option<Plan> {
    places(plan, |x, y| (x + 4096.0, y - 2048.0))
}

/// The beginning of a run doesn't depend on its end.
fn longer(plan: &Plan) -> Option<Plan> {
    let mut changed = plan.clone();
    changed.set("duration", later_by(plan.get("duration")?, SimDuration::from_millis(1300))?);
    Some(changed)
}

fn later_by(time: &Value, by: SimDuration) -> Option<Value> {
    let millis: u64 = time.as_str()?.strip_suffix("ms")?.parse().ok()?;
    let nanos = millis * 1_000_000 + by.as_nanos();
    Some(Value::String(format!("{}.{:03}us", nanos / 1000, nanos % 1000)))
}

fn with_node(plan: &Plan, x: f64, y: f64) -> Option<Plan> {
    let mut changed = plan.clone();
    let all = changed.tree.get_mut("topology")?.get_mut("positions")?.as_array_mut()?;
    all.push(Value::Array(vec![Value::Float(x), Value::Float(y)]));
    Some(changed)
}

/// Ten thousand kilometres away: no signal of any drawn power arrives.
fn with_unreachable_node(plan: &Plan) -> Option<Plan> {
    with_node(plan, 1e7, 1e7)
}

/// A node 400 m east of the easternmost one: the default radio senses signals up to 550 m, and decodes them up to 250 m.
/// The node has nothing to say.
fn with_listener(plan: &Plan) -> Option<Plan> {
    let places = plan.get("topology.positions")?.as_array()?;
    let place = |place: &Value| Some((place.get(0)?.as_float()?, place.get(1)?.as_float()?));
    let (x, y) = places.iter().filter_map(place).max_by(|a, b| a.0.total_cmp(&b.0))?;
    with_node(plan, x + 400.0, y)
}

/// Delay of everything that happens: a multiple of every clock's tick.
const LATER: SimDuration = SimDuration::from_secs(64);

/// Everything happens later.
fn later(plan: &Plan) -> Option<Plan> {
    let mut changed = plan.clone();
    changed.set("duration", later_by(plan.get("duration")?, LATER)?);
    for flow in changed.tables_mut("flow") {
        let start = flow.get("start").cloned().unwrap_or_else(|| Value::String("0ms".into()));
        flow.insert("start".into(), later_by(&start, LATER)?);
        if let Some(stop) = flow.get("stop") {
            let stop = later_by(stop, LATER)?;
            flow.insert("stop".into(), stop);
        }
    }
    for event in changed.tables_mut("event") {
        let at = later_by(event.get("at")?, LATER)?;
        event.insert("at".into(), at);
    }
    Some(changed)
}

/// The first two flows change places. Flows that begin at the same instant would meet in another order.
fn swapped(plan: &Plan) -> Option<Plan> {
    let flows: Vec<_> = plan.tables("flow").collect();
    let bursts = |flow: &&toml::Table| flow.get("app").and_then(Value::as_str) == Some("on-off");
    let same = |key: &str| flows[0].get(key) == flows[1].get(key);
    let cuts = plan.tables("event").any(|event| event.contains_key("flow"));
    if flows.len() < 2 || cuts || flows.iter().take(2).any(bursts) || same("from") || same("to") {
        return None;
    }
    let mut changed = plan.clone();
    changed.tree.get_mut("flow")?.as_array_mut()?.swap(0, 1);
    Some(changed)
}

// Comparisons.

/// Results of the flows, the ledger and the diagnosis, as values that can be compared by key.
fn said(run: &Run) -> Json {
    let document = &run.report.document;
    json!({ "flows": document.flows, "ledger": document.ledger, "diagnosis": document.diagnosis })
}

/// Everything said, also of the MAC, routing and energy.
fn everything(run: &Run) -> Json {
    let mut document = serde_json::to_value(&run.report.document).unwrap_or_default();
    document["cpu_seconds"] = json!(0);
    document
}

/// The first differences between two values.
fn differing(path: &str, a: &Json, b: &Json, found: &mut Vec<String>) {
    match (a, b) {
        (Json::Object(one), Json::Object(other)) => {
            let keys: std::collections::BTreeSet<_> = one.keys().chain(other.keys()).collect();
            keys.into_iter().for_each(|key| differing(&format!("{path}.{key}"), &a[key], &b[key], found));
        }
        (Json::Array(one), Json::Array(other)) if one.len() == other.len() => {
            one.iter()
                .zip(other)
                .enumerate()
                .for_each(|(i, (a, b))| differing(&format!("{path}.{i}"), a, b, found));
        }
        // Differences of later times are rounded differently.
        (Json::Number(one), Json::Number(other)) if close(one, other) => {}
        _ if a != b && found.len() < 4 => found.push(format!("{path}: {a} | {b}")),
        _ => {}
    }
}

fn close(one: &serde_json::Number, other: &serde_json::Number) -> bool {
    let (one, other) = (one.as_f64().unwrap_or(f64::NAN), other.as_f64().unwrap_or(f64::NAN));
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

fn differences(a: &Json, b: &Json) -> Vec<String> {
    let mut found = Vec::new();
    differing("", a, b, &mut found);
    found
}

fn losses_differ(first: &[LossRecord], second: &[LossRecord]) -> Vec<String> {
    let place = first.iter().zip(second).position(|(a, b)| a != b);
    let place = place.or_else(|| (first.len() != second.len()).then(|| first.len().min(second.len())));
    place.map(|i| format!("loss {i}: {:?} | {:?}", first.get(i), second.get(i))).into_iter().collect()
}

fn all_equal(first: &Run, changed: &Plan) -> Result<Vec<String>, Fault> {
    let second = run_plainly(changed)?;
    let mut found = differences(&everything(first), &everything(&second));
    found.extend(losses_differ(first.report.losses(), second.report.losses()));
    Ok(found)
}

fn flows_equal(first: &Run, changed: &Plan) -> Result<Vec<String>, Fault> {
    let second = run_plainly(changed)?;
    let mut found = differences(&said(first), &said(&second));
    found.extend(losses_differ(first.report.losses(), second.report.losses()));
    Ok(found)
}

/// Losses and frames of the shorter run are the first ones of the longer run.
fn same_beginning(first: &Run, changed: &Plan) -> Result<Vec<String>, Fault> {
    let second = run(changed)?;
    let count = |run: &Run| {
        run.report.losses().iter().filter(|l| l.at.as_secs_f64() < first.report.document.sim_seconds).count()
    };
    let [shorter, longer] = [first, &second].map(|run| &run.report.losses()[..count(run)]);
    let mut found = losses_differ(shorter, longer);
    let tables = [first.report.tables(), second.report.tables()];
    let [shorter, longer] = [&tables[0], &tables[1]].map(|tables| {
        let (at, from) = (column(tables, "frames", "t_s"), column(tables, "frames", "from"));
        let frames = at.into_iter().zip(from).filter(|(at, _)| *at < first.report.document.sim_seconds);
        frames.collect::<Vec<_>>()
    });
    if let Some(i) = (0..shorter.len().max(longer.len())).find(|&i| shorter.get(i) != longer.get(i)) {
        found.push(format!("frame {i}: {:?} | {:?}", shorter.get(i), longer.get(i)));
    }
    Ok(found)
}

/// True if two stations began to transmit in the same nanosecond. Which of them goes first depends on the time, so that
/// neither end of a string is favoured, and on who went before.
fn tied(run: &Run) -> bool {
    let begun = column(&run.report.tables(), "frames", "t_s");
    begun.windows(2).any(|pair| pair[0] == pair[1])
}

fn all_later(first: &Run, changed: &Plan) -> Result<Vec<String>, Fault> {
    if tied(first) {
        return Ok(Vec::new());
    }
    let second = run_plainly(changed)?;
    let mut found = differences(&said(first), &said(&second));
    let moved: Vec<LossRecord> = first
        .report
        .losses()
        .iter()
        .map(|loss| LossRecord { at: loss.at + LATER, since: loss.since + LATER, ..*loss })
        .collect();
    found.extend(losses_differ(&moved, second.report.losses()));
    Ok(found)
}

fn flows_swapped(first: &Run, changed: &Plan) -> Result<Vec<String>, Fault> {
    let second = run_plainly(changed)?;
    let mut expected = said(first);
    if let Some(flows) = expected["flows"].as_array_mut() {
        flows.swap(0, 1);
        (flows[0]["id"], flows[1]["id"]) = (json!(0), json!(1));
    }
    Ok(differences(&expected, &said(&second)))
}

/// Every relation applies to some of the scenarios, so that none is there for nothing; and comparing a run with that of
/// another seed finds differences.
#[test]
fn every_relation_applies_to_some_scenarios() {
    let mut applied = [0; RELATIONS.len()];
    for number in 0..200 {
        let plan = crate::draw::plan(number);
        let count =
            |(relation, count): (&Relation, &mut u32)| *count += u32::from(relation.pair(&plan).is_some());
        RELATIONS.iter().zip(&mut applied).for_each(count);
    }
    println!("{:?}", RELATIONS.iter().map(|relation| relation.name).zip(applied).collect::<Vec<_>>());
    let rare = RELATIONS.iter().zip(applied).find(|(_, count)| *count < 20);
    assert!(rare.is_none(), "{:?}", rare.map(|(relation, count)| (relation.name, count)));
    let plan = crate::draw::plan(2);
    let first = run(&plan).unwrap_or_else(|fault| panic!("{fault}"));
    for relation in &RELATIONS {
        let other = Plan { seed: plan.seed + 1, ..plan.clone() };
        let found = (relation.compare)(&first, &other).unwrap_or_else(|fault| panic!("{fault}"));
        assert!(!found.is_empty(), "{} finds no difference", relation.name);
    }
}
