//! Energy consumption of a radio, by state or by packet, and its battery.
//!
//! The caller tells a [`Meter`] when the station's transmitter starts and when signals begin, each with its
//! end; the states in between follow from these. Times are whole nanoseconds per state, so the states add up
//! to the elapsed time. Energy is computed from these times on request. The moment at which the battery is
//! empty is computed, not polled.

use crate::refusals::problem;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use strum::{EnumCount, IntoStaticStr, VariantArray};
use tworay_base::{ConfigProblem, Joules, SimDuration, SimTime, Watts};

/// Model by which a radio's energy is counted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EnergyModel {
    /// Not counted, at no cost in CPU time.
    #[default]
    None,
    /// Power of the radio's state, times the time spent in it.
    States,
    /// A fixed energy for each network packet sent (each attempt) and received; nothing else consumes energy.
    PerPacket,
}

/// A named set of powers.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EnergyPreset {
    /// ns-2.35's `Phy/WirelessPhy`: 0.660 W to transmit, 0.395 W to receive, nothing while idle or asleep.
    #[default]
    Ns2,
    /// Lucent WaveLAN 2 Mb/s at 4.74 V: 280, 204, 178 and 14 mA to transmit, receive, idle and sleep (Feeney
    /// and Nilsson, INFOCOM 2001).
    Wavelan,
    /// A modern 802.11n radio with one antenna: 1.28, 0.94, 0.82 and 0.10 W, after Halperin, Greenstein,
    /// Sheth and Wetherall, "Demystifying 802.11n power consumption", HotPower 2010. They measured a card in
    /// a laptop. ns-3's energy model quotes the same powers to receive, idle and sleep, and 1.14 W to
    /// transmit at 0 dBm; higher transmit powers need more. No measurement of a USB stick was found, so this
    /// is an estimate: replace it by the stick's own powers (`transmit`, `receive`, `idle`, `sleep`).
    #[serde(rename = "usb-80211n")]
    Usb80211n,
}

/// Powers by state, W.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Powers {
    /// While transmitting.
    pub transmit: f64,
    /// While receiving a decodable frame for this station or for all.
    pub receive: f64,
    /// While any other signal is on the air at this station.
    pub overhear: f64,
    /// While no signal is on the air at this station.
    pub idle: f64,
    /// While switched off by an event.
    pub sleep: f64,
}

impl EnergyPreset {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ns2, Self::Wavelan, Self::Usb80211n];

    /// The powers.
    pub const fn powers(self) -> Powers {
        let (transmit, receive, idle, sleep) = match self {
            EnergyPreset::Ns2 => (0.660, 0.395, 0.0, 0.0),
            EnergyPreset::Wavelan => (1.3272, 0.966_96, 0.843_72, 0.066_36),
            EnergyPreset::Usb80211n => (1.28, 0.94, 0.82, 0.10),
        };
        Powers { transmit, receive, overhear: receive, idle, sleep }
    }
}

/// The battery of one node, where it differs from `battery`.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeBattery {
    /// The node's number.
    pub node: u16,
    /// Its energy at the start, above zero.
    pub battery: Joules,
}

/// The scenario's `[energy]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(transform = add_presets)]
pub struct EnergyConfig {
    /// Energy model: `none`, `states` or `per-packet`.
    pub model: EnergyModel,
    /// The powers by state, unless overridden by the keys below.
    pub preset: EnergyPreset,
    /// Power while transmitting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transmit: Option<Watts>,
    /// Power while receiving a frame for this node or for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive: Option<Watts>,
    /// Power while other signals are on the air; if absent, that of `receive`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhear: Option<Watts>,
    /// Power while nothing is on the air.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<Watts>,
    /// Power of a node that an event has switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleep: Option<Watts>,
    /// `per-packet`: energy of each attempt to send a network packet.
    pub packet_sent: Joules,
    /// `per-packet`: energy of each network packet received.
    pub packet_received: Joules,
    /// Initial energy of each node, above zero; unlimited if absent. A node with an empty battery neither
    /// sends nor receives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub battery: Option<Joules>,
    /// Nodes whose battery differs from `battery`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub batteries: Vec<NodeBattery>,
    /// Sampling interval of the energy table, 1ms to 1h.
    pub sample: SimDuration,
    /// Energy of one processor instruction, for the transport's computations. The default is an estimate:
    /// about a nanojoule is typical of small cores of the 2000s; today's need less.
    pub instruction: Joules,
    /// True if the transport's computations draw their energy from the sender's battery when they happen,
    /// so that they can exhaust it. Otherwise their energy is only reported.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub draw_computing: bool,
    /// CSV file with the costs of the transport's operations, as `tworay costs --out` writes it,
    /// instead of the table supplied with tworay: instructions, or run times with a power. The path is
    /// relative to the scenario file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<PathBuf>,
    /// SHA-256 of that table, 64 hexadecimal digits. If given and not empty, a table with another digest is
    /// refused. The scenario stored with results contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs_sha256: Option<String>,
}

impl Default for EnergyConfig {
    fn default() -> Self {
        Self {
            model: EnergyModel::None,
            preset: EnergyPreset::Ns2,
            transmit: None,
            receive: None,
            overhear: None,
            idle: None,
            sleep: None,
            // A 552-byte packet at 2 Mb/s with ns-2's powers: 2.54 ms at 0.660 W and 0.395 W.
            packet_sent: Joules(1.7e-3),
            packet_received: Joules(1.0e-3),
            battery: None,
            batteries: Vec::new(),
            sample: SimDuration::from_secs(1),
            instruction: Joules(1e-9),
            draw_computing: false,
            costs: None,
            costs_sha256: None,
        }
    }
}

/// Adds to the schema of each power that a preset fixes, under `x-presets`, its value in every preset.
fn add_presets(schema: &mut Schema) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    let values = |power: fn(Powers) -> f64| -> Map<String, Value> {
        let name = |preset| Some(serde_json::to_value(preset).ok()?.as_str()?.to_owned());
        let watts = |preset: EnergyPreset| Watts(power(preset.powers())).to_string().into();
        EnergyPreset::ALL.iter().filter_map(|&preset| Some((name(preset)?, watts(preset)))).collect()
    };
    for (key, power) in [
        ("transmit", (|p| p.transmit) as fn(Powers) -> f64),
        ("receive", |p| p.receive),
        ("idle", |p| p.idle),
        ("sleep", |p| p.sleep),
    ] {
        if let Some(property) = properties.get_mut(key).and_then(Value::as_object_mut) {
            property.insert("x-presets".into(), values(power).into());
        }
    }
}

impl EnergyConfig {
    /// The powers in use.
    pub fn powers(&self) -> Powers {
        let p = self.preset.powers();
        let or = |given: Option<Watts>, preset: f64| given.map_or(preset, Watts::get);
        let receive = or(self.receive, p.receive);
        Powers {
            transmit: or(self.transmit, p.transmit),
            receive,
            overhear: or(self.overhear, receive),
            idle: or(self.idle, p.idle),
            sleep: or(self.sleep, p.sleep),
        }
    }

    /// The initial energy of `node`, J; infinite without a battery.
    pub fn battery_of(&self, node: u16) -> f64 {
        let own = self.batteries.iter().find(|b| b.node == node).map(|b| b.battery);
        own.or(self.battery).map_or(f64::INFINITY, Joules::get)
    }

    /// Checks ranges. The error names the key, the problem and the remedy.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        for (key, power) in [
            ("transmit", self.transmit),
            ("receive", self.receive),
            ("overhear", self.overhear),
            ("idle", self.idle),
            ("sleep", self.sleep),
        ] {
            if let Some(p) = power.filter(|p| !(0.0..=1e4).contains(&p.get())) {
                return Err(problem(
                    key,
                    format!("{p} is out of range"),
                    "give 0W to 10000W, such as \"0.66W\"".into(),
                ));
            }
        }
        for (key, energy) in [
            ("packet_sent", self.packet_sent),
            ("packet_received", self.packet_received),
            ("instruction", self.instruction),
        ] {
            if !(0.0..=1e6).contains(&energy.get()) {
                return Err(problem(key, format!("{energy} is out of range"), "give 0J to 1000000J".into()));
            }
        }
        let batteries = self.batteries.iter().enumerate();
        let all = self.battery.iter().map(|b| ("battery".to_owned(), *b));
        for (key, battery) in
            all.chain(batteries.map(|(i, b)| (format!("batteries[{i}].battery"), b.battery)))
        {
            if !(battery.get() > 0.0 && battery.get() <= 1e12) {
                return Err(problem(
                    &key,
                    format!("{battery} is out of range"),
                    "give more than 0J, such as \"10J\", or remove the key for unlimited energy".into(),
                ));
            }
        }
        for (i, b) in self.batteries.iter().enumerate() {
            if self.batteries[..i].iter().any(|o| o.node == b.node) {
                return Err(problem(
                    &format!("batteries[{i}].node"),
                    format!("node {} has a battery already", b.node),
                    "list each node once".into(),
                ));
            }
        }
        if self.costs.is_none() && self.costs_sha256.as_ref().is_some_and(|digest| !digest.is_empty()) {
            return Err(problem(
                "costs_sha256",
                "no table is given for this digest".into(),
                "set energy.costs to the table, or remove this key".into(),
            ));
        }
        if self.sample < SimDuration::from_millis(1) || self.sample > SimDuration::from_secs(3600) {
            return Err(problem("sample", format!("{}", self.sample), "give \"1ms\" to \"1h\"".into()));
        }
        Ok(())
    }
}

/// The state of a radio.
#[derive(Copy, Clone, Debug, PartialEq, Eq, EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum RadioState {
    /// Its own frame is on the air.
    Transmit,
    /// Receiving a decodable frame for this station or for all.
    Receive,
    /// Another signal is on the air at this station.
    Overhear,
    /// No signal is on the air at this station.
    Idle,
    /// Switched off by an event.
    Sleep,
    /// Its battery is empty.
    Dead,
}

impl RadioState {
    /// Number of states.
    pub const COUNT: usize = <RadioState as EnumCount>::COUNT;
    /// Every state, in the order of [`Meter::times`].
    pub const ALL: &'static [RadioState] = RadioState::VARIANTS;

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// If the battery lasts less than this at the highest power, every signal is evaluated.
const LOOK_ALWAYS: SimDuration = SimDuration::from_micros(100);

/// Counts the energy of one radio.
#[derive(Clone, Debug)]
pub struct Meter {
    model: EnergyModel,
    /// Power by state, W.
    power: [f64; RadioState::COUNT],
    /// Energy per packet, J: sent, received.
    packet: [f64; 2],
    battery: f64,
    /// Times are counted up to here.
    since: SimTime,
    /// Known end of transmitting, receiving and overhearing.
    until: [SimTime; 3],
    asleep: bool,
    died: Option<SimTime>,
    times: [u64; RadioState::COUNT],
    packets: [u64; 2],
    /// Energy drawn by anything but the radio, J.
    drawn: f64,
    /// The battery cannot be empty before this time, whatever happens.
    safe_until: SimTime,
    most_power: f64,
}

impl Meter {
    /// The meter of `node`, idle from time zero.
    pub fn new(config: &EnergyConfig, node: u16) -> Self {
        let states = config.model == EnergyModel::States;
        let p = config.powers();
        let power = if states { [p.transmit, p.receive, p.overhear, p.idle, p.sleep, 0.0] } else { [0.0; 6] };
        let per_packet = config.model == EnergyModel::PerPacket;
        let packet =
            if per_packet { [config.packet_sent.get(), config.packet_received.get()] } else { [0.0; 2] };
        Self {
            model: config.model,
            power,
            packet,
            battery: config.battery_of(node),
            since: SimTime::ZERO,
            until: [SimTime::ZERO; 3],
            asleep: false,
            died: None,
            times: [0; RadioState::COUNT],
            packets: [0; 2],
            drawn: 0.0,
            safe_until: SimTime::ZERO,
            most_power: power.iter().fold(0.0, |a, &b| f64::max(a, b)),
        }
    }

    /// The station transmits until `until`. Returns the new time for [`Meter::expire`] if it has changed.
    #[inline]
    pub fn transmit(&mut self, now: SimTime, until: SimTime) -> Option<SimTime> {
        self.announce(RadioState::Transmit, now, until)
    }

    /// A signal is on the air at this station until `until`. `wanted`: a decodable frame for this station or
    /// for all. Returns the new time for [`Meter::expire`] if it has changed.
    #[inline]
    pub fn hear(&mut self, now: SimTime, until: SimTime, wanted: bool) -> Option<SimTime> {
        self.announce(if wanted { RadioState::Receive } else { RadioState::Overhear }, now, until)
    }

    fn announce(&mut self, state: RadioState, now: SimTime, until: SimTime) -> Option<SimTime> {
        if self.asleep || self.died.is_some() || until <= self.until[state as usize] {
            return None;
        }
        self.advance(now);
        self.until[state as usize] = until;
        (until > self.safe_until).then(|| self.predict()).flatten()
    }

    /// Counts a network packet sent; returns whether the battery is now empty.
    pub fn packet_sent(&mut self) -> bool {
        self.packets[0] += 1;
        self.model == EnergyModel::PerPacket && self.is_empty()
    }

    /// Counts a network packet received; returns whether the battery is now empty.
    pub fn packet_received(&mut self) -> bool {
        self.packets[1] += 1;
        self.model == EnergyModel::PerPacket && self.is_empty()
    }

    /// Something other than the radio draws energy from the battery. Returns when the battery is empty, or
    /// the new time for [`Meter::expire`].
    pub fn draw(&mut self, now: SimTime, joules: f64) -> Option<SimTime> {
        if self.died.is_some() {
            return None;
        }
        self.advance(now);
        self.drawn += joules;
        if self.is_empty() { Some(now) } else { self.predict() }
    }

    /// The station is switched off: any state it was in ends.
    pub fn sleep(&mut self, now: SimTime) -> Option<SimTime> {
        self.advance(now);
        self.asleep = true;
        self.until = [now; 3];
        self.predict()
    }

    /// The station is switched on again.
    pub fn wake(&mut self, now: SimTime) -> Option<SimTime> {
        self.advance(now);
        self.asleep = false;
        self.predict()
    }

    /// The battery is empty: the station is dead from now on.
    pub fn die(&mut self, now: SimTime) {
        self.advance(now);
        self.died.get_or_insert(now);
        self.until = [now; 3];
    }

    /// The predicted time has come: `Ok` if the battery is empty, otherwise the next time to check.
    pub fn expire(&mut self, now: SimTime) -> Result<(), Option<SimTime>> {
        self.advance(now);
        if self.died.is_some() {
            return Err(None);
        }
        if self.is_empty() { Ok(()) } else { Err(self.predict()) }
    }

    /// When to call [`Meter::expire`]. This is the time at which the battery will be empty if nothing else
    /// happens, or an earlier time until which no event can matter; the latter keeps [`Meter::transmit`] and
    /// [`Meter::hear`] cheap. `None`: never, and any earlier prediction is void.
    pub fn predict(&mut self) -> Option<SimTime> {
        if self.battery == f64::INFINITY || self.died.is_some() || self.most_power == 0.0 {
            self.safe_until = SimTime::NEVER;
            return None;
        }
        let empty = self.empty_at();
        let safe = nanos(libm::floor(self.left() / self.most_power * 1e9));
        if safe < LOOK_ALWAYS {
            self.safe_until = self.since;
            return Some(empty);
        }
        self.safe_until = self.since + safe;
        let busy = self.until.iter().any(|&u| u > self.safe_until);
        Some(if empty == SimTime::NEVER && !busy { SimTime::NEVER } else { empty.min(self.safe_until) })
    }

    /// When the battery will be empty if nothing else happens.
    pub fn empty_at(&self) -> SimTime {
        let mut left = self.left();
        let mut at = self.since;
        let known = [RadioState::Transmit, RadioState::Receive, RadioState::Overhear];
        for state in known.into_iter().filter(|_| !self.asleep) {
            let (power, until) = (self.power[state as usize], self.until[state as usize]);
            if until > at {
                let needed = power * until.since(at).as_secs_f64();
                if needed >= left {
                    return at + nanos(libm::ceil(left / power * 1e9));
                }
                left -= needed;
                at = until;
            }
        }
        let rest = self.power[if self.asleep { RadioState::Sleep } else { RadioState::Idle } as usize];
        let wait = if rest > 0.0 { nanos(libm::ceil(left / rest * 1e9)) } else { SimDuration::MAX };
        if wait < SimDuration::MAX { at + wait } else { SimTime::NEVER }
    }

    /// Counts the time up to `now`.
    pub fn advance(&mut self, now: SimTime) {
        let mut count = |state: RadioState, from: SimTime, to: SimTime| {
            self.times[state as usize] += to.since(from).as_nanos();
        };
        let mut at = self.since;
        if self.died.is_some() || self.asleep {
            let state = if self.died.is_some() { RadioState::Dead } else { RadioState::Sleep };
            count(state, at, now);
        } else {
            for state in [RadioState::Transmit, RadioState::Receive, RadioState::Overhear] {
                let to = self.until[state as usize].min(now);
                if to > at {
                    count(state, at, to);
                    at = to;
                }
            }
            count(RadioState::Idle, at, now);
        }
        self.since = self.since.max(now);
    }

    /// The radio's energy by state up to the last [`Meter::advance`], J. The energy of packets counts as
    /// transmit and receive.
    pub fn joules(&self) -> [f64; RadioState::COUNT] {
        let mut joules = [0.0; RadioState::COUNT];
        for (i, j) in joules.iter_mut().enumerate() {
            *j = self.power[i] * self.times[i] as f64 * 1e-9;
        }
        for (i, n) in self.packets.iter().enumerate() {
            joules[i] += self.packet[i] * *n as f64;
        }
        joules
    }

    /// Energy drawn from the battery up to the last [`Meter::advance`], J: never more than its capacity.
    pub fn spent(&self) -> f64 {
        (self.joules().iter().sum::<f64>() + self.drawn).min(self.battery)
    }

    /// Energy left in the battery, J; infinite without one.
    pub fn left(&self) -> f64 {
        self.battery - self.spent()
    }

    /// True if the battery is empty, up to rounding.
    pub fn is_empty(&self) -> bool {
        self.left() <= 1e-12 * self.battery.min(1e12)
    }

    /// Nanoseconds by state up to the last [`Meter::advance`], in the order of [`RadioState::ALL`].
    pub fn times(&self) -> [u64; RadioState::COUNT] {
        self.times
    }

    /// Network packets sent and received.
    pub fn packets(&self) -> [u64; 2] {
        self.packets
    }

    /// When the battery became empty.
    pub fn died_at(&self) -> Option<SimTime> {
        self.died
    }
}

fn nanos(n: f64) -> SimDuration {
    if n >= SimDuration::MAX.as_nanos() as f64 {
        SimDuration::MAX
    } else {
        SimDuration::from_nanos(n.max(0.0) as u64)
    }
}

#[cfg(test)]
mod tests;
