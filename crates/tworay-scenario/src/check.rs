//! Converts the layered tree to a [`Scenario`]: reads it, checks ranges, and checks across tables.

mod events;
mod flows;
pub(crate) mod ground;
mod parts;
mod traffic;
mod wires;

use crate::costs::{self, Costs};
use crate::de::read;
use crate::error::ScenarioError;
use crate::kinds;
use crate::names;
use crate::origin::Traffic;
use crate::scenario::Scenario;
use crate::settings::{DEFAULT_VARIANT, Settings};
use crate::tree::{Kind, Table, TomlNode};
use flows::MOST_PAYLOAD;
use ground::Ground;
use parts::{joined, numbered};
use std::path::Path;
use std::sync::Arc;
use tworay_base::{BitRate, ConfigProblem, NodeId, SimDuration};
use tworay_mac::QueueRule;
use tworay_mobility::{MobilityConfig, MobilityError, TopologyConfig};
use tworay_radio::phy::Standard;
use tworay_radio::{EnergyConfig, MeasuredLink, RADIO_RATES, ReceptionModel, basic_mode};
use tworay_tcp::Variant;

/// Longest run: 30 days.
const LONGEST: SimDuration = SimDuration::from_secs(30 * 24 * 3600);

/// Reads the tree and checks all of it.
pub(crate) fn resolve(
    mut tree: TomlNode,
    file_name: &str,
    base_dir: &Path,
    traffic: Traffic,
) -> Result<Scenario, ScenarioError> {
    let variant = variant(&tree)?;
    kinds::apply(&mut tree)?;
    names::apply(&mut tree)?;
    // The variant is in the same table, but it is not a setting of an endpoint.
    let whole = tree.clone();
    if let Some(tcp) = table_mut(&mut tree, "tcp") {
        tcp.remove("variant");
    }
    let mut settings: Settings = read(&tree, "")?;
    let check = Check { tree: &whole };
    check.times(&settings)?;
    check.ranges(&settings)?;
    settings.name.get_or_insert_with(|| stem(file_name));
    settings.mobility = resolve_paths(settings.mobility, base_dir);
    let (energy, costs) = check.costs(&settings.energy, base_dir)?;
    settings.energy = energy;
    let (radio_nodes, field) = check.ground(&settings)?;
    check.wires(&settings.wires, settings.duration)?;
    check.placed_wires(&settings.wires, radio_nodes)?;
    check.measured_links(&settings.radio.links, radio_nodes)?;
    check.lengths(&settings)?;
    let mut scenario = Scenario { settings, costs, variant, flows: Vec::new(), radio_nodes, field };
    let nodes = scenario.node_count();
    let settings = &mut scenario.settings;
    for (name, &node) in &settings.names {
        check.node(&format!("names.{name}"), u32::from(node), nodes)?;
    }
    let ground = Ground {
        nodes,
        radio_nodes,
        flows: settings.flows.len(),
        field,
        measured: !settings.radio.links.is_empty(),
        duration: settings.duration,
    };
    check.events(&settings.events, &ground)?;
    for (i, battery) in settings.energy.batteries.iter().enumerate() {
        check.node(&format!("energy.batteries.{i}.node"), u32::from(battery.node), nodes)?;
    }
    settings.events.sort_by_key(|event| event.at);
    if traffic == Traffic::Flows {
        check.some_flow(settings)?;
    }
    scenario.flows = check.flows(settings, nodes, &scenario.variant, base_dir)?;
    settings.flows.clear();
    settings.wire_kind.clear();
    Ok(scenario)
}

fn variant(tree: &TomlNode) -> Result<Variant, ScenarioError> {
    let entry = tree.as_table().and_then(|t| t.get("tcp")).and_then(|e| e.node.as_table()?.get("variant"));
    let name = match entry {
        Some(entry) => read::<String>(&entry.node, "tcp.variant")?,
        None => DEFAULT_VARIANT.to_owned(),
    };
    parts::read_variant("tcp.variant", &name)
        .map_err(|p| ScenarioError::new(tree.place_of("tcp.variant"), p.headline(), p.advice()))
}

fn table_mut<'t>(tree: &'t mut TomlNode, key: &str) -> Option<&'t mut Table> {
    let Kind::Table(root) = &mut tree.kind else { return None };
    match &mut root.get_mut(key)?.node.kind {
        Kind::Table(table) => Some(table),
        _ => None,
    }
}

fn stem(file_name: &str) -> String {
    let plain = file_name.trim_start_matches('<').trim_end_matches('>');
    Path::new(plain).file_stem().map_or_else(|| plain.to_owned(), |s| s.to_string_lossy().into_owned())
}

fn resolve_paths(mobility: MobilityConfig, base_dir: &Path) -> MobilityConfig {
    match mobility {
        MobilityConfig::Ns2File { file } => MobilityConfig::Ns2File { file: joined(file, base_dir) },
        MobilityConfig::BonnmotionFile { file } => {
            MobilityConfig::BonnmotionFile { file: joined(file, base_dir) }
        }
        other => other,
    }
}

/// Checks whose errors point at the user's lines.
pub(crate) struct Check<'a> {
    tree: &'a TomlNode,
}

impl Check<'_> {
    pub(super) fn fail<T>(&self, key: &str, problem: &str, remedy: &str) -> Result<T, ScenarioError> {
        Err(self.refused(ConfigProblem::new(key, problem, remedy)))
    }

    /// Converts a table's own validation error.
    fn section(&self, section: &str, outcome: Result<(), ConfigProblem>) -> Result<(), ScenarioError> {
        outcome.map_err(|problem| self.refused(problem.within(section)))
    }

    /// An error whose key is already complete, shown at the key in the user's file.
    fn refused(&self, problem: ConfigProblem) -> ScenarioError {
        ScenarioError::new(self.tree.place_of(&problem.key), problem.headline(), problem.advice())
    }

    fn times(&self, file: &Settings) -> Result<(), ScenarioError> {
        if file.duration.is_zero() {
            return self.fail("duration", "the run has no length", "Give a time such as \"300s\".");
        }
        if file.duration > LONGEST {
            let problem = format!("{} is longer than 30 days", file.duration);
            return self.fail("duration", &problem, "Give at most \"2592000s\".");
        }
        if file.warmup >= file.duration {
            let problem =
                format!("the warm-up of {} leaves nothing of the run ({})", file.warmup, file.duration);
            return self.fail("warmup", &problem, "Give less than the duration.");
        }
        Ok(())
    }

    fn ranges(&self, file: &Settings) -> Result<(), ScenarioError> {
        self.section("radio", file.radio.validate())?;
        self.section("energy", file.energy.validate())?;
        self.section("errors", file.errors.validate())?;
        self.section("station", file.station.validate())?;
        self.section("mac", file.mac.validate())?;
        self.rates(file)?;
        self.section("routing", file.routing.validate())?;
        self.section("tcp", file.tcp.validate())?;
        if file.tcp.mss.0 > MOST_PAYLOAD {
            let problem = format!("{} is more than any frame carries", file.tcp.mss);
            return self.fail("tcp.mss", &problem, "Give \"1B\" to \"9000B\", such as \"1460B\".");
        }
        Ok(())
    }

    /// The MAC may only use rates that the radio supports.
    fn rates(&self, file: &Settings) -> Result<(), ScenarioError> {
        let mac = &file.mac;
        if let Ok(Some(air)) = file.radio.air() {
            self.without_agreements(file, air.phy.standard)?;
            return self.section("mac", basic_mode(mac.basic_rate).map(|_| ()));
        }
        self.old_air(file)?;
        let rates = [
            ("data_rate", Some(mac.data_rate)),
            ("basic_rate", Some(mac.basic_rate)),
            ("ack_rate", mac.ack_rate),
        ];
        let list = |rates: &[BitRate]| rates.iter().map(BitRate::to_string).collect::<Vec<_>>().join(", ");
        for (key, rate) in rates.into_iter().filter_map(|(key, rate)| Some((key, rate?))) {
            let key = format!("mac.{key}");
            if !RADIO_RATES.contains(&rate) {
                let problem = format!("802.11 DSSS radios do not support {rate}");
                return self.fail(&key, &problem, &format!("Its rates are {}.", list(&RADIO_RATES)));
            }
            let thresholds = &file.radio.sinr.thresholds;
            let listed = thresholds.last().is_some_and(|entry| rate <= entry.rate);
            if file.radio.reception == ReceptionModel::Sinr && !listed {
                let problem = format!("radio.sinr.thresholds has no entry for {rate}");
                let remedy = format!(
                    "Add {{ rate = \"{rate}\", sinr = \"...dB\" }} there, or choose from {}.",
                    list(&thresholds.iter().map(|entry| entry.rate).collect::<Vec<_>>())
                );
                return self.fail(&key, &problem, &remedy);
            }
        }
        Ok(())
    }

    /// Keys of the MAC that need block acknowledgment agreements, which 802.11a and g lack: there a frame ends after
    /// `mac.short_retry_limit` attempts. (dot11MaxTransmitMSDULifetime, 512 ms from the first attempt, is longer than
    /// those take.)
    fn without_agreements(&self, file: &Settings, standard: Standard) -> Result<(), ScenarioError> {
        if standard.has_aggregates() {
            return Ok(());
        }
        match given(&agreement_keys(file)) {
            Some(key) => {
                let problem = format!("{standard} has neither aggregates nor block acknowledgment");
                let remedy =
                    "Leave it out (mac.short_retry_limit limits attempts), or give radio.standard n or ac.";
                self.fail(key, &problem, remedy)
            }
            None => Ok(()),
        }
    }

    /// Keys of the MAC that need a radio with a standard.
    fn old_air(&self, file: &Settings) -> Result<(), ScenarioError> {
        let queue = ("mac.queue", file.mac.queue.is_some_and(|queue| queue != QueueRule::Fifo));
        match given(&[queue]).or(given(&agreement_keys(file))) {
            Some(key) => {
                let remedy = "Give radio.preset or radio.standard, or leave it out.";
                self.fail(key, "the MAC of 802.11b has no such key", remedy)
            }
            None => Ok(()),
        }
    }

    /// The table of costs, and the energy settings with its name and digest.
    fn costs(
        &self,
        energy: &EnergyConfig,
        base_dir: &Path,
    ) -> Result<(EnergyConfig, Arc<Costs>), ScenarioError> {
        let mut energy = energy.clone();
        let Some(file) = energy.costs.take() else { return Ok((energy, Costs::shipped())) };
        let file = joined(file, base_dir);
        let costs = match Costs::read(&file) {
            Ok(costs) => costs,
            // Errors in the table are shown in its file; an unreadable file is an error of the scenario.
            Err(costs::Unread::Wrong(error)) => return Err(error),
            Err(costs::Unread::NoFile(problem, remedy)) => {
                return self.fail("energy.costs", &problem, &remedy);
            }
        };
        let wanted = energy.costs_sha256.as_deref().filter(|digest| !digest.is_empty());
        if let Some(wanted) = wanted.filter(|digest| !digest.eq_ignore_ascii_case(&costs.sha256)) {
            let problem = format!("\"{wanted}\", but {} is now {}", file.display(), costs.sha256);
            let remedy = "Bring the table back, or leave the digest out to go by the new one.";
            return self.fail("energy.costs_sha256", &problem, remedy);
        }
        energy.costs_sha256 = Some(costs.sha256.clone());
        energy.costs = Some(file);
        Ok((energy, Arc::new(costs)))
    }

    /// Measured links must connect existing nodes.
    fn measured_links(&self, links: &[MeasuredLink], radio_nodes: u32) -> Result<(), ScenarioError> {
        for (i, link) in links.iter().enumerate() {
            for (name, node) in [("from", link.from), ("to", link.to)] {
                self.node(&format!("radio.link.{i}.{name}"), u32::from(node), radio_nodes)?;
            }
        }
        Ok(())
    }

    /// Measured links have no length.
    fn lengths(&self, settings: &Settings) -> Result<(), ScenarioError> {
        if settings.radio.links.is_empty() || settings.routing.longest_hop.is_none() {
            return Ok(());
        }
        Err(self.refused(ConfigProblem::new(
            "routing.longest_hop",
            "links are measured, so that the places of nodes say nothing of them",
            "leave out weak links by their level: radio.rx_threshold",
        )))
    }

    /// The number of nodes with a radio, and width and height of their area, if it has any; reads the movement file if
    /// there is one.
    fn ground(&self, file: &Settings) -> Result<(u32, Option<(f64, f64)>), ScenarioError> {
        let wired_only = file.topology == TopologyConfig::default()
            && file.mobility == MobilityConfig::default()
            && !file.wires.is_empty();
        if wired_only {
            return Ok((0, None));
        }
        let world = tworay_mobility::build(&file.topology, &file.mobility, 1, file.duration, Path::new(""))
            .map_err(|error| self.mobility_error(error))?;
        Ok((world.tracks.len() as u32, world.field))
    }

    fn mobility_error(&self, error: MobilityError) -> ScenarioError {
        match error {
            MobilityError::Setting(problem) => self.refused(problem),
            MobilityError::File(error) => self.refused(ConfigProblem::new(
                "mobility.file",
                format!("{}: {}", error.place(), error.problem),
                error.remedy,
            )),
        }
    }

    pub(super) fn node(&self, key: &str, node: u32, nodes: u32) -> Result<NodeId, ScenarioError> {
        match u16::try_from(node) {
            Ok(id) if node < nodes => Ok(NodeId(id)),
            _ => self.fail(key, &format!("there is no node {node}"), &numbered(nodes)),
        }
    }
}

/// The keys of the MAC about block acknowledgment agreements; true: given.
fn agreement_keys(file: &Settings) -> [(&'static str, bool); 3] {
    [
        ("mac.max_aggregate", file.mac.max_aggregate.is_some()),
        ("mac.lifetime", file.mac.lifetime.is_some()),
        ("mac.missing_block_ack", file.mac.missing_block_ack.is_some()),
    ]
}

/// The first key that is given.
fn given(keys: &[(&'static str, bool)]) -> Option<&'static str> {
    keys.iter().find(|(_, given)| *given).map(|(key, _)| *key)
}
