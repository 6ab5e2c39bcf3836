//! Plays the scripts of `tests/scripts` to the simulated senders. `python/tests/test_scripts.py` plays the
//! same files to this machine's kernel.

mod play;
mod read;

use play::play;
use read::{Script, read};
use std::path::{Path, PathBuf};

/// Every script, with the name of its file.
fn scripts() -> Vec<(String, Script)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let entries = std::fs::read_dir(folder).expect("the folder of scripts");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "txt"));
    files.sort();
    let script = |file: &PathBuf| {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(file).expect(&name);
        let script = read(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
        (name, script)
    };
    files.iter().map(script).collect()
}

#[test]
fn simulated_senders_do_what_the_scripts_say() {
    let mut wrong = Vec::new();
    let mut played = 0;
    for (name, script) in scripts() {
        for player in script.players.iter().filter(|player| !player.starts_with("kernel/")) {
            played += 1;
            wrong.extend(play(&script, player).err().map(|why| format!("{name}, {player}: {why}")));
        }
    }
    assert!(wrong.is_empty(), "{} of {played}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The kernel is asked every script, and no simulated sender all alone.
#[test]
fn every_script_compares_the_kernel_with_a_simulated_sender() {
    for (name, script) in scripts() {
        let kernels = script.players.iter().filter(|p| p.starts_with("kernel/")).count();
        assert!(kernels > 0 && kernels < script.players.len(), "{name}");
    }
}

const SHORT: &str = "
about: one segment
rfc: 9293 §3
players: linux, prr
50 write 2
50 > 1-2
90 < ack 2
100 end
";

/// A player that accepts anything would be worthless.
#[test]
fn a_sender_that_does_something_else_fails() {
    let play = |text: &str| play(&read(text).unwrap(), "linux");
    assert_eq!(play(SHORT), Ok(()));
    for (line, instead) in [
        ("50 > 1-2", "50 > 1"),
        ("50 > 1-2", "50 > 1-3"),
        ("50 > 1-2", "50 > 2 1"),
        ("50 > 1-2", "51 > 1-2"),
        ("50 > 1-2\n", ""),
        // The probe after two round trips is not announced.
        ("90 < ack 2\n100 end", "200 end"),
        ("90 < ack 2\n100 end", "139 timer 80 > 2\n200 end"),
        ("90 < ack 2\n100 end", "120 timer 80 > 2\n200 end"),
    ] {
        let changed = SHORT.replace(line, instead);
        assert_ne!(changed, SHORT);
        assert!(play(&changed).is_err(), "{instead}");
    }
    assert_eq!(play(&SHORT.replace("90 < ack 2\n100 end", "130 timer 80 > 2\n200 end")), Ok(()));
}

#[test]
fn a_difference_needs_a_reason_and_a_name_that_plays() {
    let with = |lines: &str| read(&SHORT.replace("50 > 1-2\n", lines));
    assert!(with("# Because.\nlinux: 50 > 1-2\nprr: 50 > 1-2\n").is_ok());
    let refused = |lines: &str, why: &str| {
        let error = with(lines).expect_err(lines);
        assert!(error.contains(why), "{lines}: {error}");
    };
    refused("linux: 50 > 1-2\n", "comment");
    refused("# Because.\nreno: 50 > 1-2\n", "reno");
    refused("50 sends 1-2\n", "50 sends 1-2");
    refused("50 > \n", "50 >");
    refused("50 < ack 2 sack 4 6 8 10\n", "blocks");
    refused("60 write 1\n50 > 1-2\n", "earlier");
    assert!(read(&SHORT.replace("100 end\n", "")).unwrap_err().contains("end"));
    assert!(read(&SHORT.replace("rfc:", "# rfc:")).unwrap_err().contains("rfc"));
}
