//! What a station has for itself besides its network: a host name, and files of its own.
//!
//! Programs at a station see the host's files, but `/etc`, `/var/lib` and `/run` are overlays: what is written
//! there goes to memory, is seen at this station only, and disappears with its last process and descriptor.
//! So daemons at many stations don't share their state, and none writes into the host's.

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use std::fs;
use std::io;
use std::path::Path;

/// Directories that each station has for itself.
pub(crate) const OWN: [&str; 3] = ["/etc", "/var/lib", "/run"];
/// Where the memory for them is mounted while they are set up; every system has it.
const WORKSHOP: &str = "/mnt";

/// What tells one station from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Host name.
    pub name: String,
    /// The whole text of `/etc/hosts`.
    pub hosts: String,
}

/// Gives the calling thread's namespaces a name. The thread must have a UTS namespace of its own.
pub(crate) fn set_name(identity: &Identity) -> io::Result<()> {
    nix::unistd::sethostname(&identity.name).map_err(io::Error::from)
}

/// Puts memory over the directories [`OWN`] of the calling thread's mount namespace, which must be its own.
pub(crate) fn set_up(identity: &Identity) -> io::Result<()> {
    let at = |what: &str, place: &str, error: nix::Error| {
        io::Error::new(io::Error::from(error).kind(), format!("{what} on {place}: {}", error.desc()))
    };
    // Without this the mounts would be those of the host, too.
    mount(None::<&str>, "/", None::<&str>, MsFlags::MS_REC | MsFlags::MS_PRIVATE, None::<&str>)
        .map_err(|e| at("mounts can't be made private", "/", e))?;
    mount(Some("tworay"), WORKSHOP, Some("tmpfs"), MsFlags::empty(), Some("mode=755"))
        .map_err(|e| at("can't mount memory", WORKSHOP, e))?;
    for (number, place) in OWN.into_iter().enumerate().filter(|(_, place)| Path::new(place).is_dir()) {
        let [upper, work] = ["upper", "work"].map(|kind| format!("{WORKSHOP}/{kind}{number}"));
        fs::create_dir(&upper)?;
        fs::create_dir(&work)?;
        if place == "/etc" {
            fs::write(format!("{upper}/hosts"), &identity.hosts)?;
            fs::write(format!("{upper}/hostname"), format!("{}\n", identity.name))?;
        }
        let layers = format!("lowerdir={place},upperdir={upper},workdir={work}");
        mount(Some("tworay"), place, Some("overlay"), MsFlags::empty(), Some(layers.as_str()))
            .map_err(|e| at("can't mount an overlay", place, e))?;
    }
    // The overlays keep the memory; only its path goes.
    umount2(WORKSHOP, MntFlags::MNT_DETACH).map_err(|e| at("can't unmount", WORKSHOP, e))
}
