//! Ends what still runs in our namespaces when this process is gone, however it went.
//!
//! A program that is killed with its parent can leave children of its own. A shell in the background waits for
//! the end of a pipe that only this process holds open; then it kills every process whose network namespace is
//! one of ours. Nobody else's process is ever in there.

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

/// The shell that waits.
#[derive(Debug)]
pub(crate) struct Keeper(Child);

impl Keeper {
    /// Begins to wait for the end of this process.
    pub fn start<'a>(namespaces: impl Iterator<Item = &'a Namespace>) -> io::Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "tworay-keeper"]);
        for namespace in namespaces {
            command.arg(namespace.id()?.to_string());
        }
        // Out of reach of Ctrl-C, and of whoever waits for our output to end.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        Ok(Self(command.spawn()?))
    }
}

impl Drop for Keeper {
    /// Nobody is left in the namespaces after this.
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
