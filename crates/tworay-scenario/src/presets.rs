//! `radio.preset` and `radio.standard`: values of other keys that they set, below those that the user gives.

use crate::de::read;
use crate::error::ScenarioError;
use crate::tree::{Entry, Kind, Table, TomlNode};
use tworay_radio::Preset;
use tworay_radio::phy::Standard;

/// Keys of the 802.11b radio and its MAC. They mean nothing with another standard: only their defaults may be given.
const DSSS_KEYS: [&str; 16] = [
    "mac.dialect",
    "mac.data_rate",
    "mac.ack_rate",
    "mac.slot",
    "mac.sifs",
    "mac.plcp",
    "mac.cw_min",
    "mac.cw_max",
    "mac.long_retry_limit",
    "mac.overload",
    "radio.reception",
    "radio.capture_ratio",
    "radio.sinr.bandwidth",
    "radio.sinr.preamble",
    "radio.sinr.errors",
    "radio.sinr.thresholds",
];

/// Values of the OFDM radios, in both bands: antennas of 5 dBi.
const OFDM: &str = r#"
[radio]
profile = "custom"
propagation = { log-distance = { exponent = 3.0, reference = "1m" } }
tx_gain = "5dB"
rx_gain = "5dB"
rx_threshold = "6.309573pW"
cs_threshold = "0.07943282pW"
[mac]
basic_rate = "6Mbps"
rts_threshold = "1048576B"
"#;

/// With 100 mW, frames at the lowest rate reach 250 m.
const GHZ2: &str = r#"radio = { tx_power = "100mW", frequency = "2.412GHz" }"#;

/// With 500 mW, frames at the lowest rate reach 256 m.
const GHZ5: &str = r#"radio = { tx_power = "500mW", frequency = "5.18GHz" }"#;

/// The queues of Linux' mac80211, for standards with aggregates.
const BY_FLOW: &str = r#"mac = { queue = "fq-codel", queue_limit = 10240 }"#;

/// Values of a preset's band, and the keys that the preset sets beyond them.
fn keys_of(preset: Preset) -> (&'static str, &'static str) {
    match preset {
        Preset::B2 => ("", ""),
        Preset::B11 => ("", "mac.data_rate = \"11Mbps\""),
        Preset::G => (GHZ2, "radio.standard = \"g\""),
        Preset::N20 => (GHZ2, "radio = { standard = \"n\", band = \"2.4GHz\" }"),
        Preset::N40x2 => (GHZ5, "radio = { standard = \"n\", width = \"40MHz\", streams = 2 }"),
        Preset::Ac80x2 => (GHZ5, "radio = { standard = \"ac\", width = \"80MHz\", streams = 2 }"),
    }
}

/// Puts the values that the preset or standard of the `user` sets on top of `tree`, the defaults.
///
/// # Errors
/// A key of the user's that contradicts them.
pub(crate) fn apply(tree: &mut TomlNode, user: &TomlNode) -> Result<(), ScenarioError> {
    let preset = match find(user, "radio.preset") {
        Some(node) => Some(read::<Preset>(node, "radio.preset")?),
        None => None,
    };
    let given = match find(user, "radio.standard") {
        Some(node) => Some(read::<Standard>(node, "radio.standard")?),
        None => None,
    };
    let (band, keys) = match (preset, given) {
        (Some(preset), _) => keys_of(preset),
        (None, Some(Standard::G)) => (GHZ2, ""),
        (None, Some(Standard::A | Standard::N | Standard::Ac)) => {
            let low = find(user, "radio.band").and_then(TomlNode::as_text) == Some("2.4GHz");
            (if low { GHZ2 } else { GHZ5 }, "")
        }
        (None, Some(Standard::B) | None) => return Ok(()),
    };
    let defaults = tree.clone();
    let ofdm = if band.is_empty() { "" } else { OFDM };
    [ofdm, band, keys].into_iter().for_each(|text| overlay(tree, text));
    let of_preset = match find(tree, "radio.standard") {
        Some(node) => Some(read::<Standard>(node, "radio.standard")?),
        None => None,
    };
    if given.or(of_preset).is_some_and(Standard::has_aggregates) {
        overlay(tree, BY_FLOW);
    }
    if let Some(node) = find(user, "radio.standard")
        && preset.is_some()
        && find(tree, "radio.standard").and_then(TomlNode::as_text) != node.as_text()
    {
        let problem = "radio.standard: contradicts radio.preset, which has another standard";
        return Err(ScenarioError::new(node.place.clone(), problem, "Give one of the two."));
    }
    if band.is_empty() { Ok(()) } else { refuse_dsss(&defaults, user) }
}

/// Puts the values of a text in TOML on top of a tree.
fn overlay(tree: &mut TomlNode, text: &str) {
    let table: toml::Table = text.parse().expect("presets are TOML: their tests read them");
    tree.overlay(TomlNode::from_toml(&toml::Value::Table(table)));
}

/// Refuses keys of the 802.11b radio that differ from their defaults.
fn refuse_dsss(defaults: &TomlNode, user: &TomlNode) -> Result<(), ScenarioError> {
    for key in DSSS_KEYS {
        let Some(node) = find(user, key) else { continue };
        if find(defaults, key).is_some_and(|default| says_only(node, default)) {
            continue;
        }
        let problem =
            format!("{key}: a key of the 802.11b radio, which radio.preset or radio.standard replaces");
        let remedy = "Leave it out, or leave out the preset and the standard.";
        return Err(ScenarioError::new(node.place.clone(), problem, remedy));
    }
    Ok(())
}

/// True if all that the user says is what the defaults say.
fn says_only(user: &TomlNode, default: &TomlNode) -> bool {
    match (&user.kind, &default.kind) {
        (Kind::Table(user), Kind::Table(default)) => {
            let same = |(key, entry): (&String, &Entry)| {
                default.get(key).is_some_and(|other| says_only(&entry.node, &other.node))
            };
            user.iter().all(same)
        }
        (Kind::List(user), Kind::List(default)) => {
            user.len() == default.len() && user.iter().zip(default).all(|(u, d)| says_only(u, d))
        }
        (Kind::Text(user), Kind::Text(default)) => user == default,
        (Kind::Integer(user), Kind::Integer(default)) => user == default,
        (Kind::Float(user), Kind::Float(default)) => user == default,
        (Kind::Bool(user), Kind::Bool(default)) => user == default,
        _ => false,
    }
}

/// The value at a dotted path.
fn find<'t>(tree: &'t TomlNode, path: &str) -> Option<&'t TomlNode> {
    path.split('.').try_fold(tree, |at, key| {
        let table: &Table = at.as_table()?;
        table.get(key).map(|entry| &entry.node)
    })
}

#[cfg(test)]
mod tests;
