//! The loss ledger: every segment sent ends in exactly one column.
//!
//! A segment can exist in several copies: the sender of a frame keeps its copy until the ACK arrives,
//! so when an ACK is lost both ends hold one. A segment is lost when no copy is left and none has
//! reached the destination; the last death among its copies is its one true cause.

use std::collections::VecDeque;
use tworay_base::{FlowId, LossCause, NodeId, Seq32, SimTime};

/// What a tracked packet is to its flow.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Carries {
    /// TCP or UDP payload (SYN and FIN count as data: losing them costs the sender the same).
    Data,
    /// A pure acknowledgment.
    Ack,
}

/// One loss.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LossRecord {
    /// When the last copy died.
    pub at: SimTime,
    /// Where.
    pub node: NodeId,
    /// Whose.
    pub flow: FlowId,
    /// What it carried.
    pub carries: Carries,
    /// First sequence number.
    pub seq: Seq32,
    /// Why.
    pub cause: LossCause,
}

#[derive(Copy, Clone, Debug)]
struct Shipment {
    copies: u16,
    delivered: bool,
    carries: Carries,
    flow: FlowId,
    seq: Seq32,
    /// The last death among its copies.
    death: Option<(LossCause, NodeId, SimTime)>,
}

/// Counts of one flow: data and ACK segments.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Data segments.
    pub data: u64,
    /// Acknowledgments.
    pub ack: u64,
}

impl Column {
    fn add(&mut self, carries: Carries) {
        match carries {
            Carries::Data => self.data += 1,
            Carries::Ack => self.ack += 1,
        }
    }
    /// Both kinds together.
    pub fn total(&self) -> u64 {
        self.data + self.ack
    }
}

/// The books of a run.
#[derive(Debug, Default)]
pub struct Ledger {
    shipments: VecDeque<Shipment>,
    first_uid: u64,
    sent: Column,
    delivered: Column,
    lost: [Column; LossCause::ALL.len()],
    records: Vec<LossRecord>,
}

impl Ledger {
    /// A new tracked packet with its first copy; gives its uid.
    pub fn ship(&mut self, flow: FlowId, carries: Carries, seq: Seq32) -> u64 {
        self.sent.add(carries);
        self.shipments.push_back(Shipment { copies: 1, delivered: false, carries, flow, seq, death: None });
        self.first_uid + self.shipments.len() as u64 - 1
    }

    fn entry(&mut self, uid: u64) -> &mut Shipment {
        let i = (uid - self.first_uid) as usize;
        &mut self.shipments[i]
    }

    /// A further copy exists.
    #[inline]
    pub fn copied(&mut self, uid: u64) {
        self.entry(uid).copies += 1;
    }

    /// A copy reached its destination (and is used up).
    #[inline]
    pub fn delivered(&mut self, uid: u64) {
        let s = self.entry(uid);
        s.copies -= 1;
        if !s.delivered {
            s.delivered = true;
            let carries = s.carries;
            self.delivered.add(carries);
        }
        self.sweep();
    }

    /// A copy isn't needed any more: the next hop has had its own.
    #[inline]
    pub fn handed_on(&mut self, uid: u64) {
        self.entry(uid).copies -= 1;
        self.settle(uid);
    }

    /// A copy died at `node` for `cause`.
    pub fn died(&mut self, uid: u64, cause: LossCause, node: NodeId, at: SimTime) {
        let s = self.entry(uid);
        s.copies -= 1;
        s.death = Some((cause, node, at));
        self.settle(uid);
    }

    /// Books a loss if no copy is left and none arrived.
    #[inline]
    fn settle(&mut self, uid: u64) {
        let s = *self.entry(uid);
        if s.copies == 0 && !s.delivered {
            match s.death {
                Some((cause, node, at)) => {
                    self.lost[cause as usize].add(s.carries);
                    let record = LossRecord { at, node, flow: s.flow, carries: s.carries, seq: s.seq, cause };
                    self.records.push(record);
                }
                None => debug_assert!(false, "the only copy of packet {uid} was let go of"),
            }
        }
        self.sweep();
    }

    /// Forgets finished shipments at the front.
    #[inline]
    fn sweep(&mut self) {
        while self.shipments.front().is_some_and(|s| s.copies == 0) {
            self.shipments.pop_front();
            self.first_uid += 1;
        }
    }

    /// Segments sent.
    pub fn sent(&self) -> Column {
        self.sent
    }
    /// Segments that reached their destination.
    pub fn arrived(&self) -> Column {
        self.delivered
    }
    /// Segments lost for `cause`.
    pub fn lost(&self, cause: LossCause) -> Column {
        self.lost[cause as usize]
    }
    /// Every loss in order of time.
    pub fn records(&self) -> &[LossRecord] {
        &self.records
    }

    /// Segments still under way.
    pub fn in_flight(&self) -> Column {
        let mut out = Column::default();
        self.shipments.iter().filter(|s| s.copies > 0 && !s.delivered).for_each(|s| out.add(s.carries));
        out
    }

    /// Copies that the books say are alive.
    pub fn live_copies(&self) -> u64 {
        self.shipments.iter().map(|s| s.copies as u64).sum()
    }

    /// Checks sent = delivered + lost + in flight, per kind.
    pub fn check(&self) -> Result<(), String> {
        let flight = self.in_flight();
        let lost = self.lost.iter().fold(Column::default(), |a, c| Column { data: a.data + c.data, ack: a.ack + c.ack });
        let sum = Column {
            data: self.delivered.data + lost.data + flight.data,
            ack: self.delivered.ack + lost.ack + flight.ack,
        };
        if sum == self.sent {
            Ok(())
        } else {
            Err(format!(
                "the loss ledger doesn't balance: sent {:?}, delivered {:?}, lost {lost:?}, in flight {flight:?}",
                self.sent, self.delivered
            ))
        }
    }
}

#[cfg(test)]
mod tests;
