//! Values of keys, drawn by type: near the default, and from a few that are typical or extreme.

use crate::keys::{definition, resolve};
use serde_json::Value as Json;
use toml::{Table, Value};
use tworay_base::RngStream;

/// Numbers of nodes and flows in a scenario: keys that name one draw from these.
#[derive(Copy, Clone, Debug)]
pub struct World {
    pub nodes: u32,
    pub flows: u32,
}

/// One of a list.
pub fn one<'a, T>(rng: &mut RngStream, of: &'a [T]) -> &'a T {
    &of[rng.below(of.len() as u32) as usize]
}

/// A value for the key `name`, if its schema describes one that can be drawn.
pub fn draw(name: &str, schema: &'static Json, world: World, rng: &mut RngStream) -> Option<Value> {
    let default = schema.get("default").or_else(|| resolve(schema).get("default"));
    if let Some(near) = default.and_then(|default| near(default, rng))
        && rng.chance(0.5)
    {
        return Some(near);
    }
    if let Some(text) = definition(schema).and_then(|definition| quantity(name, definition, rng)) {
        return Some(Value::String(text));
    }
    let forms = |of: &'static Json| ["anyOf", "oneOf"].iter().find_map(|form| of[*form].as_array());
    let inner = resolve(schema);
    if let Some(forms) = forms(inner) {
        let forms: Vec<&'static Json> = forms.iter().filter(|form| form["type"] != "null").collect();
        let form = *one(rng, &forms);
        return draw(name, form, world, rng);
    }
    if let Some(word) = inner.get("const").and_then(Json::as_str) {
        return Some(Value::String(word.to_owned()));
    }
    if let Some(words) = inner["enum"].as_array() {
        return one(rng, words).as_str().map(|word| Value::String(word.to_owned()));
    }
    let types = &inner["type"];
    let is = |name: &str| types == name || types.as_array().is_some_and(|all| all.iter().any(|t| t == name));
    if is("boolean") {
        return Some(Value::Boolean(rng.chance(0.5)));
    }
    if is("integer") {
        return Some(Value::Integer(whole(name, inner, world, rng)));
    }
    if is("number") {
        return Some(Value::Float(*one(rng, &[0.0, 1e-5, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0, 2.0, 5.0])));
    }
    if is("array") {
        let count = 1 + rng.below(3);
        let items = (0..count).filter_map(|_| draw(name, &inner["items"], world, rng));
        return Some(Value::Array(items.collect()));
    }
    let required: Vec<&str> =
        inner["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let mut table = Table::new();
    for (key, schema) in inner["properties"].as_object()? {
        if required.contains(&key.as_str()) || rng.chance(0.4) {
            table.insert(key.clone(), draw(key, schema, world, rng)?);
        }
    }
    Some(Value::Table(table))
}

fn whole(name: &str, schema: &Json, world: World, rng: &mut RngStream) -> i64 {
    match name {
        "node" | "from" | "to" => return i64::from(rng.below(world.nodes)),
        "flow" => return i64::from(rng.below(world.flows.max(1))),
        "cw_min" | "cw_max" => return (1 << (1 + rng.below(10))) - 1,
        _ => {}
    }
    let (low, high) =
        (schema["minimum"].as_i64().unwrap_or(0), schema["maximum"].as_i64().unwrap_or(1 << 20));
    let numbers = [0, 1, 2, 3, 4, 5, 7, 8, 10, 16, 20, 32, 64, 255, 1000];
    let edge = [low, low + 1, high];
    (if rng.chance(0.1) { *one(rng, &edge) } else { *one(rng, &numbers) }).clamp(low, high)
}

/// The default itself, or a multiple of it.
fn near(default: &Json, rng: &mut RngStream) -> Option<Value> {
    let factor = *one(rng, &[0.5, 0.9, 1.0, 1.5, 2.0, 4.0]);
    match default {
        Json::String(text) => {
            let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
            let number: f64 = text[..end].parse().ok()?;
            Some(Value::String(format!("{}{}", number * factor, &text[end..])))
        }
        Json::Number(n) if n.is_i64() || n.is_u64() => {
            Some(Value::Integer((n.as_f64()? * factor).round() as i64))
        }
        Json::Number(n) => Some(Value::Float(n.as_f64()? * factor)),
        _ => None,
    }
}

/// A quantity with its unit, by the name of its type.
fn quantity(name: &str, definition: &str, rng: &mut RngStream) -> Option<String> {
    // Messages at shorter intervals fill the medium and nothing else.
    let interval = name.ends_with("interval") || name == "sample" || name == "immediate_tc_spacing";
    let of: &[&str] = match definition {
        // A timer of a microsecond keeps the run busy with timeouts alone.
        "SimDuration" if matches!(name, "initial" | "min" | "max") => {
            &["1ms", "50ms", "200ms", "1s", "3s", "60s"]
        }
        "SimDuration" if interval => &["50ms", "100ms", "500ms", "1s", "2s", "5s"],
        "SimDuration" => {
            &["0s", "1us", "50us", "1ms", "10ms", "50ms", "200ms", "1s", "3s", "10s", "30s", "300s"]
        }
        "BitRate" => &["1kbps", "64kbps", "1Mbps", "2Mbps", "5.5Mbps", "11Mbps"],
        "Bytes" => &["0B", "1B", "40B", "250B", "512B", "1000B", "1460B", "3000B", "8kB", "64KiB"],
        "Hertz" => &["914MHz", "2.4GHz", "5GHz", "22MHz", "1MHz"],
        "Joules" => &["1nJ", "1mJ", "0.01J", "0.1J", "1J", "5J", "100J"],
        "Watts" => &["0W", "1e-12W", "0.0000000003652W", "1mW", "30mW", "0.28183815W", "1.5W"],
        "Metres" => &["1m", "10m", "100m", "250m", "550m", "1km"],
        "Ratio" => &["0dB", "3dB", "4dB", "10dB", "20dB", "30dB"],
        "Dbm" => &["-90dBm", "-80dBm", "-64dBm", "-30dBm"],
        "Speed" => &["0m/s", "0.1m/s", "1m/s", "10m/s", "50m/s"],
        _ => return None,
    };
    Some((*one(rng, of)).to_owned())
}
