//! Checks the machine for what a live network needs.

use nix::sched::{CloneFlags, unshare};
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::process::{Command, Stdio};

/// Requirement that a live network lacks, in one sentence with a remedy; `None` if nothing is.
pub fn missing() -> Option<String> {
    // A separate thread may leave the host's namespace for good.
    let unshared = std::thread::spawn(|| unshare(CloneFlags::CLONE_NEWNET)).join();
    if !matches!(unshared, Ok(Ok(()))) {
        return Some(
            "a live network makes network namespaces, which needs root (or CAP_SYS_ADMIN and CAP_NET_ADMIN); \
             run it with sudo"
                .into(),
        );
    }
    if let Err(error) = OpenOptions::new().read(true).write(true).open("/dev/net/tun") {
        let remedy = match error.kind() {
            ErrorKind::NotFound => "load the kernel's module: modprobe tun",
            _ => "run it with sudo, and in a container give it the device: --device /dev/net/tun",
        };
        return Some(format!("a live network needs the device /dev/net/tun ({error}); {remedy}"));
    }
    let ip = Command::new("ip").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if ip.is_err() {
        return Some("a live network needs the program \"ip\"; install the package iproute2".into());
    }
    None
}
