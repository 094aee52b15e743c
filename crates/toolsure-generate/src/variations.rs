//! Instances that vary at one location, to find out where two schemas differ.

use crate::build::{Aim, Builder, Declaring, Focus, Style, Texts, Variation};
use crate::hints::Hints;
use crate::options::Options;
use crate::parsed_schema::ParsedSchema;
use crate::step::Step;

/// Candidates for instances of a schema that are edge cases of another. See [`ParsedSchema::variations`].
#[derive(Debug)]
pub struct Variations<'g> {
    schema: &'g ParsedSchema,
    options: Options,
    hints: &'g Hints,
    texts: Texts,
    declaring: Declaring,
    work: usize,
}

impl ParsedSchema {
    /// Candidates for instances that are edge cases of another schema, which the hints are from. Unlike
    /// [`Generator::instances`](crate::Generator::instances), they are not certified: the caller asks both schemas about each. The options' `seed` (except for arrays and objects at a location), `values`, `bytes`, `depth`, `objects`
    /// and `interoperable` apply to each candidate; the caller decides how many are made.
    ///
    /// ```
    /// use toolsure_generate::{Compiler, Hints, Options, ParsedSchema};
    ///
    /// let schema = ParsedSchema::new(&Compiler::new(), br#"{"type": "boolean"}"#)?;
    /// let (options, hints) = (Options::default(), Hints::default());
    /// let mut variations = schema.variations(&options, &hints);
    /// assert_eq!(variations.candidate(1, Some(&[])).as_deref(), Some("false"));
    /// # Ok::<(), toolsure_generate::CompileError>(())
    /// ```
    #[must_use]
    pub fn variations<'g>(&'g self, options: &Options, hints: &'g Hints) -> Variations<'g> {
        Variations {
            schema: self,
            options: options.clone(),
            hints,
            texts: Texts::default(),
            declaring: Declaring::default(),
            work: 0,
        }
    }
}

impl Variations<'_> {
    /// Candidate `number`, as JSON text; `None` if it could not be made. The same number gives the same candidate.
    ///
    /// At the location `at`, the candidates go through all values that are worth trying, and around it they have as little
    /// as possible. Without a location, they vary everywhere.
    ///
    /// ```
    /// use toolsure_generate::{Hints, Options, ParsedSchema, Step};
    /// use toolsure_schema::Compiler;
    ///
    /// let text = br#"{"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"type": "string"}}}"#;
    /// let schema = ParsedSchema::new(&Compiler::new(), text)?;
    /// let (options, hints) = (Options::default(), Hints::default());
    /// let mut variations = schema.variations(&options, &hints);
    /// let at = [Step::Name("a".to_owned())];
    /// assert_eq!(variations.candidate(0, Some(&at)).as_deref(), Some(r#"{"a":true}"#));
    /// assert_eq!(variations.candidate(1, Some(&at)).as_deref(), Some(r#"{"a":false}"#));
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn candidate(&mut self, number: usize, at: Option<&[Step]>) -> Option<String> {
        let options = &self.options;
        let mut builder = Builder::new(self.schema, options, Style::Least, number);
        let (style, quarters) = match (at, number) {
            // Something else around it may be what is missing.
            (Some(_), _) if number > 0 && builder.random.below(4) == 0 => (Style::Mixed, 2),
            (Some(_), _) | (None, 0) => (Style::Least, 0),
            (None, 1) => (Style::Full, 4),
            // None of the optional members, few, half of them, or all.
            (None, _) => match number % 4 {
                0 => (Style::Mixed, 0),
                1 => (Style::Mixed, 1),
                2 => (Style::Mixed, 2),
                // Everywhere the same candidate.
                _ => (Style::Full, 4),
            },
        };
        let is_same = at.is_none() && number % 4 == 3;
        if is_same && number % 8 == 3 {
            builder.depth = options.depth.saturating_mul(DEEP);
        }
        let variation = Variation {
            scalar: is_same.then(|| number.div_euclid(8)),
            hints: self.hints,
            texts: &self.texts,
            declaring: &self.declaring,
            number,
            is_interoperable: options.interoperable,
            quarters,
        };
        builder.style = style;
        builder.variation = Some(variation);
        builder.budget.most_looked = MOST_LOOKED;
        builder.turn = number;
        let aim = Aim::Vary(variation);
        let focus = at.map_or(Focus::NONE, |at| Focus::varying(at, &aim));
        let (text, work) = builder.instance(focus);
        self.work = self.work.saturating_add(work.max(1));
        text
    }

    /// The work done since the last call, in the units of [`Options::work`].
    ///
    /// ```
    /// use toolsure_generate::{Compiler, Hints, Options, ParsedSchema};
    ///
    /// let schema = ParsedSchema::new(&Compiler::new(), b"true")?;
    /// let (options, hints) = (Options::default(), Hints::default());
    /// let mut variations = schema.variations(&options, &hints);
    /// let _candidate = variations.candidate(0, None);
    /// assert!(variations.take_work() > 0);
    /// assert_eq!(variations.take_work(), 0);
    /// # Ok::<(), toolsure_generate::CompileError>(())
    /// ```
    pub fn take_work(&mut self) -> usize {
        std::mem::take(&mut self.work)
    }
}

/// How much deeper than others some candidates are.
const DEEP: usize = 4;
/// The maximum work of one candidate, in the units of [`Options::work`].
const MOST_LOOKED: usize = 200_000;
