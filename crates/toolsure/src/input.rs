//! Reads texts from files and standard input, with a size limit.

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

    /// Reads all of it, but at most `most` + 1 bytes, so that the parser sees that the text is too
    /// long.
    pub(crate) fn read(&self, most: usize) -> io::Result<Vec<u8>> {
        let most = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
        let mut bytes = Vec::new();
        self.open()?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
