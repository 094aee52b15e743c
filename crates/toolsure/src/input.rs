//! Reads texts from files and standard input: with a size limit, and without a byte order mark. A
//! text in UTF-16 is refused.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// The input that an argument names: `-` is standard input.
    pub(crate) fn of(argument: &Path) -> Self {
        if argument == Path::new("-") {
            Self::Stdin
        } else {
            Self::File(argument.to_owned())
        }
    }

    /// The name that messages use; not escaped.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Its path; empty for standard input.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Stdin => Path::new(""),
            Self::File(path) => path,
        }
    }

    pub(crate) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::Stdin => Box::new(io::stdin()),
            Self::File(path) => Box::new(File::open(path)?),
        })
    }

    /// The size in bytes, if it is known.
    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            Self::Stdin => None,
            Self::File(path) => std::fs::metadata(path)
                .ok()
                .filter(std::fs::Metadata::is_file)
                .map(|metadata| metadata.len()),
        }
    }

    /// Reads all of it, but at most about `most` bytes and one more, so that the parser sees that
    /// the text is too long.
    pub(crate) fn read(&self, most: usize) -> io::Result<Vec<u8>> {
        self.read_with(most, |_| ()).map(|text| text.bytes)
    }

    /// The same, with where the text begins in the file. Calls `progress` with the number of bytes
    /// that were read so far.
    pub(crate) fn read_with(&self, most: usize, progress: impl Fn(u64)) -> io::Result<Text> {
        let most = most.saturating_add(1).saturating_add(MARK.len());
        let mut stream = self.open()?.take(u64::try_from(most).unwrap_or(u64::MAX));
        let size = self.size().and_then(|size| usize::try_from(size).ok());
        // One byte more, so that the end is found without more room.
        let size = size.map_or(0, |size| size.saturating_add(1).min(most));
        let mut bytes = Vec::with_capacity(size);
        while stream.by_ref().take(STEP).read_to_end(&mut bytes)? > 0 {
            progress(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        }
        Text::new(bytes)
    }
}

/// A text that may be UTF-8, without a byte order mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) bytes: Vec<u8>,
    /// The byte of the file where it begins.
    pub(crate) start: u64,
}

impl Text {
    /// Removes a byte order mark. The error says that the text is UTF-16.
    pub(crate) fn new(mut bytes: Vec<u8>) -> io::Result<Self> {
        let is_utf16 = match bytes.as_slice() {
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => true,
            // The first character of JSON is ASCII, so one of its two bytes is zero.
            [first, second, ..] => (*first == 0) != (*second == 0),
            _ => false,
        };
        if is_utf16 {
            let why = "it is UTF-16; save it as UTF-8";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let start = match bytes.starts_with(MARK) {
            true => MARK.len(),
            false => 0,
        };
        bytes.drain(..start);
        Ok(Self {
            bytes,
            start: u64::try_from(start).unwrap_or(u64::MAX),
        })
    }
}

/// The byte order mark in UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";
/// Bytes between two reports of progress.
const STEP: u64 = 4 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_utf_16_is_named() {
        let text = |bytes: &[u8]| Text::new(bytes.to_vec()).map(|text| (text.bytes, text.start));
        assert_eq!(text(b"\xEF\xBB\xBF{}").unwrap(), (b"{}".to_vec(), 3));
        for utf16 in [b"\xFF\xFE{\0", b"\xFE\xFF\0{", b"{\0}\0", b"\0{\0}"] {
            let why = text(utf16).unwrap_err().to_string();
            assert_eq!(why, "it is UTF-16; save it as UTF-8");
        }
        assert_eq!(text(b"").unwrap(), (Vec::new(), 0));
    }
}
