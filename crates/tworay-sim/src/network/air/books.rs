//! Fates of the packets that a station is sending, as [`Attempts`] of each.

use crate::observe::loss::attempts::{Attempts, Failure};
use tworay_base::{LossCause, NodeId, PacketId, SimTime};
use tworay_mac::FrameKind;

/// The exchange in progress, or the latest one.
#[derive(Debug)]
struct Trial {
    began: SimTime,
    to: NodeId,
    /// Why the frame fails if it isn't answered; `None`: it arrived, and its answer counts.
    frame: Option<Failure>,
    /// Why its packets fail: as `frame`, for each.
    packets: Vec<(PacketId, Option<Failure>)>,
    /// Why the answer fails.
    answer: Failure,
    interferer: Option<NodeId>,
}

/// Fates of the packets that a station is sending.
#[derive(Debug, Default)]
pub(super) struct Books {
    trial: Option<Trial>,
    /// Packets with failed attempts.
    failed: Vec<(PacketId, Attempts)>,
}

impl Books {
    /// A frame to `to` goes on the air, which fails for the reason `failure` if it gets no answer.
    pub fn begin(
        &mut self,
        now: SimTime,
        to: NodeId,
        failure: Failure,
        packets: impl Iterator<Item = PacketId>,
    ) {
        self.trial = Some(Trial {
            began: now,
            to,
            frame: Some(failure),
            packets: packets.map(|packet| (packet, Some(failure))).collect(),
            answer: Failure::Busy,
            interferer: None,
        });
    }

    /// The whole frame is lost.
    pub fn frame_lost(&mut self, failure: Failure, interferer: Option<NodeId>) {
        let Some(trial) = &mut self.trial else { return };
        trial.frame = Some(failure);
        trial.packets.iter_mut().for_each(|(_, fate)| *fate = Some(failure));
        trial.interferer = interferer;
    }

    /// The frame was received; bits of the packets that are lost have failures, in order.
    pub fn frame_arrived(&mut self, fates: &[Option<Failure>], interferer: Option<NodeId>) {
        let Some(trial) = &mut self.trial else { return };
        trial.frame = None;
        for ((_, fate), found) in trial.packets.iter_mut().zip(fates) {
            *fate = *found;
        }
        trial.interferer = interferer;
    }

    /// The answer is lost.
    pub fn answer_lost(&mut self, failure: Failure, interferer: Option<NodeId>) {
        let Some(trial) = &mut self.trial else { return };
        trial.answer = failure;
        trial.interferer = trial.interferer.or(interferer);
    }

    /// The station that the latest frame was for, when it went on the air, and why it fails if nothing else is known.
    pub fn latest(&self) -> Option<(SimTime, NodeId, Failure)> {
        self.trial.as_ref().map(|trial| (trial.began, trial.to, trial.frame.unwrap_or(trial.answer)))
    }

    /// The receiver turned out to be out of reach.
    pub fn receiver_lost(&mut self, failure: Failure) {
        if let Some(trial) = &mut self.trial {
            trial.answer = failure;
            trial.frame = Some(failure);
            trial.packets.iter_mut().for_each(|(_, fate)| *fate = Some(failure));
        }
    }

    /// An attempt with `packets` has failed. Each books its share of the time lost.
    pub fn missed(&mut self, now: SimTime, packets: &[PacketId]) {
        let Some(trial) = &self.trial else { return };
        let share = now.since(trial.began) / packets.len().max(1) as u64;
        for &packet in packets {
            let found = trial.packets.iter().find(|(known, _)| *known == packet).map(|(_, fate)| *fate);
            let failure = found.unwrap_or(trial.frame).unwrap_or(trial.answer);
            let attempts = match self.failed.iter().position(|(known, _)| *known == packet) {
                Some(at) => &mut self.failed[at].1,
                None => {
                    self.failed.push((packet, Attempts::default()));
                    &mut self.failed.last_mut().expect("it was just added").1
                }
            };
            let began = if failure.is_physical() {
                trial.began
            } else {
                trial.began + (now.since(trial.began) - share)
            };
            attempts.begin(began, (FrameKind::Data, trial.to), failure);
            attempts.interferer = trial.interferer.filter(|_| failure == Failure::Collided);
            attempts.unanswered();
            attempts.end(now, share);
        }
    }

    /// The cause of most failed attempts with a packet.
    pub fn cause(&self, packet: PacketId) -> Option<LossCause> {
        let (_, attempts) = self.failed.iter().find(|(known, _)| *known == packet)?;
        let to = self.trial.as_ref()?.to;
        attempts.root_of(SimTime::ZERO, (to, to), FrameKind::Data).cause
    }

    /// Takes out the failed attempts with a packet that is done.
    pub fn take(&mut self, packet: PacketId) -> Option<Attempts> {
        let at = self.failed.iter().position(|(known, _)| *known == packet)?;
        Some(self.failed.swap_remove(at).1)
    }
}
