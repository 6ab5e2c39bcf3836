//! Measured links: the list decides who hears whom; positions do not.

use crate::common::{parse, run_once};
use tworay_sim::scenario::Scenario;

/// Three stations close together, of which 0 and 2 do not hear each other.
fn chain(links: &str, more: &str) -> String {
    format!(
        "duration = \"20s\"\n[topology]\nkind = \"explicit\"\npositions = [[0, 0], [1, 0], [2, 0]]\n\
         [radio]\npropagation = \"measured\"\n{links}\n[[flow]]\nfrom = 0\nto = 2\nstart = \"1s\"\n{more}"
    )
}

fn link(from: u16, to: u16, loss: f64) -> String {
    format!("[[radio.link]]\nfrom = {from}\nto = {to}\nloss = {loss}\n")
}

fn both(loss: f64) -> String {
    [(0, 1), (1, 0), (1, 2), (2, 1)].map(|(from, to)| link(from, to, loss)).concat()
}

#[test]
fn packets_take_the_links_that_there_are() {
    // Two hops share the medium: less than half of one hop's 1.4 Mb/s. OLSR takes up to ten seconds to
    // start.
    let quick = 500e3..640e3;
    let protocols = [("static", &quick), ("aodv", &quick), ("dsr", &quick), ("olsr", &(200e3..500e3))];
    for (protocol, expected) in protocols {
        let text = chain(&both(0.0), &format!("[routing]\nprotocol = \"{protocol}\"\n"));
        let report = run_once(&parse(&text), 1);
        let flow = &report.document.flows[0];
        assert!(expected.contains(&flow.goodput_bps), "{protocol}: {}", flow.goodput_bps);
    }
}

#[test]
fn losses_cost_goodput_and_the_same_seed_meets_the_same_ones() {
    let goodput = |loss: f64, seed: u64| {
        let document = run_once(&parse(&chain(&both(loss), "")), seed).document;
        (document.flows[0].goodput_bps, document.events)
    };
    assert_eq!(goodput(0.2, 1), goodput(0.2, 1));
    assert_ne!(goodput(0.2, 1).1, goodput(0.2, 2).1);
    assert!(goodput(0.2, 1).0 < 0.8 * goodput(0.0, 1).0);
}

#[test]
fn a_link_one_way_carries_no_answers_and_is_no_path() {
    let one_way = [link(0, 1, 0.0), link(1, 0, 0.0), link(1, 2, 0.0)].concat();
    let report = run_once(&parse(&chain(&one_way, "[routing]\nprotocol = \"static\"\n")), 1);
    assert_eq!(report.document.flows[0].goodput_bps, 0.0);
    let warnings: Vec<_> = report.document.warnings.iter().map(|w| w.text.clone()).collect();
    assert!(warnings.iter().any(|w| w.contains("[[radio.link]]")), "{warnings:?}");
}

#[test]
fn the_complete_text_reads_back_and_errors_point_at_the_link() {
    let world = parse(&chain(&both(0.25), ""));
    assert_eq!(parse(&world.to_toml()), world);
    let wrong = |links: &str| {
        let text = chain(links, "");
        Scenario::from_toml(&text, "test.toml", std::path::Path::new("."), &[]).unwrap_err().to_string()
    };
    for (links, key, line) in [
        (link(0, 1, 0.5) + &link(1, 3, 0.5), "radio.link.1.to", 13),
        (link(0, 1, 1.0), "radio.link.0.loss", 10),
        (String::new(), "radio.propagation", 6),
    ] {
        let message = wrong(&links);
        assert!(message.contains(key) && message.contains(&format!("test.toml:{line}:")), "{message}");
    }
}
