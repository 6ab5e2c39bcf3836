//! Reads text files, plain or gzip, as a whole; every error names the place and a remedy.

use flate2::read::MultiGzDecoder;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Why a file cannot be used: where, what was found, what is wrong, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The file as the caller named it.
    pub file: String,
    /// Line, counted from 1; `None` if the error concerns no single line.
    pub line: Option<u32>,
    /// The problem, including what was found.
    pub problem: String,
    /// The remedy.
    pub remedy: String,
}

impl ReadError {
    /// An error about a whole file.
    pub fn whole(file: &str, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { file: file.into(), line: None, problem: problem.into(), remedy: remedy.into() }
    }

    /// An error about one line, counted from 1.
    pub fn at(file: &str, line: u32, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::whole(file, problem, remedy) }
    }

    /// `file:line`, or the file alone.
    pub fn place(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.clone(),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place(), self.problem, self.remedy)
    }
}

impl std::error::Error for ReadError {}

/// Maximum size after decompression: far above any real file, far below the memory.
const MOST_BYTES: u64 = 1 << 30;

/// Reads the file at `path` as text. Gzip is detected by the first two bytes, not by the name.
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    decode_text(&path.display().to_string(), read_bytes(path)?)
}

/// Reads the file at `path`.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let name = path.display().to_string();
    let unreadable = |e: io::Error| {
        let remedy = match e.kind() {
            io::ErrorKind::NotFound => "check the path; it is relative to the scenario file",
            io::ErrorKind::PermissionDenied => "check the file's permissions",
            io::ErrorKind::IsADirectory => "name a file, not a folder",
            _ => "check that it is a readable file",
        };
        ReadError::whole(&name, format!("it cannot be read: {e}"), remedy)
    };
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    Ok(bytes)
}

/// Text of a file called `name`, decompressed if the bytes are gzip.
pub fn decode_text(name: &str, bytes: Vec<u8>) -> Result<String, ReadError> {
    match String::from_utf8(decompressed(name, bytes)?) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            let line = 1 + e.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count();
            let byte = e.as_bytes()[at];
            Err(ReadError::at(
                name,
                u32::try_from(line).unwrap_or(u32::MAX),
                format!("byte 0x{byte:02x} is not valid UTF-8"),
                "give a text file (or gzip of one), saved as UTF-8 or ASCII",
            ))
        }
    }
}

/// The bytes of a file called `name`, decompressed if they are gzip.
pub(crate) fn decompressed(name: &str, bytes: Vec<u8>) -> Result<Vec<u8>, ReadError> {
    let plain = if bytes.starts_with(&[0x1f, 0x8b]) { gunzip(name, &bytes)? } else { bytes };
    if plain.len() as u64 > MOST_BYTES {
        return Err(ReadError::whole(name, "it contains more than 1 GiB", "split it or check the path"));
    }
    Ok(plain)
}

fn gunzip(name: &str, bytes: &[u8]) -> Result<Vec<u8>, ReadError> {
    let mut plain = Vec::new();
    match MultiGzDecoder::new(bytes).take(MOST_BYTES + 1).read_to_end(&mut plain) {
        Ok(_) => Ok(plain),
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Err(ReadError::whole(
            name,
            format!("the gzip file is cut off after {} bytes of text", plain.len()),
            "copy or download it again and check it with gzip -t",
        )),
        Err(e) => Err(ReadError::whole(
            name,
            format!("the gzip file is damaged: {e}"),
            "copy or download it again and check it with gzip -t",
        )),
    }
}

#[cfg(test)]
mod tests;
