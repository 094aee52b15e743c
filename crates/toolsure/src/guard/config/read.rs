//! Reads the files that settings name.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use toolsure_json::quote;

/// Reads a file of at most [`FILE_BYTES`].
pub(super) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let cannot = |error: std::io::Error| format!("cannot read {}: {error}", file(path));
    let mut bytes = Vec::new();
    let opened = File::open(path).map_err(cannot)?;
    opened
        .take(FILE_BYTES.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > FILE_BYTES) {
        return Err(format!("{} has more than {FILE_BYTES} bytes", file(path)));
    }
    Ok(bytes)
}

/// The name of a file in a message.
pub(super) fn file(path: &Path) -> String {
    format!("`{}`", quote(&path.display().to_string(), 200))
}

/// Maximum bytes of a configuration file or a lock. The largest listing known to us has 2 MB.
const FILE_BYTES: u64 = 64 << 20;
