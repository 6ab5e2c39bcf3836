//! Rate control: which modes a station tries for a frame to one neighbour, in which order.
//!
//! A controller answers [`RateControl::chain`] before each frame or aggregate and learns from
//! [`RateControl::report`] after it. It is a pure state machine for one neighbour; `minstrel-ht` has a random
//! stream of its own.

mod chain;
mod ideal;
mod minstrel;

pub use chain::{RateReport, RetryChain, Stage};
pub(crate) use ideal::newest_modes;
pub use ideal::{Ideal, IdealRule};
pub use minstrel::{Averaging, MinstrelConfig, MinstrelHt, RateStatistics, Sampling};

use tworay_base::SimTime;
use tworay_radio::phy::Mode;

/// A station's choice of rates towards one neighbour.
#[derive(Clone, Debug)]
pub enum RateControl {
    /// Always the same mode.
    Fixed(Mode),
    /// The best mode for a known SINR: a bound for the others.
    Ideal(Ideal),
    /// Minstrel-HT of Linux.
    MinstrelHt(Box<MinstrelHt>),
}

impl RateControl {
    /// The modes to try for the next frame of `bytes` (MAC header to FCS). `sinr` gives the ratio of signal to
    /// noise and interference (a factor) at which the receiver would get a frame of the given mode; only `ideal`
    /// asks for it.
    pub fn chain(&mut self, now: SimTime, bytes: u32, sinr: impl Fn(Mode) -> f64) -> RetryChain {
        match self {
            Self::Fixed(mode) => RetryChain::only(*mode),
            Self::Ideal(ideal) => RetryChain::only(ideal.choose(bytes, sinr)),
            Self::MinstrelHt(minstrel) => minstrel.chain(now),
        }
    }

    /// A transmission has ended.
    pub fn report(&mut self, now: SimTime, report: &RateReport) {
        if let Self::MinstrelHt(minstrel) = self {
            minstrel.report(now, report);
        }
    }
}

#[cfg(test)]
mod tests;
