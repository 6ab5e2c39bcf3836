//! The best rate of each link of a radio network whose nodes stand still, from positions alone.

use serde::Serialize;
use tworay_base::{NodeId, SimTime};
use tworay_mac::rate::Ideal;
use tworay_radio::phy::detection::noise;
use tworay_radio::phy::{Airtime, DurationRules, Mode, PhyTiming};
use tworay_radio::{Channel, RadioConfig};
use tworay_scenario::Setup;

/// A frame with a packet of 1,500 B: LLC 8, MAC header and FCS 28.
const FRAME: u32 = 1_536;
/// Links that are listed for each rate.
const LISTED: usize = 16;
/// Most stations of which links are searched; this takes all pairs.
const MOST_STATIONS: usize = 3000;

/// Links with the same best rate.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct LinkRate {
    /// The mode, such as `HT MCS 7 in 20 MHz with 1 stream`.
    pub mode: String,
    /// Its rate on the air.
    pub rate_bps: u64,
    /// Both ends of the first links that have it. Links of positions go both ways, measured ones from the first node to
    /// the second.
    pub links: Vec<(u16, u16)>,
    /// Number of further links that have it.
    pub more: usize,
}

/// Two nodes, and the power at the second one, W.
type Link = (u16, u16, f64);

/// The rate that carries most over each link that can be decoded, without interference, shadowing and fading: that of
/// `radio.rate = "ideal"` for a frame with 1,500 bytes. Fastest first.
///
/// `None` for the 802.11b radio, for nodes that move, and for more than 3,000 stations.
pub(crate) fn link_rates(setup: &Setup) -> Option<Vec<LinkRate>> {
    let radio = &setup.settings.radio;
    let phy = radio.air().ok().flatten().filter(|_| setup.has_radio)?.phy;
    let moves = radio.links.is_empty() && setup.tracks.iter().any(|track| !track.is_static());
    if moves || setup.tracks.len() > MOST_STATIONS {
        return None;
    }
    let airtime = Airtime::new(&phy, DurationRules::Standard);
    let ideal = Ideal::of_radio(&phy, airtime, &PhyTiming::new(&phy, &airtime)).ok()?;
    let best = |power: f64| ideal.choose(FRAME, |mode| power / noise(mode, radio.sinr.noise_figure).get());
    let mut links = if radio.links.is_empty() { by_position(setup) } else { measured(radio) };
    links.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    let mut found = Vec::new();
    groups(&links, &best, &mut found);
    Some(found)
}

fn by_position(setup: &Setup) -> Vec<Link> {
    let channel = Channel::new(&setup.settings.radio);
    let mut tracks = setup.tracks.clone();
    let places: Vec<_> = tracks.iter_mut().map(|track| track.position(SimTime::ZERO)).collect();
    // A little farther than any link, so that rounding excludes none.
    let reach = channel.range_of(channel.rx_threshold()) * 1.001;
    let nodes = setup.tracks.len() as u16;
    let pairs = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b)));
    let power = |(a, b): (u16, u16)| {
        let (a, b) = (NodeId(a).index(), NodeId(b).index());
        let squared = places[a].distance_squared(places[b]);
        (squared <= reach * reach).then(|| channel.rx_power_squared(squared))
    };
    pairs
        .filter_map(|(a, b)| Some((a, b, power((a, b))?)))
        .filter(|(_, _, power)| *power >= channel.rx_threshold())
        .collect()
}

fn measured(radio: &RadioConfig) -> Vec<Link> {
    let threshold = radio.rx_threshold.get();
    let links = radio.links.iter().map(|link| (link.from, link.to, link.power(threshold)));
    links.filter(|(_, _, power)| *power >= threshold).collect()
}

/// Appends links in order of falling power to the groups of their best modes. Each mode is best between two powers, so
/// that links between two with the same best mode have it as well.
fn groups(links: &[Link], best: &impl Fn(f64) -> Mode, out: &mut Vec<LinkRate>) {
    let (Some(first), Some(last)) = (links.first(), links.last()) else { return };
    let mode = best(first.2);
    if links.len() > 2 && mode != best(last.2) {
        let (strong, weak) = links.split_at(links.len() / 2);
        groups(strong, best, out);
        groups(weak, best, out);
        return;
    }
    if links.len() == 2 && mode != best(last.2) {
        add(&links[..1], mode, out);
        add(&links[1..], best(last.2), out);
        return;
    }
    add(links, mode, out);
}

fn add(links: &[Link], mode: Mode, out: &mut Vec<LinkRate>) {
    let name = mode.to_string();
    if out.last().is_none_or(|group| group.mode != name) {
        out.push(LinkRate { mode: name, rate_bps: mode.rate().as_bps(), links: Vec::new(), more: 0 });
    }
    let Some(group) = out.last_mut() else { return };
    let room = LISTED - group.links.len();
    group.links.extend(links.iter().take(room).map(|&(from, to, _)| (from, to)));
    group.more += links.len().saturating_sub(room);
}
