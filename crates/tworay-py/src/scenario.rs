//! Scenarios: loading, overriding, listing, converting.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::custom::Custom;
use crate::{errors, simulator};

/// Two nodes, the mean hops between them, and the fraction of time without a path.
type PairPath = (u16, u16, Option<f64>, f64);

/// A validated scenario; immutable, cheap to share between threads.
#[pyclass(frozen, module = "tworay._native")]
pub(crate) struct Scenario {
    pub(crate) world: Arc<simulator::Scenario>,
    /// Variants written in Python, each with the range of TCP flows that use it.
    pub(crate) custom: Vec<(Custom, Range<usize>)>,
}

/// A variant as given in Python: its name, or name, recovery and class of one written in Python.
#[derive(FromPyObject)]
pub(crate) enum Choice {
    Named(String),
    Custom(String, String, Py<PyAny>),
}

fn traffic(flowless: bool) -> simulator::Traffic {
    if flowless { simulator::Traffic::Stations } else { simulator::Traffic::Flows }
}

#[pymethods]
impl Scenario {
    /// Loads a built-in scenario by name or a TOML file by path, and applies `key=value` overrides.
    /// `flowless` also accepts one without flows, for a live network.
    #[staticmethod]
    #[pyo3(signature = (source, overrides = Vec::new(), flowless = false))]
    fn load(py: Python<'_>, source: &str, overrides: Vec<String>, flowless: bool) -> PyResult<Self> {
        py.detach(|| simulator::Scenario::load_for(source, &overrides, traffic(flowless)))
            .map(Self::wrap)
            .map_err(errors::scenario)
    }

    /// Reads a scenario from TOML text; relative file names start at `base_dir`.
    #[staticmethod]
    #[pyo3(signature = (text, file_name, base_dir, overrides = Vec::new(), flowless = false))]
    fn from_toml(
        py: Python<'_>,
        text: &str,
        file_name: &str,
        base_dir: PathBuf,
        overrides: Vec<String>,
        flowless: bool,
    ) -> PyResult<Self> {
        let traffic = traffic(flowless);
        py.detach(|| simulator::Scenario::from_toml_for(text, file_name, &base_dir, &overrides, traffic))
            .map(Self::wrap)
            .map_err(errors::scenario)
    }

    /// The same scenario with all TCP flows using `variant`.
    fn with_variant(&self, variant: &str) -> PyResult<Self> {
        self.world.with_variant(variant).map(Self::wrap).map_err(errors::scenario)
    }

    /// The same scenario with all TCP flows using `variant`, a subclass of `tworay.CongestionControl`,
    /// under this name. `recovery` selects the loss recovery: tahoe, reno, newreno or sack.
    fn with_custom_variant(&self, name: String, recovery: &str, variant: Py<PyAny>) -> PyResult<Self> {
        let custom = Custom::new(name, recovery, variant)?;
        // Until it runs, the variant is only a name; its behaviour is created for each run.
        let world = self.world.with_custom_variant(&custom.placeholder());
        let flows = 0..world.tcp_flow_count();
        Ok(Self { world: Arc::new(world), custom: vec![(custom, flows)] })
    }

    /// The same scenario with a variant for each TCP flow, in their order.
    fn with_flow_variants(&self, variants: Vec<Choice>) -> PyResult<Self> {
        let mut custom = Vec::new();
        let mut chosen = Vec::with_capacity(variants.len());
        for (flow, choice) in variants.into_iter().enumerate() {
            chosen.push(match choice {
                Choice::Named(name) => simulator::Scenario::read_variant(&name).map_err(errors::scenario)?,
                Choice::Custom(name, recovery, class) => {
                    let one = Custom::new(name, &recovery, class)?;
                    let placeholder = one.placeholder();
                    custom.push((one, flow..flow + 1));
                    placeholder
                }
            });
        }
        let mut world = simulator::Scenario::clone(&self.world);
        world.set_flow_variants(|place| chosen.get(place).cloned());
        Ok(Self { world: Arc::new(world), custom })
    }

    /// The same scenario with start times in milliseconds, one for each flow.
    fn with_starts(&self, py: Python<'_>, milliseconds: Vec<u64>) -> PyResult<Self> {
        let starts: Vec<_> = milliseconds
            .into_iter()
            .map(|start| simulator::SimTime::ZERO + simulator::SimDuration::from_millis(start))
            .collect();
        let world = self.world.with_starts(&starts).map_err(errors::scenario)?;
        let custom = self.custom.iter().map(|(one, flows)| (one.copied(py), flows.clone())).collect();
        Ok(Self { world: Arc::new(world), custom })
    }

    /// The same scenario with the lines of a script as further events; `name` is the script's file.
    fn with_script(&self, py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        let world = self.world.with_script(text, name).map_err(errors::scenario)?;
        let custom = self.custom.iter().map(|(one, flows)| (one.copied(py), flows.clone())).collect();
        Ok(Self { world: Arc::new(world), custom })
    }

    /// Number of flows, TCP or not.
    #[getter]
    fn flows(&self) -> usize {
        self.world.flows.len()
    }

    /// Number of TCP flows.
    #[getter]
    fn tcp_flows(&self) -> usize {
        self.world.tcp_flow_count()
    }

    /// Numbers of the TCP flows.
    #[getter]
    fn over_tcp(&self) -> Vec<usize> {
        self.world.tcp_flows().collect()
    }

    /// True if its radio sends frames in aggregates, whose acknowledgments arrive in bursts.
    #[getter]
    fn has_aggregates(&self) -> bool {
        self.world.has_aggregates()
    }

    /// The scenario as complete TOML: every setting, defaults included.
    fn to_toml(&self) -> String {
        self.world.to_toml()
    }

    /// The scenario as stored with results, and the text of its own table of costs, if any; the TOML refers
    /// to that table as `costs` in the same directory. `names` renames variants written in Python.
    #[pyo3(signature = (costs, names = BTreeMap::new()))]
    fn to_keep(&self, costs: &str, names: BTreeMap<String, String>) -> (String, Option<String>) {
        let mut world = Arc::clone(&self.world);
        for (custom, flows) in &self.custom {
            let Some(name) = names.get(custom.name()) else { continue };
            let renamed = custom.placeholder_named(name);
            let world = Arc::make_mut(&mut world);
            world.set_flow_variants(|place| flows.contains(&place).then(|| renamed.clone()));
            if world.variant.name() == custom.name() {
                world.variant = renamed;
            }
        }
        let (toml, table) = world.to_keep(costs);
        (toml, table.map(str::to_owned))
    }

    /// The variants written in Python that TCP flows use, each with its name.
    #[getter]
    fn custom(&self, py: Python<'_>) -> Vec<(String, Py<PyAny>)> {
        self.custom.iter().map(|(custom, _)| (custom.name().to_owned(), custom.class(py))).collect()
    }

    /// The full name of a variant, the same for all its spellings.
    #[staticmethod]
    fn spelt_out(variant: &str) -> PyResult<String> {
        simulator::Scenario::read_variant(variant).map(|found| found.spelt_out()).map_err(errors::scenario)
    }

    /// The scenario's name.
    #[getter]
    fn name(&self) -> String {
        self.world.name().to_string()
    }

    /// Mean shortest-path hops between flow ends (`None` if no path ever exists), and the fraction of time
    /// without a path.
    fn facts(&self, py: Python<'_>, seed: u64) -> PyResult<(Option<f64>, f64)> {
        self.paths(py, seed).map(|(hops, share, _)| (hops, share))
    }

    /// The facts, and the fraction of time without a path for each flow.
    fn paths(&self, py: Python<'_>, seed: u64) -> PyResult<(Option<f64>, f64, Vec<f64>)> {
        let (facts, flows) = py.detach(|| simulator::facts(&self.world, seed)).map_err(errors::run)?;
        // The simulator reports zero hops if there never was a path.
        let hops = Some(facts.mean_shortest_path_hops).filter(|hops| hops.is_finite() && *hops > 0.0);
        let shares = flows.iter().map(|path| path.facts.partitioned_fraction()).collect();
        Ok((hops, facts.partitioned_fraction, shares))
    }

    /// For every two nodes: their numbers, the mean hops of the shortest path while there is one (`None` if
    /// there never is), and the fraction of time without.
    fn pair_paths(&self, py: Python<'_>, seed: u64) -> PyResult<Vec<PairPath>> {
        let pairs = py.detach(|| simulator::pair_paths(&self.world, seed)).map_err(errors::run)?;
        Ok(pairs.iter().map(|((a, b), f)| (a.0, b.0, f.mean_hops(), f.partitioned_fraction())).collect())
    }

    /// Warnings for flows that have no path for these fractions of the time; distances are those in the run
    /// with `seed`.
    fn path_warnings(&self, py: Python<'_>, seed: u64, shares: Vec<f64>) -> PyResult<Vec<String>> {
        let (_, flows) = py.detach(|| simulator::facts(&self.world, seed)).map_err(errors::run)?;
        let words = (0u16..).zip(flows.iter().zip(shares));
        let said = words.flat_map(|(i, (path, share))| {
            path.words(i, share).into_iter().chain(path.oversized(i)).chain(path.beyond_end(i))
        });
        Ok(said.map(|warning| warning.text).collect())
    }

    /// The same scenario under saturation: datagrams in place of TCP, without an energy model.
    fn saturated(&self) -> Self {
        Self::wrap(self.world.saturated())
    }

    /// Highest rate at which a node can send, bit/s: that of its fastest wire, or of its radio.
    fn access_bps(&self, node: u16) -> f64 {
        self.world.access_rate(simulator::NodeId(node)).as_bps() as f64
    }

    /// Numbers of the nodes that have a name.
    #[getter]
    fn names(&self) -> BTreeMap<String, u16> {
        self.world.settings.names.clone()
    }

    /// True if its routing takes a frame that the MAC gave up for a broken link.
    #[getter]
    fn heeds_link_layer(&self) -> bool {
        self.world.settings.routing.heeds_link_layer()
    }

    /// Number of nodes.
    #[getter]
    fn nodes(&self) -> u32 {
        self.world.node_count()
    }

    /// Estimated memory of a run, bytes.
    fn memory(&self, py: Python<'_>, seed: u64) -> PyResult<u64> {
        py.detach(|| simulator::memory(&self.world, seed)).map_err(errors::run)
    }

    /// Estimated memory of a run's tables, bytes: time series and events of wires, and the record.
    fn memory_of_tables(&self, py: Python<'_>, seed: u64, series: bool, record: bool) -> PyResult<u64> {
        let options = simulator::RunOptions { seed, series, record, ..simulator::RunOptions::default() };
        py.detach(|| simulator::memory_of_tables(&self.world, &options)).map_err(errors::run)
    }

    /// Estimated resources of a run: initial memory in bytes, and processor time in seconds.
    fn estimate(&self, py: Python<'_>, seed: u64) -> PyResult<(u64, f64)> {
        py.detach(|| simulator::estimate(&self.world, seed))
            .map(|e| (e.bytes, e.seconds))
            .map_err(errors::run)
    }

    fn __repr__(&self) -> String {
        format!("<tworay.Scenario {:?}>", self.world.name())
    }
}

impl Scenario {
    fn wrap(scenario: simulator::Scenario) -> Self {
        Self { world: Arc::new(scenario), custom: Vec::new() }
    }
}

/// `(name, summary, example)` of every built-in scenario or family of them.
#[pyfunction]
pub(crate) fn builtin_scenarios() -> Vec<(String, String, String)> {
    simulator::builtin_list().into_iter().map(|entry| (entry.name, entry.summary, entry.example)).collect()
}

/// The TOML text of a built-in scenario, or `None`.
#[pyfunction]
pub(crate) fn builtin_text(name: &str) -> Option<String> {
    simulator::builtin_text(name)
}

/// The JSON Schema of the scenario file, as JSON text.
#[pyfunction]
pub(crate) fn json_schema() -> String {
    simulator::json_schema().to_string()
}

/// Generates a scenario file (TOML text) from a movement file, an ns-2 traffic file and flows written
/// `from:to:application`; `output` is the path at which the text will be written.
#[pyfunction]
#[pyo3(signature = (movement, traffic = None, flows = Vec::new(), output = None))]
pub(crate) fn convert(
    py: Python<'_>,
    movement: PathBuf,
    traffic: Option<PathBuf>,
    flows: Vec<String>,
    output: Option<PathBuf>,
) -> PyResult<String> {
    py.detach(|| simulator::convert(&movement, traffic.as_deref(), &flows, output.as_deref()))
        .map_err(errors::scenario)
}

/// The `[[flow]]` tables (TOML text) for flows written `from:to:application`.
#[pyfunction]
pub(crate) fn flow_tables(flows: Vec<String>) -> PyResult<String> {
    simulator::flow_tables(&flows).map_err(errors::scenario)
}

/// Parses the output format of movement: `ns2` or `netanim`.
fn move_format(name: &str) -> PyResult<simulator::MoveFormat> {
    match name {
        "ns2" => Ok(simulator::MoveFormat::Ns2),
        "netanim" => Ok(simulator::MoveFormat::NetAnim),
        _ => Err(PyValueError::new_err(format!("format \"{name}\" is unknown; allowed are ns2 and netanim"))),
    }
}

/// Movement in a run of `scenario`.
#[pyfunction]
pub(crate) fn moves(py: Python<'_>, scenario: &Scenario, seed: u64, format: &str) -> PyResult<String> {
    let format = move_format(format)?;
    py.detach(|| simulator::moves(&scenario.world, seed, format)).map_err(errors::scenario)
}

/// Movement from a movement file.
#[pyfunction]
pub(crate) fn moves_of_file(py: Python<'_>, path: PathBuf, format: &str) -> PyResult<String> {
    let format = move_format(format)?;
    py.detach(|| simulator::moves_of_file(&path, format)).map_err(errors::scenario)
}

/// `(name, default, minimum, maximum, meaning, words)` of a variant's parameter; for a choice the default
/// is an index in `words`.
type PyParameter = (String, Option<f64>, f64, f64, String, Vec<String>);

/// `(event, action, source)` of a variant's rule.
type PyRule = (&'static str, &'static str, &'static str);

/// `(name, summary, source, parameters, rules, recoveries)` of every TCP variant.
type PyVariant = (String, String, String, Vec<PyParameter>, Vec<PyRule>, Vec<&'static str>);

/// Every TCP variant.
#[pyfunction]
pub(crate) fn variants() -> Vec<PyVariant> {
    simulator::variants()
        .iter()
        .map(|v| {
            let parameters = v
                .parameters
                .iter()
                .map(|p| {
                    let words = p.choices.iter().map(|c| (*c).to_string()).collect();
                    (p.name.to_string(), p.default, p.min, p.max, p.about.to_string(), words)
                })
                .collect();
            let rules = v.rules.iter().map(|r| (r.event.words(), r.action, r.source)).collect();
            let with = simulator::recoveries(v.name).iter().map(|kind| kind.name()).collect();
            (v.name.to_string(), v.summary.to_string(), v.source.to_string(), parameters, rules, with)
        })
        .collect()
}
