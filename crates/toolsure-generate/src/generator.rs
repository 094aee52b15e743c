//! Goes through the goals, makes instances and certifies them.

use std::collections::{HashMap, HashSet};

use toolsure_schema::{CompileError, Compiler, Schema};
use toolsure_syntax::model::{SubschemaId, TypeSet};

use crate::build::{Aim, Builder, Focus, Style};
use crate::certify::{Certifier, by_location};
use crate::goals::{Break, Cover, breaks, covers};
use crate::heights::NEVER;
use crate::instances::{Instances, Invalid, Missing, Purpose, Satisfiable, Valid};
use crate::options::Options;
use crate::parsed_schema::ParsedSchema;

/// A schema, prepared to make instances of it.
#[derive(Debug)]
pub struct Generator {
    compiler: Compiler,
    schema: Schema,
    parsed: ParsedSchema,
    by_location: HashMap<String, SubschemaId>,
}

impl Generator {
    /// Prepares a schema, under the compiler's options.
    ///
    /// ```
    /// use toolsure_generate::{Compiler, Generator};
    ///
    /// assert!(Generator::new(&Compiler::new(), b"true").is_ok());
    /// assert!(Generator::new(&Compiler::new(), br#"{"type": 1}"#).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// A [`CompileError`] if the schema cannot be compiled.
    pub fn new(compiler: &Compiler, schema: &[u8]) -> Result<Self, CompileError> {
        let compiled = compiler.compile(schema)?;
        let parsed = ParsedSchema::new(compiler, schema)?;
        Ok(Self {
            compiler: compiler.clone(),
            schema: compiled,
            by_location: by_location(&parsed.model)?,
            parsed,
        })
    }

    /// The compiled schema.
    ///
    /// ```
    /// use toolsure_generate::{Compiler, Generator};
    ///
    /// let generator = Generator::new(&Compiler::new(), b"true")?;
    /// assert!(generator.schema().warnings().is_empty());
    /// # Ok::<(), toolsure_generate::CompileError>(())
    /// ```
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Makes instances within the limits of the options.
    ///
    /// ```
    /// use toolsure_generate::{Compiler, Generator, Options, Satisfiable};
    ///
    /// let schema = br#"{"type": "array", "minItems": 1, "items": false}"#;
    /// let instances = Generator::new(&Compiler::new(), schema)?.instances(&Options::default());
    /// assert!(matches!(instances.satisfiable, Satisfiable::No(_)));
    /// # Ok::<(), toolsure_generate::CompileError>(())
    /// ```
    #[must_use]
    pub fn instances(&self, options: &Options) -> Instances {
        let mut run = Run {
            generator: self,
            options,
            certifier: Certifier::new(&self.schema, &self.compiler, options.fuel),
            attempts: options.attempts,
            work: options.work,
            known: HashSet::new(),
            covered: HashSet::new(),
            is_matched: false,
            out: Instances::default(),
        };
        run.valid();
        run.invalid();
        run.satisfiable();
        run.out
    }
}

/// One run over all goals.
struct Run<'g> {
    generator: &'g Generator,
    options: &'g Options,
    certifier: Certifier<'g>,
    attempts: usize,
    work: usize,
    /// The texts of the valid instances so far.
    known: HashSet<String>,
    /// The subschemas that some value of a valid instance matches.
    covered: HashSet<SubschemaId>,
    /// Whether a valid instance was found.
    is_matched: bool,
    out: Instances,
}

impl<'g> Run<'g> {
    fn valid(&mut self) {
        let none = Aim::Any;
        let whole = Focus::new(&[], &none);
        for (style, purpose) in [
            (Style::Least, Purpose::Minimal),
            (Style::Full, Purpose::Full),
        ] {
            self.first(whole, style, purpose);
        }
        let parsed = &self.generator.parsed;
        let goals = covers(&parsed.model, &parsed.reach, &parsed.heights);
        for goal in goals.unwrap_or_default() {
            if goal.is_any && self.covered.contains(&goal.sub) {
                continue;
            }
            if goal.is_impossible || !self.cover(&goal) {
                let Purpose::Subschema(location) = goal.purpose else {
                    // A default or an example may be wrong, and a type or a bound out of reach.
                    continue;
                };
                if goal.is_any {
                    self.out.missing.push(Missing {
                        location,
                        is_valid: true,
                        is_impossible: goal.is_impossible,
                    });
                }
            }
        }
    }

    /// Looks for one instance without a goal.
    fn first(&mut self, whole: Focus<'_, 'g>, style: Style, purpose: Purpose) {
        for variant in 0..MANY_TRIES {
            let style = if variant < 2 { style } else { Style::Mixed };
            let Some(text) = self.attempt(whole, style, variant) else {
                continue;
            };
            if self.certifier.accepts(&text) {
                self.keep(text, purpose);
                return;
            }
        }
    }

    /// Looks for an instance that covers a goal.
    fn cover(&mut self, goal: &Cover<'g>) -> bool {
        let focus = Focus::new(&goal.path, &goal.aim);
        for variant in 0..TRIES {
            if self.out.valid.len() >= self.options.valid {
                return false;
            }
            let style = match variant {
                0 => Style::Least,
                1 => Style::Full,
                _ => Style::Mixed,
            };
            let Some(text) = self.attempt(focus, style, variant) else {
                if self.is_used_up() {
                    return false;
                }
                continue;
            };
            if self.known.contains(&text) {
                if !goal.is_any || self.covered.contains(&goal.sub) {
                    return true;
                }
                continue;
            }
            if !self.certifier.accepts(&text) {
                continue;
            }
            self.keep(text, goal.purpose.clone());
            if !goal.is_any || self.covered.contains(&goal.sub) {
                return true;
            }
            // It is valid, but not because of what it was made for.
            if self
                .out
                .valid
                .last()
                .is_some_and(|last| last.purpose == goal.purpose)
            {
                self.out.valid.pop();
            }
        }
        false
    }

    fn keep(&mut self, text: String, purpose: Purpose) {
        if self.covered.len() < self.generator.parsed.reach.subs.len() {
            for location in self.certifier.matched(&text) {
                let sub = self.generator.by_location.get(&location);
                self.covered.extend(sub.copied());
            }
        }
        let is_new = self.known.insert(text.clone());
        // What proves that the schema can be matched is kept in any case.
        self.is_matched = true;
        if is_new && self.out.valid.len() < self.options.valid {
            self.out.valid.push(Valid { text, purpose });
        }
    }

    fn invalid(&mut self) {
        let parsed = &self.generator.parsed;
        let goals = breaks(&parsed.model, &parsed.reach, &parsed.heights);
        for goal in goals.unwrap_or_default() {
            let is_full = self.out.invalid.len() >= self.options.invalid;
            if goal.is_impossible || is_full || !self.broken(&goal) {
                self.out.missing.push(Missing {
                    location: goal.location,
                    is_valid: false,
                    is_impossible: goal.is_impossible,
                });
            }
        }
    }

    /// Looks for an instance that breaks one keyword.
    fn broken(&mut self, goal: &Break<'g>) -> bool {
        let focus = Focus::new(&goal.path, &goal.aim);
        for variant in 0..BREAKS {
            let style = match variant.checked_rem(3) {
                Some(2) => Style::Mixed,
                _ if variant < 6 => Style::Least,
                _ => Style::Full,
            };
            let Some(text) = self.attempt(focus, style, variant) else {
                if self.is_used_up() {
                    return false;
                }
                continue;
            };
            let Some(fault) = self.certifier.only_fault(&text) else {
                continue;
            };
            let Some(found) = fault.about(&goal.location) else {
                continue;
            };
            if self.options.objects && !text.starts_with('{') {
                continue;
            }
            self.out.invalid.push(Invalid {
                text,
                keyword: goal.keyword.name(),
                keyword_location: goal.location.clone(),
                found: fault.keyword().to_owned(),
                instance_location: found.instance_location().to_owned(),
                message: found.to_string(),
            });
            return true;
        }
        false
    }

    fn is_used_up(&self) -> bool {
        self.attempts == 0 || self.work == 0 || self.certifier.is_used_up()
    }

    fn attempt(&mut self, focus: Focus<'_, 'g>, style: Style, variant: usize) -> Option<String> {
        if self.is_used_up() {
            return None;
        }
        self.attempts = self.attempts.saturating_sub(1);
        let mut builder = Builder::new(&self.generator.parsed, self.options, style, variant);
        builder.budget.most_looked = self.work;
        builder.variant = variant;
        let (text, work) = builder.instance(focus);
        self.work = self.work.saturating_sub(work.max(1));
        text
    }

    fn satisfiable(&mut self) {
        let heights = &self.generator.parsed.heights;
        let root = self.generator.parsed.model.root;
        let wanted = match self.options.objects {
            true => TypeSet::OBJECT,
            false => TypeSet::ALL,
        };
        self.out.satisfiable = if self.is_matched {
            Satisfiable::Yes
        } else if heights.is_proof && heights.least(root, wanted) == NEVER {
            let why = match heights.least(root, TypeSet::ALL) {
                NEVER => {
                    "no value of any type matches the schema's `type`, `enum`, bounds and required members"
                }
                _ => "no object matches the schema",
            };
            Satisfiable::No(why.to_owned())
        } else {
            Satisfiable::Unknown
        };
    }
}

/// Attempts at one goal.
const TRIES: usize = 6;
/// Attempts at the first instances, which everything else depends on.
const MANY_TRIES: usize = 40;
/// Attempts to break one keyword.
const BREAKS: usize = 12;
