//! The registry of variants: one line each, pointing to the file that implements it.

use crate::control::*;
use crate::parts::{Entry, Meaning, RecoveryKind, VariantInfo};
use crate::recovery;

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
    westwood_nr::ENTRY,
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
    vegas_growth::ENTRY,
    veno::ENTRY,
    cerl::ENTRY,
    cdg::ENTRY,
    few::ENTRY,
    tack::ENTRY,
    tcp_ap::ENTRY,
    paced::ENTRY,
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
    gentle::ENTRY,
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

/// The recoveries that a name can be joined with, the one first that it has when none is named; empty for a
/// recovery and for what has one of its own.
pub fn recoveries(name: &str) -> &'static [RecoveryKind] {
    match ENTRIES.iter().find(|e| e.info.name == name).map(|e| e.meaning) {
        Some(Meaning::Part(part)) => part.with,
        Some(Meaning::Repair(repair)) => repair.with,
        _ => &[],
    }
}

/// Default parameters of a recovery.
pub(super) fn defaults(kind: RecoveryKind) -> Vec<f64> {
    let row = ENTRIES.iter().find(|e| matches!(e.meaning, Meaning::Recovery(k) if k == kind));
    row.map(|e| e.info.parameters.iter().filter_map(|p| p.default).collect()).unwrap_or_default()
}
