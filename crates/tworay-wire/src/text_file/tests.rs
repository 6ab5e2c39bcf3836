use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn decode(bytes: &[u8]) -> Result<String, ReadError> {
    decode_text("moves.gz", bytes.to_vec())
}

#[test]
fn plain_and_gzip_are_told_apart_by_their_first_bytes() {
    assert_eq!(decode(b"one\ntwo\n").unwrap(), "one\ntwo\n");
    assert_eq!(decode(&gzip(b"one\ntwo\n")).unwrap(), "one\ntwo\n");
    let members = [gzip(b"one\n"), gzip(b"two\n")].concat();
    assert_eq!(decode(&members).unwrap(), "one\ntwo\n", "concatenated members are one file");
    assert_eq!(decode("\u{feff}one".as_bytes()).unwrap(), "one", "a byte order mark is no text");
    assert_eq!(decode(b"").unwrap(), "");
}

#[test]
fn damaged_files_are_named_as_such() {
    let whole = gzip("$node_(0) set X_ 1\n".repeat(2000).as_bytes());
    let mut flipped = whole.clone();
    let last = flipped.len() - 6; // in the checksum
    flipped[last] ^= 0xff;
    let ladder: [(&[u8], Option<u32>, &str); 5] = [
        (&whole[..whole.len() / 2], None, "cut off"),
        (&whole[..whole.len() - 3], None, "cut off"),
        (&whole[..5], None, "cut off"),
        (&flipped, None, "damaged"),
        (b"fine\nfine\nn\xe4h\n", Some(3), "byte 0xe4 is not valid UTF-8"),
    ];
    for (bytes, line, problem) in ladder {
        let error = decode(bytes).expect_err(problem);
        assert_eq!((error.file.as_str(), error.line), ("moves.gz", line));
        assert!(error.problem.contains(problem), "{error}");
        assert!(!error.remedy.is_empty());
    }
}

#[test]
fn an_absent_file_or_a_folder_is_an_error_with_a_remedy() {
    let error = read_text(Path::new("no/such/file.mov")).unwrap_err();
    assert!(error.to_string().starts_with("no/such/file.mov: it cannot be read"), "{error}");
    assert!(error.remedy.contains("relative to the scenario file"));
    assert!(read_text(Path::new(env!("CARGO_MANIFEST_DIR"))).is_err());
}
