//! The registry of variants: one line each, pointing to the file that implements it.

use super::{ControlFactory, RecoveryKind};
use crate::config::TcpConfig;
use crate::control::{
    Role, adaptive_sca, adtcp, atcp, bbr, cdg, cerl, copa, cubic, cwl, daa, differentiation, elfn, few,
    fixed_rto, freeze_probing, freeze_tcp, hystart, newreno_ff, probing, slow_growth, tack, tcp_ap, tcp_door,
    tcp_f, veno, welcome, westwood, westwood_plus,
};
use crate::recovery;
use bitflags::bitflags;

/// A parameter of a variant, given in parentheses, in order or by name: `cwl(3)`, `welcome(a=0.5)`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Default value, for a choice the index in the list; `None` if it must be given.
    pub default: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Its effect, with the unit.
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

    /// One of several words; the first one is the default.
    pub(crate) const fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Self { name, default: Some(0.0), min: 0.0, max: (choices.len() - 1) as f64, about, choices }
    }

    /// A value as users write it.
    pub(crate) fn write(&self, value: f64) -> String {
        self.choices.get(value as usize).map_or_else(|| value.to_string(), |word| (*word).to_owned())
    }
}

/// One entry of `tworay variants`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct VariantInfo {
    /// The name to write.
    pub name: &'static str,
    /// Summary in one line.
    pub summary: &'static str,
    /// RFC, paper or program in which it is defined.
    pub source: &'static str,
    /// Its parameters in order.
    pub parameters: &'static [Parameter],
}

bitflags! {
    /// Needs of a variant besides acknowledgments and round trips. It gets only what it declares here.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
    pub struct Needs: u16 {
        /// Marked probes, which both ends negotiate by an option of their SYNs.
        const PROBES = 1;
        /// Routing's notices of broken links. Only protocols with route errors (AODV, DSR) send them.
        const NOTICES = 1 << 1;
        /// Events for each change of the path length in hops.
        const HOPS = 1 << 2;
        /// Events when the peer closes its window and when it reopens it.
        const WINDOWS = 1 << 3;
        /// Queries of [`limit`](crate::CongestionControl::limit) and
        /// [`floor`](crate::CongestionControl::floor).
        const BOUNDS = 1 << 4;
        /// Queries of [`burst`](crate::CongestionControl::burst).
        const BURSTS = 1 << 5;
        /// Queries of [`sampling`](crate::CongestionControl::sampling).
        const SAMPLING = 1 << 6;
        /// Execution of [`Effect::Pace`](crate::Effect::Pace).
        const PACING = 1 << 7;
        /// Calls of [`on_rate`](crate::CongestionControl::on_rate) with delivery-rate samples.
        const RATES = 1 << 8;
        /// A random number for [`seed`](crate::CongestionControl::seed).
        const CHANCE = 1 << 9;
        /// Notices of routes found by a search of this end's routing (AODV, DSR).
        const ROUTES = 1 << 10;
        /// The peer's reports about the path, and ACKs that arrive out of order.
        const REPORTS = 1 << 11;
    }
}

impl Needs {
    /// Everything except probes, chance, routes found and reports, for variants that decide at run time which events they
    /// use.
    pub(crate) const ANYTHING: Needs =
        Needs::PROBES.union(Needs::CHANCE).union(Needs::ROUTES).union(Needs::REPORTS).complement();
}

/// Changes the settings of a variant's connections, given its validated parameters.
pub(crate) type Configure = fn(&[f64], &mut TcpConfig);

/// Meaning of a registry name.
#[derive(Copy, Clone)]
pub(crate) enum Meaning {
    /// A recovery, which `recovery::make` makes.
    Recovery(RecoveryKind),
    /// A part to add to a recovery.
    Part(Part),
    /// Something that the repair itself is made of.
    Repair(Repair),
    /// A recovery with repairs and settings of its own.
    Preset(Preset),
}

bitflags! {
    /// The parts of the repair of losses besides the recovery's own rules.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
    pub(crate) struct Repairs: u8 {
        /// Losses are found by time.
        const RACK = 1;
        /// Tail loss probes.
        const TLP = 1 << 1;
        /// Proportional Rate Reduction.
        const PRR = 1 << 2;
        /// Spurious timeouts are found by sending new data.
        const F_RTO = 1 << 3;
        /// Spurious timeouts are found by time stamps.
        const EIFEL = 1 << 4;
        /// Linux' habits where the RFCs leave a choice.
        const LINUX = 1 << 5;
    }
}

impl Repairs {
    /// True if SACK needs a mark for each segment.
    pub fn marks_segments(self) -> bool {
        self.intersects(Repairs::RACK.union(Repairs::PRR))
    }
}

/// A repair by name.
#[derive(Copy, Clone)]
pub(crate) struct Repair {
    /// Recoveries it makes sense with; the first is the default.
    pub with: &'static [RecoveryKind],
    /// Why other recoveries are rejected; shown to the user.
    pub unless: &'static str,
    /// What it is.
    pub adds: Repairs,
    /// Changes the settings of its connections.
    pub configure: fn(&mut TcpConfig),
}

/// A recovery with its repairs under one name.
#[derive(Copy, Clone)]
pub(crate) struct Preset {
    /// The recovery that it is based on.
    pub recovery: RecoveryKind,
    /// What it has.
    pub repairs: Repairs,
    /// Changes the settings of its connections.
    pub configure: fn(&mut TcpConfig),
}

/// A part of a variant.
#[derive(Copy, Clone)]
pub(crate) struct Part {
    /// The decisions it owns.
    pub role: Role,
    /// Recoveries it works with; the first is used when none is named.
    pub with: &'static [RecoveryKind],
    /// Why other recoveries are rejected; shown to the user.
    pub unless: &'static str,
    /// What it needs.
    pub needs: Needs,
    /// Changes the settings of its connections, if anything.
    pub configure: Option<Configure>,
    /// Creates it from validated parameters.
    pub make: fn(&[f64]) -> ControlFactory,
}

impl Part {
    /// A part that works with any recovery and has no needs.
    pub const fn new(role: Role, make: fn(&[f64]) -> ControlFactory) -> Self {
        Self { role, with: RecoveryKind::ALL, unless: "", needs: Needs::empty(), configure: None, make }
    }
}

/// One entry of the registry.
#[derive(Copy, Clone)]
pub(crate) struct Entry {
    pub info: VariantInfo,
    pub meaning: Meaning,
}

/// The registry.
pub(crate) const ENTRIES: &[Entry] = &[
    recovery::TAHOE,
    recovery::RENO,
    recovery::NEWRENO,
    recovery::SACK,
    recovery::VEGAS,
    recovery::LINUX,
    recovery::RACK,
    recovery::RACK_TLP,
    recovery::PRR,
    recovery::F_RTO,
    recovery::EIFEL,
    hystart::ENTRY,
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
    freeze_tcp::ENTRY,
    cwl::CWL,
    cwl::ADAPTIVE,
    daa::ENTRY,
    cubic::ENTRY,
    veno::ENTRY,
    cerl::ENTRY,
    cdg::ENTRY,
    few::ENTRY,
    tack::ENTRY,
    tcp_ap::ENTRY,
    bbr::ENTRY,
    bbr::three::ENTRY,
    copa::ENTRY,
    tcp_f::ENTRY,
    atcp::ENTRY,
    tcp_door::ENTRY,
    adtcp::ENTRY,
    differentiation::SPIKE,
    differentiation::ZIGZAG,
    differentiation::BIAZ,
    differentiation::ZBS,
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

/// Every name that can be used in a variant.
pub fn registry() -> &'static [VariantInfo] {
    const ALL: &[VariantInfo] = &INFOS;
    ALL
}
