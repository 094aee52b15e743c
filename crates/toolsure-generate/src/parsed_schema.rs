//! A schema, read to make values for it.

use toolsure_schema::{CompileError, Compiler};
use toolsure_syntax::Model;

use crate::heights::Heights;
use crate::reach::Reach;
use crate::text::Matches;

/// A schema, read to make values for it that are not certified: see [`ParsedSchema::variations`].
#[derive(Debug)]
pub struct ParsedSchema {
    pub(crate) model: Model,
    pub(crate) reach: Reach,
    pub(crate) heights: Heights,
    pub(crate) matches: Matches,
}

impl ParsedSchema {
    /// Reads a schema, under the compiler's options, without compiling it.
    ///
    /// ```
    /// use toolsure_generate::{Compiler, ParsedSchema};
    ///
    /// assert!(ParsedSchema::new(&Compiler::new(), b"true").is_ok());
    /// assert!(ParsedSchema::new(&Compiler::new(), br#"{"type": 1}"#).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// A [`CompileError`] if the schema is refused.
    pub fn new(compiler: &Compiler, schema: &[u8]) -> Result<Self, CompileError> {
        let model = compiler.parser().parse(schema)?;
        Ok(Self {
            reach: Reach::of(&model)?,
            heights: Heights::of(&model)?,
            matches: Matches::default(),
            model,
        })
    }
}
