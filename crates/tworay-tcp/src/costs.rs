//! What the sender's operations cost: instructions counted on this code, in a table that ships with it.
//!
//! `costs.csv` says at its head how, on what and when it was made; `cargo run --release -p tworay-tcp
//! --example costs` makes it anew.

use crate::operations::{Operation, Operations};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Instructions by operation, in the order of [`Operation::ALL`].
pub type Instructions = [f64; Operation::COUNT];

/// The table as text: comments with its provenance, a heading, one line a variant.
pub const COSTS_CSV: &str = include_str!("costs.csv");

static TABLE: LazyLock<BTreeMap<&'static str, Instructions>> = LazyLock::new(|| {
    let lines = COSTS_CSV.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).skip(1);
    lines
        .filter_map(|line| {
            let mut cells = line.split(',');
            let name = cells.next()?;
            let mut costs = Instructions::default();
            for cost in &mut costs {
                *cost = cells.next()?.parse().ok()?;
            }
            Some((name, costs))
        })
        .collect()
});

/// The costs of `variant`; those of its recovery, or of NewReno, where it wasn't measured (a composed
/// variant, a parameter other than the default, a variant of the user's own).
pub fn costs_of(variant: &str) -> Instructions {
    let plain = variant.split('(').next().unwrap_or(variant);
    let recovery = plain.split('+').next().unwrap_or(plain);
    let found = [variant, plain, recovery, "newreno"].iter().find_map(|name| TABLE.get(name));
    found.copied().unwrap_or_default()
}

/// Instructions that a sender of `variant` has spent on `operations`.
pub fn instructions(variant: &str, operations: &Operations) -> f64 {
    operations.iter().zip(costs_of(variant)).map(|(&n, cost)| n as f64 * cost).sum()
}

#[cfg(test)]
mod tests;
