//! Instances that vary at one location, to find out where two schemas differ.

use crate::build::{Aim, Focus, Style, Texts, Variation};
use crate::generator::Generator;
use crate::hints::Hints;
use crate::options::Options;
use crate::step::Step;

/// Candidates for instances of a schema that are edge cases of another. See [`Generator::variations`].
#[derive(Debug)]
pub struct Variations<'g> {
    generator: &'g Generator,
    options: Options,
    hints: &'g Hints,
    texts: Texts,
    work: usize,
}

impl Generator {
    /// Candidates for instances that are edge cases of another schema, which the hints are from. Unlike [`Self::instances`], they
    /// are not certified: the caller asks both schemas about each. The options' `seed`, `values`, `bytes`, `depth`, `objects`
    /// and `interoperable` apply to each candidate; the caller decides how many are made.
    ///
    /// ```
    /// use toolsure_generate::{Compiler, Generator, Hints, Options};
    ///
    /// let generator = Generator::new(&Compiler::new(), br#"{"type": "boolean"}"#)?;
    /// let (options, hints) = (Options::default(), Hints::default());
    /// let mut variations = generator.variations(&options, &hints);
    /// assert_eq!(variations.candidate(1, Some(&[])).as_deref(), Some("false"));
    /// # Ok::<(), toolsure_generate::CompileError>(())
    /// ```
    #[must_use]
    pub fn variations<'g>(&'g self, options: &Options, hints: &'g Hints) -> Variations<'g> {
        Variations::new(self, options, hints)
    }
}

impl<'g> Variations<'g> {
    pub(crate) fn new(generator: &'g Generator, options: &Options, hints: &'g Hints) -> Self {
        Self {
            generator,
            options: options.clone(),
            hints,
            texts: Texts::default(),
            work: 0,
        }
    }

    /// Candidate `number`, as JSON text; `None` if it could not be made. The same number gives the same candidate.
    ///
    /// At the location `at`, the candidates go through all values that are worth trying, and around it they have as little
    /// as possible. Without a location, they vary everywhere.
    ///
    /// ```
    /// use toolsure_generate::{Generator, Hints, Options, Step};
    /// use toolsure_schema::Compiler;
    ///
    /// let schema = br#"{"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"type": "string"}}}"#;
    /// let generator = Generator::new(&Compiler::new(), schema)?;
    /// let (options, hints) = (Options::default(), Hints::default());
    /// let mut variations = generator.variations(&options, &hints);
    /// let at = [Step::Name("a".to_owned())];
    /// assert_eq!(variations.candidate(0, Some(&at)).as_deref(), Some(r#"{"a":true}"#));
    /// assert_eq!(variations.candidate(1, Some(&at)).as_deref(), Some(r#"{"a":false}"#));
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn candidate(&mut self, number: usize, at: Option<&[Step]>) -> Option<String> {
        let options = &self.options;
        let mut builder = self.generator.builder(options, Style::Least, number);
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
            number,
            is_interoperable: options.interoperable,
            quarters,
        };
        builder.style = style;
        builder.variation = Some(variation);
        builder.most_looked = MOST_LOOKED;
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
    /// use toolsure_generate::{Compiler, Generator, Hints, Options};
    ///
    /// let generator = Generator::new(&Compiler::new(), b"true")?;
    /// let (options, hints) = (Options::default(), Hints::default());
    /// let mut variations = generator.variations(&options, &hints);
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
