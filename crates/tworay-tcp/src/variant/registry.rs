//! Every variant there is: one line each, pointing to the file that has it.

use super::{ControlFactory, RecoveryKind};
use crate::control::Role;
use crate::control::{
    adaptive_sca, cwl, daa, elfn, fixed_rto, freeze_probing, newreno_ff, probing, slow_growth, welcome,
    westwood, westwood_plus,
};

/// A parameter of a variant, given in parentheses, in order or by name: `cwl(3)`, `welcome(a=0.5)`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its value when left out, of a choice its place in the list; `None` if it must be given.
    pub default: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// What it does, with its unit.
    pub about: &'static str,
    /// The words to choose from; empty for a number.
    pub choices: &'static [&'static str],
}

impl Parameter {
    /// A number with a default.
    pub(crate) const fn number(
        name: &'static str,
        default: f64,
        range: (f64, f64),
        about: &'static str,
    ) -> Self {
        Self { name, default: Some(default), min: range.0, max: range.1, about, choices: &[] }
    }

    /// One of several words; the first is the default.
    pub(crate) const fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Self { name, default: Some(0.0), min: 0.0, max: (choices.len() - 1) as f64, about, choices }
    }

    /// How a value of it is written.
    pub(crate) fn write(&self, value: f64) -> String {
        self.choices.get(value as usize).map_or_else(|| value.to_string(), |word| (*word).to_owned())
    }
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

const fn recovery(kind: RecoveryKind, info: VariantInfo) -> Entry {
    Entry { info, meaning: Meaning::Recovery(kind) }
}

const fn plain(name: &'static str, summary: &'static str, source: &'static str) -> VariantInfo {
    VariantInfo { name, summary, source, parameters: &[] }
}

/// A threshold of Vegas.
const fn threshold(name: &'static str, default: f64, about: &'static str) -> Parameter {
    Parameter::number(name, default, (0.0, 1000.0), about)
}

/// The registry.
pub(crate) const ENTRIES: &[Entry] = &[
    recovery(
        RecoveryKind::Tahoe,
        plain("tahoe", "fast retransmit, then slow start", "Jacobson 1988; ns-2 Agent/TCP"),
    ),
    recovery(RecoveryKind::Reno, plain("reno", "fast recovery until the first new ACK", "RFC 5681")),
    recovery(RecoveryKind::NewReno, plain("newreno", "fast recovery through partial ACKs", "RFC 6582")),
    recovery(
        RecoveryKind::Sack,
        plain("sack", "selective ACKs with scoreboard and pipe", "RFC 2018, RFC 6675"),
    ),
    recovery(
        RecoveryKind::Vegas,
        VariantInfo {
            name: "vegas",
            summary: "compares expected and actual rate; retransmits by a fine timer",
            source: "Brakmo and Peterson 1995; ns-2 Agent/TCP/Vegas",
            parameters: &[
                threshold("alpha", 1.0, "grow below this many segments queued in the network"),
                threshold("beta", 3.0, "shrink above this many"),
                threshold("gamma", 1.0, "leave slow start above this many"),
            ],
        },
    ),
    slow_growth::SS,
    slow_growth::SCA,
    slow_growth::SSCA,
    adaptive_sca::ENTRY,
    westwood::ENTRY,
    westwood::TIBET,
    westwood_plus::ENTRY,
    newreno_ff::ENTRY,
    fixed_rto::ENTRY,
    welcome::ENTRY,
    probing::ENTRY,
    freeze_probing::ENTRY,
    elfn::ENTRY,
    cwl::CWL,
    cwl::ADAPTIVE,
    daa::ENTRY,
    #[cfg(test)]
    crate::control::gentle::ENTRY,
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
