//! Attaches programs that accompany a controller to the root of the cgroup tree: one records the hop limit of
//! arriving packets, another sees connections leave their controller.
//!
//! They are attached without a link, so that they stay when the loader exits, as the controller does.
//! libbpf-rs supports only links, hence the two direct calls of libbpf.
#![allow(unsafe_code)]

use libbpf_rs::ProgramType;
use libbpf_rs::libbpf_sys::{
    BPF_CGROUP_INET_INGRESS, BPF_CGROUP_SETSOCKOPT, BPF_F_ALLOW_MULTI, bpf_attach_type, bpf_prog_attach,
    bpf_prog_detach2,
};
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

/// Where in a cgroup a program of this type runs; `None` if it belongs to no cgroup.
pub fn place(program: ProgramType) -> Option<bpf_attach_type> {
    match program {
        ProgramType::CgroupSkb => Some(BPF_CGROUP_INET_INGRESS),
        ProgramType::CgroupSockopt => Some(BPF_CGROUP_SETSOCKOPT),
        _ => None,
    }
}

/// Attaches the program in addition to existing ones.
pub fn attach(program: BorrowedFd<'_>, place: bpf_attach_type) -> io::Result<()> {
    let root = root()?;
    // SAFETY: both are open descriptors, borrowed for the call.
    let result = unsafe { bpf_prog_attach(program.as_raw_fd(), root.as_raw_fd(), place, BPF_F_ALLOW_MULTI) };
    outcome(result)
}

/// Detaches the program.
pub fn detach(program: BorrowedFd<'_>, place: bpf_attach_type) -> io::Result<()> {
    let root = root()?;
    // SAFETY: as above.
    let result = unsafe { bpf_prog_detach2(program.as_raw_fd(), root.as_raw_fd(), place) };
    outcome(result)
}

fn outcome(result: i32) -> io::Result<()> {
    if result < 0 { Err(io::Error::from_raw_os_error(-result)) } else { Ok(()) }
}
