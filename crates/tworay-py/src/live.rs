//! Live networks: real kernels over a simulated wireless network.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tworay_live::{Child, Ended, Error, Places, Session, SessionSettings, Status, Steered, Watched};
use tworay_sim::Layer;

use crate::errors;
use crate::report::RunReport;
use crate::scenario::Scenario;

/// Adds classes and functions to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<LiveNetwork>()?;
    module.add_class::<LiveChild>()?;
    module.add_function(wrap_pyfunction!(live_missing, module)?)?;
    module.add_function(wrap_pyfunction!(live_address, module)?)?;
    module.add_function(wrap_pyfunction!(live_device, module)?)?;
    module.add_function(wrap_pyfunction!(live_host_name, module)?)?;
    module.add_function(wrap_pyfunction!(live_end_left_over, module)?)?;
    module.add_function(wrap_pyfunction!(join_namespace, module)?)?;
    module.add_function(wrap_pyfunction!(join_station, module)?)
}

fn raise(error: Error) -> PyErr {
    match error {
        Error::Input(text) | Error::Missing(text) => errors::ScenarioError::new_err(text),
        Error::Failed(text) => errors::RunError::new_err(text),
    }
}

/// A simulated wireless network between real kernels. The engine runs in its own thread, without the GIL.
#[pyclass(frozen, module = "tworay._native")]
pub(crate) struct LiveNetwork(Session);

/// Status: simulated seconds, lag, p99 of lateness, delivered bytes, connections closing, losses by cause,
/// whether it is running.
type PyStatus = (f64, f64, f64, u64, usize, Vec<(&'static str, u64)>, bool);

/// Result: the report, a problem if there was one, and the items specific to live networks as JSON.
type PyEnded = (RunReport, Option<String>, String);

#[pymethods]
impl LiveNetwork {
    /// Creates the stations and starts the network. `layer` is 2 or 3; with an empty `nodes`, the ends of
    /// the flows (layer 3) or all nodes (layer 2) have stations.
    #[staticmethod]
    #[pyo3(signature = (
        scenario, *, seed, layer, nodes, slow, most_late, limit, mtu=None, congestion=None, freeze=false, strict=false,
        pcap=None, record=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn start(
        py: Python<'_>,
        scenario: &Scenario,
        seed: u64,
        layer: u8,
        nodes: Vec<u16>,
        slow: f64,
        most_late: f64,
        limit: f64,
        mtu: Option<u16>,
        congestion: Option<String>,
        freeze: bool,
        strict: bool,
        pcap: Option<PathBuf>,
        record: bool,
    ) -> PyResult<Self> {
        let layer = if layer == 2 { Layer::Two } else { Layer::Three };
        let settings = SessionSettings {
            seed,
            layer,
            nodes,
            slow,
            most_late,
            strict,
            limit,
            mtu,
            congestion,
            freeze,
            pcap,
            record,
        };
        py.detach(|| Session::start(&scenario.world, &settings)).map(Self).map_err(raise)
    }

    /// The stations: node, and descriptors of its namespaces in this process: network, host name, files and
    /// their root directory, or without the last two.
    fn stations(&self) -> Vec<(u16, Vec<i32>)> {
        let numbers = |places: Places<i32>| {
            let files = places.files.into_iter().flat_map(|(files, root)| [files, root]);
            [places.network, places.name].into_iter().chain(files).collect()
        };
        self.0.stations().into_iter().map(|(node, places)| (node, numbers(places))).collect()
    }

    /// Why stations share all files with the host, if they do.
    fn shared_files(&self) -> Option<&str> {
        self.0.shared_files()
    }

    /// Starts a program at a node, with these environment variables in addition to this process' own;
    /// `apart` puts it in its own process group.
    fn spawn(
        &self,
        py: Python<'_>,
        node: u16,
        command: Vec<OsString>,
        env: BTreeMap<String, String>,
        apart: bool,
    ) -> PyResult<LiveChild> {
        let env: Vec<_> = env.into_iter().collect();
        py.detach(|| self.0.spawn(node, &command, &env, apart)).map(LiveChild).map_err(raise)
    }

    /// Ends every process in the network's namespaces: SIGTERM first, SIGKILL after `grace` seconds. Returns
    /// how many there were, and whether all have ended.
    fn end_processes(&self, py: Python<'_>, grace: f64) -> (usize, bool) {
        let grace = Duration::from_secs_f64(grace.clamp(0.0, 1e6));
        py.detach(|| self.0.end_processes(grace))
    }

    /// The cookies of the namespaces: numbers that no other namespace has until the machine restarts.
    fn cookies(&self) -> Vec<u64> {
        self.0.cookies()
    }

    /// Changes the network by a command of a script; returns when that was done, nanoseconds, and the command in
    /// its plain form.
    fn steer(&self, py: Python<'_>, command: &str) -> PyResult<(u64, String)> {
        let done = py.detach(|| self.0.steer(command)).map_err(raise)?;
        Ok((done.at.as_nanos(), done.words))
    }

    /// The network as its watchers see it, as JSON.
    fn view(&self) -> String {
        view(&self.0.status())
    }

    /// The current state.
    fn status(&self) -> PyStatus {
        let Status {
            sim_seconds,
            lag_seconds,
            lateness_p99_seconds,
            delivered_bytes,
            closing,
            lost,
            running,
            ..
        } = self.0.status();
        (sim_seconds, lag_seconds, lateness_p99_seconds, delivered_bytes, closing, lost, running)
    }

    /// Requests the network to stop.
    fn stop(&self) {
        self.0.stop();
    }

    /// Waits at most `seconds` for the end; `None` if it is still running.
    fn wait(&self, py: Python<'_>, seconds: f64) -> PyResult<Option<PyEnded>> {
        let most = Duration::from_secs_f64(seconds.clamp(0.0, 1e6));
        match py.detach(|| self.0.wait(most)) {
            None => Ok(None),
            Some(Err(error)) => Err(raise(error)),
            Some(Ok(ended)) => {
                let extras = extras(&ended);
                Ok(Some((RunReport::new(ended.report), ended.problem, extras)))
            }
        }
    }
}

fn view(status: &Status) -> String {
    let Watched { nodes, ranges, losses, lost, flows, steered } = &status.watched;
    serde_json::json!({
        "t": status.sim_seconds,
        "running": status.running,
        "lag": status.lag_seconds,
        "late": status.lateness_p99_seconds,
        "delivered": status.delivered_bytes,
        "causes": status.lost,
        "nodes": nodes.iter().map(|n| (n.place.x, n.place.y, n.up, n.queued)).collect::<Vec<_>>(),
        "ranges": ranges,
        "lost": lost,
        "losses": losses
            .iter()
            .map(|loss| (loss.at.as_secs_f64(), loss.flow.0, loss.cause.name(), loss.node.0))
            .collect::<Vec<_>>(),
        "flows": flows
            .iter()
            .map(|flow| (flow.flow.0, flow.ends[0].0, flow.ends[1].0, flow.delivered))
            .collect::<Vec<_>>(),
        "steered": lines(steered),
    })
    .to_string()
}

/// Changes as the lines of a script.
fn lines(steered: &[Steered]) -> Vec<String> {
    let nanos = |at: u64| format!("{}.{:09}", at / 1_000_000_000, at % 1_000_000_000);
    steered.iter().map(|one| format!("{}s {}", nanos(one.at.as_nanos()), one.words)).collect()
}

fn extras(ended: &Ended) -> String {
    let late = &ended.lateness;
    serde_json::json!({
        "lateness": {
            "wakeups": late.count(),
            "p50_seconds": late.quantile_seconds(0.5),
            "p99_seconds": late.quantile_seconds(0.99),
            "max_seconds": late.max_seconds(),
            "histogram": late.buckets(),
        },
        "late_spans": ended.late.iter().map(|span| serde_json::json!({
            "from_seconds": span.from.as_secs_f64(),
            "to_seconds": span.to.as_secs_f64(),
            "max_seconds": span.seconds,
        })).collect::<Vec<_>>(),
        "ended_early": ended.problem,
        "started_monotonic_ns": ended.started_nanos,
        "refused": ended.refused,
        "not_taken": ended.not_taken,
        "kept_while_frozen": ended.kept,
        "freezes": ended.freezes.iter().map(|(flow, node, freeze)| serde_json::json!({
            "flow": flow.0,
            "node": node.0,
            "from_seconds": freeze.since.as_secs_f64(),
            "to_seconds": freeze.until.as_secs_f64(),
            "route_lost_seconds": freeze.route_lost.map(|at| at.as_secs_f64()),
            "route_back_seconds": freeze.route_back.map(|at| at.as_secs_f64()),
        })).collect::<Vec<_>>(),
        "time_exceeded": ended.expired,
        "steered": lines(&ended.steered),
        "connections": ended.connections.iter().map(|(flow, opened, protocol, ends)| serde_json::json!({
            "flow": flow.0,
            "protocol": protocol,
            "started_seconds": opened.as_secs_f64(),
            "ends": ends.map(|end| serde_json::json!({
                "node": end.node.0,
                "address": end.socket.0.to_string(),
                "port": end.socket.1,
                "initial_sequence": end.initial,
            })),
        })).collect::<Vec<_>>(),
    })
    .to_string()
}

/// A program running at a node of a live network.
#[pyclass(frozen, module = "tworay._native")]
pub(crate) struct LiveChild(Child);

#[pymethods]
impl LiveChild {
    /// Process id.
    #[getter]
    fn pid(&self) -> u32 {
        self.0.pid
    }

    /// Waits at most `seconds` for the program's end: its exit code, or `None` if it is still running.
    fn wait(&self, py: Python<'_>, seconds: f64) -> Option<i32> {
        let most = Duration::from_secs_f64(seconds.clamp(0.0, 1e6));
        py.detach(|| self.0.wait(most))
    }
}

/// Things that this machine lacks for live networks, in one sentence; `None` if nothing.
#[pyfunction]
fn live_missing(py: Python<'_>) -> Option<String> {
    py.detach(tworay_live::missing)
}

/// IPv4 address of a node's station.
#[pyfunction]
fn live_address(node: u16) -> String {
    tworay_live::session::address(node).to_string()
}

/// Name of a node's device in its namespace.
#[pyfunction]
fn live_device(node: u16) -> String {
    tworay_live::session::device(node)
}

/// Ends the processes in namespaces with these cookies, whose network has ended. Returns how many there were.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python hands over")]
fn live_end_left_over(py: Python<'_>, cookies: Vec<u64>) -> usize {
    py.detach(|| tworay_live::end_left_over(&cookies))
}

/// Moves the calling thread into the network namespace given by a file.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python hands over")]
fn join_namespace(path: PathBuf) -> PyResult<()> {
    Ok(tworay_live::join_namespace(&path)?)
}

/// Moves the calling thread into a station's namespaces, given by files (`/proc/PID/fd/N`) in the order of
/// `LiveNetwork.stations`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python hands over")]
fn join_station(places: Vec<PathBuf>) -> PyResult<()> {
    let places: Vec<&Path> = places.iter().map(PathBuf::as_path).collect();
    let (&[network, name], files) = match places.as_slice() {
        [network, name] => (&[*network, *name], None),
        [network, name, files, root] => (&[*network, *name], Some((*files, *root))),
        _ => return Err(PyValueError::new_err("a station has two or four files")),
    };
    Ok(tworay_live::join_station(&Places { network, name, files })?)
}

/// Host name of a node of a scenario with these names.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python hands over")]
fn live_host_name(names: BTreeMap<String, u16>, node: u16) -> String {
    tworay_live::session::host_name(&names, node)
}
