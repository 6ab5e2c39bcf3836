//! What the sender's operations cost: instructions counted on this code, in a table that ships with it.
//!
//! `costs.csv` says at its head how, on what and when it was made; `tworay tune --costs` makes it anew.

mod life;

use crate::operations::{Operation, Operations};
use crate::variant::Variant;
use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use life::{Call, Lived, live};

/// Instructions by operation, in the order of [`Operation::ALL`].
pub type Instructions = [f64; Operation::COUNT];

/// The table as text: comments with its provenance, a heading, one line a variant.
pub const COSTS_CSV: &str = include_str!("costs.csv");

/// A line of the table.
struct Line {
    /// The recovery with which the variant was measured.
    recovery: &'static str,
    costs: Instructions,
}

static TABLE: LazyLock<BTreeMap<&'static str, Line>> = LazyLock::new(|| {
    let lines = COSTS_CSV.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).skip(1);
    lines
        .filter_map(|line| {
            let mut cells = line.split(',');
            let (name, recovery) = (cells.next()?, cells.next()?);
            let mut costs = Instructions::default();
            for cost in &mut costs {
                *cost = cells.next()?.parse().ok()?;
            }
            Some((name, Line { recovery, costs }))
        })
        .collect()
});

fn measured(name: &str) -> Option<&'static Line> {
    TABLE.get(name)
}

/// The costs of `variant`: those of its recovery, and for each part what it adds to the recovery with
/// which it was measured. A part that wasn't measured (one of the user's own) adds nothing; parameters
/// make no difference.
pub fn costs_of(variant: &Variant) -> Instructions {
    let mut costs = measured(variant.recovery().name()).map(|l| l.costs).unwrap_or_default();
    for part in variant.part_ids() {
        let Some(line) = measured(part) else { continue };
        let Some(base) = measured(line.recovery) else { continue };
        for ((cost, with), without) in costs.iter_mut().zip(line.costs).zip(base.costs) {
            // Where either never ran there is no difference to take.
            let extra = if with > 0.0 && without > 0.0 { with - without } else { with };
            *cost = (*cost + extra).max(0.0);
        }
    }
    costs
}

/// Instructions that a sender of `variant` has spent on `operations`.
pub fn instructions(variant: &Variant, operations: &Operations) -> f64 {
    operations.iter().zip(costs_of(variant)).map(|(&n, cost)| n as f64 * cost).sum()
}

#[cfg(test)]
mod tests;
