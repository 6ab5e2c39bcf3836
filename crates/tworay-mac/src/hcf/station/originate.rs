//! The station's own exchanges: RTS, frames and aggregates, and what follows from answers or their absence.

use super::peer::{Neighbour, Peer};
use super::{ACK_BYTES, BLOCK_ACK_BYTES, Exchange, Hcf, HcfAction, Host, MissingBlockAck, Plan, RTS_BYTES};
use crate::dcf::Outgoing;
use crate::hcf::{AirFrame, AirKind, AirPacket, Assembly, AssemblyLimits, BlockAck, Outcome};
use crate::rate::RateReport;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_radio::phy::{AccessCategory, MAX_PPDU, Mode, Standard, control_response};

/// Delimiter before a VHT frame that is sent alone (§9.7.1).
const DELIMITER: u32 = 4;

impl Hcf {
    /// The contention is won: sends the next frame, or an RTS for it.
    pub(super) fn begin(
        &mut self,
        now: SimTime,
        category: AccessCategory,
        host: &mut impl Host,
        out: &mut Vec<HcfAction>,
    ) {
        self.expire(now, out);
        // Neighbours with frames under way take turns.
        let (count, turn) = (self.peers.len(), self.turns[category as usize]);
        let turns = (1..=count).map(|i| (turn + i) % count);
        let peer = match turns.into_iter().find(|peer| self.peers[*peer].wants() == Some(category)) {
            Some(peer) => peer,
            None => {
                let Some(next) = host.take(now, category, None) else { return };
                if next.to.is_broadcast() {
                    return self.broadcast(now, next, category, out);
                }
                let peer = self.peer_of(next.to, category);
                // Its window is empty: nothing waits for this neighbour.
                self.peers[peer].window.admit(now, next.packet, self.config.frame_bytes(next.ip_bytes));
                peer
            }
        };
        self.turns[category as usize] = peer;
        let plan = match self.peers[peer].window.request_due() {
            Some(_) if self.config.has_agreements() => self.plan_request(peer),
            _ => self.plan_data(now, peer, host),
        };
        let Some(plan) = plan else { return };
        if plan.rts {
            let mode = self.config.basic;
            let answer = control_response(mode, &[self.config.basic]);
            let cts = self.airtime.frame(answer, ACK_BYTES);
            let sifs = self.timing.sifs;
            let duration = sifs + cts + sifs + plan.frame.airtime + plan.frame.duration;
            let rts = self.control(AirKind::Rts, plan.frame.to, mode, duration);
            let wait = self.timing.response_timeout(&self.airtime, answer);
            self.counters.tx_rts += 1;
            self.plan = Some(plan);
            self.transmit(now, rts, out);
            self.exchange = Exchange::AwaitCts;
            self.hold(now, self.tx_until + wait);
        } else {
            self.plan = Some(plan);
            self.send_planned(now, out);
        }
    }

    /// Ends frames whose lifetime is over. The standard discards them at that moment, the station when it may transmit
    /// next: until then nothing depends on them.
    fn expire(&mut self, now: SimTime, out: &mut Vec<HcfAction>) {
        let mut outcomes = Vec::new();
        for peer in 0..self.peers.len() {
            let p = &mut self.peers[peer];
            p.window.expire(now, &mut outcomes);
            if !outcomes.is_empty() {
                p.chain = None;
                let to = p.node;
                self.conclude(to, Vec::new(), outcomes.drain(..), false, out);
            }
        }
    }

    /// The place of a neighbour's frames of a category, which is made if it is new.
    pub(super) fn peer_of(&mut self, node: NodeId, category: AccessCategory) -> usize {
        let known = self.peers.iter().position(|peer| peer.node == node && peer.category == category);
        known.unwrap_or_else(|| {
            let neighbour = self.neighbour_of(node);
            self.peers.push(Peer::new((node, neighbour), category, &self.config));
            self.peers.len() - 1
        })
    }

    fn neighbour_of(&mut self, node: NodeId) -> usize {
        let known = self.neighbours.iter().position(|neighbour| neighbour.node == node);
        known.unwrap_or_else(|| {
            let new = Neighbour::new(node, self.node, &self.config, &self.airtime, &self.timing);
            self.neighbours.push(new);
            self.neighbours.len() - 1
        })
    }

    fn broadcast(
        &mut self,
        now: SimTime,
        next: Outgoing,
        category: AccessCategory,
        out: &mut Vec<HcfAction>,
    ) {
        let bytes = self.config.frame_bytes(next.ip_bytes);
        let mode = self.config.basic;
        let mut frame = self.control(AirKind::Data, next.to, mode, SimDuration::ZERO);
        (frame.bytes, frame.airtime) = (bytes, self.airtime.frame(mode, bytes));
        let number = Default::default();
        frame.packets.push(AirPacket { packet: next.packet, number, from: 0, to: bytes, retry: false });
        self.counters.tx_broadcast += 1;
        self.transmit(now, frame, out);
        self.exchange = Exchange::Broadcasting(next.packet, category);
        self.hold(now, self.tx_until);
    }

    /// A BlockAckReq: the receiver must hear that frames were given up, or is asked which have arrived.
    fn plan_request(&mut self, peer: usize) -> Option<Plan> {
        let start = self.peers[peer].window.request_due()?;
        let mode = self.config.basic;
        let response = control_response(mode, &[]);
        let duration = self.timing.sifs + self.airtime.frame(response, BLOCK_ACK_BYTES);
        let mut frame = self.control(AirKind::BlockAckReq(start), self.peers[peer].node, mode, duration);
        (frame.category, frame.start) = (self.peers[peer].category, start);
        Some(Plan { frame, peer, response, rts: false, sample: false })
    }

    /// The next frame or aggregate for a neighbour: frames to be sent again, then new ones.
    fn plan_data(&mut self, now: SimTime, peer: usize, host: &mut impl Host) -> Option<Plan> {
        let (to, category) = (self.peers[peer].node, self.peers[peer].category);
        let first = self.peers[peer].window.waiting().next()?.2;
        let (mode, sample) = self.choose_mode(now, peer, first, host);
        // A sample may fail: it is a single frame, also when it is repeated, as in Linux' drivers.
        let sampling = self.peers[peer].chain.as_ref().is_some_and(|(chain, _)| chain.samples);
        let aggregates = self.config.has_agreements() && mode.aggregates() && !sampling;
        let frames = if aggregates { u16::MAX } else { 1 };
        let time = self.longest_ppdu(category, mode);
        let limits = AssemblyLimits { frames, bytes: self.config.max_aggregate, time };
        let mut assembly = Assembly::new(mode, &self.airtime, limits);
        let p = &mut self.peers[peer];
        let mut packets: Vec<AirPacket> = Vec::new();
        let start = p.window.start();
        let mut open = true;
        for (number, packet, bytes, attempts) in p.window.waiting() {
            // Frames behind a missing one stay within the receiver's window.
            open = number.since(start) < crate::hcf::WINDOW && assembly.add(bytes);
            if !open {
                break;
            }
            let end = assembly.bytes();
            let from = assembly.subframes().last().map_or(0, |last| last.offset);
            packets.push(AirPacket { packet, number, from, to: end, retry: attempts > 0 });
        }
        // New frames are taken while one as long as the last still fits. A longer one that doesn't waits for the next
        // aggregate.
        let mut last = assembly.subframes().last().map_or(first, |last| last.bytes);
        while aggregates && open && assembly.fits(last) && p.window.room() > 0 {
            let Some(next) = host.take(now, category, Some(to)) else { break };
            let bytes = self.config.frame_bytes(next.ip_bytes);
            let Some(number) = p.window.admit(now, next.packet, bytes) else { break };
            last = bytes;
            open = assembly.add(bytes);
            if open {
                let end = assembly.bytes();
                let from = assembly.subframes().last().map_or(0, |last| last.offset);
                packets.push(AirPacket { packet: next.packet, number, from, to: end, retry: false });
            }
        }
        for packet in &packets {
            p.window.sent(packet.number);
        }
        let alone = packets.len() == 1;
        let bytes = match (alone, self.config.phy.standard) {
            (true, Standard::Ac) => first + DELIMITER,
            (true, _) => first,
            (false, _) => assembly.bytes(),
        };
        if alone {
            (packets[0].from, packets[0].to) = (0, bytes);
        }
        let response = control_response(mode, &[]);
        let answer = if alone { ACK_BYTES } else { BLOCK_ACK_BYTES };
        let duration = self.timing.sifs + self.airtime.frame(response, answer);
        let kind = if alone { AirKind::Data } else { AirKind::Aggregate };
        let mut frame = self.control(kind, to, mode, duration);
        (frame.bytes, frame.airtime) = (bytes, self.airtime.frame(mode, bytes));
        (frame.category, frame.start, frame.packets) = (category, start, packets);
        Some(Plan { frame, peer, response, rts: bytes > self.config.rts_above, sample })
    }

    /// The longest PPDU of an aggregate: with its answer, and an RTS and CTS if it needs them, it stays within the category's
    /// TXOP (§10.23.2.9).
    pub(super) fn longest_ppdu(&self, category: AccessCategory, mode: Mode) -> SimDuration {
        let txop = self.timing.edca(category).txop;
        if txop.is_zero() {
            return MAX_PPDU;
        }
        let sifs = self.timing.sifs;
        let block_ack = self.airtime.frame(control_response(mode, &[]), BLOCK_ACK_BYTES);
        let left = txop.saturating_sub(sifs + block_ack);
        if self.airtime.longest(mode, left).is_none_or(|bytes| bytes <= self.config.rts_above) {
            return left;
        }
        left.saturating_sub(self.rts_time())
    }

    /// Time of an RTS and its CTS, with the spaces behind them.
    pub(super) fn rts_time(&self) -> SimDuration {
        let sifs = self.timing.sifs;
        let cts = self.airtime.frame(control_response(self.config.basic, &[self.config.basic]), ACK_BYTES);
        self.airtime.frame(self.config.basic, RTS_BYTES) + sifs + cts + sifs
    }

    /// The mode of the next attempt, and whether it is a sample.
    fn choose_mode(&mut self, now: SimTime, peer: usize, bytes: u32, host: &mut impl Host) -> (Mode, bool) {
        let p = &mut self.peers[peer];
        let to = p.node;
        if p.chain.is_none() {
            let host = std::cell::RefCell::new(host);
            let rate = &mut self.neighbours[p.neighbour].rate;
            let chain = rate.chain(now, bytes, |mode| host.borrow_mut().sinr(now, to, mode));
            p.chain = Some((chain, 0));
        }
        let (chain, failed) = p.chain.as_ref().expect("it was just made");
        (chain.mode_after(*failed), chain.samples && *failed == 0)
    }

    pub(super) fn send_planned(&mut self, now: SimTime, out: &mut Vec<HcfAction>) {
        let Some(plan) = &self.plan else { return };
        let (frame, response) = (plan.frame.clone(), plan.response);
        self.counters.tx_data += frame.packets.len() as u64;
        let wait = self.timing.response_timeout(&self.airtime, response);
        self.transmit(now, frame, out);
        self.exchange = Exchange::AwaitAnswer;
        self.hold(now, self.tx_until + wait);
    }

    pub(super) fn on_cts(&mut self, now: SimTime) {
        if !matches!(self.exchange, Exchange::AwaitCts) {
            self.counters.unexpected += 1;
            return;
        }
        self.exchange = Exchange::PpduSoon;
        self.hold(now, now + self.timing.sifs);
    }

    /// An ACK arrived, or a BlockAck, at the station that may wait for it.
    pub(super) fn on_answer(
        &mut self,
        now: SimTime,
        answer: Option<BlockAck>,
        host: &mut impl Host,
        out: &mut Vec<HcfAction>,
    ) {
        let awaited = |plan: &Plan| (plan.frame.kind == AirKind::Data) != answer.is_some();
        let waits = matches!(self.exchange, Exchange::AwaitAnswer);
        let Some(plan) = self.plan.take_if(|plan| waits && awaited(plan)) else {
            self.counters.unexpected += 1;
            return;
        };
        self.settle(now);
        let category = plan.frame.category;
        let to = plan.frame.to;
        let mut outcomes = Vec::new();
        self.failures[category as usize] = 0;
        self.neighbours[self.peers[plan.peer].neighbour].unanswered = 0;
        if let AirKind::BlockAckReq(_) = plan.frame.kind {
            let peer = &mut self.peers[plan.peer];
            if let Some(ack) = &answer {
                peer.window.on_block_ack(ack, &mut outcomes);
            }
            peer.window.request_done();
            peer.requests = 0;
            self.edca.succeeded(now, category);
            self.conclude(to, Vec::new(), outcomes, false, out);
            return self.want(now, host);
        }
        let arrived = |packet: &&AirPacket| match &answer {
            None => true,
            Some(ack) => packet.number.is_before(ack.start) || ack.has(packet.number),
        };
        let missed = missing(&plan.frame, arrived);
        let frames = plan.frame.packets.len() as u32;
        let acknowledged = frames - missed.len() as u32;
        self.learn(now, &plan, acknowledged);
        self.peers[plan.peer].chain = None;
        self.edca.succeeded(now, category);
        let window = &mut self.peers[plan.peer].window;
        match answer {
            Some(ack) => window.on_block_ack(&ack, &mut outcomes),
            None => window.on_ack(&mut outcomes),
        }
        self.conclude(to, missed, outcomes, false, out);
        self.want(now, host);
    }

    /// No CTS, ACK or BlockAck arrived in time.
    pub(super) fn unanswered(&mut self, now: SimTime, host: &mut impl Host, out: &mut Vec<HcfAction>) {
        let rts = matches!(self.exchange, Exchange::AwaitCts);
        self.settle(now);
        let Some(plan) = self.plan.take() else { return };
        let (category, to, kind) = (plan.frame.category, plan.frame.to, plan.frame.kind);
        *if rts { &mut self.counters.rts_failures } else { &mut self.counters.ack_failures } += 1;
        let p = &mut self.peers[plan.peer];
        let neighbour = &mut self.neighbours[p.neighbour];
        neighbour.unanswered = neighbour.unanswered.saturating_add(1);
        let mut outcomes = Vec::new();
        let mut missed = missing(&plan.frame, |_| false);
        let mut given_up = false;
        if let AirKind::BlockAckReq(_) = kind {
            p.requests = p.requests.saturating_add(1);
            given_up = p.requests >= self.config.attempts && !p.window.asks();
            if given_up {
                p.window.request_done();
                p.requests = 0;
            }
        } else {
            if !rts {
                self.learn(now, &plan, 0);
            }
            let p = &mut self.peers[plan.peer];
            if let Some((chain, failed)) = &mut p.chain {
                *failed += u32::from(!rts);
                if self.config.has_agreements() && *failed >= chain.tries() {
                    p.chain = None;
                }
            }
            let asks = self.config.missing == MissingBlockAck::Request;
            if kind == AirKind::Aggregate && asks && !rts {
                p.window.on_missing_block_ack();
            } else {
                p.window.on_no_answer(&mut outcomes);
                given_up = outcomes.len() == plan.frame.packets.len();
                if !self.config.has_agreements() {
                    // No buffer at the receiver waits for what was given up.
                    p.window.request_done();
                }
            }
        }
        let neighbour = &mut self.neighbours[self.peers[plan.peer].neighbour];
        if self.config.has_agreements()
            && self.config.gone_after.is_some_and(|limit| neighbour.unanswered >= limit)
        {
            (neighbour.unanswered, given_up) = (0, true);
            missed.clear();
            // Frames that were not in this exchange end for the same reason, of other categories as well.
            for p in self.peers.iter_mut().filter(|p| p.node == to) {
                missed.extend(p.window.frames());
                p.window.give_up(&mut outcomes);
                p.chain = None;
            }
        }
        if given_up {
            self.peers[plan.peer].chain = None;
        }
        self.failed(now, category, given_up);
        self.conclude(to, missed, outcomes, rts, out);
        self.want(now, host);
    }

    fn learn(&mut self, now: SimTime, plan: &Plan, acknowledged: u32) {
        let report = RateReport {
            mode: plan.frame.mode,
            frames: plan.frame.packets.len() as u32,
            acknowledged,
            sample: plan.sample,
        };
        self.neighbours[self.peers[plan.peer].neighbour].rate.report(now, &report);
    }

    /// Tells the caller what became of the frames of an exchange.
    fn conclude(
        &mut self,
        to: NodeId,
        missed: Vec<PacketId>,
        outcomes: impl IntoIterator<Item = Outcome<PacketId>>,
        rts: bool,
        out: &mut Vec<HcfAction>,
    ) {
        if !missed.is_empty() {
            out.push(HcfAction::Missed { packets: missed, to, rts });
        }
        for outcome in outcomes {
            out.push(match outcome {
                Outcome::Acknowledged(packet) => HcfAction::Sent { packet },
                Outcome::GivenUp(packet) => {
                    let count =
                        if rts { &mut self.counters.give_ups_rts } else { &mut self.counters.give_ups_data };
                    *count += 1;
                    HcfAction::GaveUp { packet, to, rts }
                }
                Outcome::Expired(packet) => {
                    self.counters.give_ups_data += 1;
                    HcfAction::Expired { packet, to }
                }
            });
        }
    }
}

fn missing(frame: &AirFrame, arrived: impl Fn(&&AirPacket) -> bool) -> Vec<PacketId> {
    frame.packets.iter().filter(|packet| !arrived(packet)).map(|packet| packet.packet).collect()
}
