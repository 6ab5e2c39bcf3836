//! Loads and unloads controllers, and reports which ones are loaded.
//!
//! No state is kept in files: a registered controller stays in the kernel without its loader, and its
//! programs and maps are found again by their names.

use crate::catalog::Controller;
use crate::cgroup;
use crate::leaving::{self, Connections};
use libbpf_rs::btf::{Btf, BtfType};
use libbpf_rs::query::{MapInfoIter, ProgInfoIter, ProgInfoQueryOptions, ProgramInfo};
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapType, ObjectBuilder, PrintLevel, Program};
use std::fmt::Display;
use std::os::fd::AsFd;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// The map that identifies a controller as one of ours.
pub const MARK: &str = "tworay_events";
/// The map with the number of events so far, and the default controller at the time of loading.
pub const HEAD: &str = "tworay_head";
/// The map of parameters.
const PARAMETERS: &str = "tworay_params";
/// Length to which the kernel truncates names.
const KEPT: usize = 15;
/// Time allowed to the kernel for freeing an unregistered controller that connections may still use.
const FREED_WITHIN: Duration = Duration::from_secs(2);
/// Time allowed if no connection uses it. The kernel first waits until all processors have left its programs,
/// however busy the machine is.
const UNUSED_FREED_WITHIN: Duration = Duration::from_secs(20);

/// Message when clang was missing at build time.
pub const NOT_BUILT: &str = "this tworay was built without clang, so it has no kernel controllers: install clang and run `make kernel`";

/// Why a command failed, in one sentence.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The input is wrong (exit code 2).
    Input(String),
    /// The command failed on this machine (exit code 1).
    Run(String),
    /// A loaded controller is of another version of tworay (exit code 4).
    Version(String),
}

impl Refusal {
    fn run(text: impl Into<String>) -> Self {
        Self::Run(text.into())
    }
}

/// Registration of a controller's name in the kernel.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Presence {
    /// Not registered.
    Absent,
    /// Registered by tworay; the id of its `struct_ops` map.
    Loaded(u32),
    /// Registered by another program.
    Foreign,
}

/// Fails if the kernel lacks type information, or the user lacks privileges.
pub fn check() -> Result<(), Refusal> {
    if !fs::exists("/sys/kernel/btf/vmlinux").unwrap_or(false) {
        return Err(Refusal::run(
            "this kernel has no BTF (/sys/kernel/btf/vmlinux): it must be built with CONFIG_DEBUG_INFO_BTF=y, as \
             the kernels of Debian, Ubuntu and Fedora are",
        ));
    }
    // Loading requires CAP_BPF and CAP_NET_ADMIN; finding programs and maps by id requires CAP_SYS_ADMIN.
    if effective_capabilities() & (1 << 21) == 0 {
        return Err(Refusal::run("controllers are loaded and read as root: run it with sudo"));
    }
    Ok(())
}

fn effective_capabilities() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    line.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0)
}

/// The programs of a controller in the kernel, including those waiting to be freed.
pub fn programs(controller: &Controller) -> Vec<ProgramInfo> {
    let prefix = format!("{}_", controller.kernel_name);
    let kept = &prefix[..prefix.len().min(KEPT)];
    ProgInfoIter::with_query_opts(
        ProgInfoQueryOptions::default().include_map_ids(true).include_func_info(true),
    )
    .filter(|p| p.name.to_string_lossy().starts_with(kept))
    .collect()
}

/// The programs of the latest load. Connections may keep programs of an earlier load alive; the programs of
/// one load share their type information.
pub fn current(controller: &Controller) -> Vec<ProgramInfo> {
    let mut found = programs(controller);
    let newest = found.iter().map(|p| p.btf_id).max();
    found.retain(|p| Some(p.btf_id) == newest);
    found
}

/// The callback that a program implements: its name without the controller's.
pub fn callback(controller: &Controller, program: &ProgramInfo) -> String {
    let whole = whole_name(program).unwrap_or_else(|| program.name.to_string_lossy().into_owned());
    whole.strip_prefix(&format!("{}_", controller.kernel_name)).unwrap_or(&whole).to_owned()
}

/// The kernel truncates program names, but the type information has the full name of the function.
fn whole_name(program: &ProgramInfo) -> Option<String> {
    let function = program.func_info.first()?.type_id;
    let types = Btf::from_prog_id(program.id).ok()?;
    let name = types.type_by_id::<BtfType<'_>>(function.into())?.name()?;
    Some(name.to_string_lossy().into_owned())
}

fn map_ids(controller: &Controller) -> Vec<u32> {
    let mut ids: Vec<u32> = current(controller).into_iter().flat_map(|p| p.map_ids).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The maps that a controller's programs use.
pub fn maps(controller: &Controller) -> Vec<MapHandle> {
    map_ids(controller).into_iter().filter_map(|id| MapHandle::from_map_id(id).ok()).collect()
}

/// The map of a controller with this name, if there is exactly one.
pub fn map(controller: &Controller, name: &str) -> Option<MapHandle> {
    maps(controller).into_iter().find(|m| m.name() == name)
}

/// Returns by whom a controller is registered, if it is.
pub fn presence(controller: &Controller) -> Presence {
    let registered = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    let registered = registered.unwrap_or_default();
    if !registered.split_whitespace().any(|name| name == controller.kernel_name) {
        return Presence::Absent;
    }
    let ops = MapInfoIter::default()
        .filter(|m| m.ty == MapType::StructOps && m.name == controller.kernel_name)
        .map(|m| m.id)
        .max();
    match ops {
        Some(id) if map(controller, MARK).is_some() => Presence::Loaded(id),
        _ => Presence::Foreign,
    }
}

/// Parameter values of a loaded controller.
pub fn parameters(controller: &Controller) -> Vec<(&'static str, u32)> {
    let Some(map) = map(controller, PARAMETERS) else { return Vec::new() };
    let read = |key: usize| {
        let value = map.lookup(&(key as u32).to_ne_bytes(), MapFlags::ANY).ok()??;
        Some(u32::from_ne_bytes(value.try_into().ok()?))
    };
    controller.parameters.iter().enumerate().filter_map(|(key, p)| Some((p.name, read(key)?))).collect()
}

/// Validates `name=value` against a controller's parameters; returns keys and values.
pub fn settings(controller: &Controller, given: &[(String, String)]) -> Result<Vec<(u32, u32)>, Refusal> {
    given
        .iter()
        .map(|(name, value)| {
            let known = controller.parameters.iter().enumerate().find(|(_, p)| p.name == name);
            let Some((key, parameter)) = known else {
                let names: Vec<_> = controller.parameters.iter().map(|p| p.name).collect();
                let has = if names.is_empty() { "no parameters".into() } else { names.join(", ") };
                let name_of = controller.name;
                return Err(Refusal::Input(format!("{name_of} has no parameter `{name}`; it has {has}")));
            };
            match value.parse::<u32>() {
                Ok(number) if number <= parameter.max => Ok((key as u32, number)),
                _ => Err(Refusal::Input(format!(
                    "{name}: `{value}` is not a whole number between 0 and {}",
                    parameter.max
                ))),
            }
        })
        .collect()
}

/// Loads and registers a controller; if it is already loaded, only sets its parameters.
///
/// Returns whether it was newly loaded.
pub fn load(controller: &Controller, given: &[(String, String)]) -> Result<bool, Refusal> {
    let wanted = settings(controller, given)?;
    check()?;
    match presence(controller) {
        Presence::Loaded(_) => {
            if let Some(map) = map(controller, PARAMETERS) {
                set(controller, &map, &wanted)?;
            }
            Ok(false)
        }
        Presence::Foreign => Err(Refusal::run(format!(
            "a controller named {} is registered already, and not by tworay: it stays as it is",
            controller.kernel_name
        ))),
        Presence::Absent => {
            let defaults = controller.parameters.iter().enumerate().map(|(key, p)| (key as u32, p.default));
            let values: Vec<(u32, u32)> = defaults.chain(wanted).collect();
            register(controller, &values)?;
            Ok(true)
        }
    }
}

/// Messages of libbpf during loading; the last lines contain the reason of a failure.
static LOG: Mutex<String> = Mutex::new(String::new());

fn keep_log(_: PrintLevel, text: String) {
    if let Ok(mut log) = LOG.lock() {
        log.push_str(&text);
    }
}

fn register(controller: &Controller, values: &[(u32, u32)]) -> Result<(), Refusal> {
    if controller.object.is_empty() {
        return Err(Refusal::run(NOT_BUILT));
    }
    libbpf_rs::set_print(Some((PrintLevel::Warn, keep_log)));
    let failed = |what: &str, error: libbpf_rs::Error| {
        let log = LOG.lock().map(|log| log.clone()).unwrap_or_default();
        let reason = error.to_string();
        Refusal::Run(
            format!("the kernel did not take {}: {what}: {reason}\n{log}", controller.kernel_name)
                .trim_end()
                .into(),
        )
    };
    let mut builder = ObjectBuilder::default();
    let open = builder.open_memory(controller.object).map_err(|e| failed("opening", e))?;
    let mut object = open.load().map_err(|e| failed("loading", e))?;
    if let Some(map) = object.maps().find(|m| m.name() == PARAMETERS) {
        set(controller, &map, values)?;
    }
    if let Some(head) = object.maps().find(|m| m.name() == HEAD) {
        leaving::note_default(&head).map_err(|e| failed("noting the default", e))?;
    }
    let mut ops = object
        .maps_mut()
        .find(|m| m.name() == controller.kernel_name)
        .ok_or_else(|| Refusal::run("the object has no controller"))?;
    let mut link = ops.attach_struct_ops().map_err(|e| failed("registering", e))?;
    for companion in object.progs() {
        let Some(place) = cgroup::place(companion.prog_type()) else { continue };
        cgroup::attach(companion.as_fd(), place).map_err(|e| {
            let name = controller.kernel_name;
            Refusal::run(format!("{name} needs a program at the root of cgroup2, which is not possible: {e}"))
        })?;
    }
    // Otherwise the controller would be unregistered when this process exits.
    link.disconnect();
    Ok(())
}

fn set(controller: &Controller, map: &dyn MapCore, values: &[(u32, u32)]) -> Result<(), Refusal> {
    for (key, value) in values {
        map.update(&key.to_ne_bytes(), &value.to_ne_bytes(), MapFlags::ANY)
            .map_err(|e| Refusal::run(format!("could not set a parameter of {}: {e}", controller.name)))?;
    }
    Ok(())
}

/// Outcome of unloading a controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unloaded {
    /// True if the kernel has freed it; connections that use it keep it alive.
    pub gone: bool,
    /// Its connections.
    pub connections: Connections,
    /// Defaults that named it.
    pub defaults: Vec<leaving::Default>,
}

/// Unregisters a controller; of one that is unregistered but still in use, only looks after its connections.
pub fn unload(controller: &Controller) -> Result<Unloaded, Refusal> {
    check()?;
    let name = controller.kernel_name;
    let failed = |e: &dyn Display| Refusal::run(format!("the kernel did not unload {name}: {e}"));
    let mine = current(controller);
    let registered = match presence(controller) {
        Presence::Loaded(id) => Some(id),
        Presence::Absent if !mine.is_empty() => None,
        Presence::Absent => return Err(Refusal::Input(format!("{name} is not loaded"))),
        Presence::Foreign => {
            return Err(Refusal::run(format!("{name} was not loaded by tworay: it stays as it is")));
        }
    };
    // Before anything changes: which maps it has is only known as long as its programs are there.
    let (mut used, maps) = (map_ids(controller), maps(controller));
    let noted = leaving::noted_default(controller);
    let defaults = leaving::reset_defaults(controller, noted.as_deref()).map_err(|e| failed(&e))?;
    if let Some(id) = registered {
        let ops = MapHandle::from_map_id(id).map_err(|e| failed(&e))?;
        ops.delete(&0u32.to_ne_bytes()).map_err(|e| failed(&e))?;
    }
    let connections = leaving::settle(controller, &maps, &mut used)?;
    drop(maps);
    for program in &mine {
        let Some(place) = cgroup::place(program.ty) else { continue };
        let failed = |e: &dyn Display| {
            Refusal::run(format!("{name} is unregistered, but its program at cgroup2 stays: {e}"))
        };
        let companion = Program::fd_from_id(program.id).map_err(|e| failed(&e))?;
        // Detached already if the controller was only leaving.
        cgroup::detach(companion.as_fd(), place)
            .or_else(|e| if registered.is_none() { Ok(()) } else { Err(failed(&e)) })?;
    }
    let within = if connections.used == 0 { UNUSED_FREED_WITHIN } else { FREED_WITHIN };
    Ok(Unloaded { gone: gone(controller, &mine, &used, within), connections, defaults })
}

/// Waits until the programs and these maps are freed, which the kernel does with a delay.
fn gone(controller: &Controller, mine: &[ProgramInfo], used: &[u32], within: Duration) -> bool {
    let deadline = Instant::now() + within;
    let there = || programs(controller).iter().any(|p| mine.iter().any(|m| m.id == p.id));
    while there() || MapInfoIter::default().any(|m| used.contains(&m.id)) {
        if Instant::now() > deadline {
            // `tworay kernel events` keeps maps open, but only connections keep programs.
            return !there();
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
}

/// Names of all our programs and maps in the kernel.
pub fn leftovers() -> (Vec<String>, Vec<String>) {
    let ours = |name: &std::ffi::OsStr| {
        let name = name.to_string_lossy();
        name.starts_with("tworay_").then(|| name.into_owned())
    };
    let programs = ProgInfoIter::default().filter_map(|p| ours(&p.name)).collect();
    (programs, MapInfoIter::default().filter_map(|m| ours(&m.name)).collect())
}
