use super::file::CaptureFile;
use super::reception::{FrameResult, FrameResults};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tworay_base::NodeId;

fn comment(fates: &[(u16, FrameResult)]) -> String {
    let mut all = FrameResults::default();
    fates.iter().for_each(|(node, fate)| all.note(NodeId(*node), *fate));
    let mut comment = String::new();
    all.describe(&mut comment);
    comment
}

#[test]
fn comments_name_what_became_of_a_frame() {
    let cases: [(&[(u16, FrameResult)], &str); 7] = [
        (&[], ""),
        (&[(1, FrameResult::Received)], ""),
        (&[(1, FrameResult::OutOfRange)], "lost: out of range at node 1"),
        (&[(1, FrameResult::ChannelError)], "lost: channel error at node 1"),
        // A broadcast: stations that received it are not named, the others are listed in order.
        (
            &[(3, FrameResult::Collision), (2, FrameResult::Received), (1, FrameResult::ReceiverBusy)],
            "lost: receiver busy at node 1, collision at node 3",
        ),
        // The first result counts: a frame that collided cannot be received later.
        (&[(1, FrameResult::Collision), (1, FrameResult::ReceiverBusy)], "lost: collision at node 1"),
        (
            &[(1, FrameResult::Received), (1, FrameResult::NotAnswered)],
            "lost: receiver busy (heard, but may not answer) at node 1",
        ),
    ];
    for (fates, expected) in cases {
        assert_eq!(comment(fates), expected, "{fates:?}");
    }
}

/// A separate directory for each test.
fn scratch(test: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("tworay-capture-{}-{test}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// The old file stays until the new one is complete; no other file is left behind.
#[test]
fn a_capture_appears_whole_or_not_at_all() {
    let dir = scratch("whole");
    let path = dir.join("run.pcapng");
    fs::write(&path, "old").unwrap();
    let listing = || fs::read_dir(&dir).unwrap().count();

    let mut given_up = CaptureFile::create(&path).unwrap();
    given_up.write_all(b"half").unwrap();
    assert_eq!(listing(), 2);
    drop(given_up);
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), listing()), ("old", 1));

    let mut finished = CaptureFile::create(&path).unwrap();
    finished.write_all(b"new").unwrap();
    finished.finish().unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), listing()), ("new", 1));
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn places_where_no_file_can_be() {
    let dir = scratch("places");
    assert!(CaptureFile::create(&dir).unwrap_err().to_string().contains("it is a directory"));
    assert!(CaptureFile::create(&dir.join("missing").join("run.pcapng")).is_err());
    fs::remove_dir_all(dir).unwrap();
}

/// A device is written directly and never replaced by a file; a failed write is an error.
#[test]
fn devices_stay_devices() {
    let write = |path: &str| {
        let mut file = CaptureFile::create(Path::new(path))?;
        file.write_all(b"frame")?;
        file.finish()
    };
    assert!(write("/dev/null").is_ok());
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    assert_eq!(write("/dev/full").unwrap_err().kind(), std::io::ErrorKind::StorageFull);
}
