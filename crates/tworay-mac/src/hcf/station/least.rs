//! The least time of a packet: its station has the medium to itself, and nothing is lost.

use super::{ACK_BYTES, BLOCK_ACK_BYTES, Hcf};
use crate::hcf::{Assembly, AssemblyLimits};
use crate::rate::Ideal;
use tworay_base::SimDuration;
use tworay_radio::phy::{AccessCategory, Mode, control_response};

/// Time of a station for one packet if nothing is lost.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LeastTime {
    /// Its part of the exchange: interframe space, RTS and CTS, frames and their answer.
    pub exchange: SimDuration,
    /// Its part of the mean backoff before, half the smallest window.
    pub backoff: SimDuration,
}

impl Hcf {
    /// The mean time that an IP packet of best effort takes, if it is sent once, beside as many others as an aggregate holds, at the
    /// station's rate, or at the best one for this ratio of signal to noise (a factor). At most `packets` are sent together, at least 1.
    pub fn least_time(&self, ip_bytes: u32, packets: u16, sinr: impl Fn(Mode) -> f64) -> LeastTime {
        let bytes = self.config.frame_bytes(ip_bytes);
        let mode = self.config.rate.fixed().or_else(|| {
            let ideal = Ideal::of_radio(&self.config.phy, self.airtime, &self.timing).ok()?;
            Some(ideal.choose(bytes, sinr))
        });
        let mode = mode.unwrap_or(self.config.basic);
        let category = AccessCategory::BestEffort;
        let frames = if self.config.has_agreements() && mode.aggregates() { packets } else { 1 };
        let time = self.longest_ppdu(category, mode);
        let limits = AssemblyLimits { frames, bytes: self.config.max_aggregate, time };
        let mut assembly = Assembly::new(mode, &self.airtime, limits);
        while assembly.add(bytes) {}
        let count = assembly.subframes().len().max(1);
        let (whole, answer) =
            if count == 1 { (bytes, ACK_BYTES) } else { (assembly.bytes(), BLOCK_ACK_BYTES) };
        let (space, backoff) = self.edca.first_wait(category);
        let rts = if whole > self.config.rts_above { self.rts_time() } else { SimDuration::ZERO };
        let answer = self.timing.sifs + self.airtime.frame(control_response(mode, &[]), answer);
        let exchange = space + rts + self.airtime.frame(mode, whole) + answer;
        LeastTime { exchange: exchange / count as u64, backoff: backoff / count as u64 }
    }
}
