//! The file of a capture, or an animation: buffered, under another name until it is complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that gets its name when it is finished; until then it is called `NAME.partial`. Dropped
/// before that, it is removed.
#[derive(Debug)]
pub(crate) struct CaptureFile {
    out: BufWriter<File>,
    partial: PathBuf,
    path: PathBuf,
    finished: bool,
}

impl CaptureFile {
    /// Opens the file for writing. What stands at `path` stays until the new file is complete; it must
    /// be a regular file, which a pipe or a terminal isn't.
    pub fn create(path: &Path) -> io::Result<Self> {
        if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file; name another"));
        }
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let out = BufWriter::with_capacity(1 << 16, File::create(&partial)?);
        Ok(Self { out, partial, path: path.to_owned(), finished: false })
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        fs::rename(&self.partial, &self.path)?;
        self.finished = true;
        Ok(())
    }
}

impl Write for CaptureFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for CaptureFile {
    fn drop(&mut self) {
        if !self.finished {
            // Nothing more can be done about it.
            let _ = fs::remove_file(&self.partial);
        }
    }
}
