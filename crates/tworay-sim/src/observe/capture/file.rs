//! Output file of a capture or animation: buffered, and written under a temporary name until it is
//! complete. A pipe or another device is written directly.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file named `NAME.partial` until it is finished. It is removed if dropped before.
#[derive(Debug)]
pub(crate) struct CaptureFile {
    out: BufWriter<File>,
    /// Temporary and final name; `None` for a device.
    names: Option<(PathBuf, PathBuf)>,
}

impl CaptureFile {
    /// Opens the file for writing. An existing file at `path` stays until the new one is complete.
    pub fn create(path: &Path) -> io::Result<Self> {
        let (file, names) = match fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name a file"));
            }
            Ok(found) if !found.is_file() => (File::options().write(true).open(path)?, None),
            _ => {
                let mut partial = path.as_os_str().to_owned();
                partial.push(".partial");
                let partial = PathBuf::from(partial);
                (File::create(&partial)?, Some((partial, path.to_owned())))
            }
        };
        Ok(Self { out: BufWriter::with_capacity(1 << 16, file), names })
    }

    /// Renames the file to its final name.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        if let Some((partial, path)) = &self.names {
            fs::rename(partial, path)?;
            self.names = None;
        }
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
        if let Some((partial, _)) = &self.names {
            // There is nobody to report an error to.
            let _ = fs::remove_file(partial);
        }
    }
}
