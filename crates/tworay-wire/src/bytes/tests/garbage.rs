//! Decoders are total: any bytes give a value or a named error.

use super::super::*;
use super::samples;
use proptest::collection::vec;
use proptest::prelude::*;
use tworay_base::NodeId;

const ENDS: (NodeId, NodeId) = (NodeId(1), NodeId(2));

/// Runs every decoder; returns the names of the errors.
fn decode_all(bytes: &[u8]) -> Vec<&'static str> {
    fn name<T>(result: Result<T, DecodeError>) -> Option<&'static str> {
        let error = result.err()?;
        assert!(!error.to_string().is_empty());
        Some(error.reason())
    }
    [
        name(decode_aodv(bytes)),
        name(decode_arp(bytes)),
        name(decode_dot11(bytes)),
        name(decode_dsr(bytes)),
        name(decode_ipv4(bytes)),
        name(decode_llc(bytes)),
        name(decode_olsr(bytes)),
        name(decode_packet(EtherType::Ipv4, bytes, 7)),
        name(decode_packet(EtherType::Arp, bytes, 255)),
        name(decode_tcp(bytes, ENDS, 255)),
        name(decode_tcp_options(bytes)),
        name(decode_udp(bytes, ENDS)),
        name(radiotap::decode(bytes)),
        name(without_fcs(bytes)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Damage to bytes: one changed, some removed, some inserted.
#[derive(Clone, Debug)]
enum Damage {
    Set(prop::sample::Index, u8),
    Cut(prop::sample::Index, usize),
    Insert(prop::sample::Index, Vec<u8>),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        4 => (at(), any::<u8>()).prop_map(|(i, b)| Damage::Set(i, b)),
        1 => (at(), 1..9usize).prop_map(|(i, n)| Damage::Cut(i, n)),
        1 => (at(), vec(any::<u8>(), 1..9)).prop_map(|(i, b)| Damage::Insert(i, b)),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    match damage {
        Damage::Set(at, to) => {
            if let Some(b) = bytes.len().checked_sub(1).map(|last| at.index(last + 1)) {
                bytes[b] = *to;
            }
        }
        Damage::Cut(at, n) => {
            let from = at.index(bytes.len() + 1);
            bytes.drain(from..(from + n).min(bytes.len()));
        }
        Damage::Insert(at, what) => {
            let i = at.index(bytes.len() + 1);
            bytes.splice(i..i, what.iter().copied());
        }
    }
}

/// Corrects the checksum of an IPv4 header, so that damage after it is examined.
fn repair(bytes: &mut [u8]) {
    let Some(header) = bytes.first().map(|b| usize::from(b & 15) * 4) else { return };
    if (IPV4_HEADER_BYTES..=bytes.len()).contains(&header) {
        bytes[10..12].fill(0);
        let sum = internet_checksum(&bytes[..header]);
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    }
}

proptest! {
    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..300)) {
        decode_all(&bytes);
    }

    /// Damaged messages without the checksums of their carriers. Whatever is still accepted can be written
    /// and read again.
    #[test]
    fn damaged_messages(
        aodv in samples::aodv(),
        olsr in samples::olsr(),
        dsr in samples::dsr(),
        options in samples::options(),
        harm in vec(damage(), 1..5),
    ) {
        let mut all = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
        encode_aodv(&aodv, &mut all[0]).unwrap();
        encode_olsr(&olsr, &mut all[1]).unwrap();
        encode_dsr(&dsr, 6, &mut all[2]).unwrap();
        encode_tcp_options(&options, &mut all[3]).unwrap();
        for bytes in &mut all {
            harm.iter().for_each(|d| apply(bytes, d));
            decode_all(bytes);
        }
        let mut again = Vec::new();
        if let Ok(message) = decode_aodv(&all[0]) {
            encode_aodv(&message, &mut again).unwrap();
            prop_assert_eq!(decode_aodv(&again), Ok(message));
        }
        again.clear();
        if let Ok(packet) = decode_olsr(&all[1]) {
            encode_olsr(&packet, &mut again).unwrap();
            prop_assert_eq!(decode_olsr(&again), Ok(packet));
        }
        again.clear();
        if let Ok((header, next, _)) = decode_dsr(&all[2]) {
            encode_dsr(&header, next, &mut again).unwrap();
            prop_assert_eq!(decode_dsr(&again).map(|d| d.0), Ok(header));
        }
    }

    /// Damaged packets and frames. A changed packet that is still accepted has passed the checksums of all
    /// layers.
    #[test]
    fn damaged_packets((packet, shift) in samples::packet(), harm in vec(damage(), 1..5)) {
        let mut bytes = Vec::new();
        encode_packet(&packet, Encoding { payload: PayloadBytes::Zeros, window_shift: shift }, &mut bytes).unwrap();
        let mut frame = Vec::new();
        encode_llc(ethertype(&packet), &mut frame);
        frame.extend_from_slice(&bytes);
        for bytes in [&mut bytes, &mut frame] {
            harm.iter().for_each(|d| apply(bytes, d));
            decode_all(bytes);
        }
        repair(&mut bytes);
        decode_all(&bytes);
    }

    /// A change of any single byte of a packet is detected, unless it removes the checksum, as UDP allows.
    #[test]
    fn checksums_notice_a_changed_byte((packet, shift) in samples::ip_packet(), at: prop::sample::Index, with in 1..=255u8) {
        let mut bytes = Vec::new();
        encode_packet(&packet, Encoding { payload: PayloadBytes::Zeros, window_shift: shift }, &mut bytes).unwrap();
        let i = at.index(bytes.len());
        bytes[i] ^= with;
        prop_assume!(bytes[26..28] != [0, 0]);
        prop_assert!(decode_packet(EtherType::Ipv4, &bytes, shift).is_err());
    }
}

/// Every error occurs, each for a packet that is almost valid.
#[test]
fn errors_by_name() {
    let hello = [2, 0, 0, 0, 10, 0, 0, 1, 0, 0, 0, 5, 10, 0, 0, 1, 0, 0, 0x0b, 0xb8];
    assert!(decode_aodv(&hello).is_ok());
    let changed = |at: usize, to: u8| {
        let mut bytes = hello;
        bytes[at] = to;
        decode_aodv(&bytes).unwrap_err().reason()
    };
    assert_eq!(decode_aodv(&hello[..19]).unwrap_err().reason(), "truncated");
    assert_eq!(changed(0, 9), "bad-value");
    assert_eq!(changed(4, 11), "foreign-address");
    assert_eq!(decode_aodv(&[3, 0, 0, 0]).unwrap_err().reason(), "bad-value");
    assert_eq!(decode_tcp_options(&[2, 3, 0]).unwrap_err().reason(), "bad-length");
    assert_eq!(without_fcs(&[1, 2, 3, 4, 5]).unwrap_err().reason(), "bad-checksum");
    let error = decode_aodv(&[3, 0, 0, 2, 10, 0, 0, 1, 0, 0, 0, 5, 10]).unwrap_err();
    assert_eq!(error.to_string(), "the AODV message is cut off: it needs 4 bytes, there are 1");
}
