//! What is measured: an entry point with inputs of any size.

use super::operations::Operation;
use super::texts::Texts;

/// An entry point and a family of inputs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Shape {
    /// The entry point.
    pub operation: Operation,
    /// The input, in words.
    pub name: &'static str,
    /// Makes an input of about so many bytes.
    pub make: fn(usize) -> Texts,
}

/// A shape in messages.
impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.operation.name(), self.name)
    }
}
