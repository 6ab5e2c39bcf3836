use super::*;
use proptest::prelude::*;

/// As cbrgen.tcl writes it: one CBR flow and one TCP flow.
const CBRGEN: &str = "\
#\n# 1 connecting to 2 at time 2.5568388786897245\n#\n\
set udp_(0) [new Agent/UDP]\n$ns_ attach-agent $node_(1) $udp_(0)\n\
set null_(0) [new Agent/Null]\n$ns_ attach-agent $node_(2) $null_(0)\n\
set cbr_(0) [new Application/Traffic/CBR]\n$cbr_(0) set packetSize_ 512\n$cbr_(0) set interval_ 0.25\n\
$cbr_(0) set random_ 1\n$cbr_(0) set maxpkts_ 10000\n$cbr_(0) attach-agent $udp_(0)\n\
$ns_ connect $udp_(0) $null_(0)\n$ns_ at 127.5 \"$cbr_(0) start\"\n\n\
set tcp [new Agent/TCP/Newreno]\n$tcp set class_ 2\n$tcp set window_ 32\n$tcp set packetSize_ 1460\n\
set sink [new Agent/TCPSink]\n$ns_ attach-agent $node_(4) $tcp\n$ns_ attach-agent $node_(5) $sink\n\
$ns_ connect $tcp $sink\nset ftp [new Application/FTP]\n$ftp attach-agent $tcp\n\
$ns_ at 15.0 \"$ftp start\"\n$ns_ at 100.0 \"$ftp stop\"";

fn parse(text: &str) -> Result<Traffic, ReadError> {
    Traffic::parse("cbr.tcl", text)
}

#[test]
fn cbrgens_output() {
    let ftp = TrafficFlow {
        from: 4,
        to: 5,
        start: SimTime::from_secs_f64(15.0),
        stop: Some(SimTime::from_secs_f64(100.0)),
        kind: TrafficKind::Ftp {
            agent: "Agent/TCP/Newreno".into(),
            packet_bytes: Some(1460),
            window: Some(32),
        },
        other_settings: vec![("tcp".into(), "class_".into(), "2".into())],
    };
    let cbr = TrafficFlow {
        from: 1,
        to: 2,
        start: SimTime::from_secs_f64(127.5),
        stop: None,
        kind: TrafficKind::Cbr {
            packet_bytes: 512,
            interval: SimDuration::from_millis(250),
            random: true,
            max_packets: Some(10_000),
        },
        other_settings: vec![],
    };
    assert_eq!(parse(CBRGEN).unwrap().flows, [ftp, cbr], "in order of start times");
}

/// As `cbrgen.tcl -type tcp` writes it.
#[test]
fn cbrgens_tcp_output() {
    let text = "#\n# nodes: 10, max conn: 4, send rate: 0.0, seed: 1\n#\n#\n\
                # 1 connecting to 2 at time 2.5568388786897245\n#\n\
                set tcp_(0) [$ns_ create-connection  TCP $node_(1) TCPSink $node_(2) 0]\n\
                $tcp_(0) set window_ 32\n$tcp_(0) set packetSize_ 512\n\
                set ftp_(0) [$tcp_(0) attach-source FTP]\n$ns_ at 2.5568388786897245 \"$ftp_(0) start\"\n\
                #\n#Total sources/connections: 1/1\n#\n";
    let flow = TrafficFlow {
        from: 1,
        to: 2,
        start: SimTime::from_secs_f64(2.5568388786897245),
        stop: None,
        kind: TrafficKind::Ftp { agent: "Agent/TCP".into(), packet_bytes: Some(512), window: Some(32) },
        other_settings: vec![],
    };
    assert_eq!(parse(text).unwrap().flows, [flow]);
    let other = text.replace(" TCP ", " TCP/Newreno ").replace("TCPSink", "TCPSink/DelAck");
    let kind = &parse(&other).unwrap().flows[0].kind;
    assert!(matches!(kind, TrafficKind::Ftp { agent, .. } if agent == "Agent/TCP/Newreno"));
    let error = parse(&text.replace(" TCPSink $node_(2)", "")).unwrap_err();
    assert_eq!(error.line, Some(7), "{error}");
}

/// In some of the CMU scenes nodes are switched on and off, which does not concern flows.
#[test]
fn commands_to_nodes_are_passed_on() {
    let text = format!("$ns_ at 0 \"$node_(3) shutdown\"\n$ns_ at 2.5 \"$node_(1) startup\"\n{CBRGEN}");
    let traffic = parse(&text).unwrap();
    assert_eq!(traffic.flows, parse(CBRGEN).unwrap().flows);
    assert_eq!(traffic.node_commands, ["node 3 shutdown at 0s", "node 1 startup at 2.5s"]);
}

/// Valid Tcl: comments and commands after a semicolon, several commands at a time, continued lines.
#[test]
fn tcls_comments_semicolons_and_continued_lines() {
    let written = [
        ("$cbr_(0) set random_ 1\n", "$cbr_(0) set random_ 1 ;# noise\n"),
        ("$cbr_(0) set random_ 1\n", "$cbr_(0) set random_ 1; # it's {noise\n"),
        ("packetSize_ 512\n$cbr_(0)", "packetSize_ 512; $cbr_(0)"),
        ("packetSize_ 512\n$cbr_(0)", "packetSize_ 512;;\n;$cbr_(0)"),
        ("set udp_(0) [new Agent/UDP]", "set udp_(0) \\\r\n    [new Agent/UDP]"),
        ("set udp_(0) [new Agent/UDP]", "set udp_(0) [new \\\n\tAgent/UDP]"),
        ("$ns_ connect $udp", "# a comment \\\n goes on\n$ns_ connect $udp"),
        ("\"$cbr_(0) start\"", "\"$cbr_(0) start; \""),
        (
            "$ns_ at 15.0 \"$ftp start\"\n$ns_ at 100.0",
            "$ns_ at 100.0 {puts end}; $ns_ at 15 {$ftp start}; $ns_ at 100.0",
        ),
        ("$ns_ at 100.0 \"$ftp stop\"", "$ns_ at 100.0 {puts \"it ends\"; $ftp stop}"),
    ];
    let good = parse(CBRGEN).unwrap();
    for (plain, other) in written {
        assert!(CBRGEN.contains(plain), "{plain}");
        let text = CBRGEN.replace(plain, other);
        assert_eq!(parse(&text).unwrap_or_else(|e| panic!("{other}: {e}")), good, "{other}");
    }
    // Without a semicolon, `#` is an ordinary word.
    let error = parse(&CBRGEN.replace("random_ 1\n", "random_ 1 # noise\n")).unwrap_err();
    assert_eq!(error.line, Some(11), "{error}");
    // The error names the line on which the command begins.
    let error =
        parse(&CBRGEN.replace("packetSize_ 512\n$cbr_(0)", "packetSize_ \\\n -1; $cbr_(0)")).unwrap_err();
    assert_eq!(error.line, Some(9), "{error}");
}

/// ns-2's defaults, and equivalent notations.
#[test]
fn rates_defaults_and_attach_source() {
    let with_rate =
        CBRGEN.replace("interval_ 0.25", "rate_ 16.384Kb").replace("maxpkts_ 10000", "maxpkts_ 268435456");
    let TrafficKind::Cbr { interval, max_packets, .. } = parse(&with_rate).unwrap().flows[1].kind else {
        panic!("a CBR flow");
    };
    assert_eq!((interval, max_packets), (SimDuration::from_millis(250), None));

    let short = "set tcp_(0) [new Agent/TCP]\nset sink_(0) [new Agent/TCPSink]\n\
                 $ns attach-agent $node(0) $tcp_(0)\n$ns attach-agent $node(1) $sink_(0)\n\
                 $ns connect $tcp_(0) $sink_(0)\nset ftp_(0) [$tcp_(0) attach-source FTP]\n\
                 $ns at 1 \"$ftp_(0) start\"\n";
    let flow = &parse(short).unwrap().flows[0];
    assert_eq!((flow.from, flow.to), (0, 1));
    assert_eq!(flow.kind, TrafficKind::Ftp { agent: "Agent/TCP".into(), packet_bytes: None, window: None });
}

/// One edit of the valid file, the line that the error names, and the problem.
#[test]
fn faults_have_a_line_and_a_problem() {
    let ladder = [
        ("interval_ 0.25", "interval_ 0", Some(10), "is not a valid interval"),
        ("interval_ 0.25", "interval_ NaN", Some(10), "is not a valid interval"),
        ("interval_ 0.25", "rate_ 5furlongs", Some(10), "is not a valid rate"),
        ("packetSize_ 512", "packetSize_ -1", Some(9), "is not a valid packet size"),
        ("maxpkts_ 10000", "maxpkts_ many", Some(12), "is not a valid number of packets"),
        ("window_ 32", "window_ 0", Some(19), "is not a valid window"),
        ("$node_(1)", "$node_(one)", Some(5), "\"one\" is not a node number"),
        ("at 127.5", "at -5", Some(15), "negative"),
        ("$cbr_(0) start", "$cbr_(0) begin", Some(15), "not a line of a traffic file"),
        ("$cbr_(0) start", "$cbr_(7) start", Some(15), "$cbr_(7) was never created"),
        ("\"$cbr_(0) start\"", "\"$cbr_(0) st", Some(15), "ends inside quotes"),
        ("connect $udp_(0) $null_(0)", "connect $udp_(0) $null_(9)", Some(14), "$null_(9) was never created"),
        ("$ns_ connect $udp_(0) $null_(0)", "#", Some(4), "$udp_(0) is not connected"),
        ("$cbr_(0) attach-agent $udp_(0)", "#", Some(8), "$cbr_(0) has no agent"),
        ("$ns_ attach-agent $node_(2) $null_(0)", "#", Some(6), "$null_(0) is not attached to a node"),
        ("attach-agent $node_(2)", "attach-agent $node_(1)", Some(4), "from node 1 to itself"),
        ("Application/Traffic/CBR", "Application/Telnet", Some(8), "not supported"),
        ("new Agent/UDP", "new Agent/TCP", Some(8), "not supported"),
        ("at 100.0", "at 10.0", Some(25), "before it starts"),
        ("set sink [new", "sink = [new", Some(21), "not a line of a traffic file"),
    ];
    for (right, wrong, line, problem) in ladder {
        assert!(CBRGEN.contains(right), "{right}");
        let error = parse(&CBRGEN.replace(right, wrong)).expect_err(wrong);
        assert!(error.problem.contains(problem), "{wrong}: {error}");
        assert_eq!(error.line, line, "{wrong}: {error}");
    }
    assert!(parse("# nothing\n").unwrap_err().problem.contains("starts no flow"));
}

proptest! {
    /// Any mix of the format's words gives flows or an error, never a panic.
    #[test]
    fn any_text_is_survived(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "set", "$ns_", "at", "1", "\"", "$udp_(0)", "udp_(0)", "[new", "Agent/UDP]", "\n", "$node_(0)",
                "attach-agent", "connect", "start", "$", "()", "$x", "attach-source", "é",
            ]),
            0..40,
        ),
    ) {
        let _ = parse(&words.join(" "));
    }
}
