//! Unnamed network namespaces, which exist as long as a process holds them.

use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A network namespace.
#[derive(Debug)]
pub(crate) struct Namespace(File);

impl Namespace {
    /// Creates an empty namespace and runs `setup` in it.
    pub fn create<T: Send>(setup: impl FnOnce() -> io::Result<T> + Send) -> io::Result<(Self, T)> {
        on_a_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
            let made = setup()?;
            Ok((Self(File::open("/proc/thread-self/ns/net")?), made))
        })
    }

    /// Runs `work` in the namespace.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        on_a_thread(|| {
            setns(&self.0, CloneFlags::CLONE_NEWNET)?;
            work()
        })
    }

    /// Its file descriptor.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// The number of its file descriptor in this process.
    pub fn raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Its inode number, as shown by `/proc/PID/ns/net`.
    pub fn id(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.ino())
    }

    /// Its cookie: a number that the kernel gives to no other namespace until the machine restarts (Linux
    /// 5.14).
    pub fn cookie(&self) -> io::Result<u64> {
        cookie_of(&self.0)
    }

    /// Starts a program in the namespace. It is killed when this process ends, however that happens.
    pub fn spawn(&self, command: Command) -> io::Result<Child> {
        let namespace = self.0.try_clone()?;
        let outcome = Arc::new((Mutex::new(None), Condvar::new()));
        let shared = Arc::clone(&outcome);
        let (started, starting) = channel();
        // The thread lives as long as the program, because the parent-death signal is tied to the thread
        // that started it.
        std::thread::Builder::new().name("live-child".into()).spawn(move || {
            let child = setns(&namespace, CloneFlags::CLONE_NEWNET)
                .map_err(io::Error::from)
                .and_then(|()| spawn_mortal(command));
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

#[expect(unsafe_code, reason = "only between fork and exec can the program's signal at our death be set")]
fn spawn_mortal(mut command: Command) -> io::Result<std::process::Child> {
    // SAFETY: prctl is async-signal-safe; nothing is allocated or locked.
    unsafe {
        command
            .pre_exec(|| nix::sys::prctl::set_pdeathsig(nix::sys::signal::SIGKILL).map_err(io::Error::from));
    }
    command.spawn()
}

/// Moves the calling thread into the namespace given by a file (`/proc/PID/fd/N`).
pub fn join_namespace(path: &Path) -> io::Result<()> {
    setns(File::open(path)?, CloneFlags::CLONE_NEWNET).map_err(io::Error::from)
}

fn on_a_thread<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let joined = scope.spawn(work).join();
        joined.unwrap_or_else(|_| Err(io::Error::other("the thread that works in a namespace has gone")))
    })
}
