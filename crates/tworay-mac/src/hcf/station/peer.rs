//! State towards one neighbour.

use super::HcfConfig;
use crate::DuplicateFilter;
use crate::hcf::{FrameNumber, Persistence, Reorder, Scoreboard, TransmitWindow};
use crate::rate::{Ideal, MinstrelHt, RateControl, RetryChain, newest_modes};
use tworay_base::{NodeId, PacketId, Purpose, RngStream, SimTime};
use tworay_radio::phy::{AccessCategory, Airtime, PhyTiming};

/// A packet that has arrived.
#[derive(Copy, Clone, Debug)]
pub(super) struct Arrival {
    /// The sender's handle, which is good until its sender knows.
    pub packet: PacketId,
    /// The copy of it; none if it was lost above the MAC.
    pub copy: Option<PacketId>,
    pub at: SimTime,
}

/// The receiver's side of an agreement.
#[derive(Debug)]
pub(super) struct Recipient {
    /// Number of this agreement by the sender's count.
    pub agreement: u32,
    pub scoreboard: Scoreboard,
    /// Packets that wait for others.
    pub reorder: Reorder<Arrival>,
}

impl Recipient {
    pub fn new(agreement: u32, start: FrameNumber) -> Self {
        Self { agreement, scoreboard: Scoreboard::new(start), reorder: Reorder::new(start) }
    }
}

/// A neighbour, whatever the category of its frames.
#[derive(Debug)]
pub(super) struct Neighbour {
    pub node: NodeId,
    pub rate: RateControl,
    /// Exchanges in a row that got no ACK and no BlockAck.
    pub unanswered: u8,
}

impl Neighbour {
    pub fn new(node: NodeId, own: NodeId, config: &HcfConfig, airtime: &Airtime, timing: &PhyTiming) -> Self {
        Self { node, rate: control(node, own, config, airtime, timing), unanswered: 0 }
    }
}

/// A neighbour's frames of one category: their numbers count by themselves, and they have agreements of their own.
#[derive(Debug)]
pub(super) struct Peer {
    pub node: NodeId,
    /// Place of the neighbour.
    pub neighbour: usize,
    pub category: AccessCategory,
    /// The chain in use, and exchanges that failed with it.
    pub chain: Option<(RetryChain, u32)>,
    pub window: TransmitWindow<PacketId>,
    pub recipient: Option<Box<Recipient>>,
    pub duplicates: DuplicateFilter,
    /// Attempts with the current BlockAckReq.
    pub requests: u8,
}

impl Peer {
    pub fn new((node, neighbour): (NodeId, usize), category: AccessCategory, config: &HcfConfig) -> Self {
        let limit = if config.has_agreements() {
            Persistence::Lifetime(config.lifetime)
        } else {
            Persistence::Attempts(config.attempts)
        };
        Self {
            node,
            neighbour,
            category,
            chain: None,
            window: TransmitWindow::new(FrameNumber::default(), limit),
            recipient: None,
            duplicates: DuplicateFilter::default(),
            requests: 0,
        }
    }

    /// True if nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.window.is_empty()
    }

    /// Its category, if anything is to be sent.
    pub fn wants(&self) -> Option<AccessCategory> {
        let waits = self.window.request_due().is_some() || self.window.waiting().next().is_some();
        waits.then_some(self.category)
    }

    /// Appends the packets that are to be sent, and the copies that wait for others.
    pub fn held(&self, out: &mut Vec<PacketId>) {
        out.extend(self.window.frames());
        let waiting = self.recipient.iter().flat_map(|recipient| recipient.reorder.frames());
        out.extend(waiting.filter_map(|arrival| arrival.copy));
    }
}

fn control(
    node: NodeId,
    own: NodeId,
    config: &HcfConfig,
    airtime: &Airtime,
    timing: &PhyTiming,
) -> RateControl {
    let built = match config.rate {
        super::RateChoice::Fixed(mode) => return RateControl::Fixed(mode),
        super::RateChoice::Ideal => Ideal::of_radio(&config.phy, *airtime, timing).map(RateControl::Ideal),
        super::RateChoice::MinstrelHt(minstrel) => {
            let number = u64::from(own.0) << 16 | u64::from(node.0);
            let rng = RngStream::numbered(config.seed, number, Purpose::RateControl);
            MinstrelHt::new(&newest_modes(&config.phy), airtime, timing, minstrel, rng)
                .map(|minstrel| RateControl::MinstrelHt(Box::new(minstrel)))
        }
    };
    // Every standard has modes; the basic mode is one that all stations have.
    built.unwrap_or(RateControl::Fixed(config.basic))
}
