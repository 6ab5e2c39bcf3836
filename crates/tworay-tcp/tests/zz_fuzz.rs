
#![allow(dead_code, missing_docs)]
#[path = "/tmp/fuzz/network.rs"] mod network;
#[path = "ns2_validation/traces.rs"] mod traces;
use tworay_tcp::*;
#[test]
fn fuzz() {
    for line in std::fs::read_to_string("/tmp/fuzz/cases.txt").unwrap().lines() {
        let w: Vec<&str> = line.split_whitespace().collect();
        let v = match w[1] { "tahoe" => "tahoe", "/Reno" => "reno", "/Newreno" => "newreno", "/Sack1" => "sack", "/Vegas" => "vegas", x => panic!("{x}") };
        let cfg = match w[2] { "val" => TcpConfig::ns2_validation(), "valsa" => TcpConfig { limited_transmit: true, ..TcpConfig::ns2_validation() }, _ => TcpConfig::ns2() };
        let drops: Vec<u64> = w[5..].iter().map(|x| x.parse().unwrap()).collect();
        let r = network::run(v, &cfg, &drops, w[3].parse().unwrap(), w[4].parse().unwrap());
        let mut s = String::new();
        for (n, t) in &r.data { s += &format!("{n} {t:.6}\n"); }
        let (f, c) = r.fin.unwrap();
        s += &format!("CW {} SS {} REX {} TO {} NP {}\n", f.cwnd, f.ssthresh, c.retransmitted_segments, c.timeouts, c.sent_segments);
        std::fs::write(format!("/tmp/fuzz/out/{}.txt", w[0]), s).unwrap();
    }
}
