//! Ends processes left in our namespaces when this process is gone, however it ended.
//!
//! A program that is killed with its parent may leave children behind. A background shell waits for the end
//! of a pipe that only this process holds open, then kills every process whose network namespace is one of
//! ours. No other process is ever in these namespaces.

use crate::namespace::Namespace;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

const SCRIPT: &str = r#"
read -r _
for round in 1 2; do
  for process in /proc/[0-9]*; do
    found=$(readlink "$process/ns/net" 2>/dev/null) || continue
    for wanted; do
      [ "$found" != "net:[$wanted]" ] || kill -9 "${process#/proc/}" 2>/dev/null
    done
  done
done
"#;

/// The waiting shell.
#[derive(Debug)]
pub(crate) struct Keeper(Child);

impl Keeper {
    /// Starts waiting for the end of this process.
    pub fn start<'a>(namespaces: impl Iterator<Item = &'a Namespace>) -> io::Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "tworay-keeper"]);
        for namespace in namespaces {
            command.arg(namespace.id()?.to_string());
        }
        // Isolated from Ctrl-C, and from readers waiting for the end of our output.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        Ok(Self(command.spawn()?))
    }
}

impl Drop for Keeper {
    /// When this returns, no process is left in the namespaces.
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
