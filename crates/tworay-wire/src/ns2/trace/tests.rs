use super::*;
use proptest::prelude::*;

/// One packet of a chain of two hops that is then lost to a full queue, as ns-2.35 writes it in both formats.
const OLD: &str = "\
s 1.033571829 _0_ RTR  --- 18 tcp 1500 [13a 1 0 800] ------- [0:0 4:0 30 1] [11 0] 0 0
D 1.415530829 _0_ MAC  RET 18 tcp 1500 [13a 1 0 800] ------- [0:0 4:0 30 1] [11 0] 0 0
s 1.016027829 _3_ MAC  --- 0 RTS 44 [436 4 3 0] 
s 1.015109163 _4_ MAC  --- 0 ARP 86 [0 ffffffff 4 806] ------- [REQUEST 4/4 0/3]
f 1.019076829 _3_ RTR  --- 0 AODV 44 [13a 3 4 800] ------- [4:255 0:255 29 2] [0x4 2 [4 4] 10.000000] (REPLY)
s 1.001191771 _0_ RTR  --- 1 DSR 32 [0 0 0 0] ------- [0:255 4:255 32 0] 1 [1 1] [0 1 0 0->0] [0 0 0 0->0]
";
const NEW: &str = "\
s -t 1.033571829 -Hs 0 -Hd 1 -Ni 0 -Nx 100.00 -Ny 250.00 -Nz 0.00 -Ne -1.000000 -Nl RTR -Nw --- -Ma 13a -Md 1 -Ms 0 -Mt 800 -Is 0.0 -Id 4.0 -It tcp -Il 1500 -If 0 -Ii 18 -Iv 30 -Pn tcp -Ps 11 -Pa 0 -Pf 0 -Po 0 
d -t 1.415530829 -Hs 0 -Hd 1 -Ni 0 -Nx 100.00 -Ny 250.00 -Nz 0.00 -Ne -1.000000 -Nl MAC -Nw RET -Ma 13a -Md 1 -Ms 0 -Mt 800 -Is 0.0 -Id 4.0 -It tcp -Il 1500 -If 0 -Ii 18 -Iv 30 -Pn tcp -Ps 11 -Pa 0 -Pf 0 -Po 0 
s -t 1.016027829 -Hs 3 -Hd -2 -Ni 3 -Nx 700.00 -Ny 250.00 -Nz 0.00 -Ne -1.000000 -Nl MAC -Nw --- -Ma 436 -Md 4 -Ms 3 -Mt 0 
s -t 1.015109163 -Hs 4 -Hd -2 -Ni 4 -Nx 900.00 -Ny 250.00 -Nz 0.00 -Ne -1.000000 -Nl MAC -Nw --- -Ma 0 -Md ffffffff -Ms 4 -Mt 806 -P arp -Po REQUEST -Pms 4 -Ps 4 -Pmd 0 -Pd 3 
f -t 1.019076829 -Hs 3 -Hd 2 -Ni 3 -Nx 700.00 -Ny 250.00 -Nz 0.00 -Ne -1.000000 -Nl RTR -Nw --- -Ma 13a -Md 3 -Ms 4 -Mt 800 -Is 4.255 -Id 0.255 -It AODV -Il 44 -If 0 -Ii 0 -Iv 29 -P aodv -Pt 0x4 -Ph 2 -Pd 4 -Pds 4 -Pl 10.000000 -Pc REPLY 
s -t 1.001191771 -Hs 0 -Hd -1 -Ni 0 -Nx 100.00 -Ny 250.00 -Nz 0.00 -Ne -1.000000 -Nl RTR -Nw --- -Ma 0 -Md 0 -Ms 0 -Mt 0 -Is 0.255 -Id 4.255 -It DSR -Il 32 -If 0 -Ii 1 -Iv 32 -P dsr -Ph 1 -Pq 1 -Ps 1 -Pp 0 -Pn 1 -Pl 0 -Pe 0->0 -Pw 0 -Pm 0 -Pc 0 -Pb 0->0 
";

fn all(text: &str) -> Vec<TraceRecord<'_>> {
    records("run.tr", text).map(|r| r.expect("a record")).collect()
}

#[test]
fn both_formats_say_the_same() {
    let (old, new) = (all(OLD), all(NEW));
    assert_eq!(old.len(), 6);
    for (o, n) in old.iter().zip(&new) {
        let place = n.position.expect("the new format has it");
        assert_eq!((place.x, place.y), (100.0 + 200.0 * f64::from(n.node), 250.0));
        let common = TraceRecord { position: None, ..*n };
        if o.ip.is_some() {
            assert_eq!(*o, common);
        } else {
            // The new format omits what MAC frames and ARP have in common.
            assert_eq!((o.at, o.event, o.node, o.layer, o.mac), (n.at, n.event, n.node, n.layer, n.mac));
        }
    }
    let lost = &old[1];
    assert_eq!((lost.event, lost.layer, lost.reason), (TraceEvent::Drop, TraceLayer::Mac, Some("RET")));
    assert_eq!((lost.uid, lost.bytes, lost.number), (Some(18), Some(1500), Some(11)));
    assert_eq!(lost.mac.expect("802.11").duration, 0x13a);
    assert_eq!(lost.ip.expect("IP").dst, TraceEnd { node: 4, port: 0 });
    assert_eq!((old[2].kind, new[2].kind), ("RTS", ""));
    assert_eq!((old[3].kind, new[3].kind), ("ARP", "ARP"));
    assert_eq!(old[3].mac.expect("802.11").to, u32::MAX);
}

#[test]
fn remarks_are_skipped() {
    let text = "# a comment\n\nSconfig 0.00000 tap: on snoop: rts? on errs? on\n\
                SFESTs 1.093797902 _0_ 0 [0 -> 4] 1(1) to 1 [0 |1 2 3 4 ]\n\
                M 0.00000 0 (5.00, 2.00, 0.00), (20.00, 18.00), 1.00\nN -t 1.0 -n 3 -e 99.5\n";
    assert_eq!(all(text), []);
}

#[test]
fn the_energy_models_bracket_is_passed_over() {
    let line = "r 3.5 _1_ MAC  --- 9 cbr 512 [13a 1 0 800] [energy 98.7 ei 1.0 es 0.0 et 0.1 er 0.2] ------- [0:0 1:0 32 0] [4] 0 1";
    let record = all(line)[0];
    assert_eq!((record.kind, record.number, record.uid), ("cbr", Some(4), Some(9)));
}

#[test]
fn wrong_lines_are_named() {
    for (line, problem) in [
        ("+ 1.0 0 1 tcp 40 ------- 1 0.0 3.0 0 0", "this is a line of a wired trace"),
        ("hello world", "this is not a line of a wireless trace"),
        ("x 1.0 _0_ AGT", "this is not a line of a wireless trace"),
        ("s soon _0_ AGT --- 0 tcp 40", "\"soon\" is not a valid time in seconds"),
        ("s 1.0 _0_ TCP --- 0 tcp 40", "\"TCP\" is not a valid layer (AGT, RTR, IFQ, LL, MAC or PHY)"),
        ("s 1.0 _0_ MAC --- 0 RTS", "the number of bytes is missing"),
        (
            "s 1.0 _0_ MAC --- 0 RTS 44 [436 g 3 0]",
            "\"g\" is not a valid hexadecimal number of the MAC header",
        ),
        (
            "s 1.0 _0_ AGT --- 0 tcp 40 [0 0 0 0] ------- [0 4:0 32 0]",
            "\"0\" is not a valid address (node and port)",
        ),
        ("s -t 1.0 -Ni 0 -Nl", "the value of -Nl is missing"),
        ("s -t 1.0 -Ni 0 Nl AGT", "\"Nl\" is not a valid flag such as -Nl"),
        ("s -t 1.0 -Ni 0", "the layer (AGT, RTR, IFQ, LL, MAC or PHY) is missing"),
    ] {
        let text = format!("{OLD}{line}\n");
        let error = records("run.tr", &text).last().and_then(Result::err);
        let error = error.unwrap_or_else(|| panic!("{line} was taken"));
        assert_eq!((error.line, error.problem.split(": `").next()), (Some(7), Some(problem)), "{line}");
    }
}

/// Two data packets and a routing message over one hop: one arrives after a lost first attempt, the other is
/// lost.
const RUN: &str = "\
s 1.0 _0_ AGT  --- 0 tcp 40 [0 0 0 0] ------- [0:0 1:0 32 0] [0 0] 0 0
s 1.0 _0_ RTR  --- 0 AODV 48 [0 0 0 0] ------- [0:255 -1:255 30 0] [0x2 1 1 [1 0] [0 4]] (REQUEST)
s 2.0 _0_ AGT  --- 5 tcp 1500 [0 0 0 0] ------- [0:0 1:0 32 0] [1 0] 0 0
s 2.1 _0_ AGT  --- 6 tcp 1500 [0 0 0 0] ------- [0:0 1:0 32 0] [2 0] 0 0
D 2.2 _0_ IFQ  IFQ 6 tcp 1500 [0 0 0 0] ------- [0:0 1:0 30 1] [2 0] 0 0
D 2.2 _1_ MAC  COL 5 tcp 1500 [13a 1 0 800] ------- [0:0 1:0 30 1] [1 0] 0 0
s 2.3 _0_ MAC  --- 5 tcp 1558 [13a 1 0 800] ------- [0:0 1:0 30 1] [1 0] 0 0
D 2.4 _1_ MAC  COL 0 RTS 44 [436 1 0 0]
r 2.5 _1_ AGT  --- 5 tcp 1500 [13a 1 0 800] ------- [0:0 1:0 30 1] [1 0] 1 0
s 3.0 _0_ AGT  --- 7 tcp 1500 [0 0 0 0] ------- [0:0 1:0 32 0] [1 0] 0 0
r 3.2 _1_ AGT  --- 7 tcp 1500 [13a 1 0 800] ------- [0:0 1:0 30 1] [1 0] 1 0
";

#[test]
fn flows_add_up() {
    let summary = TraceSummary::parse("run.tr", RUN).expect("a trace");
    assert_eq!((summary.records, summary.routing), (11, (1, 48)));
    let [flow] = summary.flows.as_slice() else { panic!("{:?}", summary.flows) };
    assert_eq!((flow.sent, flow.received), (4, 2));
    assert_eq!(flow.goodput_bytes, 1460, "the same number twice counts once, without headers");
    assert!((flow.delay_sum - 0.7).abs() < 1e-9);
    assert_eq!(flow.losses.iter().collect::<Vec<_>>(), [(&(TraceLayer::Queue, "IFQ".to_owned()), &1)]);
    let fates: Vec<_> =
        summary.packets.iter().map(|p| (p.uid, matches!(p.fate, TraceFate::Received(_)))).collect();
    assert_eq!(fates, [(0, false), (5, true), (6, false), (7, true)]);
    assert_eq!(summary.packets[0].fate, TraceFate::UnderWay, "AODV's message of the same number is not it");
    let drops: Vec<_> =
        summary.drops.iter().map(|((l, r, k), n)| (l.name(), r.as_str(), k.as_str(), *n)).collect();
    assert_eq!(drops, [("IFQ", "IFQ", "tcp", 1), ("MAC", "COL", "RTS", 1), ("MAC", "COL", "tcp", 1)]);
}

#[test]
fn a_trace_without_agents_is_refused_with_the_remedy() {
    let error = TraceSummary::parse("run.tr", OLD).expect_err("no AGT lines");
    assert!(error.remedy.contains("-agentTrace ON"), "{error}");
    let error = TraceSummary::parse("run.tr", "# nothing\n").expect_err("no line");
    assert!(error.problem.contains("no record"), "{error}");
}

proptest! {
    /// Any text gives records or errors, each with its line.
    #[test]
    fn the_reader_is_total(lines in prop::collection::vec(line(), 0..12)) {
        let text = lines.join("\n");
        for record in records("x", &text) {
            match record {
                Ok(record) => prop_assert!(record.line as usize <= lines.len()),
                Err(error) => prop_assert!(error.line.is_some_and(|l| l as usize <= lines.len())),
            }
        }
        let _ = TraceSummary::parse("x", &text);
    }
}

/// Random text, and real lines with one word removed, doubled or replaced.
fn line() -> impl Strategy<Value = String> {
    let real: Vec<&'static str> = OLD.lines().chain(NEW.lines()).chain(RUN.lines()).collect();
    let word = prop_oneof![
        Just(String::new()),
        Just("-".to_owned()),
        Just("-1".to_owned()),
        Just("99999999999999999999".to_owned()),
        Just("NaN".to_owned()),
        Just("[".to_owned()),
        Just("1e400".to_owned()),
        "\\PC{0,6}",
    ];
    let damaged = (prop::sample::select(real), any::<prop::sample::Index>(), word, any::<bool>()).prop_map(
        |(line, at, word, cut)| {
            let mut words: Vec<&str> = line.split(' ').collect();
            let at = at.index(words.len());
            words[at] = &word;
            if cut {
                words.truncate(at);
            }
            words.join(" ")
        },
    );
    prop_oneof![3 => damaged, 1 => "\\PC{0,60}"]
}
