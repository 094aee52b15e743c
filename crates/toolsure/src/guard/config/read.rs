//! Reads the files that settings name.

use std::path::Path;

use toolsure_json::quote;

use crate::input::Input;

/// Reads a file of at most [`FILE_BYTES`], without a byte order mark.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = Input::File(path.to_owned())
        .read(FILE_BYTES)
        .map_err(|error| format!("cannot read {}: {error}", file(path)))?;
    match bytes.len() > FILE_BYTES {
        true => Err(format!("{} has more than {FILE_BYTES} bytes", file(path))),
        false => Ok(bytes),
    }
}

/// The name of a file in a message.
pub(super) fn file(path: &Path) -> String {
    format!("`{}`", quote(&path.display().to_string(), 200))
}

/// Maximum bytes of a configuration file or a lock. The largest listing known to us has 2 MB.
const FILE_BYTES: usize = 64 << 20;
