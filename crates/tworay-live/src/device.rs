//! TUN and TAP devices, one in each namespace.

use crate::home::Identity;
use crate::namespace::Namespace;
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use tun_rs::{DeviceBuilder, SyncDevice};
use tworay_base::NodeId;
use tworay_sim::Layer;
use tworay_wire::bytes::{ipv4_address, mac_address};

/// The congestion control of a namespace.
const CONGESTION: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

/// Configuration of a station.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub node: NodeId,
    pub layer: Layer,
    /// Largest IP packet, bytes.
    pub mtu: u16,
    /// Congestion control of the kernel; the host's default if `None`.
    pub congestion: Option<String>,
    /// Its host name, and all nodes' names.
    pub identity: Identity,
}

/// A node's network namespace and its device.
pub(crate) struct Station {
    pub node: NodeId,
    pub namespace: Arc<Namespace>,
    /// Congestion control of programs that choose none.
    pub congestion: String,
    device: SyncDevice,
}

impl std::fmt::Debug for Station {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Station({})", self.node)
    }
}

impl Station {
    /// Creates the namespace and, inside it, the device with its addresses.
    pub fn create(plan: &Plan) -> io::Result<Self> {
        let (namespace, (device, congestion)) = Namespace::create(&plan.identity, || {
            let device = set_up(plan)?;
            let chosen = plan.congestion.clone().map_or_else(|| std::fs::read_to_string(CONGESTION), Ok)?;
            Ok((device, chosen.trim().to_owned()))
        })?;
        Ok(Self { node: plan.node, namespace: Arc::new(namespace), congestion, device })
    }

    /// Reads the next packet sent by the kernel; `WouldBlock` if there is none.
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.device.recv(buffer)
    }

    /// Passes a packet to the kernel.
    pub fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.device.send(bytes)
    }
}

impl AsFd for Station {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

/// Name of a node's device in its namespace.
pub(crate) fn device_name(node: NodeId) -> String {
    format!("tworay-{}", node.0)
}

/// IPv4 address of a node.
pub(crate) fn address(node: NodeId) -> Ipv4Addr {
    Ipv4Addr::from(ipv4_address(node))
}

fn set_up(plan: &Plan) -> io::Result<SyncDevice> {
    let name = device_name(plan.node);
    let layer = match plan.layer {
        Layer::Two => tun_rs::Layer::L2,
        Layer::Three => tun_rs::Layer::L3,
    };
    // Before the device exists. IPv6 is not used on layer 3, where the scenario's routing forwards packets.
    if plan.layer == Layer::Three {
        write_setting("net/ipv6/conf/all/disable_ipv6", "1", true)?;
        write_setting("net/ipv6/conf/default/disable_ipv6", "1", true)?;
    } else {
        write_setting("net/ipv4/ip_forward", "1", false)?;
        write_setting("net/ipv6/conf/all/forwarding", "1", true)?;
        for setting in ["send_redirects", "accept_redirects"] {
            write_setting(&format!("net/ipv4/conf/all/{setting}"), "0", true)?;
            write_setting(&format!("net/ipv4/conf/default/{setting}"), "0", true)?;
        }
    }
    // No connection may start with metrics cached from an earlier one: each is measured by itself.
    write_setting("net/ipv4/tcp_no_metrics_save", "1", true)?;
    let by_route = plan.congestion.as_deref().map(choose_congestion).transpose()?.flatten();
    let device = DeviceBuilder::new()
        .name(&name)
        .layer(layer)
        .offload(false)
        .packet_information(false)
        // Up only when it has its hardware address: the kernel makes the link-local address (IPv6) of the one that
        // it finds then.
        .enable(false)
        .build_sync()?;
    device.set_nonblocking(true)?;
    let (address, mtu) = (address(plan.node), plan.mtu);
    let hardware = mac_address(plan.node).map(|byte| format!("{byte:02x}")).join(":");
    let card = match plan.layer {
        Layer::Three => String::new(),
        Layer::Two => format!("link set {name} address {hardware}\n"),
    };
    let chosen = by_route.map_or_else(String::new, |name| format!(" congctl {name}"));
    ip_batch(&format!(
        "link set lo up\n{card}link set {name} mtu {mtu} up\naddr add {address}/16 dev {name}\n\
         route replace 10.0.0.0/16 dev {name} src {address} scope link{chosen}\n"
    ))?;
    Ok(device)
}

/// Writes a setting of this namespace. If `optional`, the kernel may lack it.
fn write_setting(name: &str, value: &str, optional: bool) -> io::Result<()> {
    let path = Path::new("/proc/sys").join(name);
    match std::fs::write(&path, value) {
        Err(error) if optional && error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(io::Error::new(error.kind(), format!("can't set {}: {error}", path.display()))),
        Ok(()) => Ok(()),
    }
}

/// Makes a congestion control the namespace's default. One that the host reserves for privileged users
/// cannot be the default: returns its name, to be selected by the route.
fn choose_congestion(name: &str) -> io::Result<Option<&str>> {
    let known =
        std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
    match std::fs::write(CONGESTION, name) {
        Ok(()) => Ok(None),
        Err(_) if known.split_whitespace().any(|one| one == name) => Ok(Some(name)),
        Err(_) => {
            let known = known.split_whitespace().collect::<Vec<_>>().join(", ");
            let message = format!("this kernel has no congestion control \"{name}\"; it has {known}");
            Err(io::Error::new(io::ErrorKind::InvalidInput, message))
        }
    }
}

/// Runs commands of `ip` in this thread's namespace.
fn ip_batch(orders: &str) -> io::Result<()> {
    let mut child = Command::new("ip")
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(orders.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(format!("ip failed: {}", String::from_utf8_lossy(&output.stderr).trim())))
}
