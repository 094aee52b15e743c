//! A schema, read to make values for it.

use std::cell::Cell;

use toolsure_schema::{CompileError, Compiler};
use toolsure_syntax::Model;

use crate::build::{Builder, Extra, Style};
use crate::heights::Heights;
use crate::options::Options;
use crate::random::Random;
use crate::reach::Reach;
use crate::text::Matches;

/// A schema, read to make values for it that are not certified: see [`ParsedSchema::variations`].
#[derive(Debug)]
pub struct ParsedSchema {
    pub(crate) model: Model,
    pub(crate) reach: Reach,
    pub(crate) heights: Heights,
    matches: Matches,
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

    /// Makes one instance within these options. The number is part of the seed of its choices.
    pub(crate) fn builder(&self, options: &Options, style: Style, number: usize) -> Builder<'_> {
        let number = u64::try_from(number).unwrap_or(0);
        let seed = options.seed.wrapping_mul(1_000).wrapping_add(number);
        Builder {
            model: &self.model,
            heights: &self.heights,
            reach: &self.reach,
            matches: &self.matches,
            looked: Cell::new(0),
            most_looked: options.work,
            random: Random::new(seed),
            style,
            variant: 0,
            values: options.values,
            bytes: options.bytes,
            depth: options.depth,
            is_object: options.objects,
            variation: None,
            extra: Extra::default(),
            turn: 0,
            out: String::new(),
        }
    }
}
