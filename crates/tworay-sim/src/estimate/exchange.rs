//! Estimates the time that a packet occupies the medium on one hop, and the number of its frames.

use tworay_base::{SimDuration, SimTime};
use tworay_mac::Timing;
use tworay_mac::rate::Ideal;
use tworay_radio::phy::detection::noise;
use tworay_radio::phy::{Airtime, DurationRules, Mode, Phy, PhyTiming};
use tworay_radio::{AirRadio, AirRate, Channel};
use tworay_scenario::{FlowSetup, Setup};

/// LLC, MAC header, FCS and the delimiter of a subframe, bytes.
const AROUND: u32 = 8 + 28 + 4;
/// A frame for which the rate is chosen, bytes.
const FRAME: u32 = 1_536;
/// A control frame at 24 Mb/s: RTS and ACK take 28 µs, a BlockAck 32 (IEEE 802.11-2020 §17.4.3).
const CONTROL: SimDuration = SimDuration::from_micros(32);
/// Most frames in an aggregate (§10.24.7).
const MOST_IN_AGGREGATE: f64 = 64.0;
/// Part of a transfer's window that waits at the station that sends next, and so fits an aggregate; the rest is in the
/// other direction or at other stations.
const AT_ONE_STATION: f64 = 0.5;

/// Time on the medium of a packet over one hop, s, and its frames.
pub(super) struct Exchange {
    pub airtime: f64,
    pub frames: f64,
}

/// The radio and MAC of a hop.
pub(super) enum Hop {
    /// 802.11b.
    Dsss(Box<Timing>, u32),
    /// 802.11a, g, n and ac.
    Ofdm {
        airtime: Airtime,
        timing: PhyTiming,
        mode: Mode,
        /// Frames that share a preamble and an acknowledgment.
        aggregate: f64,
        rts_above: u64,
    },
}

impl Hop {
    /// A hop of the path of a flow, of `hops` hops; a transfer has `window` segments under way.
    pub fn of(setup: &Setup, flow: &FlowSetup, hops: f64, window: f64) -> Self {
        let mac = &setup.settings.mac;
        let Some(AirRadio { phy, rate }) = setup.settings.radio.air().ok().flatten() else {
            return Self::Dsss(Box::new(Timing::new(mac, &mac.quirks())), mac.cw_min);
        };
        let airtime = Airtime::new(&phy, DurationRules::Standard);
        let timing = PhyTiming::new(&phy, &airtime);
        let mode = match rate {
            AirRate::Fixed(mode) => Some(mode),
            AirRate::Ideal | AirRate::MinstrelHt | AirRate::MinstrelHtLookaround => {
                best_mode(setup, flow, hops, (&phy, airtime, &timing))
            }
        };
        let aggregates = phy.standard.has_aggregates();
        let aggregate =
            if aggregates { (window * AT_ONE_STATION).clamp(1.0, MOST_IN_AGGREGATE) } else { 1.0 };
        let mode = mode.or_else(|| phy.modes().first().copied());
        match mode {
            Some(mode) => Self::Ofdm { airtime, timing, mode, aggregate, rts_above: mac.threshold().0 },
            None => Self::Dsss(Box::new(Timing::new(mac, &mac.quirks())), mac.cw_min),
        }
    }

    /// The exchange of a packet of this many bytes, with its acknowledgment.
    pub fn exchange(&self, bytes: u32) -> Exchange {
        match self {
            Self::Dsss(timing, cw_min) => {
                let frame = timing.data_bytes(bytes);
                let mut time = timing.difs + timing.slot * u64::from(cw_min / 2);
                time = time + timing.data_airtime(frame, false) + timing.sifs + timing.ack;
                let mut frames = 2.0;
                if timing.needs_rts(frame) {
                    time = time + timing.rts + timing.cts + timing.sifs * 2;
                    frames += 2.0;
                }
                Exchange { airtime: time.as_secs_f64(), frames }
            }
            Self::Ofdm { airtime, timing, mode, aggregate, rts_above } => {
                let spaces = timing.difs() + timing.slot * u64::from(timing.window.min) / 2 + timing.sifs;
                let mut once = spaces + airtime.header(*mode) + CONTROL;
                let mut frames = 2.0;
                if u64::from(bytes + AROUND) > *rts_above {
                    once += (CONTROL + timing.sifs) * 2;
                    frames += 2.0;
                }
                let body = f64::from((bytes + AROUND) * 8) / mode.rate().as_bps() as f64;
                Exchange { airtime: once.as_secs_f64() / aggregate + body, frames: frames / aggregate }
            }
        }
    }
}

/// The mode that carries most over a hop: its length is that of the straight line between both ends, divided by the hops.
/// `None` if links are measured or nodes have no positions.
fn best_mode(
    setup: &Setup,
    flow: &FlowSetup,
    hops: f64,
    (phy, airtime, timing): (&Phy, Airtime, &PhyTiming),
) -> Option<Mode> {
    let radio = &setup.settings.radio;
    if !radio.links.is_empty() {
        return None;
    }
    let place = |node: usize| Some(setup.tracks.get(node)?.clone().position(SimTime::ZERO));
    let squared =
        place(flow.from.index())?.distance_squared(place(flow.to.index())?) / (hops * hops).max(1.0);
    let power = Channel::new(radio).rx_power_squared(squared);
    let ideal = Ideal::of_radio(phy, airtime, timing).ok()?;
    Some(ideal.choose(FRAME, |mode| power / noise(mode, radio.sinr.noise_figure).get()))
}
