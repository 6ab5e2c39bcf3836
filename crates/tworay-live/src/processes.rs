//! Finds the processes in network namespaces through /proc, whoever started them, and ends them.

use crate::namespace::cookie_of;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Interval at which it is checked whether the processes have ended.
const LOOK: Duration = Duration::from_millis(5);
/// Time for which to wait for killed processes: one that is waiting for a disk ends late.
const KILLED_WITHIN: Duration = Duration::from_secs(5);

/// All processes of this machine except this one, with their directories in /proc.
fn others() -> impl Iterator<Item = (Pid, PathBuf)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = entries.filter_map(|e| Some((Pid::from_raw(e.file_name().to_str()?.parse().ok()?), e.path())));
    all.filter(|(pid, _)| *pid != Pid::this())
}

/// The number of a process's network namespace; `None` if the process has ended.
fn namespace_of(process: &Path) -> Option<u64> {
    fs::metadata(process.join("ns/net")).ok().map(|found| found.ino())
}

/// Processes in namespaces with these numbers. The caller holds the namespaces open, so the numbers are
/// unique.
fn inside(namespaces: &[u64]) -> Vec<Pid> {
    let found = others().filter(|(_, place)| namespace_of(place).is_some_and(|n| namespaces.contains(&n)));
    found.map(|(pid, _)| pid).collect()
}

/// Processes in namespaces with these cookies, which are never reused.
fn inside_by_cookie(cookies: &[u64]) -> Vec<Pid> {
    let ours = namespace_of(Path::new("/proc/self"));
    let (mut wanted, mut known) = (BTreeSet::new(), BTreeSet::from_iter(ours));
    let mut found = Vec::new();
    for (pid, place) in others() {
        let Some(number) = namespace_of(&place) else { continue };
        if known.insert(number) {
            let cookie = File::open(place.join("ns/net")).and_then(|file| cookie_of(&file));
            if cookie.is_ok_and(|cookie| cookies.contains(&cookie)) {
                wanted.insert(number);
            }
        }
        if wanted.contains(&number) {
            found.push(pid);
        }
    }
    found
}

/// Ends the processes that `find` finds: SIGTERM first, SIGKILL after `grace`. Repeats until none is left,
/// because a process may start others meanwhile. Returns how many there were at first, and whether all have
/// ended.
fn end(find: impl Fn() -> Vec<Pid>, grace: Duration) -> (usize, bool) {
    let mut left = find();
    let count = left.len();
    for &pid in &left {
        // It may have ended meanwhile, which is fine.
        let _ = kill(pid, Signal::SIGTERM);
    }
    let (killing, giving_up) = (deadline(grace), deadline(grace + KILLED_WITHIN));
    while !left.is_empty() && !giving_up() {
        if killing() {
            for &pid in &left {
                let _ = kill(pid, Signal::SIGKILL);
            }
        }
        #[expect(clippy::disallowed_methods, reason = "processes end in real time")]
        std::thread::sleep(LOOK);
        left = find();
    }
    (count, left.is_empty())
}

#[expect(clippy::disallowed_methods, reason = "processes end in real time")]
fn deadline(after: Duration) -> impl Fn() -> bool {
    let began = Instant::now();
    move || began.elapsed() >= after
}

/// Ends the processes in namespaces that the caller holds open, given by their numbers.
pub(crate) fn end_inside(namespaces: &[u64], grace: Duration) -> (usize, bool) {
    end(|| inside(namespaces), grace)
}

/// Ends the processes in the namespaces of a network whose own process has ended, given by their cookies.
/// Returns how many there were.
pub fn end_left_over(cookies: &[u64]) -> usize {
    if cookies.is_empty() { 0 } else { end(|| inside_by_cookie(cookies), Duration::ZERO).0 }
}
