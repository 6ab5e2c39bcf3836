//! Reads captures back: the blocks of the file, and the packets with tworay's own decoders.

use std::path::Path;
use tworay_wire::Packet;
use tworay_wire::bytes::{
    Dot11, EtherType, FCS_BYTES, decode_dot11, decode_llc, decode_packet, radiotap, without_fcs,
};

/// One record of a capture.
pub struct Record {
    pub interface: String,
    pub nanos: u64,
    pub bytes: Vec<u8>,
    pub original_bytes: usize,
    pub comment: String,
}

/// Decoded content of a record.
pub struct Contents {
    /// The frame's header, on the interfaces of radios.
    pub frame: Option<Dot11>,
    /// Its radiotap header.
    pub radio: Option<radiotap::Radiotap>,
    pub packet: Option<Packet>,
}

/// Every record of a capture.
pub fn read(path: &Path) -> Vec<Record> {
    let file = std::fs::read(path).unwrap();
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let (mut at, mut interfaces, mut records) = (0, Vec::new(), Vec::new());
    while at < file.len() {
        let length = word(at + 4) as usize;
        assert_eq!(word(at + length - 4) as usize, length, "a block tells its length twice");
        let end = at + length - 4;
        match word(at) {
            0x0a0d_0d0a => {}
            1 => {
                let options = options(&file[at + 16..end]);
                assert_eq!(option(&options, 9), [9], "if_tsresol says nanoseconds");
                interfaces.push(String::from_utf8(option(&options, 2)).unwrap());
            }
            6 => {
                let kept = word(at + 20) as usize;
                let options = options(&file[at + 28 + kept.next_multiple_of(4)..end]);
                records.push(Record {
                    interface: interfaces[word(at + 8) as usize].clone(),
                    nanos: u64::from(word(at + 12)) << 32 | u64::from(word(at + 16)),
                    bytes: file[at + 28..at + 28 + kept].to_vec(),
                    original_bytes: word(at + 24) as usize,
                    comment: String::from_utf8(option(&options, 1)).unwrap(),
                });
            }
            other => panic!("block type {other}"),
        }
        at += length;
    }
    records
}

fn options(mut bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut all = Vec::new();
    while bytes.len() >= 4 {
        let code = u16::from_le_bytes([bytes[0], bytes[1]]);
        let length = usize::from(u16::from_le_bytes([bytes[2], bytes[3]]));
        all.push((code, bytes[4..4 + length].to_vec()));
        bytes = &bytes[4 + length.next_multiple_of(4)..];
    }
    all
}

fn option(options: &[(u16, Vec<u8>)], code: u16) -> Vec<u8> {
    options.iter().find(|o| o.0 == code).map(|o| o.1.clone()).unwrap_or_default()
}

impl Record {
    pub fn lost(&self) -> bool {
        self.comment.starts_with("lost: ")
    }

    /// Bytes of the frame on the air, without the radio's report.
    pub fn frame_bytes(&self) -> usize {
        let (_, kept) = radiotap::decode(&self.bytes).unwrap();
        self.original_bytes - (self.bytes.len() - kept.len())
    }

    /// Decodes everything, with zeros in place of the omitted payload.
    pub fn decode(&self) -> Contents {
        if !self.interface.starts_with("node ") {
            let mut whole = self.bytes.clone();
            whole.resize(self.original_bytes, 0);
            return Contents {
                frame: None,
                radio: None,
                packet: Some(decode_packet(EtherType::Ipv4, &whole, 0).unwrap()),
            };
        }
        let (header, frame) = radiotap::decode(&self.bytes).unwrap();
        assert!(header.fcs);
        let complete = self.bytes.len() == self.original_bytes;
        let whole = if complete {
            without_fcs(frame).unwrap().to_vec()
        } else {
            let mut whole = frame.to_vec();
            whole.resize(self.frame_bytes() - FCS_BYTES, 0);
            whole
        };
        let (frame, body) = decode_dot11(&whole).unwrap();
        let packet = matches!(frame, Dot11::Data { .. }).then(|| {
            let (ethertype, packet) = decode_llc(body).unwrap();
            decode_packet(ethertype, packet, 0).unwrap()
        });
        Contents { frame: Some(frame), radio: Some(header), packet }
    }
}
