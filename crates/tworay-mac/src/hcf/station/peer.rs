//! State towards one neighbour.

use super::HcfConfig;
use crate::DuplicateFilter;
use crate::hcf::{FrameNumber, Reorder, Scoreboard, TransmitWindow};
use crate::rate::{Ideal, IdealRule, MinstrelHt, RateControl, RetryChain};
use tworay_base::{NodeId, PacketId, Purpose, RngStream, SimDuration};
use tworay_radio::phy::{AccessCategory, Airtime, Mode, PhyTiming};

/// The receiver's side of an agreement.
#[derive(Debug)]
pub(super) struct Recipient {
    /// How often the sender had begun an agreement when this one began.
    pub agreement: u32,
    pub scoreboard: Scoreboard,
    /// Copies of the packets that wait for others; none for a packet that was lost above the MAC.
    pub reorder: Reorder<Option<PacketId>>,
}

impl Recipient {
    pub fn new(agreement: u32, start: FrameNumber) -> Self {
        Self { agreement, scoreboard: Scoreboard::new(start), reorder: Reorder::new(start) }
    }
}

/// A neighbour.
#[derive(Debug)]
pub(super) struct Peer {
    pub node: NodeId,
    pub rate: RateControl,
    /// The chain in use, and exchanges that failed with it.
    pub chain: Option<(RetryChain, u32)>,
    pub window: TransmitWindow<PacketId>,
    pub category: AccessCategory,
    pub recipient: Option<Box<Recipient>>,
    pub duplicates: DuplicateFilter,
    /// Attempts with the current BlockAckReq.
    pub requests: u8,
}

impl Peer {
    pub fn new(node: NodeId, own: NodeId, config: &HcfConfig, airtime: &Airtime, timing: &PhyTiming) -> Self {
        Self {
            node,
            rate: control(node, own, config, airtime, timing),
            chain: None,
            window: TransmitWindow::new(FrameNumber::default(), config.attempts),
            category: AccessCategory::BestEffort,
            recipient: None,
            duplicates: DuplicateFilter::default(),
            requests: 0,
        }
    }

    /// True if nothing is on its way to the neighbour.
    pub fn is_idle(&self) -> bool {
        self.window.is_empty()
    }

    /// The category that wants to transmit, if any.
    pub fn wants(&self) -> Option<AccessCategory> {
        let waits = self.window.request_due().is_some() || self.window.waiting().next().is_some();
        waits.then_some(self.category)
    }

    /// Appends the packets that are to be sent, and the copies that wait for others.
    pub fn held(&self, out: &mut Vec<PacketId>) {
        out.extend(self.window.frames());
        out.extend(self.recipient.iter().flat_map(|recipient| recipient.reorder.frames().copied().flatten()));
    }
}

/// Modes among which a rate control chooses: those of the newest format, since stations of one standard are alone.
fn modes(config: &HcfConfig) -> Vec<Mode> {
    let all = config.phy.modes();
    let newest = all.iter().copied().filter(Mode::aggregates).collect::<Vec<_>>();
    if newest.is_empty() { all } else { newest }
}

fn control(
    node: NodeId,
    own: NodeId,
    config: &HcfConfig,
    airtime: &Airtime,
    timing: &PhyTiming,
) -> RateControl {
    let modes = modes(config);
    let built = match config.rate {
        super::RateChoice::Fixed(mode) => return RateControl::Fixed(mode),
        super::RateChoice::Ideal => {
            let overhead = timing.difs() + timing.slot * u64::from(timing.window.min) / 2 + timing.sifs;
            let answer = SimDuration::from_micros(32);
            Ideal::new(modes, *airtime, overhead + answer, IdealRule::Throughput).map(RateControl::Ideal)
        }
        super::RateChoice::MinstrelHt(minstrel) => {
            let number = u64::from(own.0) << 16 | u64::from(node.0);
            let rng = RngStream::numbered(config.seed, number, Purpose::RateControl);
            MinstrelHt::new(&modes, airtime, timing, minstrel, rng)
                .map(|minstrel| RateControl::MinstrelHt(Box::new(minstrel)))
        }
    };
    // Every standard has modes; the basic mode is one that all stations have.
    built.unwrap_or(RateControl::Fixed(config.basic))
}
