//! Queries the kernels for the state of their connections: `TCP_INFO` through sock_diag (`man 7
//! sock_diag`).

use crate::connections::End;
use crate::device::Station;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tworay_base::{NodeId, SimDuration};
use tworay_tcp::Phase;

/// Interval between queries.
const EVERY: Duration = Duration::from_millis(50);

/// A kernel's information about one connection.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Info {
    /// Name of the congestion control.
    pub congestion: String,
    pub cwnd: f64,
    pub ssthresh: f64,
    pub srtt: Option<SimDuration>,
    pub rttvar: Option<SimDuration>,
    pub rto: SimDuration,
    pub in_flight: u64,
    /// Number of timeouts and the time spent recovering from them; `None` if the kernel doesn't count them.
    pub timeouts: Option<(u64, SimDuration)>,
    pub phase: Phase,
}

/// One connection reported by a station's kernel: local end, remote end, state.
pub(crate) type Told = (NodeId, End, End, Info);

/// The stations whose kernels have something to tell: ends of TCP connections. The others, such as relays of a
/// mesh, are not asked, because each query costs system calls and a look through the kernel's tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked(Arc<[(NodeId, AtomicBool)]>);

impl Asked {
    pub fn new(nodes: impl Iterator<Item = NodeId>) -> Self {
        Self(nodes.map(|node| (node, AtomicBool::new(false))).collect())
    }

    /// From now on these stations are asked.
    pub fn note(&self, nodes: [NodeId; 2]) {
        for (_, asked) in self.0.iter().filter(|(node, _)| nodes.contains(node)) {
            asked.store(true, Ordering::Relaxed);
        }
    }

    pub fn has(&self, node: NodeId) -> bool {
        self.0.iter().any(|(one, asked)| *one == node && asked.load(Ordering::Relaxed))
    }
}

/// Queries the kernels of `stations` that are `asked` periodically until `stop` is set, in a separate thread.
pub(crate) fn watch(stations: &[Station], asked: Asked, stop: Arc<AtomicBool>) -> io::Result<Receiver<Told>> {
    let sockets = stations
        .iter()
        .map(|s| s.namespace.within(open).map(|socket| (s.node, socket)))
        .collect::<io::Result<Vec<_>>>()?;
    let (sender, receiver) = channel();
    std::thread::Builder::new().name("live-diag".into()).spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while !stop.load(Ordering::Relaxed) {
            for (node, socket) in sockets.iter().filter(|(node, _)| asked.has(*node)) {
                // After an error, the next query may succeed.
                let _ = ask(socket, &mut buffer, |local, remote, info| {
                    let _ = sender.send((*node, local, remote, info));
                });
            }
            #[expect(clippy::disallowed_methods, reason = "the kernels are asked at real intervals")]
            std::thread::sleep(EVERY);
        }
    })?;
    Ok(receiver)
}

/// Aborts every TCP connection of the stations (`SOCK_DESTROY`, as `ss --kill`). A socket that its program
/// has closed would keep its namespace, and the kernel its congestion control, until its last retransmission
/// minutes later. Kernels without `CONFIG_INET_DIAG_DESTROY` refuse; then that is what happens.
pub(crate) fn end_connections(stations: &[Station]) {
    let mut buffer = vec![0; 1 << 16];
    for station in stations {
        let Ok(socket) = station.namespace.within(open) else { continue };
        let mut ids = Vec::new();
        let _ = dump(&socket, &mut buffer, |message| ids.extend(message.get(..52).map(<[u8]>::to_vec)));
        for id in ids {
            let mut request = header(SOCK_DESTROY, REQUEST_AND_ACK);
            // struct inet_diag_req_v2 with the family and the identity of struct inet_diag_msg.
            request.extend_from_slice(&[id[0], 6, 0, 0]);
            request.extend_from_slice(&STATES.to_ne_bytes());
            request.extend_from_slice(&id[4..52]);
            let sent = send(socket.as_raw_fd(), &request, MsgFlags::empty());
            let _ = sent.and_then(|_| recv(socket.as_raw_fd(), &mut buffer, MsgFlags::empty()));
        }
    }
}

fn open() -> io::Result<OwnedFd> {
    let flags = SockFlag::SOCK_CLOEXEC;
    Ok(socket(AddressFamily::Netlink, SockType::Raw, flags, SockProtocol::NetlinkSockDiag)?)
}

// Constants of linux/netlink.h, linux/sock_diag.h and linux/inet_diag.h.
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const SOCK_DESTROY: u16 = 21;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const REQUEST_AND_DUMP: u16 = 0x301;
const REQUEST_AND_ACK: u16 = 0x5;
/// Length of a request: header and struct inet_diag_req_v2.
const REQUEST: usize = 72;
const DIAG_INFO: u16 = 2;
const DIAG_CONG: u16 = 4;
/// All states except listening and those without a sender.
const STATES: u32 = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 11;

/// Queries all TCP connections over IPv4 and IPv6.
fn ask(socket: &OwnedFd, buffer: &mut [u8], mut tell: impl FnMut(End, End, Info)) -> io::Result<()> {
    dump(socket, buffer, |message| {
        if let Some((local, remote, info)) = connection(message) {
            tell(local, remote, info);
        }
    })
}

/// A netlink header, for a request of fixed length.
fn header(kind: u16, flags: u16) -> Vec<u8> {
    let mut request = Vec::with_capacity(REQUEST);
    request.extend_from_slice(&(REQUEST as u32).to_ne_bytes());
    request.extend_from_slice(&kind.to_ne_bytes());
    request.extend_from_slice(&flags.to_ne_bytes());
    request.extend_from_slice(&[0; 8]);
    request
}

/// Passes on the `inet_diag_msg` of every TCP connection.
fn dump(socket: &OwnedFd, buffer: &mut [u8], mut tell: impl FnMut(&[u8])) -> io::Result<()> {
    for family in [2_u8, 10] {
        let mut request = header(SOCK_DIAG_BY_FAMILY, REQUEST_AND_DUMP);
        // struct inet_diag_req_v2: family, protocol, requested extensions, padding, states, an empty socket
        // id.
        request.extend_from_slice(&[family, 6, 1 << (DIAG_INFO - 1) | 1 << (DIAG_CONG - 1), 0]);
        request.extend_from_slice(&STATES.to_ne_bytes());
        request.resize(REQUEST, 0);
        send(socket.as_raw_fd(), &request, MsgFlags::empty())?;
        loop {
            let length = recv(socket.as_raw_fd(), buffer, MsgFlags::empty())?;
            if !answers(buffer, length, &mut tell) {
                break;
            }
        }
    }
    Ok(())
}

/// Parses one datagram of answers; returns false if it was the last.
fn answers(buffer: &[u8], length: usize, tell: &mut impl FnMut(&[u8])) -> bool {
    let mut rest = buffer.get(..length).unwrap_or_default();
    while let Some(total) = u32_at(rest, 0).map(|n| n as usize).filter(|&n| n >= 16 && n <= rest.len()) {
        match u16_at(rest, 4) {
            Some(NLMSG_DONE | NLMSG_ERROR) | None => return false,
            Some(_) => tell(&rest[16..total]),
        }
        rest = rest.get(total.next_multiple_of(4)..).unwrap_or_default();
    }
    length > 0
}

/// Parses an `inet_diag_msg` with its attributes.
fn connection(message: &[u8]) -> Option<(End, End, Info)> {
    let family = *message.first()?;
    let port = |at: usize| message.get(at..at + 2).map(|b| u16::from_be_bytes([b[0], b[1]]));
    let address = |at: usize| -> Option<IpAddr> {
        match family {
            2 => <[u8; 4]>::try_from(message.get(at..at + 4)?).ok().map(|b| Ipv4Addr::from(b).into()),
            _ => {
                let bytes = <[u8; 16]>::try_from(message.get(at..at + 16)?).ok()?;
                // A dual-stack socket has IPv4-mapped IPv6 addresses.
                let v6 = Ipv6Addr::from(bytes);
                Some(v6.to_ipv4_mapped().map_or(v6.into(), IpAddr::V4))
            }
        }
    };
    let (local, remote) = ((address(8)?, port(4)?), (address(24)?, port(6)?));
    let (mut info, mut name) = (None, String::new());
    let mut rest = message.get(72..)?;
    while let (Some(length), Some(kind)) = (u16_at(rest, 0).map(usize::from), u16_at(rest, 2)) {
        let Some(value) = rest.get(4..length) else { break };
        match kind {
            DIAG_INFO => info = tcp_info(value),
            DIAG_CONG => name = String::from_utf8_lossy(value).trim_end_matches('\0').to_owned(),
            _ => {}
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Some((local, remote, Info { congestion: name, ..info? }))
}

/// The fields of `struct tcp_info` (linux/tcp.h) that are used. Older kernels provide fewer.
fn tcp_info(b: &[u8]) -> Option<Info> {
    let word = |at: usize| u32_at(b, at);
    let micros = |n: u32| SimDuration::from_micros(n.into());
    let (state, ca_state) = (*b.first()?, *b.get(1)?);
    let (unacked, sacked, lost, retrans) = (word(24)?, word(28)?, word(32)?, word(36)?);
    let (srtt, rttvar, ssthresh, cwnd) = (word(68)?, word(72)?, word(76)?, word(80)?);
    // The initial threshold is the largest number.
    let ssthresh = if ssthresh >= 0x7fff_ffff { f64::INFINITY } else { f64::from(ssthresh) };
    let phase = match (state, ca_state) {
        (2 | 3, _) => Phase::Handshake,
        (_, 3) => Phase::Recovery,
        (_, 4) => Phase::RtoRecovery,
        _ if f64::from(cwnd) < ssthresh => Phase::SlowStart,
        _ => Phase::CongestionAvoidance,
    };
    // Since Linux 6.7: number of timeouts and time spent in them, ms.
    let timeouts = u16_at(b, TOTAL_RTO).zip(word(TOTAL_RTO + 4));
    Some(Info {
        congestion: String::new(),
        cwnd: cwnd.into(),
        ssthresh,
        srtt: (srtt > 0).then(|| micros(srtt)),
        rttvar: (srtt > 0).then(|| micros(rttvar)),
        rto: micros(word(8)?),
        in_flight: (unacked + retrans).saturating_sub(sacked + lost).into(),
        timeouts: timeouts.map(|(count, ms)| (count.into(), SimDuration::from_millis(ms.into()))),
        phase,
    })
}

/// Offset of `tcpi_total_rto`.
const TOTAL_RTO: usize = 240;

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2).map(|b| u16::from_ne_bytes([b[0], b[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `struct tcp_info` has 232 bytes in Linux 6.1 and 248 in 6.7, which added `tcpi_total_rto` (u16),
    /// `tcpi_total_rto_recoveries` (u16) and `tcpi_total_rto_time` (u32, ms).
    #[test]
    fn only_kernels_that_count_timeouts_give_some() {
        let old = tcp_info(&[0; 232]).expect("an answer of Linux 6.1");
        assert_eq!(old.timeouts, None);
        let mut bytes = [0; 248];
        bytes[240..242].copy_from_slice(&3u16.to_ne_bytes());
        bytes[244..248].copy_from_slice(&1500u32.to_ne_bytes());
        let new = tcp_info(&bytes).expect("an answer of Linux 6.7");
        assert_eq!(new.timeouts, Some((3, SimDuration::from_millis(1500))));
    }
}
