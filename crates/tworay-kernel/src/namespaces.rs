//! The network namespaces of this machine, and work done inside each of them.

use nix::sched::{CloneFlags, setns};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;

/// Opens every network namespace that a process is in or holds open, or that has a name, by its inode.
///
/// A namespace that only sockets keep alive cannot be opened.
pub fn all() -> BTreeMap<u64, File> {
    let mut found = BTreeMap::new();
    let mut add = |path: PathBuf| {
        use std::os::unix::fs::MetadataExt;
        if let Ok(file) = File::open(path)
            && let Ok(about) = file.metadata()
        {
            found.entry(about.ino()).or_insert(file);
        }
    };
    add("/proc/thread-self/ns/net".into());
    entries(Path::new("/run/netns")).for_each(&mut add);
    let processes = entries(Path::new("/proc"))
        .filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().bytes().all(|b| b.is_ascii_digit())));
    for process in processes {
        add(process.join("ns/net"));
        let open = entries(&process.join("fd"));
        open.filter(|fd| fs::read_link(fd).is_ok_and(|to| to.to_string_lossy().starts_with("net:[")))
            .for_each(&mut add);
    }
    found
}

fn entries(place: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(place).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
}

/// Runs `work` in a thread inside the namespace; `None` if the namespace cannot be entered.
pub fn within<T: Send>(namespace: &File, work: impl FnOnce() -> T + Send) -> Option<T> {
    let inside = || setns(namespace, CloneFlags::CLONE_NEWNET).ok().map(|()| work());
    thread::scope(|scope| scope.spawn(inside).join().ok().flatten())
}
