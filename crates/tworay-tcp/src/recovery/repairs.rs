//! Parts of a recovery, written `sack+rack-tlp+prr`: they detect losses, pace the repair, or undo spurious
//! timeouts. `linux` combines most of them.

use crate::config::{Halving, HalvingPrecision, IdleRestart, RttArithmetic, SackForm, TcpConfig, Timing};
use crate::parts::{Entry, Event, Meaning, Preset, RecoveryKind, Repair, Repairs, Rule, VariantInfo};
use tworay_base::SimDuration;

const SACK_ONLY: &[RecoveryKind] = &[RecoveryKind::Sack];
const NO_VEGAS: &[RecoveryKind] =
    &[RecoveryKind::NewReno, RecoveryKind::Reno, RecoveryKind::Sack, RecoveryKind::Tahoe];
const NEEDS_SACK: &str = "it needs to know which segments have arrived";
const NOT_VEGAS: &str = "Vegas has a timer of its own that comes before the timeout";

const fn info(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    rules: &'static [Rule],
) -> VariantInfo {
    VariantInfo { name, summary, source, rules, parameters: &[] }
}

pub(crate) const RACK: Entry = Entry {
    info: info(
        "rack",
        "SACK that detects losses by time instead of counting duplicate ACKs",
        "RFC 8985 §6",
        &[
            Rule::at(
                Event::Ack,
                "a segment is lost if one sent later has arrived and a quarter of the shortest round trip (the reordering window) has passed",
                "RFC 8985 §6.2, steps 4 and 5",
            ),
            Rule::at(
                Event::Ack,
                "the window is zero in a repair or at three SACKed segments until reordering is seen; D-SACK widens it, up to SRTT",
                "RFC 8985 §6.2, step 4",
            ),
            Rule::at(
                Event::Timer,
                "the reordering window of a segment is over: it is lost",
                "RFC 8985 §6.2, step 5",
            ),
        ],
    ),
    meaning: Meaning::Repair(Repair {
        with: SACK_ONLY,
        unless: NEEDS_SACK,
        adds: Repairs::RACK,
        configure: finds_by_time,
    }),
};

pub(crate) const RACK_TLP: Entry = Entry {
    info: info(
        "rack-tlp",
        "RACK, and a probe when no ACKs arrive",
        "RFC 8985",
        &[
            Rule::at(Event::Start, "the rules of rack", "RFC 8985 §6"),
            Rule::at(
                Event::Timer,
                "no ACK for two SRTT (200 ms more with one segment in flight): sends new data, or else the last segment again",
                "RFC 8985 §7.2, §7.3",
            ),
            Rule::at(
                Event::Probe,
                "a loss that the probe has repaired reduces the window once",
                "RFC 8985 §7.4",
            ),
        ],
    ),
    meaning: Meaning::Repair(Repair {
        with: SACK_ONLY,
        unless: NEEDS_SACK,
        adds: Repairs::RACK.union(Repairs::TLP),
        configure: finds_by_time,
    }),
};

pub(crate) const PRR: Entry = Entry {
    info: info(
        "prr",
        "SACK whose fast recovery sends segments in proportion to those delivered",
        "RFC 9937",
        &[
            Rule::at(
                Event::Recovery,
                "flight above ssthresh: for each delivered segment sends ssthresh / (flight at the loss)",
                "RFC 9937 §6",
            ),
            Rule::at(
                Event::Recovery,
                "flight below ssthresh: sends what was delivered, one more if the ACK advances without a new loss",
                "RFC 9937 §6",
            ),
            Rule::at(Event::End, "cwnd is ssthresh", "RFC 9937 §6"),
        ],
    ),
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
        &[
            Rule::at(
                Event::Timeout,
                "sends the oldest segment again; at the ACK that advances, two new segments instead of old ones",
                "RFC 5682 §2.1, steps 1 and 2",
            ),
            Rule::at(
                Event::Spurious,
                "if the next ACK advances too, or reports a segment sent once: restores window and threshold",
                "RFC 5682 §2.1 step 3, RFC 4015",
            ),
            Rule::at(
                Event::Ack,
                "if it doesn't: sends again what was outstanding, with cwnd of at most 3",
                "RFC 5682 §2.1, step 3a",
            ),
        ],
    ),
    meaning: Meaning::Repair(Repair {
        with: NO_VEGAS,
        unless: NOT_VEGAS,
        adds: Repairs::F_RTO,
        configure: not_tcp_linux,
    }),
};

pub(crate) const EIFEL: Entry = Entry {
    info: info(
        "eifel",
        "undoes a timeout if a time stamp shows that nothing was lost",
        "RFC 3522, RFC 4015",
        &[
            Rule::at(Event::Start, "time stamps on", "RFC 3522 §3.2"),
            Rule::at(
                Event::Spurious,
                "if the first ACK after a timeout echoes the time stamp of an original: restores the window, sends nothing else again",
                "RFC 3522 §3.2, RFC 4015 §3",
            ),
        ],
    ),
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
        &[
            Rule::at(
                Event::Start,
                "the rules of rack-tlp, prr and f-rto; time stamps and D-SACK on",
                "Linux 6.18 tcp_input.c, tcp_recovery.c",
            ),
            Rule::at(
                Event::Sample,
                "timeout = SRTT + max(200 ms, 4 RTTVAR), in ticks of 4 ms, at most 120 s",
                "Linux 6.18 tcp_rtt_estimator, tcp_set_rto",
            ),
            Rule::at(
                Event::Ack,
                "cwnd grows by the segments delivered, each counted once, if the window was used; also as a recovery ends",
                "Linux 6.18 tcp_cong.c, tcp_is_cwnd_limited",
            ),
            Rule::at(
                Event::Loss,
                "ssthresh is half of the window, not of the flight, in whole segments",
                "Linux 6.18 tcp_reno_ssthresh",
            ),
            Rule::at(
                Event::Spurious,
                "the window from before the timeout; one ACK of data that was sent once is enough",
                "Linux 6.18 tcp_process_loss",
            ),
            Rule::at(
                Event::End,
                "time stamps, or D-SACK of all retransmissions, show that nothing was lost: the window from before",
                "Linux 6.18 tcp_may_undo, tcp_try_undo_partial",
            ),
            Rule::at(
                Event::Send,
                "after an idle time cwnd is halved for each RTO, down to the initial window",
                "Linux 6.18 tcp_cwnd_restart",
            ),
        ],
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
/// window instead of the flight, in whole segments; an idle time halves it for each RTO.
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
    if config.idle_restart != IdleRestart::Off {
        config.idle_restart = IdleRestart::Decay;
    }
    config.halving = Halving::Window;
    config.halving_precision = HalvingPrecision::Integer;
}
