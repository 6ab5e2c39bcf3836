//! Freeze-TCP in the network: the simulator foresees when the route is interrupted, by geometry, handoffs and
//! switched nodes.

use crate::common::{load, parse, run_once};
use tworay_sim::scenario::Scenario;

/// The relay of `signal-loss` goes north at 20 m/s from 20 s on and comes back; more than sqrt(250² - 200²) =
/// 150 m away from the line it is out of range: from 27.5 to 32.5 s, and again 30 and 60 s later.
const ABSENCES: f64 = 3.0;
const ABSENT: f64 = 5.0;
/// Time between two checks of the route.
const LOOK: f64 = 0.01;

fn signal_loss(tcp: &str) -> Scenario {
    let tcp = format!("tcp.variant={tcp}");
    load("signal-loss", &[&tcp, "routing.protocol=static", "radio.propagation=range", "radio.range=250m"])
}

/// The receiver closes its window half a second before each absence, more than a round trip, so nothing of
/// the transfer is lost, no timer expires, and the window is what it was. NewReno meets the same three
/// absences with timeouts.
#[test]
fn a_foreseen_absence_costs_only_its_time() {
    let report = run_once(&signal_loss("freeze-tcp(0.5)"), 1);
    let flow = &report.document.flows[0];
    assert_eq!((flow.freezes as f64, flow.timeouts), (ABSENCES, Some(0)));
    // What is retransmitted was lost by contention; only empty probes met the broken link.
    let lost = |cause: &str| report.document.ledger.get(cause).map_or(0, |n| n.data);
    assert_eq!(flow.retransmitted_segments, lost("contention"));
    assert!(lost("link-failure") > 0, "the probes");
    // The closing ACK and the reopening one take their way; each check may be late by 10 ms.
    let least = ABSENCES * (ABSENT + 0.5 - LOOK - 0.3);
    let most = ABSENCES * (ABSENT + 0.5 + LOOK + 0.3);
    assert!((least..most).contains(&flow.frozen_seconds), "{} s", flow.frozen_seconds);
    let newreno = &run_once(&signal_loss("newreno"), 1).document.flows[0];
    assert!(newreno.timeouts >= Some(9), "{:?}", newreno.timeouts);
    // 15 s of 119 without a path, and half a second more for each absence.
    assert!(flow.goodput_bps > newreno.goodput_bps, "{} {}", flow.goodput_bps, newreno.goodput_bps);
}

/// Told at the break, the sender has lost what was in flight, and retransmits it with its whole window.
#[test]
fn at_the_break_what_is_in_flight_is_lost_and_nothing_else() {
    let report = run_once(&signal_loss("freeze-tcp(0)"), 1);
    let flow = &report.document.flows[0];
    assert_eq!((flow.freezes as f64, flow.timeouts), (ABSENCES, Some(0)));
    let again = flow.retransmitted_segments;
    assert!((1..=3 * 20).contains(&again), "{again} of three windows of 20");
    let frozen = ABSENCES * ABSENT;
    assert!((frozen..frozen + ABSENCES * 0.5).contains(&flow.frozen_seconds), "{} s", flow.frozen_seconds);
}

/// Handoffs of a wire and a node that is switched off are foreseen as well; a cut link is not.
#[test]
fn handoffs_and_switched_nodes_are_foreseen_and_cuts_are_not() {
    let wired = r#"
        duration = "30s"
        routing.protocol = "static"
        tcp = { variant = "freeze-tcp(0.5)", window = 8 }
        [[wire]]
        from = 0
        to = 1
        rate = "2Mbps"
        delay = "20ms"
        [[wire]]
        from = 1
        to = 2
        rate = "2Mbps"
        delay = "20ms"
        handoffs = { length = "2s", at = ["10s", "20s"] }
        [[flow]]
        from = 0
        to = 2
    "#;
    let string = |event: &str| {
        format!(
            r#"
            duration = "30s"
            topology = {{ kind = "string", hops = 2 }}
            radio = {{ propagation = "range", range = "250m" }}
            routing = {{ protocol = "static" }}
            mac = {{ arp = false }}
            tcp = {{ variant = "freeze-tcp(0.5)", window = 8 }}
            [[flow]]
            from = 0
            to = 2
            {event}
            "#
        )
    };
    let off = "[[event]]\nnode = 1\nat = \"10s\"\nwhat = \"down\"\n[[event]]\nnode = 1\nat = \"12s\"\nwhat = \"up\"";
    let cut = "[[event]]\nflow = 0\nat = \"10s\"\nwhat = \"cut\"\nfor = \"2s\"";
    for (text, freezes, timeouts) in
        [(wired.to_owned(), 2, false), (string(off), 1, false), (string(cut), 0, true)]
    {
        let report = run_once(&parse(&text), 1);
        let flow = &report.document.flows[0];
        assert_eq!((flow.freezes, flow.timeouts > Some(0)), (freezes, timeouts), "{text}");
    }
}
