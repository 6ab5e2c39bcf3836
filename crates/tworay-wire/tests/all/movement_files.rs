//! Movement files on disk: gzip by content, BonnMotion with its `.params` in the same folder.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use tworay_base::Position;
use tworay_wire::bonnmotion;
use tworay_wire::ns2::Movement;

/// A new folder in the build directory.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("the build directory is writable");
    folder
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).expect("memory takes all")
}

#[test]
fn gzip_is_known_by_content_not_by_name() {
    let folder = folder("gzip");
    let text = "$node_(0) set X_ 1\n$node_(0) set Y_ 2\n$ns_ at 1 \"$node_(0) setdest 3 4 5\"\n";
    let (plain, packed) = (folder.join("plain.mov.gz"), folder.join("packed.mov"));
    fs::write(&plain, text).unwrap();
    fs::write(&packed, gzip(text)).unwrap();
    assert_eq!(Movement::read(&plain).unwrap(), Movement::read(&packed).unwrap());

    fs::write(&packed, &gzip(&text.repeat(500))[..60]).unwrap();
    let error = Movement::read(&packed).unwrap_err();
    assert!(error.problem.contains("cut off"), "{error}");
    assert!(error.file.ends_with("packed.mov"), "{error}");
}

#[test]
fn bonnmotion_asks_params_for_the_dimensions() {
    let folder = folder("bonnmotion");
    let trace = folder.join("walk.movements.gz");
    // Twelve numbers: four triples or three quadruples.
    fs::write(&trace, gzip("0 10 20 5 10 30 40 5 20 30 40 5\n")).unwrap();
    let _ = fs::remove_file(folder.join("walk.params"));
    let error = bonnmotion::read(&trace).unwrap_err();
    assert!(error.problem.contains("comes after"), "as triples it makes no sense: {error}");

    fs::write(folder.join("walk.params"), "model=RandomWaypoint\nnn=1\ndim=3D\n").unwrap();
    let movement = bonnmotion::read(&trace).unwrap();
    assert_eq!(movement.nodes[0].start, Position::new(10.0, 20.0));
    assert_eq!(movement.nodes[0].commands.len(), 1);
}
