//! Remains of a controller that is unloaded: connections that use it, and defaults that name it.

use crate::catalog::Controller;
use crate::loading::{self, HEAD, Refusal};
use crate::namespaces;
use libbpf_rs::{Iter, MapCore, MapFlags, MapHandle, ObjectBuilder};
use std::io::Read;
use std::os::fd::AsFd;
use std::{fs, io};

/// The compiled program that visits connections.
pub const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/leave.bpf.o"));
/// Options changed at a socket (`struct kept` of bpf/options.h).
const KEPT: &str = "tworay_kept";
/// Says that the controller is unloaded.
const RETIRED: &str = "tworay_retired";
const WHOSE: &str = "tworay_whose";
const DEFAULT: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
/// Bytes of `struct head` of bpf/event.h before the name, and of the name.
const NAME_AT: usize = 8;
const NAME: usize = 16;

/// Number of connections of a controller when it was unloaded.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// Still used by a program.
    pub used: usize,
    /// Closed by their program; they go on with Reno.
    pub moved: usize,
}

/// A default that named the controller: `net.ipv4.tcp_congestion_control` of a network namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Default {
    /// True for the namespace of this process.
    pub here: bool,
    /// Its new value.
    pub now: String,
}

/// The machine's default controller.
fn default() -> String {
    fs::read_to_string(DEFAULT).unwrap_or_default().trim().to_owned()
}

/// Notes the machine's default controller with one that is being loaded, so that unloading can return to it.
pub fn note_default(head: &dyn MapCore) -> libbpf_rs::Result<()> {
    let mut value = [0; NAME_AT + NAME];
    let name = default();
    for (slot, byte) in value[NAME_AT..NAME_AT + NAME - 1].iter_mut().zip(name.bytes()) {
        *slot = byte;
    }
    head.update(&0u32.to_ne_bytes(), &value, MapFlags::ANY)
}

/// The default when the controller was loaded.
pub fn noted_default(controller: &Controller) -> Option<String> {
    let value = loading::map(controller, HEAD)?.lookup(&0u32.to_ne_bytes(), MapFlags::ANY).ok()??;
    let name = value.get(NAME_AT..)?.split(|byte| *byte == 0).next()?;
    Some(String::from_utf8_lossy(name).into_owned()).filter(|name| !name.is_empty())
}

/// Sets `net.ipv4.tcp_congestion_control` back wherever it names the controller: to what it was when the
/// controller was loaded, otherwise to CUBIC or Reno. New connections would go on using it otherwise.
pub fn reset_defaults(controller: &Controller, noted: Option<&str>) -> io::Result<Vec<Default>> {
    let here =
        fs::metadata("/proc/thread-self/ns/net").map(|about| std::os::unix::fs::MetadataExt::ino(&about))?;
    let mut reset = Vec::new();
    for (inode, namespace) in namespaces::all() {
        let change = || -> io::Result<Option<String>> {
            if default() != controller.kernel_name {
                return Ok(None);
            }
            let available = fs::read_to_string(AVAILABLE)?;
            let candidates = noted.into_iter().chain(["cubic", "reno"]);
            let usable = |name: &&str| {
                *name != controller.kernel_name && available.split_whitespace().any(|known| known == *name)
            };
            let next = candidates.into_iter().find(usable).unwrap_or("reno");
            fs::write(DEFAULT, next).map(|()| Some(next.to_owned()))
        };
        if let Some(now) = namespaces::within(&namespace, change).transpose()?.flatten() {
            reset.push(Default { here: inode == here, now });
        }
    }
    Ok(reset)
}

/// Gives all connections of the controller their options back, and moves those whose program has closed them
/// to Reno. `passing` receives the ids of maps that exist only for this; the kernel frees them with a delay.
pub fn settle(
    controller: &Controller,
    maps: &[MapHandle],
    passing: &mut Vec<u32>,
) -> Result<Connections, Refusal> {
    let failed = |e: libbpf_rs::Error| {
        Refusal::Run(format!("the connections of {} can't be visited: {e}", controller.kernel_name))
    };
    let named = |name: &str| maps.iter().find(|map| map.name() == name);
    if let Some(retired) = named(RETIRED) {
        retired.update(&0u32.to_ne_bytes(), &1u32.to_ne_bytes(), MapFlags::ANY).map_err(failed)?;
    }
    let mut builder = ObjectBuilder::default();
    let mut open = builder.open_memory(OBJECT).map_err(failed)?;
    for mut map in open.maps_mut() {
        if map.name() == KEPT
            && let Some(kept) = named(KEPT)
        {
            map.reuse_fd(kept.as_fd()).map_err(failed)?;
        }
    }
    let object = open.load().map_err(failed)?;
    passing.extend(object.maps().filter_map(|map| Some(map.info().ok()?.info.id)));
    let mut name = [0; NAME];
    for (slot, byte) in name.iter_mut().zip(controller.kernel_name.bytes()) {
        *slot = byte;
    }
    for map in object.maps().filter(|map| map.name() == WHOSE) {
        map.update(&0u32.to_ne_bytes(), &name, MapFlags::ANY).map_err(failed)?;
    }
    let Some(visit) = object.progs_mut().next() else { return Ok(Connections::default()) };
    let link = visit.attach().map_err(failed)?;
    let mut found = Connections::default();
    for namespace in namespaces::all().values() {
        // The iterator visits the namespace in which it is opened.
        let letters = namespaces::within(namespace, || {
            let mut letters = Vec::new();
            Iter::new(&link).ok()?.read_to_end(&mut letters).ok()?;
            Some(letters)
        });
        for letter in letters.flatten().unwrap_or_default() {
            match letter {
                b'm' => found.moved += 1,
                _ => found.used += 1,
            }
        }
    }
    Ok(found)
}
