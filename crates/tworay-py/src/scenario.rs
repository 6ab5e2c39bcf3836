//! Scenarios: loading, overriding, listing, converting.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::custom::Custom;
use crate::{core, errors};

/// A checked scenario; immutable, cheap to share between threads.
#[pyclass(frozen, module = "tworay._native")]
pub(crate) struct Scenario {
    pub(crate) world: Arc<core::Scenario>,
    /// Variants written in Python, each with the TCP flows that run it (places among the TCP flows).
    pub(crate) custom: Vec<(Custom, Range<usize>)>,
}

/// A variant in Python's words: its name, or the name, recovery and class of one written in Python.
#[derive(FromPyObject)]
pub(crate) enum Choice {
    Named(String),
    Custom(String, String, Py<PyAny>),
}

#[pymethods]
impl Scenario {
    /// Loads a built-in scenario by name or a TOML file by path, and applies `key=value` overrides.
    #[staticmethod]
    #[pyo3(signature = (source, overrides = Vec::new()))]
    fn load(py: Python<'_>, source: &str, overrides: Vec<String>) -> PyResult<Self> {
        py.detach(|| core::Scenario::load(source, &overrides)).map(Self::wrap).map_err(errors::scenario)
    }

    /// Reads a scenario from TOML text; `base_dir` is where relative file names start.
    #[staticmethod]
    #[pyo3(signature = (text, file_name, base_dir, overrides = Vec::new()))]
    fn from_toml(
        py: Python<'_>,
        text: &str,
        file_name: &str,
        base_dir: PathBuf,
        overrides: Vec<String>,
    ) -> PyResult<Self> {
        py.detach(|| core::Scenario::from_toml(text, file_name, &base_dir, &overrides))
            .map(Self::wrap)
            .map_err(errors::scenario)
    }

    /// The same world with every TCP flow running `variant`.
    fn with_variant(&self, variant: &str) -> PyResult<Self> {
        self.world.with_variant(variant).map(Self::wrap).map_err(errors::scenario)
    }

    /// The same world with every TCP flow running `variant`, a subclass of `tworay.CongestionControl`,
    /// under this name. `recovery` says how losses are repaired: tahoe, reno, newreno or sack.
    fn with_custom_variant(&self, name: String, recovery: &str, variant: Py<PyAny>) -> PyResult<Self> {
        let custom = Custom::new(name, recovery, variant)?;
        // Until it runs the variant is a name only: what it does is made for each run anew.
        let world = self.world.with_custom_variant(&custom.placeholder());
        let flows = 0..world.tcp_flow_count();
        Ok(Self { world: Arc::new(world), custom: vec![(custom, flows)] })
    }

    /// The same world with a variant for each TCP flow, in their order.
    fn with_flow_variants(&self, variants: Vec<Choice>) -> PyResult<Self> {
        let mut custom = Vec::new();
        let mut chosen = Vec::with_capacity(variants.len());
        for (flow, choice) in variants.into_iter().enumerate() {
            chosen.push(match choice {
                Choice::Named(name) => core::Scenario::read_variant(&name).map_err(errors::scenario)?,
                Choice::Custom(name, recovery, class) => {
                    let one = Custom::new(name, &recovery, class)?;
                    let placeholder = one.placeholder();
                    custom.push((one, flow..flow + 1));
                    placeholder
                }
            });
        }
        let mut world = core::Scenario::clone(&self.world);
        world.set_flow_variants(|place| chosen.get(place).cloned());
        Ok(Self { world: Arc::new(world), custom })
    }

    /// How many TCP flows there are.
    #[getter]
    fn tcp_flows(&self) -> usize {
        self.world.tcp_flow_count()
    }

    /// The scenario as complete TOML: every setting, defaults included.
    fn to_toml(&self) -> String {
        self.world.to_toml()
    }

    /// The scenario as it is kept with results, and the text of its own table of costs, if it has one: the
    /// TOML names that table `costs`, beside it. `names` has new names of variants written in Python.
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

    /// The variants written in Python that TCP flows run, each with its name.
    #[getter]
    fn custom(&self, py: Python<'_>) -> Vec<(String, Py<PyAny>)> {
        self.custom.iter().map(|(custom, _)| (custom.name().to_owned(), custom.class(py))).collect()
    }

    /// A variant's name spelt out: the same text for all ways to write it.
    #[staticmethod]
    fn spelt_out(variant: &str) -> PyResult<String> {
        core::Scenario::read_variant(variant).map(|found| found.spelt_out()).map_err(errors::scenario)
    }

    /// The scenario's name.
    #[getter]
    fn name(&self) -> String {
        self.world.name().to_string()
    }

    /// Mean shortest-path hops between flow ends (`None` where no path ever exists) and the share of
    /// time they have none.
    fn facts(&self, py: Python<'_>, seed: u64) -> PyResult<(Option<f64>, f64)> {
        self.paths(py, seed).map(|(hops, share, _)| (hops, share))
    }

    /// The facts, and the share of time without a path flow by flow.
    fn paths(&self, py: Python<'_>, seed: u64) -> PyResult<(Option<f64>, f64, Vec<f64>)> {
        let (facts, flows) = py.detach(|| core::facts(&self.world, seed)).map_err(errors::run)?;
        // Zero hops is the core's way to say that there never was a path.
        let hops = Some(facts.mean_shortest_path_hops).filter(|hops| hops.is_finite() && *hops > 0.0);
        let shares = flows.iter().map(|path| path.facts.partitioned_fraction()).collect();
        Ok((hops, facts.partitioned_fraction, shares))
    }

    /// What there is to say about flows that have no path for these shares of the time; distances are those of
    /// the world of `seed`.
    fn path_warnings(&self, py: Python<'_>, seed: u64, shares: Vec<f64>) -> PyResult<Vec<String>> {
        let (_, flows) = py.detach(|| core::facts(&self.world, seed)).map_err(errors::run)?;
        let words = (0u16..).zip(flows.iter().zip(shares));
        Ok(words.filter_map(|(i, (path, share))| path.words(i, share)).map(|warning| warning.text).collect())
    }

    /// The same world under as much load as it can carry: datagrams in place of TCP, without energy.
    fn saturated(&self) -> Self {
        Self::wrap(self.world.saturated())
    }

    /// Bits a second at which a node can send at all: on its fastest wire, or by its radio.
    fn access_bps(&self, node: u16) -> f64 {
        self.world.access_rate(core::NodeId(node)).as_bps() as f64
    }

    /// How many nodes there are.
    #[getter]
    fn nodes(&self) -> u32 {
        self.world.node_count()
    }

    /// What a run takes, by rules of thumb: memory to begin with, bytes, and processor time, seconds.
    fn estimate(&self, py: Python<'_>, seed: u64) -> PyResult<(u64, f64)> {
        py.detach(|| self.world.estimate(seed)).map(|e| (e.bytes, e.seconds)).map_err(errors::run)
    }

    fn __repr__(&self) -> String {
        format!("<tworay.Scenario {:?}>", self.world.name())
    }
}

impl Scenario {
    fn wrap(scenario: core::Scenario) -> Self {
        Self { world: Arc::new(scenario), custom: Vec::new() }
    }
}

/// `(name, summary, example)` of every built-in scenario or family of them.
#[pyfunction]
pub(crate) fn builtin_scenarios() -> Vec<(String, String, String)> {
    core::builtin_list().into_iter().map(|entry| (entry.name, entry.summary, entry.example)).collect()
}

/// The TOML text of a built-in scenario, or `None`.
#[pyfunction]
pub(crate) fn builtin_text(name: &str) -> Option<String> {
    core::builtin_text(name)
}

/// The JSON Schema of the scenario file, as JSON text.
#[pyfunction]
pub(crate) fn json_schema() -> String {
    core::json_schema().to_string()
}

/// A scenario file (TOML text) made from a movement file, an ns-2 traffic file and flows written
/// `from:to:application`; `output` is where the text will be written.
#[pyfunction]
#[pyo3(signature = (movement, traffic = None, flows = Vec::new(), output = None))]
pub(crate) fn convert(
    py: Python<'_>,
    movement: PathBuf,
    traffic: Option<PathBuf>,
    flows: Vec<String>,
    output: Option<PathBuf>,
) -> PyResult<String> {
    py.detach(|| core::convert(&movement, traffic.as_deref(), &flows, output.as_deref()))
        .map_err(errors::scenario)
}

/// The `[[flow]]` tables (TOML text) of flows written `from:to:application`.
#[pyfunction]
pub(crate) fn flow_tables(flows: Vec<String>) -> PyResult<String> {
    core::flow_tables(&flows).map_err(errors::scenario)
}

/// How nodes move, as an ns-2 movement file (`ns2`) or NetAnim's XML (`netanim`).
fn move_format(name: &str) -> PyResult<core::MoveFormat> {
    match name {
        "ns2" => Ok(core::MoveFormat::Ns2),
        "netanim" => Ok(core::MoveFormat::NetAnim),
        _ => Err(PyValueError::new_err(format!("format \"{name}\" is unknown; allowed are ns2 and netanim"))),
    }
}

/// The moves of a run of `scenario`.
#[pyfunction]
pub(crate) fn moves(py: Python<'_>, scenario: &Scenario, seed: u64, format: &str) -> PyResult<String> {
    let format = move_format(format)?;
    py.detach(|| core::moves(&scenario.world, seed, format)).map_err(errors::scenario)
}

/// The moves of a movement file.
#[pyfunction]
pub(crate) fn moves_of_file(py: Python<'_>, path: PathBuf, format: &str) -> PyResult<String> {
    let format = move_format(format)?;
    py.detach(|| core::moves_of_file(&path, format)).map_err(errors::scenario)
}

/// `(name, default, minimum, maximum, meaning, words)` of a variant's parameter; of a choice between
/// words the default is a place in their list.
type PyParameter = (String, Option<f64>, f64, f64, String, Vec<String>);

/// `(name, summary, source, parameters)` of every TCP variant.
#[pyfunction]
pub(crate) fn variants() -> Vec<(String, String, String, Vec<PyParameter>)> {
    core::variants()
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
            (v.name.to_string(), v.summary.to_string(), v.source.to_string(), parameters)
        })
        .collect()
}
