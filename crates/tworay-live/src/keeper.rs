//! Ends processes left in our namespaces when this process is gone, however it ended.
//!
//! A program that is killed with its parent may leave children behind. A background shell waits for the end
//! of a pipe that only this process holds open, then kills every process in the network's namespaces until
//! none is left. The shell holds the namespaces open, so that their numbers can't be given to
//! others before it is done. No foreign process is ever in these namespaces.
//!
//! No process here is made by `fork`, which waits for locks of every library in the process (Python's packages bring
//! some with threads of their own), but by `posix_spawn`, which waits for none.

use crate::namespace::Namespace;
use nix::fcntl::OFlag;
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, pipe2};
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

/// Its arguments are the file descriptors of the namespaces. The number of rounds is limited: a process that
/// is still there by then can't be killed.
const SCRIPT: &str = r#"
read -r _
round=0 found=yes
while [ "$found" ] && [ $round -lt 2000 ]; do
  found= round=$((round + 1))
  for process in /proc/[0-9]*; do
    for held; do
      [ "$process/ns/net" -ef "/proc/$$/fd/$held" ] || continue
      found=yes
      kill -9 "${process#/proc/}" 2>/dev/null
    done
  done
done
"#;

/// The waiting shell, and the pipe whose end it waits for.
#[derive(Debug)]
pub(crate) struct Keeper {
    shell: Pid,
    pipe: Option<OwnedFd>,
}

impl Keeper {
    /// Starts waiting for the end of this process.
    pub fn start(namespaces: &[Arc<Namespace>]) -> io::Result<Self> {
        let held: Vec<_> = namespaces.iter().map(|namespace| namespace.raw_fds().network).collect();
        let mut words = ["sh", "-c", SCRIPT, "tworay-keeper"].map(String::from).to_vec();
        words.extend(held.iter().map(ToString::to_string));
        let words: Vec<_> = words.into_iter().map(CString::new).collect::<Result<_, _>>()?;
        let (reads, pipe) = pipe2(OFlag::O_CLOEXEC)?;
        let nowhere = File::options().write(true).open("/dev/null")?;
        let mut files = PosixSpawnFileActions::init()?;
        files.add_dup2(reads.as_raw_fd(), 0)?;
        // Readers that wait for the end of our output don't wait for the shell.
        for output in [1, 2] {
            files.add_dup2(nowhere.as_raw_fd(), output)?;
        }
        for descriptor in held {
            // A copy of itself stays open in this child alone.
            files.add_dup2(descriptor, descriptor)?;
        }
        let mut attributes = PosixSpawnAttr::init()?;
        // Isolated from Ctrl-C.
        attributes.set_flags(PosixSpawnFlags::POSIX_SPAWN_SETPGROUP)?;
        attributes.set_pgroup(Pid::from_raw(0))?;
        let shell = posix_spawnp(c"sh", &files, &attributes, &words, &[] as &[CString])?;
        Ok(Self { shell, pipe: Some(pipe) })
    }
}

impl Drop for Keeper {
    /// When this returns, no process is left in the namespaces.
    fn drop(&mut self) {
        drop(self.pipe.take());
        let _ = waitpid(self.shell, None);
    }
}
