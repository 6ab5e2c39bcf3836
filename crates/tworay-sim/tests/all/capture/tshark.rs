//! Runs tshark, Wireshark's command line, on a capture.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// Set to 1 to skip these tests where tshark is not available.
const WITHOUT: &str = "TWORAY_WITHOUT_TSHARK";

/// True if tshark is available. Without it the tests fail, unless they were skipped explicitly.
pub fn available() -> bool {
    static ANSWERS: LazyLock<bool> = LazyLock::new(|| {
        let version = Command::new("tshark").arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    });
    if *ANSWERS {
        return true;
    }
    assert!(
        std::env::var(WITHOUT).is_ok_and(|v| v == "1"),
        "tshark isn't installed: run `sudo apt-get install tshark`, or set {WITHOUT}=1 to go without this check"
    );
    eprintln!("note: {WITHOUT}=1: captures are NOT checked with Wireshark");
    false
}

/// The values of `fields` in every frame that passes `filter`: one row per frame, empty where a field does
/// not occur, commas between several values. Checksums are verified, numbers are absolute.
pub fn fields(capture: &Path, filter: &str, fields: &[&str]) -> Vec<Vec<String>> {
    let mut command = Command::new("tshark");
    command.args(["-n", "-r"]).arg(capture).args(["-Y", filter, "-T", "fields", "-E", "separator=/t"]);
    for preference in [
        "ip.check_checksum:TRUE",
        "tcp.check_checksum:TRUE",
        "udp.check_checksum:TRUE",
        "wlan.check_checksum:TRUE",
        "tcp.relative_sequence_numbers:FALSE",
        "tcp.analyze_sequence_numbers:FALSE",
    ] {
        command.args(["-o", preference]);
    }
    for field in fields {
        command.args(["-e", field]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "tshark: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}
