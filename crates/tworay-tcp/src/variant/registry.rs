//! Every variant there is: one line each, pointing to the file that has it.

use super::{ControlFactory, RecoveryKind};
use crate::control::Role;

/// A parameter of a variant, given in parentheses: `cwl(3)`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its value when left out; `None` if it must be given.
    pub default: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// What it does, with its unit.
    pub about: &'static str,
}

/// What `tworay variants` shows.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct VariantInfo {
    /// The name to write.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// RFC, paper or program it is taken from.
    pub source: &'static str,
    /// Its parameters in order.
    pub parameters: &'static [Parameter],
}

/// What a name stands for.
#[derive(Copy, Clone)]
pub(crate) enum Meaning {
    /// A recovery.
    Recovery(RecoveryKind),
    /// A part to add to a recovery.
    Part {
        /// The decisions it owns.
        role: Role,
        /// Recoveries it makes sense with; the first is taken when none is named.
        with: &'static [RecoveryKind],
        /// Why not the others.
        unless: &'static str,
        /// Its maker, from checked parameters.
        make: fn(&[f64]) -> ControlFactory,
    },
}

/// A line of the registry.
#[derive(Copy, Clone)]
pub(crate) struct Entry {
    pub info: VariantInfo,
    pub meaning: Meaning,
}

const fn recovery(kind: RecoveryKind, name: &'static str, summary: &'static str, source: &'static str) -> Entry {
    Entry { info: VariantInfo { name, summary, source, parameters: &[] }, meaning: Meaning::Recovery(kind) }
}

/// The registry.
pub(crate) const ENTRIES: &[Entry] = &[
    recovery(RecoveryKind::Tahoe, "tahoe", "fast retransmit, then slow start", "Jacobson 1988; ns-2 Agent/TCP"),
    recovery(RecoveryKind::Reno, "reno", "fast recovery until the first new ACK", "RFC 5681"),
    recovery(RecoveryKind::NewReno, "newreno", "fast recovery through partial ACKs", "RFC 6582"),
    recovery(RecoveryKind::Sack, "sack", "selective acknowledgments, scoreboard and pipe", "RFC 2018, RFC 6675"),
];

const INFOS: [VariantInfo; ENTRIES.len()] = {
    let mut infos = [ENTRIES[0].info; ENTRIES.len()];
    let mut i = 0;
    while i < ENTRIES.len() {
        infos[i] = ENTRIES[i].info;
        i += 1;
    }
    infos
};

/// Every name that a variant can be made of.
pub fn registry() -> &'static [VariantInfo] {
    const ALL: &[VariantInfo] = &INFOS;
    ALL
}
