//! Keys of web-like flows, video and replayed traces.

use super::edited;

/// The message without the lines that show the place.
fn said(keys: &str) -> String {
    let message = edited("to = 4", &format!("to = 4\n{keys}"));
    let lines: Vec<&str> = message.lines().collect();
    format!("{}\n{}", lines[0], lines[lines.len() - 1])
}

#[test]
fn transfers_need_sizes_and_a_rule_for_the_next_one() {
    assert_eq!(
        said("app = \"web\""),
        "my.toml:8:7: flow.0.app: app = \"web\" needs the key \"sizes\"\n\
         Add sizes = { kind = \"fixed\", size = \"20kB\" }, or exponential, pareto or listed ones."
    );
    assert_eq!(
        said("app = \"web\"\nsizes = { kind = \"fixed\", size = \"1kB\" }"),
        "my.toml:8:7: flow.0.app: neither every nor think is given\n\
         Add every = \"1s\" (Poisson), or think = \"1s\" (one after the other)."
    );
    assert_eq!(
        said("app = \"web\"\nsizes = { kind = \"fixed\", size = \"1kB\" }\nevery = \"1s\"\nthink = \"1s\""),
        "my.toml:11:9: flow.0.think: both every and think are given\nKeep one of them."
    );
    assert_eq!(
        said("app = \"web\"\nevery = \"1s\"\nsizes = { kind = \"pareto\", least = \"9kB\", most = \"5kB\" }"),
        "my.toml:10:50: flow.0.sizes.most: 5000B is not above least = 9000B\n\
         Give a larger size, such as \"10MB\"."
    );
    assert_eq!(
        said("app = \"request\"\nsizes = { kind = \"listed\", sizes = [\"9kB\", \"0B\"] }"),
        "my.toml:9:44: flow.0.sizes.sizes.1: a transfer has at least a byte\nGive a size such as \"20kB\"."
    );
    assert_eq!(
        said("sizes = { kind = \"fixed\", size = \"1kB\" }"),
        "my.toml:8:1: flow.0.sizes: this key does not apply to app = \"ftp\"\n\
         Remove it, or choose app = \"web\" or \"request\"."
    );
}

#[test]
fn a_player_needs_room() {
    assert_eq!(
        said("app = \"video\""),
        "my.toml:8:7: flow.0.app: app = \"video\" needs the key \"rate\"\nAdd rate = \"1Mbps\", for example."
    );
    assert_eq!(
        said("app = \"video\"\nrate = \"1Mbps\"\nbuffer = \"3s\""),
        "my.toml:10:10: flow.0.buffer: 3s don't hold a chunk of 4s\nGive at least the length of a chunk."
    );
    assert_eq!(
        said("app = \"video\"\nrate = \"1Mbps\"\nstartup = \"31s\""),
        "my.toml:10:11: flow.0.startup: 31s is out of range\nGive more than 0s, at most buffer = 30s."
    );
}

#[test]
fn a_trace_must_be_one() {
    assert_eq!(
        said("app = \"replay\""),
        "my.toml:8:7: flow.0.app: app = \"replay\" needs the key \"file\"\n\
         Add file = \"trace.pcapng\": a capture, a trace of Mahimahi, or CSV (time_s,bytes)."
    );
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("none.trace");
    std::fs::write(&file, "3\n4\nsoon\n").unwrap();
    let name = file.display();
    assert_eq!(
        said(&format!("app = \"replay\"\nfile = \"{name}\"")),
        format!(
            "my.toml:9:8: flow.0.file: {name}:3: \"soon\" is no time in milliseconds\n\
             A trace is a pcapng or pcap file, Mahimahi's (a time in whole ms a line), or CSV (time_s,bytes)."
        )
    );
    std::fs::write(&file, "0.5,500\n0.7,65508\n").unwrap();
    assert_eq!(
        said(&format!("app = \"replay\"\nfile = \"{name}\"")),
        "my.toml:9:8: flow.0.file: a datagram can't have 65508 bytes\n\
         Add over = \"tcp\", or write at most 65507 bytes at a time."
    );
    assert_eq!(
        said("app = \"replay\"\nfile = \"x\"\nsource = \"host\""),
        "my.toml:10:10: flow.0.source: this is no IP address\nWrite it like \"10.0.0.1\"."
    );
    assert_eq!(
        said("app = \"replay\"\nfile = \"x\"\ntcp = \"reno\""),
        "my.toml:10:7: flow.0.tcp: the trace is replayed as datagrams\nRemove it, or add over = \"tcp\"."
    );
}
