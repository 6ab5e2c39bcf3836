//! Tail loss probes: when no ACKs arrive, one segment is sent to elicit an ACK before the timeout (RFC 8985
//! §7).

use tworay_base::SimDuration;

/// Maximum delay of an ACK (WCDelAckT), added to the probe timeout of a lone segment.
const DELAYED_ACK: SimDuration = SimDuration::from_millis(200);

/// TLP's part of the state in §5.2.
#[derive(Debug, Default)]
pub(super) struct Probe {
    /// The byte after the highest sent when the probe left; `None` if no probe is in flight.
    pub end: Option<u64>,
    /// True if the probe is a retransmission.
    pub again: bool,
    /// True if a round trip was measured since the last probe or since the connection opened.
    pub measured: bool,
}

/// Result of a probe, as far as an ACK shows it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Nothing yet, or no probe is in flight.
    Nothing,
    /// Nothing was lost.
    Fine,
    /// The probe repaired a loss.
    Repaired,
}

impl Probe {
    /// The probe timeout from now (§7.2); `slack` is added if more than one segment is in flight.
    pub fn timeout(srtt: Option<SimDuration>, outstanding: usize, slack: SimDuration) -> SimDuration {
        match srtt {
            Some(srtt) if outstanding == 1 => srtt * 2 + DELAYED_ACK,
            Some(srtt) => srtt * 2 + slack,
            None => SimDuration::from_secs(1),
        }
    }

    /// Evaluates an ACK up to `to`. `dsack` is the end of a range reported as received twice; `dup`: the
    /// ACK carries no other information (§7.4).
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
