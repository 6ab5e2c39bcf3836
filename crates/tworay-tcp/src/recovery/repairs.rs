//! Parts of a recovery, written `sack+rack-tlp+prr`: they detect losses, pace the repair, or undo spurious
//! timeouts. `linux` combines most of them.

use crate::config::{Halving, HalvingPrecision, RttArithmetic, SackForm, TcpConfig, Timing};
use crate::parts::{Entry, Meaning, Preset, RecoveryKind, Repair, Repairs, VariantInfo};
use tworay_base::SimDuration;

const SACK_ONLY: &[RecoveryKind] = &[RecoveryKind::Sack];
const NO_VEGAS: &[RecoveryKind] =
    &[RecoveryKind::NewReno, RecoveryKind::Reno, RecoveryKind::Sack, RecoveryKind::Tahoe];
const NEEDS_SACK: &str = "it needs to know which segments have arrived";
const NOT_VEGAS: &str = "Vegas has a timer of its own that comes before the timeout";

const fn info(name: &'static str, summary: &'static str, source: &'static str) -> VariantInfo {
    VariantInfo { name, summary, source, parameters: &[] }
}

pub(crate) const RACK: Entry = Entry {
    info: info("rack", "SACK that detects losses by time instead of counting duplicate ACKs", "RFC 8985 §6"),
    meaning: Meaning::Repair(Repair {
        with: SACK_ONLY,
        unless: NEEDS_SACK,
        adds: Repairs::RACK,
        configure: finds_by_time,
    }),
};

pub(crate) const RACK_TLP: Entry = Entry {
    info: info("rack-tlp", "RACK, and a probe when no ACKs arrive", "RFC 8985"),
    meaning: Meaning::Repair(Repair {
        with: SACK_ONLY,
        unless: NEEDS_SACK,
        adds: Repairs::RACK.union(Repairs::TLP),
        configure: finds_by_time,
    }),
};

pub(crate) const PRR: Entry = Entry {
    info: info("prr", "SACK whose fast recovery sends segments in proportion to those delivered", "RFC 9937"),
    meaning: Meaning::Repair(Repair {
        with: SACK_ONLY,
        unless: NEEDS_SACK,
        adds: Repairs::PRR,
        configure: by_the_rfc,
    }),
};

pub(crate) const F_RTO: Entry = Entry {
    info: info(
        "f-rto",
        "after a timeout, tests with new data whether anything was lost",
        "RFC 5682, RFC 4015",
    ),
    meaning: Meaning::Repair(Repair {
        with: NO_VEGAS,
        unless: NOT_VEGAS,
        adds: Repairs::F_RTO,
        configure: not_tcp_linux,
    }),
};

pub(crate) const EIFEL: Entry = Entry {
    info: info("eifel", "undoes a timeout if a time stamp shows that nothing was lost", "RFC 3522, RFC 4015"),
    meaning: Meaning::Repair(Repair {
        with: NO_VEGAS,
        unless: NOT_VEGAS,
        adds: Repairs::EIFEL,
        configure: |config| {
            not_tcp_linux(config);
            config.timestamps = true;
        },
    }),
};

pub(crate) const LINUX: Entry = Entry {
    info: info(
        "linux",
        "the sender of Linux 6 without CUBIC: sack+rack-tlp+prr+f-rto and its timers",
        "Linux 6.18 net/ipv4",
    ),
    meaning: Meaning::Preset(Preset {
        recovery: RecoveryKind::Sack,
        repairs: Repairs::RACK
            .union(Repairs::TLP)
            .union(Repairs::PRR)
            .union(Repairs::F_RTO)
            .union(Repairs::LINUX),
        configure: as_linux,
    }),
};

/// SACK as in RFC 6675, whatever the dialect.
fn by_the_rfc(config: &mut TcpConfig) {
    config.sack.form = SackForm::Rfc6675;
}

/// D-SACK tells RACK when its reordering window is too small (RFC 8985 §3.3.2).
fn finds_by_time(config: &mut TcpConfig) {
    by_the_rfc(config);
    config.sack.dsack = true;
}

/// ns-2's TCP-Linux keeps a record of losses that cannot be undone.
fn not_tcp_linux(config: &mut TcpConfig) {
    if config.sack.form == SackForm::TcpLinux {
        by_the_rfc(config);
    }
}

/// Linux' timers: RTO from SRTT + 200 ms to 120 s, every segment timed, time stamps on. A loss halves the
/// window instead of the flight, in whole segments.
fn as_linux(config: &mut TcpConfig) {
    finds_by_time(config);
    config.rto.initial = SimDuration::from_secs(1);
    config.rto.min = SimDuration::from_millis(200);
    config.rto.max = SimDuration::from_secs(120);
    config.rto.arithmetic = RttArithmetic::Linux;
    config.rto.multiplier = 1;
    config.rto.forget_above = 0;
    config.tick = SimDuration::ZERO;
    config.timing = Timing::EverySegment;
    config.timestamps = true;
    config.limited_transmit = true;
    config.halving = Halving::Window;
    config.halving_precision = HalvingPrecision::Integer;
}
