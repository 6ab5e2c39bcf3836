//! The file's blocks, byte for byte.

use super::*;

fn words(bytes: &[u8]) -> Vec<u32> {
    assert_eq!(bytes.len() % 4, 0, "every block is a multiple of four bytes");
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

#[test]
fn a_small_capture() {
    let mut w = PcapngWriter::new(Vec::new(), "tworay", "").unwrap();
    let n = w.interface(&Interface { name: "node 0", description: "", link: LinkType::Radiotap }).unwrap();
    assert_eq!(n, 0);
    let packet = Captured {
        interface: 0,
        nanos: 0x1_0000_0002,
        bytes: &[1, 2, 3, 4, 5],
        original_bytes: 1500,
        direction: Direction::Outbound,
        comment: "lost",
    };
    w.packet(&packet).unwrap();
    let file = w.finish().unwrap();
    #[rustfmt::skip]
    let expected = [
        // Section header: type, length, magic, version 1.0, length of the section unknown.
        0x0a0d_0d0a, 44, 0x1a2b_3c4d, 1, u32::MAX, u32::MAX,
        // shb_userappl (4) of six bytes, end of options, length again.
        6 << 16 | 4, u32::from_le_bytes(*b"twor"), u32::from_le_bytes(*b"ay\0\0"), 0, 44,
        // Interface: link type 127, no limit, if_name (2), if_tsresol (9) = 9.
        1, 44, 127, 0,
        6 << 16 | 2, u32::from_le_bytes(*b"node"), u32::from_le_bytes(*b" 0\0\0"), 1 << 16 | 9, 9, 0, 44,
        // Packet on interface 0, time in two halves, 5 of 1500 bytes.
        6, 60, 0, 1, 2, 5, 1500, 0x0403_0201, 5,
        // epb_flags (2): outbound; the comment (1).
        4 << 16 | 2, 2, 4 << 16 | 1, u32::from_le_bytes(*b"lost"), 0, 60,
    ];
    assert_eq!(words(&file), expected);
}

/// A packet without options has no end-of-options mark either.
#[test]
fn a_bare_packet() {
    let mut w = PcapngWriter::new(Vec::new(), "", "").unwrap();
    w.interface(&Interface { name: "", description: "", link: LinkType::Ipv4 }).unwrap();
    let before = w.out.len();
    let direction = Direction::Unknown;
    w.packet(&Captured { interface: 0, nanos: 0, bytes: &[], original_bytes: 0, direction, comment: "" })
        .unwrap();
    assert_eq!(words(&w.finish().unwrap()[before..]), [6, 32, 0, 0, 0, 0, 0, 32]);
}

/// Texts longer than an option are cut off between characters.
#[test]
fn long_comments_are_cut() {
    let long = "é".repeat(40_000);
    let file = PcapngWriter::new(Vec::new(), "", &long).unwrap().finish().unwrap();
    let length = u16::from_le_bytes([file[26], file[27]]);
    assert_eq!(length, 65_534);
    assert!(std::str::from_utf8(&file[28..28 + usize::from(length)]).is_ok());
}
