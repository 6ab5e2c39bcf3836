//! Reception of overlapping signals.
//!
//! The caller reports to a [`Receiver`] when signals begin and end at its antenna; the receiver decides which
//! frames it can decode. There are three models: ns-2's capture rule with its quirks, the same rule without
//! them, and signal to noise plus the sum of all interference.

mod others;

use crate::channel::Channel;
use crate::config::{RadioConfig, ReceptionModel, SinrErrors};
use crate::dsss;
use crate::quirks::ReceptionQuirks;
use others::{Other, Others};
use smallvec::SmallVec;
use tworay_base::{BitRate, RngStream, SimDuration, SimTime};

/// The reception rules, compiled once for all receivers.
#[derive(Clone, Debug)]
pub struct Reception {
    sinr: bool,
    quirks: ReceptionQuirks,
    rx_threshold: f64,
    capture: f64,
    noise: f64,
    preamble: f64,
    needed: [f64; 3],
    /// Least ratio at 1 Mb/s.
    slowest: f64,
    dsss: bool,
    bandwidth: f64,
    rates: BodyRates,
    plcp: SimDuration,
}

/// Which of the station's rates is used for a frame's body.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum BodyRate {
    /// RTS, CTS and broadcast frames.
    Basic,
    /// ACK frames.
    Ack,
    /// Unicast data.
    Data,
}

/// The rates of bodies, in the order of [`BodyRate`].
#[derive(Copy, Clone, Debug)]
pub struct BodyRates(pub [BitRate; 3]);

impl BodyRates {
    #[inline]
    fn of(&self, body: BodyRate) -> BitRate {
        self.0[body as usize]
    }
}

impl Reception {
    /// Compiles the rules. The `sinr` model needs the rates and the length of the preamble and PLCP header
    /// (sent at 1 Mb/s).
    pub fn new(
        config: &RadioConfig,
        channel: &Channel,
        quirks: ReceptionQuirks,
        rates: BodyRates,
        plcp: SimDuration,
    ) -> Self {
        Self {
            sinr: config.reception == ReceptionModel::Sinr,
            quirks,
            rx_threshold: channel.rx_threshold(),
            capture: channel.capture_ratio(),
            noise: channel.noise(),
            preamble: config.sinr.preamble.factor(),
            needed: rates.0.map(|rate| channel.sinr_threshold(rate)),
            slowest: channel.sinr_threshold(BitRate::from_bps(1_000_000)),
            dsss: config.sinr.errors == SinrErrors::Dsss && rates.0.iter().all(|rate| dsss::knows(*rate)),
            bandwidth: config.sinr.bandwidth.get(),
            rates,
            plcp,
        }
    }
}

impl Reception {
    /// True if the sum of all interference decides what is received (sinr), not the strongest signal alone.
    #[inline]
    pub fn adds_up(&self) -> bool {
        self.sinr
    }

    /// (ns-2) True if a signal that does not disturb the current one reserves the medium.
    #[inline]
    pub fn captured_over_sets_nav(&self) -> bool {
        self.quirks.captured_over_sets_nav
    }

    /// True if noise alone hides the preamble of a frame of this power (sinr).
    #[inline]
    pub fn hides(&self, power: f64) -> bool {
        self.sinr && power < self.preamble * self.noise
    }

    /// True if noise would let a frame of this power through at 1 Mb/s, and the frame has a faster rate (sinr).
    pub fn slower_gets_through(&self, power: f64, body: BodyRate) -> bool {
        let slowest = BitRate::from_bps(1_000_000);
        let enough = if self.dsss {
            dsss::is_errorless(power / self.noise, slowest, self.bandwidth)
        } else {
            power >= self.slowest * self.noise
        };
        enough && !self.hides(power) && self.rates.of(body).as_bps() > slowest.as_bps()
    }

    /// True if signals that are not being received must be stored.
    #[inline]
    fn keeps_others(&self) -> bool {
        self.sinr || !self.quirks.locks_on_undecodable
    }
}

/// A signal that begins at a receiver.
#[derive(Copy, Clone, Debug)]
pub struct Signal {
    /// Identifies the transmission; unique among those on the air.
    pub tx: u32,
    /// When it ends at this receiver.
    pub end: SimTime,
    /// Received power, W.
    pub power: f64,
    /// The rate of its body.
    pub body: BodyRate,
}

#[derive(Copy, Clone, Debug)]
struct Lock {
    tx: u32,
    start: SimTime,
    end: SimTime,
    power: f64,
    decodable: bool,
    spoiled: Spoiled,
    body: BodyRate,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Spoiled {
    No,
    Overlap,
    OwnTransmission,
}

/// The effect of a signal's beginning.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    /// A frame in range that overlap has just destroyed, or noise, and whose end will not be reported.
    pub lost: Option<u32>,
    /// The new signal is too weak to disturb the current one. In ns-2 the medium is then reserved until EIFS after its end
    /// ([`Reception::captured_over_sets_nav`]).
    pub captured_over: bool,
}

/// The outcome when a signal ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The receiver was not receiving this signal.
    NotHeard,
    /// A good frame.
    Good,
    /// A decodable frame, destroyed by overlap.
    Collided,
    /// A decodable frame that noise alone destroys: its signal is too weak for its rate (sinr).
    Weak,
    /// A frame without overlap, destroyed by random errors. The simulation decides this, because it owns the
    /// error models.
    Corrupt,
    /// A frame that ends early, because its sender lost its power. The simulation decides this, too.
    CutOff,
    /// Only energy: nothing decodable.
    Undecodable,
    /// The station was transmitting when the signal began.
    Deafened,
    /// The station is transmitting when the signal ends, so it does not notice it.
    Deaf,
}

/// One station's receiver.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    lock: Option<Lock>,
    /// Other signals on the air at this station, and those that ended during the current lock. Stored only if
    /// the model needs them.
    others: Others,
    /// Largest sum of interference during the lock (sinr).
    worst: f64,
    /// Power of the latest frame that was not clear if noise alone destroys it, W; else 0 (sinr).
    weak: f64,
    /// Stream for frames that bit errors may or may not destroy.
    luck: Option<RngStream>,
    known_errors: LogErrorFree,
}

/// exp of anything below this is zero in double precision.
const LOG_OF_NOTHING: f64 = -746.0;

/// A small cache: log probability that a bit is correct, for the last few ratios. Stationary nodes meet the
/// same ratios again and again.
#[derive(Copy, Clone, Debug, Default)]
struct LogErrorFree {
    known: [(f64, u64, f64); 4],
    oldest: u8,
}

impl LogErrorFree {
    fn of_a_bit(&mut self, sinr: f64, rate: BitRate, bandwidth: f64) -> f64 {
        if let Some(known) = self.known.iter().find(|k| k.0 == sinr && k.1 == rate.as_bps()) {
            return known.2;
        }
        let log = libm::log1p(-dsss::bit_error_rate(sinr, rate, bandwidth));
        self.known[usize::from(self.oldest % 4)] = (sinr, rate.as_bps(), log);
        self.oldest = self.oldest.wrapping_add(1);
        log
    }
}

impl Receiver {
    /// A receiver that draws bit errors from `luck`. Without a stream, the more likely outcome happens.
    pub fn with_luck(luck: RngStream) -> Self {
        Self { luck: Some(luck), ..Self::default() }
    }

    /// A signal begins, under rules that do not [add up](Reception::adds_up) interference. `transmitting`:
    /// whether the station itself is transmitting.
    #[inline(never)]
    pub fn begin_capture(
        &mut self,
        now: SimTime,
        s: Signal,
        transmitting: bool,
        rules: &Reception,
    ) -> Arrived {
        let decodable = s.power >= rules.rx_threshold;
        let q = &rules.quirks;
        let fresh = Lock {
            tx: s.tx,
            start: now,
            end: s.end,
            power: s.power,
            decodable,
            spoiled: if transmitting { Spoiled::OwnTransmission } else { Spoiled::No },
            body: s.body,
        };
        let Some(lock) = &mut self.lock else {
            if !q.locks_on_undecodable {
                let strongest = self.others.strongest(now);
                self.others.push(Other { start: now, end: s.end, power: s.power });
                if !decodable || transmitting {
                    return Arrived::default();
                }
                let spoiled =
                    if s.power >= rules.capture * strongest { Spoiled::No } else { Spoiled::Overlap };
                self.lock = Some(Lock { spoiled, ..fresh });
            } else if !transmitting || q.locks_while_transmitting {
                self.lock = Some(fresh);
            }
            return Arrived::default();
        };
        if !q.locks_on_undecodable {
            self.others.push(Other { start: now, end: s.end, power: s.power });
        }
        if lock.power >= rules.capture * s.power {
            return Arrived { captured_over: true, ..Arrived::default() };
        }
        let readable = |l: &Lock| l.decodable && l.spoiled != Spoiled::OwnTransmission;
        if q.longest_collided_frame_holds && s.end > lock.end {
            let lost = readable(lock).then_some(lock.tx);
            // The new frame takes over the collision and is lost like the previous one.
            let own = fresh.spoiled == Spoiled::OwnTransmission;
            *lock = Lock { spoiled: if own { Spoiled::OwnTransmission } else { Spoiled::Overlap }, ..fresh };
            return Arrived { lost, ..Arrived::default() };
        }
        if lock.spoiled == Spoiled::No {
            lock.spoiled = Spoiled::Overlap;
        }
        Arrived { lost: readable(&fresh).then_some(s.tx), ..Arrived::default() }
    }

    /// As [`Receiver::begin_capture`], for rules that [add up](Reception::adds_up) interference.
    #[inline(always)]
    pub fn begin_sinr(&mut self, now: SimTime, s: Signal, transmitting: bool, rules: &Reception) -> Arrived {
        let decodable = s.power >= rules.rx_threshold;
        let other = Other { start: now, end: s.end, power: s.power };
        if self.lock.is_some() {
            // While a frame is being received, ended signals stay: its bit errors depend on all of them.
            let before = self.others.sum(now);
            self.others.push(other);
            self.worst = self.worst.max(before + s.power);
            return Arrived { lost: (decodable && !transmitting).then_some(s.tx), ..Arrived::default() };
        }
        let before = self.others.forget_ended(now);
        let clear = s.power >= rules.preamble * (rules.noise + before);
        if !decodable || !clear || transmitting {
            self.others.push(other);
            return Arrived { lost: (decodable && !transmitting).then_some(s.tx), ..Arrived::default() };
        }
        self.lock = Some(Lock {
            tx: s.tx,
            start: now,
            end: s.end,
            power: s.power,
            decodable,
            spoiled: Spoiled::No,
            body: s.body,
        });
        self.worst = before;
        Arrived::default()
    }

    /// The signal `tx` ends. `transmitting`: whether the station itself is transmitting.
    #[inline]
    pub fn end(&mut self, tx: u32, transmitting: bool, rules: &Reception) -> Verdict {
        let Some(lock) = self.lock.as_ref().filter(|lock| lock.tx == tx) else { return Verdict::NotHeard };
        if transmitting {
            self.lock = None;
            return Verdict::Deaf;
        }
        if rules.sinr && lock.spoiled == Spoiled::No {
            // Shortcut: from 9 dB on, even the DQPSK bit error rate is below 10⁻¹⁹.
            let clear = rules.dsss && lock.power >= 8.0 * (rules.noise + self.worst);
            let good = clear || self.survives(rules);
            self.lock = None;
            return if good { Verdict::Good } else { self.lost_to() };
        }
        let (spoiled, decodable) = (lock.spoiled, lock.decodable);
        self.lock = None;
        match (spoiled, decodable) {
            (Spoiled::OwnTransmission, _) => Verdict::Deafened,
            (_, false) => Verdict::Undecodable,
            (Spoiled::Overlap, true) => Verdict::Collided,
            (Spoiled::No, true) => Verdict::Good,
        }
    }

    /// True if noise and interference let the frame being received through. Else it is lost to interference if it would
    /// have got through without.
    #[inline(never)]
    fn survives(&mut self, rules: &Reception) -> bool {
        let Some(lock) = &self.lock else { return false };
        let needed = rules.needed[lock.body as usize];
        let clear = |interference: f64| lock.power >= needed * (rules.noise + interference);
        if !rules.dsss {
            self.weak = if clear(0.0) { 0.0 } else { lock.power };
            return clear(self.worst);
        }
        let chance = Self::success(lock, &self.others, &mut self.known_errors, rules);
        let draw = match &mut self.luck {
            Some(luck) if chance > 0.0 && chance < 1.0 => luck.unit(),
            _ => 0.5,
        };
        if draw < chance {
            return true;
        }
        // From 9 dB on, noise alone destroys nothing.
        let without = lock.power >= 8.0 * rules.noise
            || draw < Self::success(lock, &Others::default(), &mut self.known_errors, rules);
        self.weak = if without { 0.0 } else { lock.power };
        false
    }

    /// Power of the frame whose end has just been [`Verdict::Weak`], W.
    pub fn weak_power(&self) -> f64 {
        self.weak
    }

    #[cold]
    #[inline(never)]
    fn lost_to(&self) -> Verdict {
        if self.weak > 0.0 { Verdict::Weak } else { Verdict::Collided }
    }

    /// The probability that every bit of the frame is correct, computed over intervals of constant
    /// interference.
    fn success(lock: &Lock, others: &Others, known: &mut LogErrorFree, rules: &Reception) -> f64 {
        let header_end = lock.start + rules.plcp;
        let mut marks: SmallVec<[SimTime; 12]> = SmallVec::new();
        marks.extend([lock.start, header_end.min(lock.end), lock.end]);
        for o in others.iter() {
            marks.extend([o.start, o.end].into_iter().filter(|&t| t > lock.start && t < lock.end));
        }
        marks.sort_unstable();
        let mut log_success = 0.0;
        for pair in marks.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            if from == to {
                continue;
            }
            let interference: f64 =
                others.iter().filter(|o| o.start <= from && o.end >= to).map(|o| o.power).sum();
            let rate =
                if from < header_end { BitRate::from_bps(1_000_000) } else { rules.rates.of(lock.body) };
            let sinr = lock.power / (rules.noise + interference);
            if dsss::is_errorless(sinr, rate, rules.bandwidth) {
                continue;
            }
            let bits = to.since(from).as_secs_f64() * rate.as_bps() as f64;
            log_success += bits * known.of_a_bit(sinr, rate, rules.bandwidth);
            if log_success < LOG_OF_NOTHING {
                return 0.0;
            }
        }
        libm::exp(log_success)
    }

    /// The station starts to transmit: the frame being received is lost.
    #[inline]
    pub fn own_transmission(&mut self, rules: &Reception) {
        let Some(lock) = &mut self.lock else { return };
        if rules.quirks.locks_while_transmitting {
            lock.spoiled = Spoiled::OwnTransmission;
        } else {
            if rules.keeps_others() {
                self.others.push(Other { start: lock.start, end: lock.end, power: lock.power });
            }
            self.lock = None;
        }
    }

    /// True if the signal `tx` occupies the receiver. The end of any other signal has no effect.
    #[inline]
    pub fn reads(&self, tx: u32) -> bool {
        self.lock.as_ref().is_some_and(|lock| lock.tx == tx)
    }

    /// The signal being received, if there is one.
    pub fn reading(&self) -> Option<u32> {
        self.lock.map(|l| l.tx)
    }

    /// When the frame being received ends, if there is one.
    pub fn reading_until(&self) -> Option<SimTime> {
        self.lock.map(|l| l.end)
    }
}

#[cfg(test)]
mod tests;
