//! The values of `policy.project_for`.

use toolsure_analysis::readers::{PROJECTED_FOR, reader};

use super::super::settings::Config;

/// The values of `policy.project_for`: the names in [`PROJECTED_FOR`], and `off`.
pub(super) const PROJECT_FOR: [&str; PROJECTED_FOR.len() + 1] = {
    let mut words = [NOBODY; PROJECTED_FOR.len() + 1];
    let (_, rest) = words.split_at_mut(1);
    rest.copy_from_slice(PROJECTED_FOR);
    words
};
/// The value of `policy.project_for` that names no reader.
pub(super) const NOBODY: &str = "off";

pub(super) fn put_project_for(config: &mut Config, word: &str) -> bool {
    config.project_for = reader(word).filter(|reader| reader.is_projected_for());
    config.project_for.is_some() || word == NOBODY
}
