//! The file of a capture, or an animation: buffered, under another name until it is complete. A pipe or
//! another device is written to as it is.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that gets its name when it is finished; until then it is called `NAME.partial`. Dropped
/// before that, it is removed.
#[derive(Debug)]
pub(crate) struct CaptureFile {
    out: BufWriter<File>,
    /// The name until then and the name; a device keeps its own.
    names: Option<(PathBuf, PathBuf)>,
}

impl CaptureFile {
    /// Opens the file for writing. What stands at `path` stays until the new file is complete.
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

    /// Gives the file its name.
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
            // Nothing more can be done about it.
            let _ = fs::remove_file(partial);
        }
    }
}
