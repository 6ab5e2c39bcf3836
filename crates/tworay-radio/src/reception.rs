//! What a receiver makes of signals that overlap.
//!
//! A [`Receiver`] is told when signals begin and end at its antenna and says which frames it could
//! read. Three models: ns-2's capture rule with its habits, the same rule without them, and
//! signal against noise plus the sum of all interference.

use crate::channel::Channel;
use crate::config::{RadioConfig, ReceptionModel};
use smallvec::SmallVec;
use tworay_base::{BitRate, SimTime};

/// ns-2.35's habits of reception, each named once; all off is the plain capture rule.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ReceptionQuirks {
    /// A signal too weak to decode occupies an idle receiver like a frame.
    pub locks_on_undecodable: bool,
    /// Frames that arrive while the station transmits occupy the receiver (and are lost).
    pub locks_while_transmitting: bool,
    /// Of two colliding frames the one that ends last occupies the receiver.
    pub longest_collided_frame_holds: bool,
    /// A weaker frame that is captured over reserves the medium for its airtime plus EIFS.
    pub captured_over_sets_nav: bool,
}

impl ReceptionQuirks {
    /// The plain rule.
    pub const STANDARD: ReceptionQuirks = ReceptionQuirks {
        locks_on_undecodable: false,
        locks_while_transmitting: false,
        longest_collided_frame_holds: false,
        captured_over_sets_nav: false,
    };
    /// ns-2.35.
    pub const NS2: ReceptionQuirks = ReceptionQuirks {
        locks_on_undecodable: true,
        locks_while_transmitting: true,
        longest_collided_frame_holds: true,
        captured_over_sets_nav: true,
    };
}

/// The rules of reception, compiled once for all receivers.
#[derive(Clone, Debug)]
pub struct Reception {
    sinr: bool,
    quirks: ReceptionQuirks,
    rx_threshold: f64,
    capture: f64,
    noise: f64,
    preamble: f64,
    body: f64,
    control: f64,
}

impl Reception {
    /// Compiles the rules. `data_rate` and `basic_rate` choose the thresholds of the `sinr` model.
    pub fn new(
        config: &RadioConfig,
        channel: &Channel,
        quirks: ReceptionQuirks,
        data_rate: BitRate,
        basic_rate: BitRate,
    ) -> Self {
        Self {
            sinr: config.reception == ReceptionModel::Sinr,
            quirks,
            rx_threshold: channel.rx_threshold(),
            capture: channel.capture_ratio(),
            noise: channel.noise(),
            preamble: config.sinr.preamble.factor(),
            body: channel.sinr_threshold(data_rate),
            control: channel.sinr_threshold(basic_rate),
        }
    }
}

/// A signal that begins at a receiver.
#[derive(Copy, Clone, Debug)]
pub struct Signal {
    /// Names the transmission; unique among those on the air.
    pub tx: u32,
    /// When it ends at this receiver.
    pub end: SimTime,
    /// Received power, W.
    pub power: f64,
    /// Whether its body is sent at the data rate (otherwise the basic rate).
    pub fast: bool,
}

#[derive(Copy, Clone, Debug)]
struct Lock {
    tx: u32,
    end: SimTime,
    power: f64,
    decodable: bool,
    spoiled: Spoiled,
    fast: bool,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Spoiled {
    No,
    Overlap,
    OwnTransmission,
}

/// What the beginning of a signal brought about.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    /// A decodable frame that is now lost to overlap and whose end will go unnoticed.
    pub lost: Option<u32>,
    /// (ns-2) The signal was captured over: the medium counts as reserved until EIFS after its end.
    pub captured_over: bool,
}

/// What the end of a signal brought about.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The receiver wasn't reading this signal.
    NotHeard,
    /// A good frame.
    Good,
    /// A decodable frame, spoiled by overlap.
    Collided,
    /// Only energy, or energy mixed with energy.
    Undecodable,
    /// The station was transmitting when it began.
    Deafened,
    /// The station is transmitting while it ends: it never noticed.
    Deaf,
}

/// One station's receiver.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    lock: Option<Lock>,
    /// Other signals on the air here: (end, power). Kept only where the model needs them.
    others: SmallVec<[(SimTime, f64); 4]>,
    /// Strongest sum of interference during the lock (sinr).
    worst: f64,
}

impl Receiver {
    /// A signal begins. `transmitting`: whether the station's own transmitter is on.
    #[inline]
    pub fn begin(&mut self, now: SimTime, s: Signal, transmitting: bool, rules: &Reception) -> Arrived {
        if rules.sinr {
            self.begin_sinr(now, s, transmitting, rules)
        } else {
            self.begin_capture(now, s, transmitting, rules)
        }
    }

    fn begin_capture(&mut self, now: SimTime, s: Signal, transmitting: bool, rules: &Reception) -> Arrived {
        let decodable = s.power >= rules.rx_threshold;
        let q = &rules.quirks;
        let fresh = Lock {
            tx: s.tx,
            end: s.end,
            power: s.power,
            decodable,
            spoiled: if transmitting { Spoiled::OwnTransmission } else { Spoiled::No },
            fast: s.fast,
        };
        let Some(lock) = &mut self.lock else {
            if !q.locks_on_undecodable {
                let strongest = self.strongest_other(now);
                self.others.push((s.end, s.power));
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
            self.others.push((s.end, s.power));
        }
        if lock.power >= rules.capture * s.power {
            return Arrived { lost: None, captured_over: q.captured_over_sets_nav };
        }
        let readable = |l: &Lock| l.decodable && l.spoiled != Spoiled::OwnTransmission;
        if q.longest_collided_frame_holds && s.end > lock.end {
            let lost = readable(lock).then_some(lock.tx);
            // The newcomer takes over the collision: it is as lost as the one before.
            let own = fresh.spoiled == Spoiled::OwnTransmission;
            *lock = Lock { spoiled: if own { Spoiled::OwnTransmission } else { Spoiled::Overlap }, ..fresh };
            return Arrived { lost, captured_over: false };
        }
        if lock.spoiled == Spoiled::No {
            lock.spoiled = Spoiled::Overlap;
        }
        Arrived { lost: readable(&fresh).then_some(s.tx), captured_over: false }
    }

    fn strongest_other(&mut self, now: SimTime) -> f64 {
        self.others.retain(|o| o.0 > now);
        self.others.iter().fold(0.0, |m, o| m.max(o.1))
    }

    fn begin_sinr(&mut self, now: SimTime, s: Signal, transmitting: bool, rules: &Reception) -> Arrived {
        self.others.retain(|o| o.0 > now);
        let before: f64 = self.others.iter().map(|o| o.1).sum();
        let decodable = s.power >= rules.rx_threshold;
        match &self.lock {
            None => {
                self.others.push((s.end, s.power));
                let clear = s.power >= rules.preamble * (rules.noise + before);
                if decodable && clear && !transmitting {
                    self.others.pop();
                    let lock = Lock {
                        tx: s.tx,
                        end: s.end,
                        power: s.power,
                        decodable,
                        spoiled: Spoiled::No,
                        fast: s.fast,
                    };
                    self.lock = Some(lock);
                    self.worst = before;
                    return Arrived::default();
                }
                Arrived { lost: (decodable && !transmitting).then_some(s.tx), captured_over: false }
            }
            Some(_) => {
                self.others.push((s.end, s.power));
                self.worst = self.worst.max(before + s.power);
                Arrived { lost: decodable.then_some(s.tx), captured_over: false }
            }
        }
    }

    /// The signal `tx` ends. `transmitting`: whether the station's own transmitter is on.
    #[inline]
    pub fn end(&mut self, tx: u32, transmitting: bool, rules: &Reception) -> Verdict {
        let Some(lock) = self.lock else { return Verdict::NotHeard };
        if lock.tx != tx {
            return Verdict::NotHeard;
        }
        self.lock = None;
        if transmitting {
            return Verdict::Deaf;
        }
        if rules.sinr && lock.spoiled == Spoiled::No {
            let needed = if lock.fast { rules.body } else { rules.control };
            let good = lock.power >= needed * (rules.noise + self.worst);
            return if good { Verdict::Good } else { Verdict::Collided };
        }
        match (lock.spoiled, lock.decodable) {
            (Spoiled::OwnTransmission, _) => Verdict::Deafened,
            (_, false) => Verdict::Undecodable,
            (Spoiled::Overlap, true) => Verdict::Collided,
            (Spoiled::No, true) => Verdict::Good,
        }
    }

    /// The station's own transmitter goes on: what is being received is lost.
    #[inline]
    pub fn own_transmission(&mut self, rules: &Reception) {
        let Some(lock) = &mut self.lock else { return };
        if rules.quirks.locks_while_transmitting {
            lock.spoiled = Spoiled::OwnTransmission;
        } else {
            self.others.push((lock.end, lock.power));
            self.lock = None;
        }
    }

    /// When the frame being read ends, if one is.
    pub fn reading_until(&self) -> Option<SimTime> {
        self.lock.map(|l| l.end)
    }
}
