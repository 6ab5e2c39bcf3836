//! Ends processes left in our namespaces when this process is gone, however it ended.
//!
//! A program that is killed with its parent may leave children behind. A background shell waits for the end
//! of a pipe that only this process holds open, then kills every process in the network's namespaces until
//! none is left. The shell holds the namespaces open, so that their numbers can't be given to
//! others before it is done. No foreign process is ever in these namespaces.

use crate::namespace::Namespace;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
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

/// The waiting shell.
#[derive(Debug)]
pub(crate) struct Keeper(Child);

impl Keeper {
    /// Starts waiting for the end of this process.
    pub fn start(namespaces: Vec<Arc<Namespace>>) -> io::Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "tworay-keeper"]);
        for namespace in &namespaces {
            command.arg(namespace.raw_fds().network.to_string());
        }
        // Isolated from Ctrl-C, and from readers waiting for the end of our output.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let keep = move || namespaces.iter().try_for_each(|namespace| inherit(namespace.fd()));
        Ok(Self(spawn_with(&mut command, keep)?))
    }
}

#[expect(unsafe_code, reason = "only between fork and exec can descriptors be left to this child alone")]
fn spawn_with(
    command: &mut Command,
    before: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) -> io::Result<Child> {
    // SAFETY: `before` calls nothing but fcntl, which is async-signal-safe; nothing is allocated or locked.
    unsafe { command.pre_exec(before) };
    command.spawn()
}

/// Keeps a descriptor open across exec.
fn inherit(fd: BorrowedFd<'_>) -> io::Result<()> {
    fcntl(fd, FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(())
}

impl Drop for Keeper {
    /// When this returns, no process is left in the namespaces.
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
