use super::*;
use crate::pcapng::{Captured, Direction, Interface, LinkType, PcapngWriter};
use proptest::prelude::*;

fn ms(n: u64) -> SimDuration {
    SimDuration::from_millis(n)
}

/// The result of reading a file of these bytes.
fn reading(name: &str, bytes: &[u8], source: Option<IpAddr>) -> Result<Vec<TracePacket>, ReadError> {
    let path = std::env::temp_dir().join(format!("tworay-trace-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let found = read(&path, source);
    std::fs::remove_file(&path).unwrap();
    found
}

/// An IPv4 packet of `total` bytes from 10.0.0.`host`: UDP, or TCP with a header of 32 bytes.
fn ipv4(host: u8, total: u16, tcp: bool) -> Vec<u8> {
    let mut packet = vec![0; 60];
    packet[0] = 0x45;
    packet[2..4].copy_from_slice(&total.to_be_bytes());
    packet[9] = if tcp { 6 } else { 17 };
    packet[12..16].copy_from_slice(&[10, 0, 0, host]);
    packet[32] = 0x80;
    packet
}

/// A pcapng file of raw IPv4 packets: (time in ms, bytes).
fn pcapng(packets: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut writer = PcapngWriter::new(Vec::new(), "test", "").unwrap();
    writer.interface(&Interface { name: "x", description: "", link: LinkType::Ipv4 }).unwrap();
    for (at, bytes) in packets {
        let (direction, comment) = (Direction::Outbound, "lost: nothing");
        let original_bytes = bytes.len() as u32;
        let nanos = at * 1_000_000;
        writer.packet(&Captured { interface: 0, nanos, bytes, original_bytes, direction, comment }).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn a_capture_tells_times_lengths_and_payloads() {
    // UDP: 20 + 8 bytes of headers; TCP: 20 + 32.
    let bytes =
        pcapng(&[(1000, ipv4(1, 528, false)), (1250, ipv4(2, 52, true)), (1300, ipv4(1, 1500, true))]);
    let packet = |at, ip_bytes, payload| TracePacket { at: ms(at), ip_bytes, payload };
    assert_eq!(
        reading("all", &bytes, None).unwrap(),
        [packet(0, 528, 500), packet(250, 52, 0), packet(300, 1500, 1448)]
    );
    let mine = reading("all", &bytes, Some([10, 0, 0, 2].into())).unwrap();
    assert_eq!(mine, [packet(0, 52, 0)], "times are since the first packet of this host");
    let none = reading("all", &bytes, Some([10, 0, 0, 9].into())).unwrap_err();
    assert_eq!(none.problem, "none of its 3 IP packets is from 10.0.0.9");
}

/// As in captures of simulated runs: frames of 802.11, and lost packets as bare IP beside them.
#[test]
fn a_capture_that_is_understood_in_part_is_refused() {
    let mut writer = PcapngWriter::new(Vec::new(), "test", "").unwrap();
    for link in [LinkType::Radiotap, LinkType::Ipv4] {
        writer.interface(&Interface { name: "x", description: "", link }).unwrap();
    }
    for (interface, bytes) in [(0, vec![0; 60]), (1, ipv4(1, 528, false))] {
        let (direction, original_bytes) = (Direction::Outbound, bytes.len() as u32);
        let packet = Captured { interface, nanos: 5, bytes: &bytes, original_bytes, direction, comment: "" };
        writer.packet(&packet).unwrap();
    }
    let refused = reading("part", &writer.finish().unwrap(), None).unwrap_err();
    assert_eq!(refused.problem, "some of its packets have link type 127");
}

/// Captures are often stored compressed.
#[test]
fn a_compressed_capture_is_read() {
    use std::io::Write;
    let bytes = pcapng(&[(1000, ipv4(1, 528, false))]);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&bytes).unwrap();
    let found = reading("gzip", &gzip.finish().unwrap(), None).unwrap();
    assert_eq!(found, [TracePacket { at: ms(0), ip_bytes: 528, payload: 500 }]);
}

#[test]
fn packets_are_in_order_of_time() {
    let bytes = pcapng(&[(20, ipv4(1, 100, false)), (5, ipv4(1, 200, false))]);
    let found: Vec<_> = reading("order", &bytes, None).unwrap().iter().map(|p| (p.at, p.ip_bytes)).collect();
    assert_eq!(found, [(ms(0), 200), (ms(15), 100)]);
}

/// A pcap file with an Ethernet frame at 1.5 s and an ARP frame, in both byte orders and resolutions.
#[test]
fn pcap_files_of_every_kind_are_read() {
    for (little, nanos) in [(true, false), (false, false), (true, true), (false, true)] {
        let u32 = |n: u32| if little { n.to_le_bytes() } else { n.to_be_bytes() };
        let magic: u32 = if nanos { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
        let mut bytes = Vec::new();
        bytes.extend([u32(magic), [0; 4], [0; 4], [0; 4], u32(65535), u32(1)].concat());
        for (seconds, part, kind) in [(1, 500_000, [0x08, 0x00]), (2, 0, [0x08, 0x06]), (3, 0, [0x08, 0x00])]
        {
            let frame = [vec![0; 12], kind.to_vec(), ipv4(7, 128, false)].concat();
            let part = if nanos { part * 1000 } else { part };
            let length = u32(frame.len() as u32);
            bytes.extend([u32(seconds), u32(part), length, length].concat());
            bytes.extend(frame);
        }
        let found = reading("eth", &bytes, None).unwrap();
        let packet = |at| TracePacket { at: ms(at), ip_bytes: 128, payload: 100 };
        assert_eq!(found, [packet(0), packet(1500)]);
        let cut = &bytes[..bytes.len() - 3];
        assert_eq!(reading("cut", cut, None).unwrap_err().problem, "it breaks off after 1 packets");
    }
}

#[test]
fn mahimahi_has_a_packet_a_line() {
    let packet = |at| TracePacket { at: ms(at), ip_bytes: 1500, payload: 1472 };
    assert_eq!(reading("up", b"3\n3\n10\n", None).unwrap(), [packet(0), packet(0), packet(7)]);
}

/// Writes of a program: seconds and bytes; a datagram of 500 bytes has 528 with its headers.
#[test]
fn csv_has_a_write_a_line() {
    let write = |at, payload| TracePacket { at: ms(at), ip_bytes: payload + 28, payload };
    let found = [write(0, 500), write(400, 12_000), write(400, 1)];
    for text in [
        "time_s,bytes\n2.1,500\n2.5,12000\n2.5,1\n",
        "2.1,500\r\n2.5,12000\r\n2.5,1",
        "# of my program\n\n time , size \n2.1, 500\n2.5, 12000\n\n2.5, 1\n",
    ] {
        assert_eq!(reading("writes", text.as_bytes(), None).unwrap(), found, "{text}");
    }
    let wrong = |text: &str| {
        let error = reading("wrong-writes", text.as_bytes(), None).unwrap_err();
        (error.line, error.problem, error.remedy)
    };
    let form = "write a time in seconds and a number of bytes, such as 0.25,1200";
    for (text, line, problem) in [
        ("time,size\n0.5,500\nsoon,500\n", 3, "\"soon\" is no time in seconds"),
        ("-1,500\n", 1, "\"-1\" is no time in seconds"),
        ("0.5,500\ntime,size\n", 2, "\"time\" is no time in seconds"),
        ("0.5,500\n0.6,0\n", 2, "\"0\" is no number of bytes from 1 to 1000000000"),
        ("5m,500\n", 1, "\"5m\" is no time in seconds"),
        ("0.5,5k\n", 1, "\"5k\" is no number of bytes from 1 to 1000000000"),
        ("0.5,1.5\n", 1, "\"1.5\" is no number of bytes from 1 to 1000000000"),
        ("0.5,500\n0.6\n", 2, "\"0.6\" isn't two fields"),
        ("0.5,500,up\n", 1, "\"0.5,500,up\" isn't two fields"),
    ] {
        assert_eq!(wrong(text), (Some(line), problem.into(), form.into()), "{text}");
    }
    assert_eq!(
        wrong("0.5,500\n0.4,1\n"),
        (Some(2), "0.4 s comes before the time above it".into(), "sort the lines by time".into())
    );
    assert_eq!(wrong("time,size\n"), (None, "it has no write".into(), form.into()));
}

/// The same writes in other units: 500 B at once, and 12 kB 400 ms later.
#[test]
fn the_first_line_of_csv_names_units() {
    let write = |at, payload| TracePacket { at: ms(at), ip_bytes: payload + 28, payload };
    let found = [write(0, 500), write(400, 12_000)];
    for text in [
        "time_ms,bytes\n2100,500\n2500,12000\n",
        "time (ms),size (B)\n2100,500\n2500.0,12000\n",
        "t [us],kB\n2100000,0.5\n2500000,12\n",
        "Timestamp_ns,length_bytes\n2100000000,500\n2500000000,12000\n",
        "ms,payload\n2100,500\n2500,12000\n",
        "seconds,Bytes\n2.1,500\n2.5,12000\n",
    ] {
        assert_eq!(reading("units", text.as_bytes(), None).unwrap(), found, "{text}");
    }
    // RFC-like binary units: 1.5 KiB are 1536 bytes.
    assert_eq!(reading("units", b"time_s,KiB\n0,1.5\n", None).unwrap(), [write(0, 1536)]);
    let wrong = |text: &str| {
        let error = reading("wrong-units", text.as_bytes(), None).unwrap_err();
        (error.line, error.problem, error.remedy)
    };
    let names = "name the columns with their units, such as time_s,bytes or time_ms,kB";
    for (text, problem) in [
        ("time_ticks,bytes\n1,500\n", "\"time_ticks\" names no unit of time"),
        ("bytes,time_s\n500,1\n", "\"bytes\" names no unit of time"),
        // Kilobits, or kilobytes?
        ("time_s,kb\n1,500\n", "\"kb\" names no unit of bytes"),
        ("time_s,packets\n1,500\n", "\"packets\" names no unit of bytes"),
    ] {
        assert_eq!(wrong(text), (Some(1), problem.into(), names.into()), "{text}");
    }
    let form = "write a time in ms and a number of kB, as the first line says";
    for (text, line, problem) in [
        ("time_ms,kB\n1,2\nsoon,2\n", 3, "\"soon\" is no time in ms"),
        ("time_ms,kB\n1,0.0001\n", 2, "\"0.0001\" kB are no number of bytes from 1 to 1000000000"),
    ] {
        assert_eq!(wrong(text), (Some(line), problem.into(), form.into()), "{text}");
    }
    assert_eq!(wrong("time_ms,B\n2,1\n1,1\n").1, "1 ms comes before the time above it");
}

/// Spreadsheets of many languages write semicolons between the cells and commas in numbers; others write tabs.
#[test]
fn csv_may_have_semicolons_or_tabs() {
    let write = |at, payload| TracePacket { at: ms(at), ip_bytes: payload + 28, payload };
    let found = [write(0, 500), write(400, 12_000)];
    for text in [
        "time_s;bytes\n2,1;500\n2,5;12000\n",
        "time_s;bytes\r\n2.1;500\r\n2.5;12000\r\n",
        "2,1;500\n2,5;12000\n",
        "time (ms); size (kB)\n2100; 0,5\n2500; 12\n",
        "time_s\tbytes\n2.1\t500\n2.5\t12000\n",
        "2,1\t500\n2,5\t12000\n",
    ] {
        assert_eq!(reading("semicolons", text.as_bytes(), None).unwrap(), found, "{text}");
    }
    // 1.2 bytes, or 1200?
    let error = reading("thousands", b"time_s;bytes\n1;1,200\n", None).unwrap_err();
    assert_eq!(error.problem, "\"1,200\" is no number of bytes from 1 to 1000000000");
}

/// Other text is refused as a whole, with what a trace is: headings of Markdown look like comments.
#[test]
fn other_text_is_no_trace() {
    for (text, line, begins) in [
        ("# My trace\n\nSome notes\n", 3, "Some notes"),
        ("# My trace\n\nThis file, which I made, has it.\n", 3, "This file, which I made, has it."),
        ("# My trace\nFirst this, then that\n", 2, "First this, then that"),
        ("# My trace\n- one, two\n", 2, "- one, two"),
        ("1. First, read on\n", 1, "1. First, read on"),
        ("| time | bytes |\n|---|---|\n| 1 | 500 |\n", 1, "| time | bytes |"),
        ("{\"time\": 1, \"bytes\": 2}\n", 1, "{\"time\": 1, \"bytes\": 2}"),
    ] {
        let error = reading("prose", text.as_bytes(), None).unwrap_err();
        assert_eq!(error.problem, format!("it is not a trace: it begins with \"{begins}\""), "{text}");
        assert_eq!((error.line, error.remedy.as_str()), (Some(line), FORMS), "{text}");
    }
    let headings = reading("headings", b"# My trace\n## More\n", None).unwrap_err();
    assert_eq!((headings.problem.as_str(), headings.remedy.as_str()), ("it has no packet", FORMS));
}

#[test]
fn a_trace_that_is_none_is_refused_with_its_line() {
    let wrong = |bytes: &[u8]| {
        let error = reading("wrong", bytes, None).unwrap_err();
        (error.line, error.problem)
    };
    assert_eq!(wrong(b"3\nfive\n"), (Some(2), "\"five\" is no time in milliseconds".into()));
    assert_eq!(wrong(b"3\n\n2\n"), (Some(3), "2 ms comes before the time above it".into()));
    assert_eq!(wrong(b""), (None, "it has no packet".into()));
    assert_eq!(wrong(&pcapng(&[])), (None, "it has no IP packet".into()));
    let image = reading("image", b"\x89PNG\r\n\x1a\n", None).unwrap_err();
    assert_eq!(image.line, None, "a binary file has no lines");
    assert_eq!(image.problem, "it is neither a capture nor text; it begins with 89 50 4e 47");
    assert_eq!(
        image.remedy,
        "a trace is a pcapng or pcap file, Mahimahi's (a time in whole ms a line), or CSV (time_s,bytes)"
    );
    let named = reading("named", b"3\n", Some([10, 0, 0, 1].into())).unwrap_err();
    assert_eq!(named.problem, "it is no capture, so its packets have no source");
}

/// Whatever the bytes, reading ends without a panic.
#[test]
fn hostile_captures_are_refused() {
    let good = pcapng(&[(1000, ipv4(1, 528, false)), (1250, ipv4(2, 52, true))]);
    let mut state = 1u32;
    for _ in 0..3000 {
        let mut bad = good.clone();
        for _ in 0..4 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let place = state as usize % bad.len();
            bad[place] = (state >> 24) as u8;
        }
        let format = capture::Format::Pcapng;
        let _ = capture::read("bad", &bad, format, None);
        let _ = capture::read("bad", &bad, capture::Format::Pcap { nanos: true, little: true }, None);
    }
}

/// Packets of a trace are in order, begin at zero, and carry no more than an IP packet can.
fn is_sound(found: &[TracePacket]) -> bool {
    let first = found.first().is_none_or(|packet| packet.at == SimDuration::ZERO);
    let fits = |packet: &TracePacket| packet.payload <= packet.ip_bytes;
    first && found.is_sorted_by_key(|packet| packet.at) && found.iter().all(fits)
}

proptest! {
    /// Any bytes, also behind the first ones of each kind of capture and of gzip, are a trace or an error.
    #[test]
    fn any_bytes_are_survived(
        mut bytes in prop::collection::vec(any::<u8>(), 0..400),
        begin in prop::sample::select(vec![
            &[][..],
            &[0x0a, 0x0d, 0x0d, 0x0a],
            &[0xd4, 0xc3, 0xb2, 0xa1],
            &[0xa1, 0xb2, 0x3c, 0x4d],
            &[0x1f, 0x8b, 8],
            b"time_s,bytes\n0.5,",
        ]),
    ) {
        bytes.splice(0..0, begin.iter().copied());
        match reading("any", &bytes, None) {
            Ok(found) => prop_assert!(is_sound(&found)),
            Err(error) => prop_assert!(!error.problem.is_empty() && !error.remedy.is_empty()),
        }
    }

    /// So are captures of which bytes change, or that end early.
    #[test]
    fn damaged_captures_are_survived(
        harm in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        end in any::<prop::sample::Index>(),
        whole in any::<bool>(),
    ) {
        let mut bytes = pcapng(&[(5, ipv4(1, 528, false)), (9, ipv4(2, 52, true)), (12, ipv4(1, 1500, true))]);
        for (at, byte) in harm {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if !whole {
            bytes.truncate(end.index(bytes.len()));
        }
        match reading("damaged", &bytes, None) {
            Ok(found) => prop_assert!(is_sound(&found)),
            Err(error) => prop_assert!(!error.problem.is_empty() && !error.remedy.is_empty()),
        }
    }
}
