//! Service of a node's interface queue: what it was offered, and what the MAC could send of it.
//!
//! A queue may be full because of load, or because bit errors or a missing next hop kept the MAC from
//! sending. The two differ in one point: without the lost time, would the same load have filled the queue, at least
//! by half? A second, imagined queue is offered the same packets. Its MAC also uses the time that the real one
//! lost, at the rate at which the real one sends otherwise. Contention is load: time that it takes counts as used. Relays that share the
//! medium take time for each packet of the queue (`path_time`): what they use is not lost, and what noise costs them is. What the
//! imagined queue rejects while the MAC tries in vain comes in as soon as the time turns out to be lost, in which the imagined MAC would
//! have made room: a load that overfills the queue keeps it full through a pause of any length.
//!
//! CoDel drops packets from a queue that is not full, but that has not been empty for an interval. So the question is
//! whether load alone would have kept the imagined queue that long, at least half the target delay, and whether that queue is at
//! least half as long as the real one.
//!
//! TCP sends what the link carries: were the link faster, TCP would be, too, and its window would stand in the queue as well. So
//! noise counts for a queue of TCP's packets only if it stops the link: if the MAC loses the time that it needs for four packets
//! before it can send the next one.
//!
//! While the MAC tries a hop in vain that is out of reach, the station before it has the medium to itself and may deliver more than it could
//! otherwise. MACs that share the medium take turns: of what that station has delivered meanwhile, the imagined MAC would have sent as large a part as
//! at other times.
//!
//! A third queue is not offered the packets that something other than load had held up: without that they would have
//! come one by one, and would be gone. It tells whether load fills the queue, or a burst that was released at once. Noise at the hop before
//! holds up packets all the time, and few at once. No more of them would be gone than the imagined MAC had time for beside the others (`spare`):
//! load that overfills the queue does so whenever its packets come.
//!
//! Packets that the imagined MAC of the station before sends in time that the real one has lost to noise come early (`fed`): a relay whose
//! queue load overfills would be offered more without that noise.
//!
//! Link-RED drops packets because of retries, whatever the length of the queue: the reasons of most of them count.

mod fed;
mod outages;
mod pace;
mod path_time;
mod reasons;
mod spare;

use crate::observe::loss::attempts::Attempts;
use crate::observe::loss::root_cause::{Noise, RootCause};
use fed::Fed;
use pace::{Pace, Recovery};
use path_time::PathTime;
use reasons::Reasons;
use spare::Spare;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_mac::CodelConfig;
use tworay_wire::Packet;

/// Weight of the latest packet in the averages of retries: the default of Link-RED's own average.
const WEIGHT: f64 = 0.125;

/// Packets that the MAC could have sent in a time in which it sends none, from which on the link counts as stopped rather than slow:
/// the number of attempts with a DATA frame (802.11's dot11LongRetryLimit).
const STOPPED: f64 = 4.0;

/// Service of one queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Service {
    /// Packets that the MAC has sent since the start, and the stations that share its time.
    pub path: PathTime,
    /// When a packet last found the MAC with nothing to send.
    since: SimTime,
    /// Packets that the MAC has finished since, by success or because of contention, and when it finished the latest one.
    served: u32,
    served_at: SimTime,
    /// The same of earlier busy periods: a load that the link carries has few packets in each.
    earlier: Pace,
    /// Shortest airtime of the packets that waited when time was lost, or that the queue has rejected since: no MAC sends
    /// such packets faster, though it may have sent a short message of ARP before.
    airtime: Option<SimDuration>,
    /// Packets in the imagined queue, with the one being sent.
    length: u32,
    /// Packets in the real queue, with the one being sent, and in one whose MAC also uses time lost while the link was stopped. If
    /// they are TCP's, a packet that is sent early brings its successor early, so that the difference ends with the packets that
    /// waited then.
    real: u32,
    coarse: u32,
    /// Its length when time was last lost since.
    settled: u32,
    /// Packets that it could have sent in the time lost since it sent the latest one.
    missed: f64,
    /// Part of the next packet that the imagined MAC has sent in time that the real one lost, 0 to 1.
    part: f64,
    /// Packets that it has rejected since the MAC last finished one or lost time, and when it rejected the latest one. Time that turns
    /// out to have been lost meanwhile would have made room for them.
    rejected: u32,
    rejected_at: SimTime,
    /// Packets that the real queue has rejected or dropped since the start.
    dropped: usize,
    /// CoDel's settings, if it drops packets from the queue, and when the imagined queue last caused less than half its
    /// target delay.
    codel: Option<CodelConfig>,
    short_at: SimTime,
    /// Packets by which the third queue, without those that were held up, is shorter.
    late: u32,
    /// Time that the imagined MAC has had for packets that noise has held up before, once there was one.
    spare: Option<Box<Spare>>,
    /// Time that noise has cost the MAC since it last held up packets.
    held: SimDuration,
    /// The latest packet that was held up: its source, and what held it up.
    released: Option<(NodeId, RootCause)>,
    /// When the real queue last had none but the packet being sent, since time was lost.
    drained_at: SimTime,
    /// Time lost since, in total and by reason.
    lost: SimDuration,
    reasons: Reasons,
    /// Packets that the MAC had sent when it last lost time.
    sent_by_loss: usize,
    /// After the latest outage, as long as packets wait that it has kept.
    recovery: Option<Recovery>,
    /// Time that noise has cost since the latest outage.
    noise_since: SimDuration,
    /// Packets that are in the imagined queue already, and that noise slows down on their way to the real one.
    fed: Fed,
    /// Link-RED drops packets of the queue: only then are retries averaged.
    link_red: bool,
    /// Average number of retries of the packets that needed any: because of load, and for other reasons, with the latest one.
    retries: (f64, f64),
    retried: Option<RootCause>,
}

/// The real queue, at the time when it rejects a packet or drops one.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Backlog {
    /// Packets in it.
    pub packets: u32,
    /// Packets of TCP among them.
    pub of_tcp: u32,
}

/// A MAC whose load is not too high is idle at least so often.
const IDLE: SimDuration = SimDuration::from_millis(500);

/// A load fits if the queue has rejected nothing for that long.
pub(crate) const FITS: SimDuration = SimDuration::from_secs(1);

impl Service {
    /// Service of a queue from which CoDel drops packets with these settings, or Link-RED.
    pub fn of(codel: Option<CodelConfig>, link_red: bool) -> Self {
        Self { codel, link_red, ..Self::default() }
    }

    /// The same of a queue for so many packets.
    pub fn holding(self, limit: u32) -> Self {
        Self { fed: Fed::up_to(limit), ..self }
    }

    /// The node was switched off and begins anew.
    pub fn restart(&mut self) {
        *self = Self { fed: self.fed.anew(), ..Self::of(self.codel, self.link_red) };
    }

    /// A packet is offered to the queue; `idle` says whether the MAC has nothing else to send. True if it waits only because
    /// the MAC has lost time before: without that it would be sent at once.
    #[inline]
    pub fn offered(&mut self, now: SimTime, idle: bool) -> bool {
        if idle {
            let used = self.served_at.since(self.since).saturating_sub(self.lost);
            self.earlier.add(self.served, used);
            if self.spare.is_some() {
                self.rest(now);
            }
            (self.since, self.served, self.length, self.late) = (now, 0, 0, 0);
            (self.lost, self.part, self.short_at, self.airtime) = (SimDuration::ZERO, 0.0, now, None);
            self.noise_since = SimDuration::ZERO;
            self.fed.rest();
        }
        self.length += 1;
        if self.lost.is_zero() {
            return false;
        }
        (self.real, self.coarse) = (self.real + 1, self.coarse + 1);
        self.length == 1
    }

    /// Rate at which the MAC has sent of late, packets/s, in time that it has not lost, and of which `lost` is not booked yet.
    fn rate(&self, now: SimTime, lost: SimDuration) -> Option<f64> {
        self.earlier.rate(self.served, now.since(self.since).saturating_sub(self.lost + lost))
    }

    /// The imagined MAC has had nothing to send since the real one sent the latest packet.
    #[cold]
    fn rest(&mut self, now: SimTime) {
        let rate = self.earlier.rate(0, SimDuration::ZERO);
        let packets = rate.map_or(f64::INFINITY, |rate| now.since(self.served_at).as_secs_f64() * rate);
        self.spare.iter_mut().for_each(|spare| spare.idle(packets));
    }

    /// The packet just offered was held up before by `root`, which load did not cause; `noise`: by noisy hops alone. Returns by how much
    /// earlier it would leave the queue without that noise; `None`: no earlier.
    #[cold]
    pub fn offered_late(
        &mut self,
        now: SimTime,
        (packet, root): (&Packet, RootCause),
        noise: Option<Noise>,
    ) -> Option<SimDuration> {
        let since = self.since;
        let spare = noise.map(|noise| (noise, self.spare.get_or_insert_with(|| Box::new(Spare::unknown()))));
        let delayed = spare.map(|(noise, spare)| spare.take(now, since, noise));
        if delayed.is_none_or(|delayed| delayed.waits) {
            self.late += 1;
            self.released = Some((packet.src, root));
        }
        delayed?.later
    }

    /// The MAC has finished a packet.
    #[inline]
    pub fn served(&mut self, now: SimTime) {
        (self.served, self.served_at) = (self.served + 1, now);
        self.path.sent(now);
        // Without noise and lost time, all queues are the same.
        if self.lost.is_zero() && self.spare.is_none() && self.fed.is_even() {
            self.length = self.length.saturating_sub(1);
            self.late = self.late.min(self.length);
        } else {
            self.served_otherwise(now);
        }
    }

    /// The MAC has finished a packet, and not all queues are the same.
    #[cold]
    #[inline(never)]
    fn served_otherwise(&mut self, now: SimTime) {
        if self.length == 0 {
            self.fed.sent_before();
        }
        self.send(now, 1);
        if !self.lost.is_zero() {
            self.missed = 0.0;
            self.one_gone(now);
            self.recover(now);
            self.note_short(now);
        }
    }

    /// The MAC has sent a packet: the imagined one may have sent more since the latest outage.
    fn recover(&mut self, now: SimTime) {
        let Some(recovery) = &mut self.recovery else { return };
        let more = recovery.sent(now, self.lost);
        if recovery.is_over() {
            self.recovery = None;
        }
        // What it has rejected since the packet before would have come in.
        let instead = std::mem::take(&mut self.rejected);
        self.send(self.served_at, more.saturating_sub(instead));
    }

    /// Notes that the imagined queue causes less than half of CoDel's target delay.
    fn note_short(&mut self, now: SimTime) {
        if self.codel.is_some_and(|codel| 2.0 * self.delay(now, self.length) < codel.target.as_secs_f64()) {
            self.short_at = now;
        }
    }

    /// Time that the imagined MAC needs for some packets, s.
    fn delay(&self, now: SimTime, packets: u32) -> f64 {
        self.rate(now, SimDuration::ZERO).map_or(0.0, |rate| f64::from(packets) / rate)
    }

    /// Packets have left the real queue.
    #[inline]
    fn gone(&mut self, count: u32) {
        self.real = self.real.saturating_sub(count);
        self.coarse = self.coarse.min(self.real);
    }

    /// The MAC has finished or given up a packet at `now`.
    #[inline]
    fn one_gone(&mut self, now: SimTime) {
        self.gone(1);
        self.reasons.leave(1);
        if self.real <= 1 {
            self.drained_at = now;
        }
    }

    /// Up to a time, the imagined MAC has had the time to send so many packets.
    #[inline]
    fn send(&mut self, until: SimTime, count: u32) {
        if let Some(spare) = &mut self.spare {
            spare.busy(until, count.saturating_sub(self.length - self.late));
        }
        self.shorten(count);
    }

    /// Packets leave the imagined queues; an empty one stays empty.
    #[inline]
    fn shorten(&mut self, count: u32) {
        if self.fed.any() && count > self.length {
            self.fed.sent(count - self.length);
        }
        self.length = self.length.saturating_sub(count);
        self.late = self.late.min(self.length);
    }

    /// The MAC gave up a packet at `now` for the reason `root`.
    pub fn gave_up(&mut self, now: SimTime, root: RootCause) {
        if root.is_independent_of_load() {
            self.one_gone(now);
        } else {
            self.served(now);
        }
    }

    /// The MAC has lost `time` because of `root`.
    pub fn lose(&mut self, now: SimTime, time: SimDuration, root: RootCause) {
        self.lose_beside((now, time), (0, 0), root);
    }

    /// The same. Returns how many packets the imagined MAC has sent in that time.
    pub fn lose_and_send(&mut self, now: SimTime, time: SimDuration, root: RootCause) -> u32 {
        let (before, rejected) = (self.length, self.rejected_in(now, time));
        self.lose(now, time, root);
        (before + rejected).saturating_sub(self.length)
    }

    /// The imagined MAC of the station before this one on the path, of that service, has sent so many packets earlier than the real one.
    pub fn feed(&mut self, packets: u32, before: &mut Self) {
        self.fed.early(packets, self.length, &mut before.fed);
    }

    /// The same, and the station before it has sent that many packets meanwhile, and since the start.
    #[cold]
    pub fn lose_beside(
        &mut self,
        (now, time): (SimTime, SimDuration),
        before_it: (usize, usize),
        root: RootCause,
    ) {
        // Time lost before the MAC had nothing to send does not count.
        let time = time.min(now.since(self.since).saturating_sub(self.lost));
        if time.is_zero() {
            return;
        }
        if self.lost.is_zero() {
            self.reasons.clear();
            self.recovery = None;
            (self.real, self.coarse, self.missed) = (self.length, self.length, 0.0);
        }
        let (missed, coarse) = self.coarse_after(now, time);
        let first = self.lost.is_zero();
        let all = self.length + self.rejected_in(now, time);
        let waited = if first { all.saturating_sub(before_it.0 as u32) } else { self.settled };
        let arrived = all.saturating_sub(waited);
        let in_turn = self.path.in_turn(before_it, waited);
        let sent = self.sent_in(now, time).map(|sent| sent.max(in_turn.min(arrived.into())));
        let sends = self.sends(now, time, sent);
        self.send(now, sends);
        let length = self.length;
        self.part = sent.filter(|_| length > 0).map_or(0.0, |sent| (sent + self.part).fract());
        self.settled = length;
        (self.missed, self.coarse, self.rejected) = (missed, coarse, 0);
        if root.is_physical() {
            let rate = self.rate(now, time);
            self.recovery = rate.map(|rate| Recovery::new((now, self.lost + time), rate, self.real));
        }
        self.lost += time;
        self.sent_by_loss = self.path.total();
        self.note_short(now);
        self.reasons.note((time, root), self.real);
        self.compare_with_outages(now, time, &root);
    }

    /// The queue rejects a packet, or has one waiting behind time lost, that takes this long on the air.
    pub fn queues(&mut self, airtime: Option<SimDuration>) {
        let least = [airtime.filter(|airtime| !airtime.is_zero()), self.airtime].into_iter().flatten().min();
        self.airtime = least;
    }

    /// Packets that the imagined MAC sends in `time` which the real one has just lost at `now`. `None`: it has never sent anything
    /// and shows no rate; then the imagined one is fast.
    fn sent_in(&self, now: SimTime, time: SimDuration) -> Option<f64> {
        let most = self.airtime.map(|airtime| time.as_secs_f64() / airtime.as_secs_f64());
        let sent = self.rate(now, time).map(|rate| time.as_secs_f64() * rate);
        sent.into_iter().chain(most).reduce(f64::min)
    }

    /// Length of the imagined queue when its MAC has also used `time`. What it sends then beyond the packets that it has rejected in
    /// that time makes it shorter.
    fn after(&self, now: SimTime, time: SimDuration) -> u32 {
        let sends = if time.is_zero() { 0 } else { self.sends(now, time, self.sent_in(now, time)) };
        (self.length + self.fed.more()).saturating_sub(sends)
    }

    /// Packets of the queue for which it has the time. `sent`: that it sends in `time`, if its rate is known.
    fn sends(&self, now: SimTime, time: SimDuration, sent: Option<f64>) -> u32 {
        let Some(sent) = sent else { return self.length + self.fed.more() };
        ((sent + self.part) as u32).saturating_sub(self.rejected_in(now, time))
    }

    /// Packets that the imagined queue has rejected in `time` up to now.
    fn rejected_in(&self, now: SimTime, time: SimDuration) -> u32 {
        if self.rejected_at + time >= now { self.rejected } else { 0 }
    }

    /// Length of the imagined queue whose MAC uses only time lost while the link was stopped.
    fn coarse(&self) -> u32 {
        if self.lost.is_zero() { self.length } else { self.coarse }
    }

    /// The same if it uses only time lost while the link was stopped, behind the packets missed by then.
    fn coarse_after(&self, now: SimTime, time: SimDuration) -> (f64, u32) {
        let before = if self.lost.is_zero() { 0.0 } else { self.missed };
        let Some(sent) = self.sent_in(now, time) else {
            // Without a rate, each time counts as one packet.
            let missed = before + 1.0;
            return (missed, if missed < STOPPED { self.coarse() } else { 0 });
        };
        let missed = before + sent;
        let counted = |missed: f64| if missed < STOPPED { 0 } else { missed as u32 };
        (missed, self.coarse().saturating_sub(counted(missed) - counted(before)))
    }

    /// True if a queue of this length would be less than half as long without the time lost.
    pub fn would_be_short(&self, length: usize) -> bool {
        2 * ((self.length + self.fed.more()) as usize) < length + 1
    }

    /// True if the same holds for a queue of TCP's packets, because noise has stopped the link.
    pub fn would_be_short_of_tcp(&self, length: usize) -> bool {
        2 * (self.coarse() as usize) < length + 1
    }

    /// Packets wait behind the one that is being sent.
    pub fn is_backlogged(&self) -> bool {
        self.length > 1
    }

    /// Time that the MAC would take for the packets of its queue if it had lost none.
    pub fn would_take(&self, now: SimTime) -> SimDuration {
        let ahead = (self.length + self.fed.more()).saturating_sub(1);
        SimDuration::from_secs_f64(self.delay(now, ahead))
    }

    /// Noise has cost the MAC this time.
    pub fn holds(&mut self, time: SimDuration) {
        self.held += time;
    }

    /// Time that noise has cost the MAC since the last call: the packets of its queue have waited for that.
    pub fn take_held(&mut self) -> SimDuration {
        std::mem::take(&mut self.held)
    }

    /// Packets left the queue unsent.
    pub fn withdrawn(&mut self, count: usize) {
        self.gone(count as u32);
        self.reasons.leave(count as u32);
        self.shorten(count as u32);
    }

    /// The root cause that filled a queue, if load alone would not have filled even half of it.
    /// `running`: time lost with the MAC's current packet, and its root cause.
    pub fn filled_by(
        &self,
        now: SimTime,
        queue: Backlog,
        running: Option<(SimDuration, RootCause)>,
    ) -> Option<RootCause> {
        let (root, length) = self.without_loss(now, queue, running)?;
        (2 * length < queue.packets).then_some(root.strikes(now))
    }

    /// The root cause of most of the time lost, and the length that the queue would have without that time.
    fn without_loss(
        &self,
        now: SimTime,
        queue: Backlog,
        running: Option<(SimDuration, RootCause)>,
    ) -> Option<(RootCause, u32)> {
        let root = self.main_reason(running)?;
        let length = match root.is_noise() && 2 * queue.of_tcp >= queue.packets {
            true => running.map_or(self.coarse(), |(time, _)| self.coarse_after(now, time).1),
            false => self.after(now, running.map_or(SimDuration::ZERO, |(time, _)| time)),
        };
        Some((root, length))
    }

    /// The root cause because of which a packet still waits behind `ahead` others of the queue, if the imagined MAC has sent it.
    pub fn kept_by(
        &self,
        now: SimTime,
        (queue, ahead): (Backlog, u32),
        running: Option<(SimDuration, RootCause)>,
    ) -> Option<RootCause> {
        let (root, length) = self.without_loss(now, queue, running)?;
        (queue.packets.saturating_sub(length) > ahead).then_some(root.strikes(now))
    }

    /// The root cause that made a queue stand from which CoDel has dropped a packet, if load alone would not have done so.
    pub fn kept_standing_by(&self, now: SimTime, queue: Backlog) -> Option<RootCause> {
        let CodelConfig { target, interval, .. } = self.codel?;
        let root = self.main_reason(None)?;
        let of_tcp = if root.is_noise() { self.delay(now, queue.of_tcp) } else { 0.0 };
        let stands = self.short_at + interval <= now && 2 * self.length >= queue.packets;
        let by_load = stands || 2.0 * of_tcp >= target.as_secs_f64();
        (!by_load).then_some(root.strikes(now))
    }

    /// The packet just sent or given up needed these attempts; `root`: the latest reason other than load.
    #[inline]
    pub fn retried(&mut self, attempts: &Attempts, root: Option<RootCause>) {
        if self.link_red {
            self.average(attempts.retries(), root);
        }
    }

    fn average(&mut self, (load, other): (u16, u16), root: Option<RootCause>) {
        self.retries.0 += WEIGHT * (f64::from(load) - self.retries.0);
        self.retries.1 += WEIGHT * (f64::from(other) - self.retries.1);
        self.retried = root.or(self.retried);
    }

    /// The root cause of most retries of late, if that is not load.
    pub fn retried_because_of(&self, now: SimTime) -> Option<RootCause> {
        let root = self.retried.filter(|_| self.retries.1 > self.retries.0)?;
        Some(root.strikes(now))
    }

    /// If only packets that were held up could fill a queue of `limit` packets, the latest one: its source, and what held
    /// it up. `running`: time lost with the MAC's current packet.
    pub fn filled_by_burst(
        &self,
        now: SimTime,
        limit: u32,
        running: SimDuration,
    ) -> Option<(NodeId, RootCause)> {
        let others = self.after(now, running).saturating_sub(self.late);
        self.released.filter(|_| self.late > 0 && 2 * others < limit)
    }

    /// True if that also holds for a queue of `limit` packets of TCP. If all of them have come since the MAC last lost time, windows have
    /// filled it since, and the lost time keeps none of them there.
    pub fn filled_by_burst_of_tcp(&self, limit: u32, running: SimDuration) -> bool {
        let since = self.path.total().saturating_sub(self.sent_by_loss);
        let earlier = !running.is_zero() || since < limit as usize;
        earlier || 2 * self.coarse().saturating_sub(self.late) < limit
    }

    /// True if more packets wait because of time lost here than because they were held up before. `running`: time lost with the MAC's
    /// current packet.
    pub fn is_slower_than_burst(&self, now: SimTime, running: SimDuration) -> bool {
        let real = if self.lost.is_zero() { self.length } else { self.real };
        real.saturating_sub(self.after(now, running)) > self.late
    }

    /// A queue of `limit` packets has rejected one. The imagined queues reject it if they are full, too.
    pub fn refused(&mut self, now: SimTime, limit: u32) {
        let over = self.length.saturating_sub(limit);
        self.fed.fits(limit.saturating_sub(self.length - over));
        self.late = self.late.saturating_sub(over);
        self.shorten(over);
        self.gone(1);
        // CoDel takes the packet that has waited longest.
        self.reasons.leave(self.codel.is_some().into());
        let before = if self.served_at > self.rejected_at { 0 } else { self.rejected };
        (self.rejected, self.rejected_at) = (before + over, now);
        self.dropped += 1;
    }

    /// Packets that the queue and a MAC that takes `taken` of them hold. `None`: CoDel's queue is no limit.
    pub fn places(&self, taken: u32) -> Option<u32> {
        self.codel.is_none().then(|| self.fed.limit() + taken)
    }

    /// Packets that the MAC has sent, and the queue has dropped, since the start.
    pub fn done(&self) -> usize {
        self.path.total() + self.dropped
    }

    /// When a packet last found the MAC with nothing to send.
    pub fn idle_at(&self) -> SimTime {
        self.since
    }

    /// Packets sent each second before a time, if that was all: the MAC was idle lately, and the queue had rejected nothing.
    pub fn carried(&self, before: SimTime) -> Option<f64> {
        let idle = self.since + IDLE >= before;
        let rejected = self.dropped > 0 && self.rejected_at + FITS >= before;
        self.path.rate_before(before).filter(|_| idle && !rejected)
    }
}

pub(crate) use path_time::{Sharing, book};

#[cfg(test)]
mod tests;
