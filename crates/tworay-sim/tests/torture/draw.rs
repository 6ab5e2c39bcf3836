//! A scenario from a number.

use crate::keys::{ALL, Key, SCHEMA};
use crate::plan::Plan;
use crate::values::{World, draw, one};
use std::fmt::Write;
use toml::{Table, Value};
use tworay_base::{Purpose, RngStream};

/// Media that carry packets.
#[derive(Copy, Clone, PartialEq)]
enum Medium {
    Radio,
    Wires,
    Both,
}

/// The scenario with this number.
pub fn plan(number: u64) -> Plan {
    let mut rng = RngStream::numbered(number, 0, Purpose::Test);
    let mut plan = world(number, &mut rng);
    // Keys that a feature needs are in; the rest is tried, and what the scenario refuses stays out.
    let knobs = knobs(&plan, &mut rng);
    add(&mut plan, &knobs);
    plan
}

/// Number of a scenario's nodes and flows.
pub fn size(plan: &Plan) -> World {
    World {
        nodes: plan.scenario().map_or(1, |scenario| scenario.node_count()),
        flows: plan.tables("flow").count() as u32,
    }
}

/// Topology, movement, wires, flows and events. Draws again if the draw is refused: a field that must be connected is
/// not, or a variant does not go with the receiver's rules.
fn world(number: u64, rng: &mut RngStream) -> Plan {
    loop {
        let seed = 1 + u64::from(rng.below(1000));
        let text = text(number, rng);
        let tree = text.parse().unwrap_or_else(|e| panic!("scenario {number}: {e}\n{text}"));
        let plan = Plan { seed, tree };
        match plan.scenario() {
            Ok(_) => return plan,
            Err(why) if std::env::var_os("TORTURE_REFUSALS").is_some() => eprintln!("{number}: {why}"),
            Err(_) => {}
        }
    }
}

fn text(number: u64, rng: &mut RngStream) -> String {
    let longest = *one(rng, &[60, 60, 60, 60, 200]);
    let tenths = 20 + rng.below(longest);
    let medium =
        *one(rng, &[Medium::Radio, Medium::Radio, Medium::Radio, Medium::Radio, Medium::Wires, Medium::Both]);
    let mut t = format!("name = \"torture-{number}\"\nduration = \"{}ms\"\n", tenths * 100);
    if rng.chance(0.2) {
        _ = writeln!(t, "warmup = \"{}ms\"", rng.below(tenths) * 100);
    }
    if rng.chance(0.3) {
        t += "dialect = \"ns2\"\n";
    }
    let radios = if medium == Medium::Wires { 0 } else { topology(&mut t, rng) };
    let mut nodes = radios;
    match medium {
        Medium::Radio => {}
        Medium::Wires => nodes = wires(&mut t, 2 + rng.below(5), rng),
        Medium::Both => _ = wires(&mut t, 1 + rng.below(radios - 1).min(2), rng),
    }
    if radios > 0 {
        movement(&mut t, radios, tenths, rng);
        radio(&mut t, radios, rng);
    }
    if rng.chance(0.2) {
        _ = writeln!(t, "[tcp]\nvariant = \"{}\"", variant(rng));
    }
    routing(&mut t, medium, rng);
    let flows = 1 + rng.below(4);
    for _ in 0..flows {
        flow(&mut t, nodes, tenths, rng);
    }
    events(&mut t, nodes, flows, medium, tenths, rng);
    t
}

/// Writes the topology; returns the number of nodes.
fn topology(t: &mut String, rng: &mut RngStream) -> u32 {
    let spacing = one(rng, &["100m", "150m", "200m", "200m", "240m", "300m"]);
    let n = 1 + rng.below(7);
    match rng.below(6) {
        0 => {
            _ = writeln!(t, "[topology]\nkind = \"string\"\nhops = {n}\nspacing = \"{spacing}\"");
            n + 1
        }
        1 => {
            let rows = 1 + rng.below(3);
            _ = writeln!(
                t,
                "[topology]\nkind = \"grid\"\ncolumns = {}\nrows = {rows}\nspacing = \"{spacing}\"",
                n + 1
            );
            (n + 1) * rows
        }
        2 => {
            let arm = 1 + rng.below(3);
            _ = writeln!(t, "[topology]\nkind = \"cross\"\narm = {arm}\nspacing = \"{spacing}\"");
            4 * arm + 1
        }
        3 => {
            let (nodes, width) = (2 + rng.below(14), 150 + rng.below(900));
            _ = writeln!(
                t,
                "[topology]\nkind = \"uniform\"\nnodes = {nodes}\nwidth = \"{width}m\"\nheight = \"300m\""
            );
            if rng.chance(0.3) {
                t.push_str("connected_within = \"250m\"\n");
            }
            nodes
        }
        _ => {
            let nodes = 2 + rng.below(10);
            // Multiples of a quarter of a metre: sums and differences are exact.
            let place = |rng: &mut RngStream| {
                format!("[{:?}, {:?}]", f64::from(rng.below(3200)) / 4.0, f64::from(rng.below(2000)) / 4.0)
            };
            let places: Vec<String> = (0..nodes).map(|_| place(rng)).collect();
            _ = writeln!(t, "[topology]\nkind = \"explicit\"\npositions = [{}]", places.join(", "));
            nodes
        }
    }
}

/// Writes a chain of wires from node 0; returns the number of its nodes.
fn wires(t: &mut String, count: u32, rng: &mut RngStream) -> u32 {
    let schema = &SCHEMA["$defs"]["Wire"];
    let world = World { nodes: count + 1, flows: 1 };
    for i in 0..count {
        let rate = one(rng, &["64kbps", "800kbps", "2Mbps", "10Mbps"]);
        let delay = one(rng, &["0s", "1ms", "10ms", "100ms"]);
        let mut wire = Table::new();
        for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
            let optional =
                !matches!(key.as_str(), "from" | "to" | "rate" | "delay" | "kind" | "handoffs" | "lanes");
            if optional
                && rng.chance(0.25)
                && let Some(value) = draw(key, schema, world, rng)
            {
                wire.insert(key.clone(), value);
            }
        }
        if rng.chance(0.2) {
            let (at, length) = (rng.below(1500), 1 + rng.below(400));
            wire.insert(
                "handoffs".into(),
                parsed(&format!("{{ at = [\"{at}ms\"], length = \"{length}ms\" }}")),
            );
        }
        if rng.chance(0.2) {
            let (first, second) = (rng.below(300), rng.below(300));
            wire.insert("lanes".into(), parsed(&format!(
                "{{ period = \"1s\", class = [{{ delay = \"{first}ms\", loss = 0.1 }}, {{ delay = \"{second}ms\" }}], \
                 schedule = [[\"0s\", \"0\"], [\"300ms\", \"1\"]] }}"
            )));
        }
        let fixed = format!("[[wire]]\nfrom = {i}\nto = {}\nrate = \"{rate}\"\ndelay = \"{delay}\"\n", i + 1);
        let with = format!("{fixed}{}", inline(&wire));
        // Some draws contradict each other (thresholds of RED); then the wire is a plain one.
        let alone = format!(
            "duration = \"9s\"\n{}",
            with.replace(&format!("from = {i}\nto = {}", i + 1), "from = 0\nto = 1")
        );
        let fits = alone.parse().is_ok_and(|tree| Plan { seed: 1, tree }.scenario().is_ok());
        t.push_str(if fits { &with } else { &fixed });
    }
    count + 1
}

/// The value of a TOML text.
fn parsed(text: &str) -> Value {
    let table: Table = format!("x = {text}").parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    table["x"].clone()
}

/// A table's keys, each on a line of its own.
fn inline(table: &Table) -> String {
    table.iter().map(|(key, value)| format!("{key} = {value}\n")).collect()
}

fn movement(t: &mut String, nodes: u32, tenths: u32, rng: &mut RngStream) {
    match rng.below(5) {
        0 => {
            let steady = t.contains("kind = \"uniform\"") && rng.chance(0.5);
            let (low, more) = (1 + rng.below(5), rng.below(40));
            _ = writeln!(
                t,
                "[mobility]\nkind = \"random-waypoint\"\nmin_speed = \"{low}m/s\"\nmax_speed = \"{}m/s\"",
                low + more
            );
            _ = writeln!(t, "pause = \"{}s\"\nsteady_state = {steady}", rng.below(3));
            _ = writeln!(t, "width = \"3km\"\nheight = \"3km\"");
        }
        1 => {
            let legs = (0..1 + rng.below(4)).map(|_| {
                let (node, at, speed) = (rng.below(nodes), rng.below(tenths) * 100, rng.below(150));
                let (x, y) = (rng.below(1000), rng.below(1000));
                format!("{{ node = {node}, at = \"{at}ms\", to = [{x}.0, {y}.0], speed = \"{speed}m/s\" }}")
            });
            _ = writeln!(
                t,
                "[mobility]\nkind = \"waypoints\"\nlegs = [{}]",
                legs.collect::<Vec<_>>().join(", ")
            );
        }
        _ => {}
    }
}

/// A radio of 802.11a/g/n/ac, one by its preset, or measured links. Otherwise nothing: the default radio.
fn radio(t: &mut String, nodes: u32, rng: &mut RngStream) {
    match rng.below(8) {
        0 => {
            _ = writeln!(
                t,
                "[radio]\npreset = \"{}\"",
                one(rng, &["b-2", "b-11", "g", "n20", "n40x2", "ac80x2"])
            )
        }
        1 | 2 => {
            let standard = *one(rng, &["a", "g", "n", "ac"]);
            _ = writeln!(t, "[radio]\nstandard = \"{standard}\"");
            let band = match standard {
                "a" | "ac" => "5GHz",
                "g" => "2.4GHz",
                _ => one(rng, &["2.4GHz", "5GHz"]),
            };
            if rng.chance(0.5) {
                _ = writeln!(t, "band = \"{band}\"");
            }
            let streams = if matches!(standard, "n" | "ac") { 1 + rng.below(4) } else { 1 };
            if streams > 1 {
                _ = writeln!(t, "streams = {streams}");
            }
            if rng.chance(0.4) {
                let mcs = match standard {
                    "n" => 8 * (streams - 1) + rng.below(8),
                    _ => rng.below(8),
                };
                _ = writeln!(t, "rate = \"fixed\"\nmcs = {mcs}");
            }
        }
        3 => {
            t.push_str("[radio]\npropagation = \"measured\"\n");
            let mut seen = Vec::new();
            for _ in 0..1 + rng.below(3 * nodes) {
                let from = rng.below(nodes);
                let to = (from + 1 + rng.below(nodes - 1)) % nodes;
                if seen.contains(&(from, to)) {
                    continue;
                }
                seen.push((from, to));
                let loss = *one(rng, &[0.0, 0.0, 0.1, 0.5]);
                _ = writeln!(t, "[[radio.link]]\nfrom = {from}\nto = {to}\nloss = {loss:?}");
                if rng.chance(0.3) {
                    _ = writeln!(t, "level = \"-{}dBm\"", 40 + rng.below(40));
                }
            }
        }
        _ => {}
    }
}

fn routing(t: &mut String, medium: Medium, rng: &mut RngStream) {
    if medium != Medium::Radio {
        t.push_str("[routing]\nprotocol = \"static\"\n");
        return;
    }
    let protocol = *one(rng, &["static", "aodv", "aodv", "dsr", "dsr", "olsr"]);
    _ = writeln!(t, "[routing]\nprotocol = \"{protocol}\"");
    let dialects: &[&str] = match protocol {
        "aodv" => &["standard", "ns2", "thesis-trace", "thesis"],
        "dsr" => &["standard", "ns2", "thesis-trace", "thesis", "freeze-probing"],
        "olsr" => &["standard", "thesis-trace", "thesis"],
        _ => return,
    };
    if rng.chance(0.6) {
        _ = writeln!(t, "[routing.{protocol}]\ndialect = \"{}\"", one(rng, dialects));
    }
}

/// A TCP variant: one, or a recovery with a controller.
fn variant(rng: &mut RngStream) -> String {
    const RECOVERIES: [&str; 9] = [
        "tahoe",
        "reno",
        "newreno",
        "sack",
        "linux",
        "sack+rack-tlp",
        "sack+rack-tlp+prr+f-rto+eifel",
        "newreno+f-rto+eifel",
        "sack+prr",
    ];
    let names: Vec<&str> = tworay_sim::variants().iter().map(|v| v.name).collect();
    for _ in 0..8 {
        let single = (*one(rng, &names)).to_owned();
        let name = match rng.below(3) {
            0 => format!("{}+{single}", one(rng, &RECOVERIES)),
            1 => format!("{}+{single}+cwl({})", one(rng, &RECOVERIES), 1 + rng.below(8)),
            _ => single,
        };
        if tworay_sim::scenario::Scenario::read_variant(&name).is_ok() {
            return name;
        }
    }
    "newreno".into()
}

fn flow(t: &mut String, nodes: u32, tenths: u32, rng: &mut RngStream) {
    let from = rng.below(nodes);
    let to = (from + 1 + rng.below(nodes - 1)) % nodes;
    let start = rng.below(tenths.min(30)) * 100;
    _ = writeln!(t, "[[flow]]\nfrom = {from}\nto = {to}\nstart = \"{start}ms\"");
    if rng.chance(0.2) {
        _ = writeln!(t, "stop = \"{}ms\"", start + 100 + rng.below(5000));
    }
    match rng.below(6) {
        0 => {
            let (rate, size) = (1 + rng.below(900), one(rng, &["1B", "100B", "512B", "1500B", "9000B"]));
            let size = if rate < 20 { "512B" } else { size };
            let size = if *size == *"1B" { "64B" } else { size };
            _ = writeln!(t, "app = \"cbr\"\nrate = \"{rate}kbps\"\nsize = \"{size}\"");
            if rng.chance(0.3) {
                _ = writeln!(t, "packets = {}", 1 + rng.below(50));
            }
        }
        1 => {
            let (on, off) = (1 + rng.below(1500), 1 + rng.below(1500));
            _ = writeln!(
                t,
                "app = \"on-off\"\ninterval = \"20ms\"\nsize = \"300B\"\non = \"{on}ms\"\noff = \"{off}ms\""
            );
        }
        kind => {
            if kind < 4 {
                _ = writeln!(t, "bytes = \"{}B\"", 1 + rng.below(100_000));
            }
            _ = writeln!(t, "tcp = \"{}\"", variant(rng));
        }
    }
}

fn events(t: &mut String, nodes: u32, flows: u32, medium: Medium, tenths: u32, rng: &mut RngStream) {
    if rng.chance(0.6) {
        return;
    }
    let mut seen = Vec::new();
    for _ in 0..1 + rng.below(3) {
        let (node, at) = (rng.below(nodes), rng.below(tenths - 1) * 100);
        if medium == Medium::Radio && rng.chance(0.3) {
            _ = writeln!(t, "[[event]]\nwhat = \"cut\"\nat = \"{at}ms\"\nflow = {}", rng.below(flows));
            if rng.chance(0.7) {
                _ = writeln!(t, "for = \"{}ms\"", 100 + rng.below(3000));
            }
        } else if !seen.contains(&node) {
            seen.push(node);
            _ = writeln!(t, "[[event]]\nwhat = \"down\"\nat = \"{at}ms\"\nnode = {node}");
            if rng.chance(0.7) {
                let up = at + 100 * (1 + rng.below(30));
                if up < tenths * 100 {
                    _ = writeln!(t, "[[event]]\nwhat = \"up\"\nat = \"{up}ms\"\nnode = {node}");
                }
            }
        }
    }
}

/// Keys with values: of some tables many, of others none.
fn knobs(plan: &Plan, rng: &mut RngStream) -> Vec<(String, Value)> {
    let world = size(plan);
    let protocol = plan.text("routing.protocol", "aodv").to_owned();
    let mut density = std::collections::BTreeMap::new();
    let mut found = Vec::new();
    for Key { path, schema } in ALL.iter() {
        let table = path.rsplit_once('.').map_or(path.as_str(), |(table, _)| table);
        if table.starts_with("routing.") && *table != format!("routing.{protocol}")
            || path == "routing.protocol"
        {
            continue;
        }
        let share =
            *density.entry(table.to_owned()).or_insert_with(|| *one(rng, &[0.0, 0.0, 0.05, 0.15, 0.4]));
        let name = path.rsplit('.').next().unwrap_or_default();
        if path.ends_with(".costs") || path.ends_with(".costs_sha256") || path == "tcp.variant" {
            continue;
        }
        if rng.chance(share)
            && let Some(value) = draw(name, schema, world, rng)
        {
            found.push((path.clone(), value));
        }
    }
    found
}

/// Sets the keys that the scenario takes together, as many as possible.
fn add(plan: &mut Plan, knobs: &[(String, Value)]) {
    let mut with = plan.clone();
    knobs.iter().for_each(|(path, value)| with.set(path, value.clone()));
    if with.scenario().is_ok() {
        *plan = with;
    } else if knobs.len() > 1 {
        let (first, second) = knobs.split_at(knobs.len() / 2);
        add(plan, first);
        add(plan, second);
    }
}
