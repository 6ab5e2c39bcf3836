//! User-supplied tables of computing costs: their effect, their description in the document, and the
//! rejection of wrong ones.

use crate::common::{load, run_once};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use tworay_sim::scenario::Scenario;

const STATES: &str = "energy.model=states";

/// A separate folder for a test, deleted at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tworay-costs-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
    fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.0.join(name);
        std::fs::write(&file, text).expect("a file");
        file
    }
    /// A scenario of 30 s in this folder, with these lines in `[energy]`.
    fn scenario(&self, energy: &str) -> String {
        let base = tworay_sim::scenario::builtin_text("string-3").expect("built in");
        let text = format!("{base}\n[energy]\nmodel = \"states\"\n{energy}\n").replace("120s", "30s");
        self.write("mine.toml", &text).to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Every operation of NewReno takes 100 ns at 3 W, except timeouts: 5000 instructions.
const TABLE: &str = "# measured on a bench\n\
    variant,unit,power,ack_slow_start,ack_congestion_avoidance,dup_ack,fast_retransmit,recovery_ack,rtt_sample\n\
    newreno,ns,3W,100,100,100,100,100,100\n\
    sack,ns,3W,200,200,200,200,200,200\n";

#[test]
fn run_times_make_the_joules() {
    let folder = Folder::new("joules");
    folder.write("costs.csv", TABLE);
    let file = folder.scenario("costs = \"costs.csv\"");
    let d = run_once(&Scenario::load(&file, &[]).expect("a scenario"), 2).document;
    let f = &d.flows[0];
    let n = f.operations.as_ref().expect("tcp");
    let timed: u64 = n.iter().filter(|(name, _)| **name != "timeout").map(|(_, n)| n).sum();
    let seconds = f.computing_seconds.expect("an energy model is on");
    assert!((seconds - timed as f64 * 100e-9).abs() < 1e-12 && timed > 100, "{seconds} s of {timed}");
    let joules = d.energy.joules_computation.expect("an energy model is on");
    let by_hand = seconds * 3.0 + f.instructions.expect("tcp") * 1e-9;
    assert!((joules - by_hand).abs() < 1e-12, "{joules}, by hand {by_hand}");

    // The shipped table counts the same operations in instructions; nothing else changes.
    let shipped = run_once(&load("string-3", &["duration=30s", STATES]), 2).document;
    assert_eq!(shipped.flows[0].operations, f.operations);
    assert_eq!(shipped.flows[0].computing_seconds, Some(0.0));
    assert_eq!(shipped.energy.joules_total, d.energy.joules_total);
    assert!(shipped.flows[0].instructions > f.instructions);
}

/// The document identifies the table by its digest and its head, not by its path.
#[test]
fn the_document_names_the_table() {
    let folder = Folder::new("named");
    folder.write("costs.csv", TABLE);
    folder.write("same.csv", TABLE);
    let file = folder.scenario("costs = \"costs.csv\"");
    let run = |file: &str, set: &[&str]| {
        let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
        let mut report = run_once(&Scenario::load(file, &set).expect("a scenario"), 1);
        report.document.cpu_seconds = 0.0;
        report
    };
    let one = run(&file, &[]);
    let costs = one.document.energy.costs.as_ref().expect("a table");
    let digest: String = Sha256::digest(TABLE).iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(
        (costs.sha256.as_str(), costs.provenance.as_slice()),
        (&*digest, &["measured on a bench".to_owned()][..])
    );
    assert_eq!(costs.replaced, ["newreno", "sack"]);
    assert_eq!(one.json(), run(&file, &["energy.costs=same.csv"]).json(), "the same table, another name");
    let shipped = run("string-3", &["duration=30s", STATES]);
    let costs = shipped.document.energy.costs.expect("the table that ships");
    assert!(costs.replaced.is_empty() && costs.provenance[0].contains("callgrind"));
    assert!(run("string-3", &["duration=30s"]).document.energy.costs.is_none(), "energy isn't counted");
}

/// A scenario stored with results keeps its table: the digest is in it, and another table is refused.
#[test]
fn a_kept_scenario_holds_on_to_its_table() {
    let folder = Folder::new("kept");
    folder.write("costs.csv", TABLE);
    let file = folder.scenario("costs = \"costs.csv\"");
    let scenario = Scenario::load(&file, &[]).expect("a scenario");
    let again =
        Scenario::from_toml(&scenario.to_toml(), "again.toml", Path::new(""), &[]).expect("reads back");
    assert_eq!(again, scenario);
    let (text, table) = scenario.to_keep("table.csv");
    assert_eq!(table, Some(TABLE));
    let kept = folder.write("kept.toml", &text).to_string_lossy().into_owned();
    folder.write("table.csv", TABLE);
    assert_eq!(Scenario::load(&kept, &[]).expect("reads back").costs, scenario.costs);
    folder.write("table.csv", &TABLE.replace("100,100\n", "100,101\n"));
    let wrong = Scenario::load(&kept, &[]).expect_err("another table").to_string();
    assert!(wrong.contains("energy.costs_sha256") && wrong.contains("kept.toml:"), "{wrong}");
    assert!(wrong.contains("Bring the table back"), "{wrong}");
    assert_eq!(load("string-3", &[]).to_keep("table.csv").1, None);
}

/// Errors inside a table are shown at the table's line, errors about the file at the scenario's line.
#[test]
fn wrong_tables_are_shown_at_their_line() {
    let folder = Folder::new("wrong");
    let file = folder.scenario("costs = \"costs.csv\"");
    let error = || Scenario::load(&file, &[]).expect_err("refused");
    let missing = error().to_string();
    assert!(missing.contains("mine.toml:") && missing.contains("energy.costs:"), "{missing}");
    assert!(missing.contains("there is no such file") && missing.contains("tworay costs --out"), "{missing}");
    folder.write("costs.csv", &TABLE.replace("sack,ns,3W,200", "sack,ns,3W,much"));
    let wrong = error();
    let (name, line, column) = wrong.position().expect("a place");
    assert!(name.ends_with("costs.csv"), "{name}");
    assert_eq!((line, column), (4, 12));
    assert!(wrong.problem().contains("ack_slow_start of sack: \"much\" is not a number"), "{wrong}");
    assert!(wrong.remedy().contains("nanoseconds per operation"), "{wrong}");
    std::fs::write(folder.0.join("costs.csv"), b"variant,\xff").expect("a file");
    assert!(error().to_string().contains("not UTF-8"), "{}", error());
    let digest_alone = Scenario::load("string-3", &["energy.costs_sha256=00".into()]).expect_err("refused");
    assert!(digest_alone.to_string().contains("no table is given for this digest"), "{digest_alone}");
}
