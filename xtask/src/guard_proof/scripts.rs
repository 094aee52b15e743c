//! The files in `xtask/guard-proof`.

use toolsure_testkit::place;

/// The path of a file in `xtask/guard-proof`.
pub(crate) fn script(name: &str) -> String {
    let folder = place::workspace().join("xtask/guard-proof");
    folder.join(name).display().to_string()
}
