//! The calls that test one tool.

use std::sync::Arc;

use toolsure_generate::{Generator, Instances, Options, Purpose};
use toolsure_schema::{Formats, Schema, Verdict, Workspace};

use super::edges;
use super::pinned::Pinned;
use crate::contract::{SchemaPart, SchemaStore, ToolContract, UncompilableTool};

/// How many calls are made, and what is put into them.
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write some fields and `..PlanOptions::default()`; a new field breaks only those that write all"
)]
pub struct PlanOptions {
    /// The maximum number of calls for one tool. Default 60.
    pub calls: usize,
    /// Where the pseudo-random choices start. Default 1.
    pub seed: u64,
    /// Values that members must have.
    pub pinned: Vec<Pinned>,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            calls: 60,
            seed: 1,
            pinned: Vec::new(),
        }
    }
}

/// The calls that test one tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Plan {
    /// In the order in which they should be made.
    pub calls: Vec<Call>,
    /// The number of calls that the schema suggests beyond the limit.
    pub further: usize,
    /// The locations in the schema that no call was found for.
    pub uncovered: Vec<String>,
    /// A call with a string that is not Unicode. One tool of a server is enough for it, as its reader decides.
    pub malformed: Option<Call>,
    /// The members that have values of the operator's.
    pub(super) pinned: Vec<String>,
    /// The input schema. It asserts formats: a valid call has none that a server may refuse.
    schema: Schema,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// The arguments, as JSON text. The engine has certified them.
    pub arguments: String,
    /// What it is for.
    pub kind: CallKind,
}

/// What a call is for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallKind {
    /// The schema accepts it. What it covers, in words.
    Valid(String),
    /// The same as the call with this index, with the members in reverse order.
    Reordered(usize),
    /// It cannot be certified, and any answer will do that is one.
    Any(String),
    /// The schema refuses it, for one reason.
    Invalid {
        /// The location of the keyword that it breaks, as a JSON pointer into the schema.
        keyword_location: String,
        /// The location of the value, as a JSON pointer into the arguments.
        instance_location: String,
        /// Why it is refused, in one line.
        message: String,
    },
}

impl Call {
    /// A call that the schema accepts.
    pub fn valid(arguments: impl Into<String>, covers: impl Into<String>) -> Self {
        Self {
            arguments: arguments.into(),
            kind: CallKind::Valid(covers.into()),
        }
    }

    /// Whether the schema accepts it.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        !matches!(self.kind, CallKind::Invalid { .. } | CallKind::Any(_))
    }
}

impl Plan {
    /// Makes the calls for a tool.
    ///
    /// # Errors
    ///
    /// Its input schema does not compile.
    pub fn of(
        tool: &ToolContract,
        store: &SchemaStore,
        options: &PlanOptions,
    ) -> Result<Self, UncompilableTool> {
        // The contract says why its schema does not compile.
        let lenient = tool.input()?;
        let compiler = store.compiler().clone().formats(Formats::Assert);
        let generator = Generator::new(&compiler, tool.input_text().as_bytes());
        let generator = generator.map_err(|error| UncompilableTool {
            part: SchemaPart::Input,
            error: Arc::new(error),
        })?;
        let schema = generator.schema().clone();
        let wanted = Options {
            seed: options.seed,
            objects: true,
            // A schema of a stranger must not hold up the test.
            attempts: options.calls.saturating_mul(8).clamp(400, 3_000),
            fuel: 10_000_000,
            work: 5_000_000,
            valid: 1_000,
            invalid: 1_000,
            ..Options::default()
        };
        let instances = generator.instances(&wanted);
        let pinned = options.pinned.iter().filter(|one| one.is_declared(tool));
        let pinned: Vec<Pinned> = pinned.cloned().collect();
        let check = Check {
            schema: &schema,
            lenient: &lenient,
            pinned: &pinned,
        };
        let uncovered = instances.missing.iter();
        let uncovered = uncovered
            .filter(|one| one.is_valid && !one.is_impossible)
            .map(|one| one.location.clone())
            .collect();
        let (all, malformed) = check.calls(&instances);
        let further = all.len().saturating_sub(options.calls);
        let names = pinned.iter().map(|one| one.member.clone());
        Ok(Self {
            pinned: names.collect(),
            calls: all.into_iter().take(options.calls).collect(),
            further,
            uncovered,
            malformed,
            schema,
        })
    }

    /// Whether the tool has members with values of the operator's.
    #[must_use]
    pub fn has_pinned(&self) -> bool {
        !self.pinned.is_empty()
    }

    /// Whether the input schema accepts arguments, given as JSON text.
    ///
    /// ```
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    /// use toolsure_mcp::testing::{Plan, PlanOptions};
    ///
    /// let (store, tool) = (SchemaStore::new(), br#"{"name": "find", "inputSchema": {"type": "object", "required": ["q"]}}"#);
    /// let tool = ToolContract::read(tool, &store)?;
    /// let plan = Plan::of(&tool, &store, &PlanOptions::default())?;
    /// assert!(plan.accepts(r#"{"q": 1}"#) && !plan.accepts("{}"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn accepts(&self, arguments: &str) -> bool {
        verdict(&self.schema, arguments) == Some(Verdict::Valid)
    }
}

fn verdict(schema: &Schema, text: &str) -> Option<Verdict> {
    schema.check(&mut Workspace::new(), text.as_bytes()).ok()
}

/// Puts pinned values into instances, and certifies what was changed.
struct Check<'c> {
    /// Asserts formats.
    schema: &'c Schema,
    /// Does not.
    lenient: &'c Schema,
    pinned: &'c [Pinned],
}

impl Check<'_> {
    /// All calls, those that matter most first, valid and invalid ones in turn; and one with a string that is not Unicode.
    ///
    /// There are none if the schema refuses a pinned value in each: the operator gave it so that no other is used.
    fn calls(&self, instances: &Instances) -> (Vec<Call>, Option<Call>) {
        let mut valid: Vec<(u8, Call)> = Vec::new();
        for one in &instances.valid {
            let Some(arguments) = self.pin(&one.text) else {
                continue;
            };
            if valid.iter().any(|(_, known)| known.arguments == arguments) {
                continue;
            }
            valid.push((
                rank(&one.purpose),
                Call::valid(arguments, one.purpose.to_string()),
            ));
        }
        let is_used = |one: &Pinned| {
            let mut calls = valid.iter();
            calls.any(|(_, call)| edges::has_member(&call.arguments, &one.member))
        };
        if !self.pinned.iter().all(is_used) {
            return (Vec::new(), None);
        }
        let plainest = valid.first().map(|(_, call)| call.arguments.clone());
        let fullest = valid.get(1).map(|(_, call)| call.arguments.clone());
        let mut wrong = Vec::new();
        let mut malformed = None;
        if let Some(fullest) = fullest.as_ref().or(plainest.as_ref()) {
            malformed = edges::malformed(fullest, self.pinned).map(|(arguments, covers)| Call {
                arguments,
                kind: CallKind::Any(covers),
            });
            let mut edges = edges::calls(fullest, plainest.as_deref());
            for (_, call) in &valid {
                edges.extend(edges::wide(&call.arguments));
            }
            for (rank, arguments, covers) in edges {
                let is_new = !valid.iter().any(|(_, known)| known.arguments == arguments);
                if is_new && self.accepts(&arguments) && self.keeps_pinned(&arguments) {
                    let arguments = self.pin_again(&arguments);
                    valid.push((rank, Call::valid(arguments, covers)));
                }
            }
            let mistakes = edges::mistakes(fullest, plainest.as_deref());
            let mistakes = mistakes.iter().filter_map(|text| self.mistake(text));
            wrong.extend(mistakes.filter(|call| self.keeps_pinned(&call.arguments)));
        }
        valid.sort_by_key(|(rank, _)| *rank);
        let mut valid: Vec<Call> = valid.into_iter().map(|(_, call)| call).collect();
        // The call that is repeated in another order comes before the repetition.
        let distinct = |call: &&Call| edges::distinct(&call.arguments);
        let best = valid
            .iter()
            .rev()
            .filter(|call| call.is_valid())
            .max_by_key(distinct);
        let best = best.map(|call| call.arguments.clone());
        let place = valid
            .iter()
            .position(|call| best.as_ref() == Some(&call.arguments));
        if let Some(place) = place
            && let Some(arguments) = best.as_deref().and_then(edges::reversed)
        {
            let kind = CallKind::Reordered(place);
            valid.insert(place.saturating_add(1), Call { arguments, kind });
        }
        let invalid = instances.invalid.iter().filter_map(|one| {
            let arguments = self.pin_invalid(&one.text, &one.instance_location)?;
            Some(Call {
                arguments,
                kind: CallKind::Invalid {
                    keyword_location: one.keyword_location.clone(),
                    instance_location: one.instance_location.clone(),
                    message: one.message.clone(),
                },
            })
        });
        let mut all = Vec::new();
        let mut invalid = invalid.chain(wrong);
        let mut places: Vec<usize> = Vec::new();
        for call in valid {
            places.push(all.len());
            all.push(call);
            all.extend(invalid.next());
        }
        all.extend(invalid);
        for call in &mut all {
            if let CallKind::Reordered(at) = &mut call.kind
                && let Some(place) = places.get(*at)
            {
                *at = *place;
            }
        }
        (all, malformed)
    }

    /// The instance with the pinned values. Where the schema then refuses it, the member stays absent, or there is none.
    fn pin(&self, text: &str) -> Option<String> {
        let mut pinned = text.to_owned();
        for one in self.pinned {
            let changed = edges::with_members(&pinned, std::slice::from_ref(one), true)?;
            if changed == pinned || self.accepts(&changed) {
                pinned = changed;
            } else if edges::has_member(&pinned, &one.member) {
                return None;
            }
        }
        Some(pinned)
    }

    fn pin_again(&self, text: &str) -> String {
        self.pin(text).unwrap_or_else(|| text.to_owned())
    }

    /// The same for an invalid instance: what it breaks stays.
    fn pin_invalid(&self, text: &str, at: &str) -> Option<String> {
        let broken = toolsure_json::pointer::tokens(at).next();
        // What the operator gives is never another value.
        if self
            .pinned
            .iter()
            .any(|one| broken.as_deref() == Some(one.member.as_str()))
        {
            return None;
        }
        let changed = edges::with_members(text, self.pinned, true)?;
        // A server may leave formats unchecked, and arguments are objects in any case.
        let is_invalid = verdict(self.lenient, &changed) == Some(Verdict::Invalid);
        (is_invalid && changed.starts_with('{')).then_some(changed)
    }

    /// Whether the arguments have no other value for a pinned member.
    fn keeps_pinned(&self, text: &str) -> bool {
        let changed = edges::with_members(text, self.pinned, false);
        changed.is_some_and(|changed| edges::members(&changed) == edges::members(text))
    }

    /// An invalid call with these arguments, if the schema refuses them.
    fn mistake(&self, text: &str) -> Option<Call> {
        let report = self
            .lenient
            .explain(&mut Workspace::new(), text.as_bytes())
            .ok()?;
        if report.verdict != Verdict::Invalid {
            return None;
        }
        let first = report.findings.first()?;
        Some(Call {
            arguments: text.to_owned(),
            kind: CallKind::Invalid {
                keyword_location: first.source().pointer.to_owned(),
                instance_location: first.instance_location().to_owned(),
                message: first.to_string(),
            },
        })
    }

    fn accepts(&self, text: &str) -> bool {
        verdict(self.schema, text) == Some(Verdict::Valid)
    }
}

/// What matters most comes first.
fn rank(purpose: &Purpose) -> u8 {
    match purpose {
        Purpose::Minimal => 0,
        Purpose::Full => 1,
        Purpose::Subschema(_) => 3,
        Purpose::Listed(_) | Purpose::Bound(_) => 4,
        _ => 5,
    }
}
