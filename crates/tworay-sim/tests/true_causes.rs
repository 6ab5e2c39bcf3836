//! What the ledger says of losses whose cause is known because the network leaves no other.

mod common;
use common::{load, parse, run_once};
use std::collections::BTreeMap;
use tworay_sim::scenario::Scenario;
use tworay_sim::{ColumnData, RunReport};

const PROTOCOLS: [&[&str]; 13] = [
    &["routing.protocol=static"],
    &["routing.protocol=aodv"],
    &["routing.protocol=aodv", "routing.aodv.preset=ns2"],
    &["routing.protocol=aodv", "routing.aodv.preset=thesis"],
    &["routing.protocol=aodv", "routing.aodv.preset=thesis-trace"],
    &["routing.protocol=dsr"],
    &["routing.protocol=dsr", "routing.dsr.preset=ns2"],
    &["routing.protocol=dsr", "routing.dsr.preset=thesis"],
    &["routing.protocol=dsr", "routing.dsr.preset=thesis-trace"],
    &["routing.protocol=dsr", "routing.dsr.preset=freeze-probing"],
    &["routing.protocol=olsr"],
    &["routing.protocol=olsr", "routing.olsr.preset=thesis"],
    &["routing.protocol=olsr", "routing.olsr.preset=thesis-trace"],
];

#[test]
fn probe() {
    for p in PROTOCOLS {
        for hops in 1..=8u32 {
            let mut sets = p.to_vec();
            sets.push("duration=30s");
            for seed in 1..=2 {
                let r = run_once(&load(&format!("string-{hops}"), &sets), seed);
                let mut m: BTreeMap<(String, String), u64> = BTreeMap::new();
                let t = r.tables();
                let t = t.iter().find(|t| t.name == "ledger").unwrap();
                let col = |n: &str| match &t.columns.iter().find(|c| c.name == n).unwrap().data { ColumnData::Str(v) => v.clone(), _ => panic!() };
                for (a, b) in col("cause").into_iter().zip(col("died")) { *m.entry((a, b)).or_default() += 1; }
                println!("{p:?} {hops} {seed} {m:?}");
            }
        }
    }
}
