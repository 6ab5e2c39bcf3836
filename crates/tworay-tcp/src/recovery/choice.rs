//! Creates the recovery of a variant.

use super::interface::Recovery;
use super::vegas_repair::{Thresholds, VegasRepair};
use super::{newreno, rack_tlp, reno, sack, sack_ns2, tahoe, tcp_linux};
use crate::config::{SackForm, TcpConfig};
use crate::parts::{RecoveryKind, Repairs, Settings};

/// Creates the recovery of one connection; `values` are its validated parameters.
pub(crate) fn make(
    kind: RecoveryKind,
    values: &[f64],
    repairs: Repairs,
    cfg: &TcpConfig,
) -> Box<dyn Recovery> {
    if repairs.marks_segments() {
        return Box::new(rack_tlp::RackTlp::new(repairs));
    }
    match (kind, cfg.sack.form) {
        (RecoveryKind::Tahoe, _) => Box::new(tahoe::Tahoe),
        (RecoveryKind::Reno, _) => Box::new(reno::Reno::new(reno::Options::read(values), cfg)),
        (RecoveryKind::NewReno, _) => Box::new(newreno::NewReno::default()),
        (RecoveryKind::Sack, SackForm::Rfc6675) => Box::new(sack::Sack::default()),
        (RecoveryKind::Sack, SackForm::Ns2Pipe) => Box::new(sack_ns2::SackNs2::default()),
        (RecoveryKind::Sack, SackForm::TcpLinux) => Box::new(tcp_linux::TcpLinux::new(cfg)),
        (RecoveryKind::Vegas, _) => Box::new(VegasRepair::new(Thresholds::read(values), cfg)),
    }
}
