//! Lists of names, separated by spaces.

/// The place of a name in a list.
pub(super) fn place_of(list: &str, name: &str) -> Option<usize> {
    list.split(' ').position(|entry| entry == name)
}
