//! Attaches the program that records the hop limit of arriving packets to the root of the cgroup tree.
//!
//! It is attached without a link, so that it stays when the loader exits, as the controller does. libbpf-rs
//! supports only links, hence the two direct calls of libbpf.
#![allow(unsafe_code)]

use libbpf_rs::libbpf_sys::{BPF_CGROUP_INET_INGRESS, BPF_F_ALLOW_MULTI, bpf_prog_attach, bpf_prog_detach2};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::PathBuf;

/// The mount point of cgroup2.
fn root() -> io::Result<File> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    let place = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let place = fields.nth(1)?;
        (fields.next()? == "cgroup2").then(|| PathBuf::from(place))
    });
    let missing = || io::Error::new(io::ErrorKind::NotFound, "no cgroup2 file system is mounted");
    File::open(place.ok_or_else(missing)?)
}

/// Attaches the program in addition to existing ones.
pub fn attach(program: BorrowedFd<'_>) -> io::Result<()> {
    let root = root()?;
    // SAFETY: both are open descriptors, borrowed for the call.
    let result = unsafe {
        bpf_prog_attach(program.as_raw_fd(), root.as_raw_fd(), BPF_CGROUP_INET_INGRESS, BPF_F_ALLOW_MULTI)
    };
    outcome(result)
}

/// Detaches the program.
pub fn detach(program: BorrowedFd<'_>) -> io::Result<()> {
    let root = root()?;
    // SAFETY: as above.
    let result = unsafe { bpf_prog_detach2(program.as_raw_fd(), root.as_raw_fd(), BPF_CGROUP_INET_INGRESS) };
    outcome(result)
}

fn outcome(result: i32) -> io::Result<()> {
    if result < 0 { Err(io::Error::from_raw_os_error(-result)) } else { Ok(()) }
}
