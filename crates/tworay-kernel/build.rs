//! Compiles the controllers for the kernel with clang, and their decision cores natively for the tests.
//!
//! Without clang the crate still builds, but contains no controller; the loader then reports what is
//! missing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// clang supports what these programs need since version 11.
const CLANGS: std::ops::RangeInclusive<u32> = 11..=40;

fn main() {
    println!("cargo:rerun-if-changed=bpf");
    println!("cargo:rerun-if-env-changed=TWORAY_CLANG");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    cc::Build::new().file("bpf/native.c").include("bpf").warnings(true).compile("tworay_cores");
    let command = find_clang().map(|clang| command(&clang));
    if command.is_none() {
        println!(
            "cargo:warning=no clang: built without kernel controllers; install clang, or name it in TWORAY_CLANG"
        );
    }
    // For the test that compiles the guide's controller as this crate compiles its own.
    println!("cargo:rustc-env=TWORAY_BPF_COMMAND={}", command.clone().unwrap_or_default().join("\x1f"));
    for source in sources() {
        let object = out.join(source.with_extension("o").file_name().expect("a file"));
        match &command {
            Some(command) => compile(command, &source, &object),
            None => fs::write(&object, []).expect("OUT_DIR can be written"),
        }
    }
}

fn sources() -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir("bpf")
        .expect("bpf/ is part of the crate")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".bpf.c"))
        .collect();
    found.sort();
    found
}

fn find_clang() -> Option<String> {
    println!("cargo:rerun-if-env-changed=PATH");
    let numbered = CLANGS.rev().map(|version| format!("clang-{version}"));
    let candidates = env::var("TWORAY_CLANG").into_iter().chain(["clang".into()]).chain(numbered);
    candidates.into_iter().find(|clang| {
        let targets = Command::new(clang).arg("--print-targets").output();
        targets.is_ok_and(|found| String::from_utf8_lossy(&found.stdout).contains("bpf"))
    })
}

/// The command that compiles a program for the kernel, without the names of its files.
fn command(clang: &str) -> Vec<String> {
    let headers = env::var("DEP_BPF_INCLUDE").expect("libbpf-sys names its headers");
    let flags = ["-O2", "-g", "-target", "bpf", "-mcpu=v3", "-Wall", "-Werror", "-Ibpf"];
    let words = [clang].into_iter().chain(flags).map(str::to_owned);
    words.chain([format!("-I{headers}"), "-c".into()]).collect()
}

fn compile(command: &[String], source: &Path, object: &Path) {
    let status = Command::new(&command[0]).args(&command[1..]).arg(source).arg("-o").arg(object).status();
    assert!(status.is_ok_and(|s| s.success()), "{} could not compile {}", command[0], source.display());
}
