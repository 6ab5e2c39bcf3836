//! Tail loss probes: when the ACKs stop, one segment that brings another, before the timeout (RFC 8985 §7).

use tworay_base::SimDuration;

/// How long an ACK may be delayed (WCDelAckT): more than a lone segment's probe waits.
const DELAYED_ACK: SimDuration = SimDuration::from_millis(200);

/// The state of §5.2, TLP's part.
#[derive(Debug, Default)]
pub(super) struct Probe {
    /// The byte after the highest sent when the probe left; `None` if none is out.
    pub end: Option<u64>,
    /// It was sent before.
    pub again: bool,
    /// A round trip was measured since the last probe, or since the connection opened.
    pub measured: bool,
}

/// What an ACK said of a probe.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Nothing yet, or there is no probe.
    Nothing,
    /// Nothing was lost.
    Fine,
    /// The probe has repaired a loss.
    Repaired,
}

impl Probe {
    /// The probe timeout from now (§7.2); `slack` is added if more than one segment is out.
    pub fn timeout(srtt: Option<SimDuration>, outstanding: usize, slack: SimDuration) -> SimDuration {
        match srtt {
            Some(srtt) if outstanding == 1 => srtt * 2 + DELAYED_ACK,
            Some(srtt) => srtt * 2 + slack,
            None => SimDuration::from_secs(1),
        }
    }

    /// An ACK up to `to`; `dsack` is the end of what it reports as having come twice, `dup` that it brings
    /// nothing else (§7.4).
    pub fn on_ack(&mut self, to: u64, dsack: Option<u64>, dup: bool) -> Answer {
        let Some(end) = self.end.filter(|end| to >= *end) else { return Answer::Nothing };
        let answer = if !self.again || dsack == Some(end) {
            Answer::Fine
        } else if to > end {
            Answer::Repaired
        } else if dup {
            Answer::Fine
        } else {
            return Answer::Nothing;
        };
        self.end = None;
        answer
    }
}
