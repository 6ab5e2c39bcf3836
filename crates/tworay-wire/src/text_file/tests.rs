use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
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

proptest! {
    /// Any bytes, also behind the first two of gzip, are a text or an error that says what to do.
    #[test]
    fn any_bytes_are_survived(mut bytes in prop::collection::vec(any::<u8>(), 0..300), packed in any::<bool>()) {
        if packed {
            bytes.splice(0..0, [0x1f, 0x8b, 8]);
        }
        if let Err(error) = decode(&bytes) {
            prop_assert!(!error.problem.is_empty() && !error.remedy.is_empty());
        }
    }

    /// A packed file of which a byte changes, or that ends early, gives its text or an error, never another text: its
    /// checksum and length are checked (RFC 1952 section 2.3.1).
    #[test]
    fn a_damaged_file_never_gives_another_text(
        text in "[a-z ]{1,200}", at: prop::sample::Index, with in 1..=255u8, cut in any::<bool>()
    ) {
        let mut bytes = gzip(text.as_bytes());
        // Without its first two bytes it is no gzip, but a text like any other.
        let at = 2 + at.index(bytes.len() - 2);
        if cut { bytes.truncate(at) } else { bytes[at] ^= with }
        if let Ok(found) = decode(&bytes) {
            prop_assert_eq!(found, text);
        }
    }
}
