//! The controller of docs/guide/transport-developer.md is shown as it stands in docs/examples/bpf, and compiles
//! beside those of this crate.

use libbpf_rs::ObjectBuilder;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");
const FILES: [(&str, &str); 2] = [
    ("core/gentle.h", include_str!("../../../../docs/examples/bpf/core/gentle.h")),
    ("gentle.bpf.c", include_str!("../../../../docs/examples/bpf/gentle.bpf.c")),
];

#[test]
fn the_guide_shows_the_files_that_are_compiled() {
    let guide = include_str!("../../../../docs/guide/transport-developer.md");
    for (name, text) in FILES {
        assert!(guide.contains(text.trim_end()), "{name}");
    }
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_all(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}

#[test]
fn the_guide_s_controller_compiles_beside_the_others() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide");
    copy_all(&Path::new(CRATE).join("bpf"), &place.join("bpf")).expect("a copy");
    for (name, text) in FILES {
        fs::write(place.join("bpf").join(name), text).expect("a file");
    }
    let mut words = env!("TWORAY_BPF_COMMAND").split('\x1f');
    let clang = words.next().filter(|clang| !clang.is_empty());
    let clang = clang.expect("this was built without clang; `make kernel` installs it");
    let mut order = Command::new(clang);
    order.args(words).args(["bpf/gentle.bpf.c", "-o", "gentle.bpf.o"]).current_dir(&place);
    assert!(order.status().expect("clang runs").success());
    // What the loader looks for.
    let object = ObjectBuilder::default().open_file(place.join("gentle.bpf.o")).expect("an object");
    let maps: Vec<_> = object.maps().map(|map| map.name().to_string_lossy().into_owned()).collect();
    for name in ["tworay_gentle", "tworay_params", "tworay_events", "tworay_head"] {
        assert!(maps.iter().any(|map| map == name), "no {name} in {maps:?}");
    }
}
