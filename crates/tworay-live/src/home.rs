//! Gives each station a host name and files of its own, besides its network.
//!
//! Programs at a station see the host's files, but `/etc`, `/var/lib` and `/run` are overlays: what is written
//! there goes to memory, is seen at this station only, and disappears with its last process and descriptor.
//! So daemons at many stations don't share their state, and none writes into the host's.

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Directories that each station has for itself.
pub(crate) const OWN: [&str; 3] = ["/etc", "/var/lib", "/run"];
/// Where the memory for them is mounted while they are set up; every system has it.
const WORKSHOP: &str = "/mnt";

/// Files of which each station has its own, whatever is mounted there: containers mount theirs.
const IDENTITY: [&str; 2] = ["/etc/hosts", "/etc/hostname"];

/// Names at a station: its own, and those of the others.
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
        // An overlay does not show what is mounted below its lower directory.
        let below = mounted_below(place)?;
        let layers = format!("lowerdir={place},upperdir={upper},workdir={work}");
        mount(Some("tworay"), place, Some("overlay"), MsFlags::empty(), Some(layers.as_str()))
            .map_err(|e| at("can't mount an overlay", place, e))?;
        for (path, held) in below {
            let source = format!("/proc/thread-self/fd/{}", held.as_raw_fd());
            let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
            mount(Some(source.as_str()), path.as_str(), None::<&str>, flags, None::<&str>)
                .map_err(|e| at("can't mount what was", &path, e))?;
        }
    }
    // The overlays keep the memory; only its path goes.
    umount2(WORKSHOP, MntFlags::MNT_DETACH).map_err(|e| at("can't unmount", WORKSHOP, e))
}

/// The mounts below a directory that are not below another one of them, each held open. Those that can't be opened
/// are of no use to a program either.
fn mounted_below(place: &str) -> io::Result<Vec<(String, File)>> {
    let mounts = fs::read_to_string("/proc/thread-self/mountinfo")?;
    Ok(topmost_below(&mounts, place)
        .into_iter()
        .filter_map(|path| {
            let held = File::options().read(true).custom_flags(libc::O_PATH).open(&path).ok()?;
            Some((path, held))
        })
        .collect())
}

/// The mount points of a text like `/proc/self/mountinfo` (`man 5 proc`) that are below a directory, without those that
/// are below another one, and without [`IDENTITY`].
fn topmost_below(mounts: &str, place: &str) -> Vec<String> {
    let inside = |path: &str, above: &str| path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'));
    let mut points: Vec<String> = mounts
        .lines()
        .filter_map(|line| line.split(' ').nth(4))
        .map(|path| path.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"))
        .filter(|path| inside(path, place) && !IDENTITY.contains(&path.as_str()))
        .collect();
    points.sort();
    points.dedup();
    let all = points.clone();
    points.retain(|path| !all.iter().any(|above| inside(path, above)));
    points
}

#[cfg(test)]
mod tests {
    use super::topmost_below;

    /// Two mounts below /run, one of them with another one below it; a directory whose name only begins alike; and the
    /// station's own files.
    #[test]
    fn mounts_below_a_directory_are_found_once() {
        let text = "22 1 0:21 / / rw - ext4 /dev/root rw\n\
                    23 22 0:5 / /run rw shared:5 - tmpfs tmpfs rw\n\
                    24 23 0:6 / /run/user/1000 rw shared:6 - tmpfs tmpfs rw\n\
                    25 24 0:7 / /run/user/1000/doc rw - fuse doc rw\n\
                    26 23 0:8 / /run/a\\040b rw - tmpfs tmpfs rw\n\
                    27 22 0:9 / /running/x rw - tmpfs tmpfs rw\n\
                    28 22 8:1 /h /etc/hosts rw - ext4 /dev/sda1 rw\n\
                    29 22 8:1 /r /etc/resolv.conf rw - ext4 /dev/sda1 rw\n";
        assert_eq!(topmost_below(text, "/run"), ["/run/a b", "/run/user/1000"]);
        assert_eq!(topmost_below(text, "/etc"), ["/etc/resolv.conf"]);
        assert!(topmost_below(text, "/var/lib").is_empty());
    }
}
