//! One complete run of ns-2.35 (two hops, NewReno over AODV, 0.4 s of transfer) traced in both formats. The
//! summary must match the counters of ns-2's own agent.

use std::path::PathBuf;
use tworay_wire::ns2::trace::{TraceFate, TraceSummary};
use tworay_wire::read_text;

fn summary(name: &str) -> TraceSummary {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/traces").join(name);
    let text = read_text(&path).expect("a file of this repository");
    TraceSummary::parse(name, &text).expect("ns-2 wrote it")
}

#[test]
fn both_formats_of_a_run_give_what_its_agent_counted() {
    let (old, new) = (summary("string-2-old.tr.gz"), summary("string-2-new.tr.gz"));
    assert_eq!(old.packets, new.packets);
    assert_eq!(old.flows, new.flows);
    assert_eq!((old.records, old.routing, old.end), (new.records, new.routing, new.end));
    // The agent's ndatapack_ and ack_.
    let data = &old.flows.iter().find(|f| f.kind == "tcp").expect("data");
    let acks = &old.flows.iter().find(|f| f.kind == "ack").expect("ACKs");
    assert_eq!((data.sent, acks.received), (SENT, ACKED + 1), "the SYN has an ACK too");
    assert!(data.goodput_bytes >= ACKED * 1460);
    assert!(old.packets.iter().all(|p| p.forwarded <= 1), "two hops have one node between");
    let under_way = old.packets.iter().filter(|p| p.fate == TraceFate::UnderWay).count() as u64;
    assert_eq!(data.received + acks.received + under_way, data.sent + acks.sent, "nothing was lost");
}

const SENT: u64 = 31;
const ACKED: u64 = 14;
