//! Captures of 802.11g, n and ac: aggregates, their acknowledgments, and rates, as Wireshark reads them.

use super::reader::{Record, read};
use super::{captured, tshark, wireshark};
use crate::common::load;
use std::collections::BTreeMap;
use tworay_base::NodeId;
use tworay_radio::phy::{GuardInterval, Mode, Width};
use tworay_sim::scenario::Scenario;
use tworay_wire::bytes::Dot11;
use tworay_wire::bytes::radiotap::{InAggregate, Radiotap, Sent};

fn string(preset: &str) -> Scenario {
    let preset = format!("radio.preset={preset}");
    load("string-3", &["duration=2s", "routing.protocol=static", "tcp.window=64", &preset])
}

/// Every frame of one aggregate: time, sender and reference.
type Aggregates = BTreeMap<u32, Vec<(u64, NodeId, u16, bool, bool)>>;

fn aggregates(records: &[Record]) -> Aggregates {
    let mut found = Aggregates::new();
    for record in records {
        let contents = record.decode();
        if let (Some(Dot11::Data { transmitter, number, .. }), Some(radio)) = (contents.frame, contents.radio)
            && let Some(InAggregate { reference, last }) = radio.aggregate
        {
            let part = (record.nanos, transmitter, number, last, record.lost());
            found.entry(reference).or_default().push(part);
        }
    }
    found
}

/// The frames of an aggregate begin together; the last one says so, no other; their numbers rise within the window of 64.
#[test]
fn aggregates_are_whole() {
    for preset in ["n20", "ac80x2"] {
        let (_, path) = captured(&format!("aggregates-{preset}"), &string(preset), 1);
        let found = aggregates(&read(&path));
        assert!(found.len() > 50, "{preset}: {} aggregates", found.len());
        for (reference, parts) in &found {
            let (start, sender, first, ..) = parts[0];
            assert!(parts.len() >= 2, "{preset}: aggregate {reference} of one frame");
            assert!(parts.iter().all(|part| (part.0, part.1) == (start, sender)), "{preset}: {parts:?}");
            let last: Vec<bool> = parts.iter().map(|part| part.3).collect();
            assert!(last.iter().rev().skip(1).all(|l| !l) && last[parts.len() - 1], "{preset}: {last:?}");
            let steps: Vec<u16> = parts.iter().map(|part| part.2.wrapping_sub(first) & 0xfff).collect();
            assert!(steps.is_sorted_by(|a, b| a < b) && steps[parts.len() - 1] < 64, "{preset}: {steps:?}");
        }
    }
}

/// A BlockAck acknowledges the frames without a comment that the aggregate before it had, and none of the lost ones that
/// had not arrived before.
#[test]
fn block_acks_agree_with_the_comments() {
    let overrides = ["duration=5s", "routing.protocol=static", "radio.preset=n20", "tcp.window=64"];
    let errors = r#"errors.frame_err.bernoulli={rate=2e-5,unit="bit"}"#;
    let scenario = load("string-2", &[&overrides[..], &[errors]].concat());
    let (_, path) = captured("block-acks", &scenario, 1);
    let (mut arrived, mut checked, mut lost) = (BTreeMap::new(), 0, 0);
    for record in read(&path) {
        match record.decode().frame {
            Some(Dot11::Data { receiver, transmitter, number, .. }) if !receiver.is_broadcast() => {
                let known = arrived.entry((transmitter, receiver)).or_insert_with(BTreeMap::new);
                let known = known.entry(number).or_insert((record.nanos, false));
                // After a wrap, or a second, the number belongs to another frame.
                if record.nanos - known.0 > 1_000_000_000 {
                    *known = (record.nanos, false);
                }
                known.1 |= !record.lost();
                lost += u32::from(record.lost());
            }
            Some(Dot11::BlockAck { receiver, transmitter, start, bitmap, .. }) => {
                for (number, (at, got)) in &arrived[&(receiver, transmitter)] {
                    let i = number.wrapping_sub(start) & 0xfff;
                    if i < 64 && record.nanos - at < 5_000_000 {
                        assert_eq!(
                            bitmap >> i & 1 == 1,
                            *got,
                            "number {number} in the BlockAck at {}",
                            record.nanos
                        );
                        checked += 1;
                    }
                }
            }
            _ => {}
        }
    }
    assert!(checked > 1_000 && lost > 20, "{checked} bits checked, {lost} frames lost");
}

/// Wireshark has no complaints, and reads rates, aggregates and bitmaps as we do.
#[test]
fn wireshark_agrees() {
    const FIELDS: &[&str] = &[
        "wlan_radio.data_rate",
        "radiotap.mcs.index",
        "radiotap.vht.mcs.0",
        "radiotap.vht.nss.0",
        "radiotap.ampdu.reference",
        "wlan.qos.priority",
        "wlan.ba.bm",
    ];
    for preset in ["g", "n40x2", "ac80x2"] {
        let name = format!("wireshark-{preset}");
        let scenario = string(preset);
        wireshark::check(&name, &scenario, &["radiotap", "wlan", "llc", "tcp"]);
        let (_, path) = captured(&name, &scenario, 1);
        if !tshark::available() {
            continue;
        }
        let theirs = tshark::fields(&path, "wlan", FIELDS);
        let records = read(&path);
        let ours: Vec<_> = records
            .iter()
            .map(Record::decode)
            .filter_map(|contents| Some(values(&contents.frame?, &contents.radio?)))
            .collect();
        assert_eq!(theirs.len(), ours.len(), "{preset}");
        for (i, (theirs, ours)) in theirs.iter().zip(&ours).enumerate() {
            // It rounds some rates.
            let rate: f64 = theirs[0].parse().unwrap();
            assert!((rate - ours.0).abs() < 0.06, "{preset}: frame {}: {rate} and {} Mb/s", i + 1, ours.0);
            assert_eq!(theirs[1..], ours.1, "{preset}: frame {}", i + 1);
        }
    }
}

/// Rate of a frame's body in Mb/s by the standard's tables, from what the capture says of it.
fn megabits(sent: Sent) -> f64 {
    let width_of = |megahertz: u8| Width::ALL.into_iter().find(|w| w.mhz() == u32::from(megahertz)).unwrap();
    let guard = |short: bool| if short { GuardInterval::Short } else { GuardInterval::Long };
    let rate = match sent {
        Sent::Dsss(rate) => rate.unwrap(),
        Sent::Ofdm(rate) => rate,
        Sent::Ht { mcs, width, short_guard } => {
            Mode::ht(mcs, width_of(width), guard(short_guard)).unwrap().rate()
        }
        Sent::Vht { mcs, streams, width, short_guard } => {
            Mode::vht(mcs, streams, width_of(width), guard(short_guard)).unwrap().rate()
        }
    };
    rate.as_bps() as f64 / 1e6
}

/// The rate in Mb/s and the values of the other fields, in tshark's words.
fn values(frame: &Dot11, radio: &Radiotap) -> (f64, Vec<String>) {
    let mut v = vec![String::new(); 6];
    match radio.sent {
        Sent::Dsss(_) | Sent::Ofdm(_) => {}
        Sent::Ht { mcs, .. } => v[0] = mcs.to_string(),
        Sent::Vht { mcs, streams, .. } => (v[1], v[2]) = (mcs.to_string(), streams.to_string()),
    }
    v[3] = radio.aggregate.map_or(String::new(), |a| a.reference.to_string());
    match frame {
        Dot11::Data { priority, .. } => v[4] = priority.map_or(String::new(), |p| p.to_string()),
        Dot11::BlockAck { bitmap, .. } => {
            v[5] = bitmap.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        }
        _ => {}
    }
    (megabits(radio.sent), v)
}

/// User priorities 6 for voice and 1 for background (IEEE 802.11-2016, Table 10-1), in data frames and BlockAcks alike.
#[test]
fn captures_tell_the_categories_of_frames() {
    for (category, priority) in [("voice", 6), ("background", 1), ("video", 4), ("best-effort", 0)] {
        let sets = ["radio.preset=n20", "topology.spacing=50m", "duration=2s", "routing.protocol=static"];
        let own = format!("flow.0.category={category}");
        let scenario = load("string-1", &[&sets[..], &[&own, "mac.arp=false"]].concat());
        let (_, path) = captured(&format!("category-{category}"), &scenario, 1);
        let (mut data, mut answers) = (0, 0);
        for record in read(&path) {
            match record.decode().frame {
                Some(Dot11::Data { priority: found, .. }) => {
                    assert_eq!(found, Some(priority), "{category}");
                    data += 1;
                }
                Some(Dot11::BlockAck { priority: found, .. }) => {
                    assert_eq!(found, priority, "{category}");
                    answers += 1;
                }
                _ => {}
            }
        }
        assert!(data > 100 && answers > 10, "{category}: {data} frames, {answers} BlockAcks");
    }
}
