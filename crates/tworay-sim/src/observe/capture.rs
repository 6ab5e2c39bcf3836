//! Capture of a run: every frame at its transmitter, as a pcapng file for Wireshark.
//!
//! There is one interface per node (`node 0`, `node 1`, ...) for its 802.11 frames with radiotap headers,
//! one per wire (`wire 0-1`) for IPv4 packets, and `lost` with one record per entry of the loss ledger: the
//! packet as it was where it died, with its cause. A frame that did not reach the station it was addressed
//! to has a comment that starts with `lost:` and names the reason. Times are those of the first bit.
//! Nodes with names have those as interfaces and hosts. Payload is left out: every record states its full length, and checksums are correct for payload of
//! zeros.
//!
//! A frame's comment is known only when its last bit has arrived. Records wait until then, so the file is
//! in order of time.

mod file;
mod reception;
#[cfg(test)]
mod tests;

pub(crate) use file::CaptureFile;
pub(crate) use reception::FrameResult;

use crate::observe::loss::ledger::LossRecord;
use reception::FrameResults;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::Path;
use tworay_base::{BitRate, FlowId, NodeId, SimTime};
use tworay_mac::{Frame, FrameKind, MacConfig};
use tworay_wire::Packet;
use tworay_wire::bytes::{
    Dot11, Encoding, EtherType, FCS_BYTES, PayloadBytes, append_fcs, encode_dot11, encode_llc, encode_packet,
    ethertype, ipv4_address, mac_address, radiotap,
};
use tworay_wire::pcapng::{Captured, Direction, Interface, LinkType, PcapngWriter};

/// Description of the network for the capture.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Number of nodes with a radio; they come first.
    pub radios: usize,
    /// Both ends of each one-way wire.
    pub wires: Vec<(NodeId, NodeId)>,
    /// Carrier frequency, MHz.
    pub megahertz: u16,
    /// Comment of the whole file.
    pub comment: String,
    /// Names of nodes, by number.
    pub names: BTreeMap<u16, String>,
}

/// A record that is not written yet.
#[derive(Debug, Default)]
struct Pending {
    interface: u32,
    nanos: u64,
    bytes: Vec<u8>,
    original_bytes: u32,
    outbound: bool,
    comment: String,
    /// True if its comment is complete.
    settled: bool,
    fates: FrameResults,
}

/// A capture being written.
#[derive(Debug)]
pub(crate) struct Capture {
    writer: PcapngWriter<CaptureFile>,
    /// First write error; nothing is written after it.
    failure: Option<io::Error>,
    /// Nodes with a number below this have an interface for their frames.
    radios: u32,
    wires: u32,
    megahertz: u16,
    basic_rate: BitRate,
    ack_rate: BitRate,
    data_rate: BitRate,
    waiting: VecDeque<Pending>,
    /// Number of records written, which is the number of the first pending one.
    written: u64,
    /// Record of each transmission, by the transmission's number.
    on_air: Vec<u64>,
    /// Window scale shifts announced, by flow and sender.
    shifts: BTreeMap<(FlowId, NodeId), u8>,
    spare: Vec<Pending>,
}

impl Capture {
    /// Opens the file and describes the interfaces.
    pub fn create(path: &Path, layout: &Layout, mac: &MacConfig) -> io::Result<Self> {
        let application = format!("tworay {}", crate::version::VERSION);
        let mut writer = PcapngWriter::new(CaptureFile::create(path)?, &application, &layout.comment)?;
        for node in 0..layout.radios {
            let named = layout.names.get(&(node as u16));
            let name = named.cloned().unwrap_or_else(|| format!("node {node}"));
            let known = named.map_or_else(String::new, |name| format!(" ({name})"));
            let description = format!("802.11 radio of node {node}{known}, what it sends");
            writer.interface(&Interface {
                name: &name,
                description: &description,
                link: LinkType::Radiotap,
            })?;
        }
        for (from, to) in &layout.wires {
            let name = format!("wire {from}-{to}");
            let description = format!("wire from node {from} to node {to}, what is sent into it");
            writer.interface(&Interface { name: &name, description: &description, link: LinkType::Ipv4 })?;
        }
        if !layout.names.is_empty() {
            let address = |node: u16| (ipv4_address(NodeId(node)), mac_address(NodeId(node)));
            let hosts = layout.names.iter().map(|(&node, name)| {
                let (ip, mac) = address(node);
                (ip, mac, name.as_str())
            });
            writer.hosts(hosts)?;
        }
        let description = "packets that died: one for each entry of the loss ledger";
        writer.interface(&Interface { name: "lost", description, link: LinkType::Ipv4 })?;
        Ok(Self {
            writer,
            failure: None,
            radios: layout.radios as u32,
            wires: layout.wires.len() as u32,
            megahertz: layout.megahertz,
            basic_rate: mac.basic_rate,
            ack_rate: mac.rate_of_acks(),
            data_rate: mac.data_rate,
            waiting: VecDeque::new(),
            written: 0,
            on_air: Vec::new(),
            shifts: BTreeMap::new(),
            spare: Vec::new(),
        })
    }

    /// Transmission `tx` of a frame starts.
    pub fn transmitted(&mut self, now: SimTime, tx: u32, frame: &Frame, packet: Option<&Packet>) {
        let mut record = self.blank(now, frame.from.0.into());
        record.outbound = true;
        let radiotap =
            radiotap::Radiotap { rate: Some(self.rate(frame)), megahertz: self.megahertz, fcs: true };
        radiotap::encode(&radiotap, &mut record.bytes);
        encode_dot11(&header(frame), &mut record.bytes);
        let mut left_out = 0;
        if let Some(packet) = packet {
            encode_llc(ethertype(packet), &mut record.bytes);
            left_out = self.append(packet, &mut record);
        }
        if left_out == 0 {
            append_fcs(radiotap::BYTES, &mut record.bytes);
        } else {
            left_out += FCS_BYTES as u32;
        }
        record.original_bytes = record.bytes.len() as u32 + left_out;
        let slot = tx as usize;
        if slot >= self.on_air.len() {
            self.on_air.resize(slot + 1, 0);
        }
        self.on_air[slot] = self.written + self.waiting.len() as u64;
        self.waiting.push_back(record);
    }

    /// Records how transmission `tx` was received at a station it was addressed to. The first result for a
    /// station counts.
    pub fn note(&mut self, tx: u32, node: NodeId, fate: FrameResult) {
        if let Some(record) = self.record_of(tx) {
            record.fates.note(node, fate);
        }
    }

    /// Transmission `tx` has ended at all hearers.
    pub fn ended(&mut self, tx: u32) {
        if let Some(record) = self.record_of(tx) {
            record.fates.describe(&mut record.comment);
            record.settled = true;
        }
        self.write_settled();
    }

    /// A packet enters a wire.
    pub fn wired(&mut self, now: SimTime, wire: u16, packet: &Packet) {
        let mut record = self.blank(now, self.radios + u32::from(wire));
        record.outbound = true;
        self.push_packet(record, packet);
    }

    /// The ledger recorded the loss of `packet`.
    pub fn lost(&mut self, now: SimTime, packet: &Packet, loss: &LossRecord) {
        let mut record = self.blank(now, self.radios + self.wires);
        record.comment = reception::loss_comment(loss);
        self.push_packet(record, packet);
    }

    /// Writes the pending records and renames the file to its final name.
    pub fn finish(mut self) -> io::Result<()> {
        for record in &mut self.waiting {
            if !record.settled {
                record.fates.describe(&mut record.comment);
                record.settled = true;
            }
        }
        self.write_settled();
        match self.failure {
            Some(failure) => Err(failure),
            None => self.writer.finish()?.finish(),
        }
    }

    fn push_packet(&mut self, mut record: Pending, packet: &Packet) {
        if ethertype(packet) == EtherType::Ipv4 {
            let left_out = self.append(packet, &mut record);
            record.original_bytes = record.bytes.len() as u32 + left_out;
            record.settled = true;
            self.waiting.push_back(record);
            self.write_settled();
        }
    }

    /// Appends a packet without its payload and returns the number of bytes left out. A packet that its
    /// format cannot represent leaves a comment instead.
    fn append(&mut self, packet: &Packet, record: &mut Pending) -> u32 {
        let key = (packet.flow, packet.src);
        if let Some(shift) = packet.tcp().and_then(|s| s.options.window_scale) {
            self.shifts.insert(key, shift);
        }
        let window_shift = self.shifts.get(&key).copied().unwrap_or(0);
        let start = record.bytes.len();
        let encoding = Encoding { payload: PayloadBytes::Counted, window_shift };
        match encode_packet(packet, encoding, &mut record.bytes) {
            Ok(whole) => whole - (record.bytes.len() - start) as u32,
            Err(error) => {
                record.comment.push_str(&format!("the packet can't be shown: {error}"));
                0
            }
        }
    }

    fn rate(&self, frame: &Frame) -> BitRate {
        match frame.kind {
            FrameKind::Data if !frame.to.is_broadcast() => self.data_rate,
            FrameKind::Ack => self.ack_rate,
            _ => self.basic_rate,
        }
    }

    fn record_of(&mut self, tx: u32) -> Option<&mut Pending> {
        let number = *self.on_air.get(tx as usize)?;
        let waits = number.checked_sub(self.written)?;
        self.waiting.get_mut(waits as usize)
    }

    fn blank(&mut self, now: SimTime, interface: u32) -> Pending {
        let mut record = self.spare.pop().unwrap_or_default();
        record.bytes.clear();
        record.comment.clear();
        record.fates.clear();
        record.nanos = now.as_nanos();
        record.interface = interface;
        record.outbound = false;
        record.settled = false;
        record
    }

    fn write_settled(&mut self) {
        while self.waiting.front().is_some_and(|r| r.settled) {
            let Some(record) = self.waiting.pop_front() else { break };
            self.written += 1;
            if self.failure.is_none() {
                let captured = Captured {
                    interface: record.interface,
                    nanos: record.nanos,
                    bytes: &record.bytes,
                    original_bytes: record.original_bytes,
                    direction: if record.outbound { Direction::Outbound } else { Direction::Unknown },
                    comment: &record.comment,
                };
                self.failure = self.writer.packet(&captured).err();
            }
            self.spare.push(record);
        }
    }
}

fn header(frame: &Frame) -> Dot11 {
    let Frame { duration, from: transmitter, to: receiver, number, retry, .. } = *frame;
    match frame.kind {
        FrameKind::Rts => Dot11::Rts { duration, receiver, transmitter },
        FrameKind::Cts => Dot11::Cts { duration, receiver },
        FrameKind::Ack => Dot11::Ack { duration, receiver },
        FrameKind::Data => Dot11::Data { duration, receiver, transmitter, number, retry },
    }
}
