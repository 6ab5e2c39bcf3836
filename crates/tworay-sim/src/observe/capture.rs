//! Capture of a run: every frame at its transmitter, as a pcapng file for Wireshark.
//!
//! There is one interface per node (`node 0`, `node 1`, ...) for its 802.11 frames with radiotap headers,
//! one per wire (`wire 0-1`) for IPv4 packets, and `lost` with one record per entry of the loss ledger: the
//! packet as it was where it died, with its cause. A frame that did not reach the station it was addressed
//! to has a comment that starts with `lost:` and names the reason. Times are those of the first bit.
//! Nodes with names have those as interfaces and hosts. Payload is left out: every record states its full length, and checksums are correct for payload of
//! zeros.
//!
//! An aggregate is one record for each of its frames, at the time of its first bit and with one A-MPDU reference; each has a
//! comment of its own.
//!
//! A frame's comment is known only when its last bit has arrived. Records wait until then, so the file is
//! in order of time.

mod file;
mod frames;
mod reception;
#[cfg(test)]
mod tests;

pub(crate) use file::CaptureFile;
pub(crate) use frames::Frames;
pub(crate) use reception::FrameResult;

use crate::network::packets::PacketSlab;
use crate::observe::loss::attempts::Failure;
use crate::observe::loss::ledger::LossRecord;
use reception::FrameResults;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::Path;
use tworay_base::{BitRate, FlowId, NodeId, SimTime};
use tworay_mac::hcf::AirFrame;
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
    /// Which frames stations send.
    pub frames: Frames,
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
    frames: Frames,
    basic_rate: BitRate,
    ack_rate: BitRate,
    data_rate: BitRate,
    waiting: VecDeque<Pending>,
    /// Number of records written, which is the number of the first pending one.
    written: u64,
    /// Records of each transmission, by the transmission's number: the first one, and how many.
    on_air: Vec<(u64, usize)>,
    /// Aggregates so far.
    aggregates: u32,
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
            frames: layout.frames,
            basic_rate: mac.basic_rate,
            ack_rate: mac.rate_of_acks(),
            data_rate: mac.data_rate,
            waiting: VecDeque::new(),
            written: 0,
            on_air: Vec::new(),
            aggregates: 0,
            shifts: BTreeMap::new(),
            spare: Vec::new(),
        })
    }

    /// Transmission `tx` of a frame starts. Stations with aggregates have reported it before.
    pub fn transmitted(&mut self, now: SimTime, tx: u32, frame: &Frame, packet: Option<&Packet>) {
        if self.frames != Frames::Dsss {
            return;
        }
        let sent = radiotap::Sent::Dsss(Some(self.rate(frame)));
        self.began(tx, 1);
        self.push_frame(now, frame.from, (sent, None), &frames::of_frame(frame), packet);
    }

    /// Transmission `tx` of a frame or an aggregate starts.
    pub fn on_air(&mut self, now: SimTime, tx: u32, frame: &AirFrame, packets: &PacketSlab) {
        let sent = frames::sent(frame.mode);
        let Some(last) = frame.packets.len().checked_sub(1) else {
            self.began(tx, 1);
            return self.push_frame(now, frame.from, (sent, None), &frames::of_control(frame), None);
        };
        self.began(tx, frame.packets.len());
        self.aggregates = self.aggregates.wrapping_add(u32::from(last > 0));
        for (i, part) in frame.packets.iter().enumerate() {
            let aggregate =
                (last > 0).then_some(radiotap::InAggregate { reference: self.aggregates, last: i == last });
            let header = frames::of_packet(frame, part, self.frames == Frames::Qos);
            let packet = packets.get(part.packet);
            self.push_frame(now, frame.from, (sent, aggregate), &header, Some(packet));
        }
    }

    /// The next `count` records are those of transmission `tx`.
    fn began(&mut self, tx: u32, count: usize) {
        let slot = tx as usize;
        if slot >= self.on_air.len() {
            self.on_air.resize(slot + 1, (0, 0));
        }
        self.on_air[slot] = (self.written + self.waiting.len() as u64, count);
    }

    fn push_frame(
        &mut self,
        now: SimTime,
        from: NodeId,
        (sent, aggregate): (radiotap::Sent, Option<radiotap::InAggregate>),
        header: &Dot11,
        packet: Option<&Packet>,
    ) {
        let mut record = self.blank(now, from.0.into());
        record.outbound = true;
        let radiotap = radiotap::Radiotap { sent, megahertz: self.megahertz, fcs: true, aggregate };
        radiotap::encode(&radiotap, &mut record.bytes);
        let start = record.bytes.len();
        encode_dot11(header, &mut record.bytes);
        let mut left_out = 0;
        if let Some(packet) = packet {
            encode_llc(ethertype(packet), &mut record.bytes);
            left_out = self.append(packet, &mut record);
        }
        if left_out == 0 {
            append_fcs(start, &mut record.bytes);
        } else {
            left_out += FCS_BYTES as u32;
        }
        record.original_bytes = record.bytes.len() as u32 + left_out;
        self.waiting.push_back(record);
    }

    /// Records how transmission `tx` was received at a station it was addressed to. The first result for a
    /// station counts.
    pub fn note(&mut self, tx: u32, node: NodeId, fate: FrameResult) {
        self.records_of(tx).for_each(|record| record.fates.note(node, fate));
    }

    /// The same for each packet of a frame.
    pub fn note_parts(&mut self, tx: u32, node: NodeId, fates: &[Option<Failure>]) {
        let parts = self.records_of(tx).zip(fates);
        parts.for_each(|(record, fate)| record.fates.note(node, FrameResult::from(*fate)));
    }

    /// Transmission `tx` has ended at all hearers.
    pub fn ended(&mut self, tx: u32) {
        for record in self.records_of(tx) {
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

    /// Passes the complete records on to a reader that waits for them.
    pub fn flush(&mut self) {
        if self.failure.is_none() {
            self.failure = self.writer.flush().err();
        }
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

    fn records_of(&mut self, tx: u32) -> impl Iterator<Item = &mut Pending> {
        let (number, count) = self.on_air.get(tx as usize).copied().unwrap_or_default();
        // Those of an earlier transmission are written.
        let waits = number.checked_sub(self.written).map_or(usize::MAX, |waits| waits as usize);
        self.waiting.iter_mut().skip(waits).take(count)
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
