//! A piece of the output.

/// A piece of the output that is still to be written.
#[derive(Clone)]
pub(super) enum Task {
    /// A range of bytes of the source.
    Source(usize, usize),
    /// Generated text.
    Text(String),
    /// A schema of the source, rewritten.
    Schema(usize),
    /// A reference to a definition that stays.
    Named(usize),
}
