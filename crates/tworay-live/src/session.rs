//! A live network from its user's view: start it, observe it, run programs in it, stop it.

use crate::connections::{Connection, End as Socket};
use crate::device::{Plan, Station};
use crate::diag;
use crate::engine::{End, Engine, Progress, Rules, ask_for_priority};
use crate::freeze::Freeze;
use crate::home::Identity;
use crate::keeper::Keeper;
use crate::late::LateSpan;
use crate::lateness::Lateness;
use crate::namespace::{Child, Namespace, Places};
use crate::processes;
use crate::watched::{Order, Steered, Watched};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tworay_base::{FlowId, NodeId, SimDuration, SimTime};
use tworay_sim::scenario::Scenario;
use tworay_sim::{Layer, Live, LiveOptions, MOST_MTU, RunReport};

/// The minimum of IPv4 (RFC 791).
const LEAST_MTU: u16 = 68;
/// Most files that a station holds open: four for namespaces, its device, a socket, and some for a program's start.
const FILES_OF_A_STATION: u64 = 12;
/// An order that is not done by then never is: the engine has ended.
const OBEYED_WITHIN: Duration = Duration::from_secs(10);
/// IPv4 and TCP headers with timestamps, bytes.
const HEADERS: u64 = 52;

/// Settings of a live network.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionSettings {
    /// Seed of all random streams.
    pub seed: u64,
    /// Layer at which stations exchange packets.
    pub layer: Layer,
    /// Nodes with a station; if empty, the ends of the TCP flows on layer 3, all nodes on layer 2.
    pub nodes: Vec<u16>,
    /// Factor by which the network runs slower than real time, at least 1.
    pub slow: f64,
    /// Largest lateness that goes unmarked, seconds of real time.
    pub most_late: f64,
    /// True to stop when it is exceeded.
    pub strict: bool,
    /// Time limit, simulated seconds.
    pub limit: f64,
    /// Largest IP packet in bytes; default: the scenario's segments just fit (layer 3), or 1500 (layer 2).
    pub mtu: Option<u16>,
    /// Congestion control of the kernels; the host's default if `None`.
    pub congestion: Option<String>,
    /// True to freeze senders while their route is broken.
    pub freeze: bool,
    /// Path of a capture file.
    pub pcap: Option<PathBuf>,
    /// True to record every segment, frame, queue length, route and movement.
    pub record: bool,
}

/// Why a live network failed or could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The user's input is wrong.
    #[error("{0}")]
    Input(String),
    /// The machine lacks a requirement.
    #[error("{0}")]
    Missing(String),
    /// An operation failed.
    #[error("{0}")]
    Failed(String),
}

/// State of a network at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Simulated time, seconds.
    pub sim_seconds: f64,
    /// Lag of simulated time behind the clock, real seconds.
    pub lag_seconds: f64,
    /// The 99th percentile of lateness so far, real seconds.
    pub lateness_p99_seconds: f64,
    /// Payload delivered so far, bytes.
    pub delivered_bytes: u64,
    /// TCP connections of which one end has sent its FIN, but the closing is not complete.
    pub closing: usize,
    /// Segments lost so far by cause.
    pub lost: Vec<(&'static str, u64)>,
    /// The network as its watchers see it.
    pub watched: Watched,
    /// True if it still runs.
    pub running: bool,
}

/// One end of a connection.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ConnectionEnd {
    /// Its address and port.
    pub socket: Socket,
    /// Its node.
    pub node: NodeId,
    /// The sequence number of its SYN; `None` for anything but TCP, and if it sent nothing.
    pub initial: Option<u32>,
}

/// Results of a network that has ended.
#[derive(Debug)]
pub struct Ended {
    /// The same report as that of a simulation run.
    pub report: RunReport,
    /// Why it ended early, if it did; a sentence.
    pub problem: Option<String>,
    /// Lateness of the engine.
    pub lateness: Lateness,
    /// Times in which it was later than permitted.
    pub late: Vec<LateSpan>,
    /// The kernels' time (CLOCK_MONOTONIC, ns) at simulated time 0.
    pub started_nanos: u64,
    /// Packets of the kernels that were not carried, by reason.
    pub refused: BTreeMap<&'static str, u64>,
    /// Packets that a kernel did not accept.
    pub not_taken: u64,
    /// Packets withheld from the network while their sender was frozen.
    pub kept: u64,
    /// Freezes that have ended: flow, node of the sender, and times.
    pub freezes: Vec<(FlowId, NodeId, Freeze)>,
    /// Packets whose hop limit ran out in the simulated network and that were answered with ICMP.
    pub expired: u64,
    /// Flow, time of the first packet, number of the IP protocol, and both ends of each connection, in the order of the flows.
    pub connections: Vec<(FlowId, SimTime, u8, [ConnectionEnd; 2])>,
    /// Changes made while it ran, in order of time.
    pub steered: Vec<Steered>,
}

/// Access to a station for starting programs.
#[derive(Clone, Debug)]
struct Door {
    node: NodeId,
    namespace: Arc<Namespace>,
}

/// A live network.
#[derive(Debug)]
pub struct Session {
    // Declared first, so that processes in the namespaces end before the namespaces do.
    _keeper: Keeper,
    doors: Vec<Door>,
    scenario: Scenario,
    orders: Sender<Order>,
    stop: Arc<AtomicBool>,
    status: Arc<Mutex<Status>>,
    ended: Mutex<Receiver<Result<Ended, Error>>>,
}

impl Session {
    /// Creates the stations and starts the network.
    pub fn start(scenario: &Scenario, settings: &SessionSettings) -> Result<Self, Error> {
        let nodes = nodes(scenario, settings)?;
        let mtu = mtu(scenario, settings)?;
        if let Some(missing) = crate::missing() {
            return Err(Error::Missing(missing));
        }
        let (own, settings) = (scenario.clone(), settings.clone());
        let scenario = scenario.clone();
        let (orders, ordered) = channel();
        let (stop, status) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Status::default())));
        let (ready, becomes_ready) = channel();
        let (end, ended) = channel();
        let shared = (Arc::clone(&stop), Arc::clone(&status));
        let work = move || {
            let mut engine = match set_up(&scenario, &settings, &nodes, mtu) {
                Ok(engine) => engine,
                Err(error) => {
                    let _ = ready.send(Err(error));
                    return;
                }
            };
            engine.helm.orders = Some(ordered);
            let doors =
                engine.stations.iter().map(|s| Door { node: s.node, namespace: Arc::clone(&s.namespace) });
            let told = diag::watch(&engine.stations, engine.connections.asked.clone(), Arc::clone(&shared.0));
            let told = match told {
                Ok(told) => told,
                Err(error) => {
                    let _ = ready.send(Err(Error::Failed(format!("the kernels can't be asked: {error}"))));
                    return;
                }
            };
            let _ = ready.send(Ok(doors.collect::<Vec<_>>()));
            ask_for_priority();
            let _ = end.send(work_off(engine, &shared.0, &told, &shared.1));
        };
        let failed = |e| Error::Failed(format!("no thread for the network: {e}"));
        std::thread::Builder::new().name("live-engine".into()).spawn(work).map_err(failed)?;
        let gone =
            || Error::Failed("the network stopped while it was set up (a bug: please report it)".into());
        let doors = becomes_ready.recv().map_err(|_| gone())??;
        let namespaces: Vec<_> = doors.iter().map(|door| Arc::clone(&door.namespace)).collect();
        let keeper = Keeper::start(&namespaces).map_err(|e| Error::Failed(format!("can't start sh: {e}")))?;
        Ok(Self { _keeper: keeper, doors, scenario: own, orders, stop, status, ended: Mutex::new(ended) })
    }

    /// The stations: node, and descriptors of its namespaces in this process.
    pub fn stations(&self) -> Vec<(u16, Places<RawFd>)> {
        self.doors.iter().map(|door| (door.node.0, door.namespace.raw_fds())).collect()
    }

    /// Why stations share all files with the host, if they do: mounts are forbidden.
    pub fn shared_files(&self) -> Option<&str> {
        self.doors.iter().find_map(|door| door.namespace.shared_files.as_deref())
    }

    /// Starts a program at a node, with these environment variables in addition to this process' own;
    /// `apart` puts it in its own process group.
    pub fn spawn(
        &self,
        node: u16,
        command: &[OsString],
        env: &[(String, String)],
        apart: bool,
    ) -> Result<Child, Error> {
        let Some(door) = self.doors.iter().find(|door| door.node.0 == node) else {
            return Err(Error::Input(format!("node {node} has no station here")));
        };
        let [program, arguments @ ..] = command else {
            return Err(Error::Input("no command is given".into()));
        };
        let mut order = Command::new(program);
        order.args(arguments).envs(env.iter().map(|(k, v)| (k, v)));
        if apart {
            // Isolates it from Ctrl-C in the terminal.
            order.process_group(0);
        }
        let failed = |e| Error::Input(format!("can't start {}: {e}", program.to_string_lossy()));
        door.namespace.spawn(order).map_err(failed)
    }

    /// Ends every process in the network's namespaces, whoever started it: SIGTERM first, SIGKILL after
    /// `grace`. Returns how many there were, and whether all have ended.
    pub fn end_processes(&self, grace: Duration) -> (usize, bool) {
        let numbers: Vec<u64> = self.doors.iter().filter_map(|door| door.namespace.id().ok()).collect();
        processes::end_inside(&numbers, grace)
    }

    /// The cookies of the namespaces, with which [`crate::end_left_over`] finds processes there after this
    /// process has ended; none on kernels before 5.14.
    pub fn cookies(&self) -> Vec<u64> {
        self.doors.iter().filter_map(|door| door.namespace.cookie().ok()).collect()
    }

    /// Changes the network: a command of a script, such as `move roof 120,80`. Returns when it was done.
    pub fn steer(&self, command: &str) -> Result<Steered, Error> {
        // The scenario's duration does not limit a live network.
        let event =
            self.scenario.order(command, SimDuration::ZERO).map_err(|e| Error::Input(e.to_string()))?;
        let (done, when) = channel();
        let words = command.split_whitespace().collect::<Vec<_>>().join(" ");
        let ended = || Error::Input("the network has ended".into());
        self.orders.send(Order { event, words: words.clone(), done }).map_err(|_| ended())?;
        let at = when.recv_timeout(OBEYED_WITHIN).map_err(|_| ended())?;
        Ok(Steered { at, words })
    }

    /// The current state.
    pub fn status(&self) -> Status {
        self.status.lock().map(|status| status.clone()).unwrap_or_default()
    }

    /// Requests the network to stop.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits at most `most` for the end; `None` if it is still running.
    pub fn wait(&self, most: Duration) -> Option<Result<Ended, Error>> {
        let receiver = self.ended.lock().ok()?;
        match receiver.recv_timeout(most) {
            Ok(ended) => Some(ended),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(Error::Failed(
                "the network stopped with an internal error (a bug: please report it)".into(),
            ))),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}

/// IP address of a node's station.
pub fn address(node: u16) -> Ipv4Addr {
    crate::device::address(NodeId(node))
}

/// Host name of a node: its name in the scenario, or `node-N`.
pub fn host_name(names: &BTreeMap<String, u16>, node: u16) -> String {
    let named = names.iter().find(|(_, number)| **number == node).map(|(name, _)| name.clone());
    named.unwrap_or_else(|| format!("node-{node}"))
}

/// The text of `/etc/hosts`: every node by its host name, and those with a name by their number, too.
fn hosts(names: &BTreeMap<String, u16>, nodes: u32) -> String {
    let mut text = String::from("127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n");
    for node in 0..nodes as u16 {
        let (name, plain) = (host_name(names, node), format!("node-{node}"));
        let alias = if name == plain { String::new() } else { format!(" {plain}") };
        text.push_str(&format!("{} {name}{alias}\n", address(node)));
    }
    text
}

/// Name of a node's device in its namespace.
pub fn device(node: u16) -> String {
    crate::device::device_name(NodeId(node))
}

fn nodes(scenario: &Scenario, settings: &SessionSettings) -> Result<Vec<NodeId>, Error> {
    let count = scenario.node_count();
    let tcp = scenario.flows.iter().filter(|f| f.application.variant().is_some());
    let nodes: BTreeSet<NodeId> = match (settings.nodes.as_slice(), settings.layer) {
        ([], Layer::Three) => tcp.flat_map(|f| [f.from, f.to]).collect(),
        ([], Layer::Two) => (0..count).map(|n| NodeId(n as u16)).collect(),
        (named, _) => named.iter().map(|&n| NodeId(n)).collect(),
    };
    if let Some(node) = nodes.iter().find(|n| u32::from(n.0) >= count) {
        let message =
            format!("there is no node {node}; the scenario has nodes 0 to {}", count.saturating_sub(1));
        return Err(Error::Input(message));
    }
    if nodes.len() < 2 {
        let message = "a live network needs two nodes at least; the scenario has no TCP flow to take them from: \
                       name them with --nodes, or take --all";
        return Err(Error::Input(message.into()));
    }
    Ok(nodes.into_iter().collect())
}

fn mtu(scenario: &Scenario, settings: &SessionSettings) -> Result<u16, Error> {
    let fits = (scenario.settings.tcp.mss.0 + HEADERS).clamp(LEAST_MTU.into(), MOST_MTU.into()) as u16;
    let mtu = settings.mtu.unwrap_or(if settings.layer == Layer::Two { 1500 } else { fits });
    if (LEAST_MTU..=MOST_MTU).contains(&mtu) {
        return Ok(mtu);
    }
    Err(Error::Input(format!("--mtu {mtu}: an 802.11 frame carries {LEAST_MTU} to {MOST_MTU} bytes")))
}

fn set_up(
    scenario: &Scenario,
    settings: &SessionSettings,
    nodes: &[NodeId],
    mtu: u16,
) -> Result<Engine, Error> {
    let limit = SimDuration::from_secs_f64(settings.limit);
    let options = LiveOptions {
        seed: settings.seed,
        layer: settings.layer,
        stations: nodes.to_vec(),
        limit,
        pcap: settings.pcap.clone(),
        record: settings.record,
    };
    let live = Live::new(scenario, &options).map_err(|e| Error::Input(e.to_string()))?;
    let names = &scenario.settings.names;
    let hosts = hosts(names, scenario.node_count());
    allow_files(nodes.len() as u64 * FILES_OF_A_STATION);
    let stations = nodes
        .iter()
        .map(|&node| {
            let identity = Identity { name: host_name(names, node.0), hosts: hosts.clone() };
            let congestion = settings.congestion.clone();
            Station::create(&Plan { node, layer: settings.layer, mtu, congestion, identity }).map_err(|e| {
                match e.kind() {
                    std::io::ErrorKind::InvalidInput => Error::Input(e.to_string()),
                    _ => Error::Failed(format!("no station at node {node}: {e}")),
                }
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    let rules = Rules {
        layer: settings.layer,
        slow: settings.slow.max(1.0),
        most_late: settings.most_late,
        strict: settings.strict,
        limit: SimTime::ZERO + limit,
        freeze: settings.freeze && settings.layer == Layer::Three,
    };
    Ok(Engine::new(live, stations, rules))
}

/// Raises this process' limit of open files, as far as it may, for that many more.
fn allow_files(more: u64) {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return };
    // Without success, opening one of them fails and says so.
    let _ = setrlimit(Resource::RLIMIT_NOFILE, soft.saturating_add(more).min(hard), hard);
}

fn work_off(
    mut engine: Engine,
    stop: &AtomicBool,
    told: &Receiver<diag::Told>,
    status: &Mutex<Status>,
) -> Result<Ended, Error> {
    let note = |progress: Progress| {
        if let Ok(mut status) = status.lock() {
            *status = Status {
                sim_seconds: progress.at.as_secs_f64(),
                lag_seconds: progress.lag_seconds,
                lateness_p99_seconds: progress.lateness_seconds,
                delivered_bytes: progress.delivered_bytes,
                closing: progress.closing,
                watched: progress.watched,
                lost: progress.status.lost.iter().map(|(cause, n)| (cause.name(), *n)).collect(),
                running: true,
            };
        }
    };
    let end = engine.run(stop, told, note);
    stop.store(true, Ordering::Relaxed);
    if let Ok(mut status) = status.lock() {
        status.running = false;
    }
    // Programs that go on, and data that their kernels still hold, would find no network any more.
    diag::end_connections(&engine.stations);
    let Engine {
        mut live,
        lateness,
        late,
        started_nanos,
        connections,
        refused,
        not_taken,
        kept,
        freezes,
        expired,
        rules,
        helm,
        ..
    } = engine;
    connections.settle(&mut live);
    let report = live.finish().map_err(|e| Error::Failed(e.to_string()))?;
    let problem = match end {
        End::Stopped => None,
        End::Limit => Some(format!(
            "the network ended at its time limit of {} s; --limit sets another",
            rules.limit.as_secs_f64()
        )),
        End::TooLate { seconds, at } => Some(format!(
            "this machine was {:.1} ms late at {:.3} s (allowed: {:.0} ms); run it slower with --slow 2, allow more \
             with --most-late, go on without --strict, or simulate less",
            seconds * 1e3,
            at.as_secs_f64(),
            rules.most_late * 1e3
        )),
        End::Failed(why) => Some(why),
    };
    let end = |c: &Connection, side: usize| ConnectionEnd {
        socket: c.ends[side],
        node: c.nodes[side],
        initial: c.initial(side).map(|seq| seq.0),
    };
    let all = connections.all.iter();
    let connections = all.map(|c| (c.flow, c.opened_at, c.protocol, [end(c, 0), end(c, 1)])).collect();
    let late = late.0;
    Ok(Ended {
        report,
        problem,
        lateness,
        late,
        started_nanos,
        refused,
        not_taken,
        kept,
        freezes,
        expired,
        connections,
        steered: helm.watched.steered,
    })
}
