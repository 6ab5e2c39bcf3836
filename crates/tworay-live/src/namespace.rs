//! Unnamed namespaces, which exist as long as a process holds them: a station's network, host name and files.

use crate::home::{self, Identity};
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use nix::unistd::{chdir, chroot, fchdir};
use std::env::current_dir;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// The namespaces of a station, each as an open file.
#[derive(Debug)]
pub(crate) struct Namespace {
    network: File,
    host: Host,
    /// Why the station shares all files with the host, if it does.
    pub shared_files: Option<String>,
}

/// Where a station's host name and files are.
#[derive(Debug)]
struct Host {
    name: File,
    /// The mount namespace, and its root directory: this process may have another one (chroot).
    files: Option<(File, File)>,
}

/// A station's namespaces as paths, such as `/proc/PID/fd/N`, for other processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places<T> {
    /// Of the network.
    pub network: T,
    /// Of the host name.
    pub name: T,
    /// Of the files, and the root directory there; `None` if the files are the host's.
    pub files: Option<(T, T)>,
}

impl Namespace {
    /// Creates a station's namespaces and runs `setup` in that of the network. Where mounts are forbidden, the files
    /// stay those of the host.
    pub fn create<T: Send>(
        identity: &Identity,
        setup: impl FnOnce() -> io::Result<T> + Send,
    ) -> io::Result<(Self, T)> {
        on_a_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWUTS)?;
            home::set_name(identity)?;
            let made = setup()?;
            let own = |kind: &str| File::open(format!("/proc/thread-self/ns/{kind}"));
            let (network, name) = (own("net")?, own("uts")?);
            let mounts = || -> io::Result<(File, File)> {
                unshare(CloneFlags::CLONE_NEWNS)?;
                home::set_up(identity)?;
                Ok((own("mnt")?, File::open("/")?))
            };
            let (files, shared_files) = match mounts() {
                Ok(files) => (Some(files), None),
                Err(error) => (None, Some(error.to_string())),
            };
            Ok((Self { network, host: Host { name, files }, shared_files }, made))
        })
    }

    /// Runs `work` in the network's namespace.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        on_a_thread(|| {
            setns(&self.network, CloneFlags::CLONE_NEWNET)?;
            work()
        })
    }

    /// The numbers of the file descriptors in this process.
    pub fn raw_fds(&self) -> Places<RawFd> {
        Places {
            network: self.network.as_raw_fd(),
            name: self.host.name.as_raw_fd(),
            files: self.host.files.as_ref().map(|(files, root)| (files.as_raw_fd(), root.as_raw_fd())),
        }
    }

    /// Inode number of the network's namespace, as shown by `/proc/PID/ns/net`.
    pub fn id(&self) -> io::Result<u64> {
        Ok(self.network.metadata()?.ino())
    }

    /// Cookie of the network's namespace: a number that the kernel gives to no other until the machine restarts
    /// (Linux 5.14).
    pub fn cookie(&self) -> io::Result<u64> {
        cookie_of(&self.network)
    }

    /// Starts a program in the namespaces. `Keeper` ends it with this process.
    pub fn spawn(&self, mut command: Command) -> io::Result<Child> {
        let host = &self.host;
        let files = match &host.files {
            Some((files, root)) => Some((files.try_clone()?, root.try_clone()?)),
            None => None,
        };
        let places = Places { network: self.network.try_clone()?, name: host.name.try_clone()?, files };
        let outcome = Arc::new((Mutex::new(None), Condvar::new()));
        let shared = Arc::clone(&outcome);
        let (started, starting) = channel();
        std::thread::Builder::new().name("live-child".into()).spawn(move || {
            let child = enter(&places).and_then(|()| command.spawn());
            match child {
                Err(error) => {
                    let _ = started.send(Err(error));
                }
                Ok(mut child) => {
                    let _ = started.send(Ok(child.id()));
                    let status = child.wait();
                    let code = status.map_or(-1, |s| s.code().unwrap_or(128 + s.signal().unwrap_or(0)));
                    if let Ok(mut slot) = shared.0.lock() {
                        *slot = Some(code);
                    }
                    shared.1.notify_all();
                }
            }
        })?;
        let gone = || io::Error::other("the thread that starts programs has gone");
        let pid = starting.recv().map_err(|_| gone())??;
        Ok(Child { pid, outcome })
    }
}

/// A program running in a namespace.
#[derive(Clone, Debug)]
pub struct Child {
    /// Process id.
    pub pid: u32,
    outcome: Arc<(Mutex<Option<i32>>, Condvar)>,
}

impl Child {
    /// Waits at most `most` for the program's end. Returns the exit code (128 plus the signal number if a
    /// signal ended it), or `None` if it is still running.
    pub fn wait(&self, most: Duration) -> Option<i32> {
        let code = self.outcome.0.lock().ok()?;
        let (code, _) = self.outcome.1.wait_timeout_while(code, most, |code| code.is_none()).ok()?;
        *code
    }
}

/// The cookie of a network namespace, given by a file such as `/proc/PID/ns/net`.
pub(crate) fn cookie_of(namespace: &File) -> io::Result<u64> {
    on_a_thread(|| {
        setns(namespace, CloneFlags::CLONE_NEWNET)?;
        own_cookie()
    })
}

#[expect(unsafe_code, reason = "no safe wrapper reads SO_NETNS_COOKIE")]
fn own_cookie() -> io::Result<u64> {
    let socket = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
    let mut cookie = 0_u64;
    let mut length = size_of::<u64>() as libc::socklen_t;
    let (option, value) = (libc::SO_NETNS_COOKIE, (&raw mut cookie).cast());
    // SAFETY: the kernel writes 8 bytes at most to a number of 8 bytes that outlives the call.
    let outcome =
        unsafe { libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, value, &raw mut length) };
    if outcome == 0 { Ok(cookie) } else { Err(io::Error::last_os_error()) }
}

/// Moves the calling thread into the network namespace given by a file (`/run/netns/NAME`).
pub fn join_namespace(path: &Path) -> io::Result<()> {
    setns(File::open(path)?, CloneFlags::CLONE_NEWNET).map_err(io::Error::from)
}

/// Moves the calling thread into a station's namespaces; its working directory stays the same path.
pub fn join_station(places: &Places<&Path>) -> io::Result<()> {
    let open = |path: &Path| File::open(path);
    let files = match places.files {
        Some((files, root)) => Some((open(files)?, open(root)?)),
        None => None,
    };
    enter(&Places { network: open(places.network)?, name: open(places.name)?, files })
}

fn enter(places: &Places<File>) -> io::Result<()> {
    setns(&places.network, CloneFlags::CLONE_NEWNET)?;
    setns(&places.name, CloneFlags::CLONE_NEWUTS)?;
    let Some((files, root)) = &places.files else { return Ok(()) };
    let directory = current_dir();
    // The kernel wants a thread that shares no directory with others.
    unshare(CloneFlags::CLONE_FS)?;
    setns(files, CloneFlags::CLONE_NEWNS)?;
    fchdir(root)?;
    chroot(".")?;
    if let Ok(directory) = directory {
        // A directory that is gone is as if it were removed meanwhile.
        let _ = chdir(&directory);
    }
    Ok(())
}

fn on_a_thread<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let joined = scope.spawn(work).join();
        joined.unwrap_or_else(|_| Err(io::Error::other("the thread that works in a namespace has gone")))
    })
}
