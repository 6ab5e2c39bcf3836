//! State of the sending half, which every recovery reads.

use super::pacer::Pacer;
use super::rate::RateMeter;
use super::rtt::RttEstimator;
use super::scoreboard::Outstanding;
use super::space::Space;
use super::timer::RetransmitTimer;
use super::trial::SpuriousTimeouts;
use super::window::{CongestionWindow, Cut};
use crate::config::TcpConfig;
use crate::control::Controls;
use crate::endpoint::{Counters, Ports, TcpAction, TcpNote};
use crate::parts::Needs;
use crate::quirks::TcpQuirks;
use crate::receive::Receiver;
use std::collections::VecDeque;
use tworay_base::SimTime;

/// Context of one call of the sender.
pub(crate) struct Cx<'a> {
    pub now: SimTime,
    pub cfg: &'a TcpConfig,
    pub out: &'a mut Vec<TcpAction>,
    pub counters: &'a mut Counters,
    pub rx: &'a Receiver,
    pub ports: Ports,
    /// Set when a segment with the current acknowledgment was sent.
    pub acknowledged: bool,
}

impl Cx<'_> {
    pub fn note(&mut self, note: TcpNote) {
        self.out.push(TcpAction::Note(note));
    }
}

/// A segment in flight; needed to time every segment and for Karn's rule.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Sent {
    pub end: u64,
    /// Time of the last transmission.
    pub at: SimTime,
    /// Number of transmissions.
    pub times: u32,
    /// Number of its latest transmission, counted over all segments from 1. Several segments can be sent in
    /// the same nanosecond.
    pub order: u64,
}

/// The state of sending that all recoveries share. They read it; only the [`Sender`](super::Sender) changes
/// it.
#[derive(Debug)]
pub(crate) struct SendState {
    pub space: Space,
    pub window: CongestionWindow,
    /// Consecutive duplicate ACKs.
    pub dup_acks: u32,
    /// Bytes sent by limited transmit since the last new ACK.
    pub limited_bytes: u64,
    /// The last reduction of the window.
    pub cut: Cut,
    pub rtt: RttEstimator,
    /// End and send time of the one segment being timed.
    pub timed: Option<(u64, SimTime)>,
    /// Segments in flight, oldest first.
    pub sent: VecDeque<Sent>,
    /// Transmissions of segments so far.
    pub(super) transmissions: u64,
    pub timer: RetransmitTimer,
    pub(super) pacer: Pacer,
    pub(super) rate: RateMeter,
    pub(super) spurious: SpuriousTimeouts,
    /// The timestamp that the latest ACK echoed.
    pub(super) echo: Option<u32>,
    /// Backoff factor of the persist timer while it runs.
    pub(super) persist: Option<u32>,
    pub(super) last_send: SimTime,
    pub(super) last_activity: SimTime,
    /// When the variant stopped the sender.
    pub(super) frozen: Option<SimTime>,
    /// Events and queries that the variant declared.
    pub(super) needs: Needs,
    /// True if the peer answers marked probes.
    pub(super) peer_probes: bool,
    /// True if SACK is offered in the SYN.
    pub(super) wants_sack: bool,
    pub(super) hops: u8,
    /// True if the hop count is that of this end's own source route, as reported by routing.
    pub(super) source_routed: bool,
    pub(super) controls: Controls,
    pub quirks: TcpQuirks,
}

impl SendState {
    /// True if the variant has stopped the sender.
    #[inline]
    pub fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    pub fn outstanding(&self, cfg: &TcpConfig) -> Outstanding {
        let Space { una, max, mss, .. } = self.space;
        Outstanding { una, max, mss, dup_threshold: cfg.dup_threshold }
    }
}
