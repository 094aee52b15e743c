//! Proof of a break: an instance of one schema that the other rejects.

use toolsure_generate::{Hints, Step};
use toolsure_json::{OwnedDocument, ReadLimits, Reader, View};
use toolsure_schema::{CompileError, Finding, FindingKind, Schema, Verdict, Workspace};
use toolsure_syntax::Keyword;
use toolsure_syntax::model::TypeSet;
use toolsure_syntax::positions::SubschemaLayout;

use super::document::Doc;
use super::mend::{mended, places};
use super::reason::Reason;
use super::sent::{Candidates, Source, is_sent};
use crate::engine::Engine;

/// A compiled schema.
pub(super) struct Judge<'s> {
    schema: Schema,
    source: Source<'s>,
    /// The maximum fuel of one check.
    fuel: u64,
    /// The limits for parsing an instance.
    instance: ReadLimits,
    /// Whether keywords were ignored because their dialect forbids their values.
    pub(super) leaves_out: bool,
}

impl<'s> Judge<'s> {
    pub(super) fn new(text: &'s str, engine: &'s Engine) -> Result<Self, CompileError> {
        let schema = engine.compiler().compile(text.as_bytes())?;
        Ok(Self {
            leaves_out: engine.is_lenient() && !schema.warnings().is_empty(),
            fuel: engine.compiler().bounds().fuel.min(FUEL_OF_ONE),
            instance: engine.compiler().bounds().instance,
            source: Source::new(text, engine.compiler()),
            schema,
        })
    }
}

/// A schema and its compiled form.
pub(super) type End<'p, 'a> = (Doc<'a>, &'p Judge<'a>);

/// A bounded search for instances.
pub(super) struct Search<'p, 'a> {
    /// The schema that accepts.
    sent: Doc<'a>,
    candidates: Candidates<'p>,
    /// Instances of the schema that refuses.
    donors: Candidates<'p>,
    accepts: &'p Judge<'a>,
    refuses: &'p Judge<'a>,
    fuel: u64,
    tries: usize,
    reader: Reader,
    workspace: Workspace,
}

/// Instances that one schema accepts and the other refuses.
pub(super) struct Proofs {
    /// For each reason, an instance that is refused because of it.
    pub(super) own: Vec<Option<String>>,
    /// An instance that is refused because of none of them, as far as is known.
    pub(super) other: Option<String>,
}

/// What a refused instance says about a reason.
enum Evidence {
    /// It is refused for nothing else.
    Alone,
    /// It is refused for this and something else.
    Beside,
    /// It is refused for something else.
    None,
}

impl<'p, 'a> Search<'p, 'a> {
    /// A search for instances that `accepts` accepts and `refuses` rejects, with so much fuel and so many
    /// instances.
    pub(super) fn new(
        accepts: End<'p, 'a>,
        refuses: End<'p, 'a>,
        hints: &'p Hints,
        (fuel, tries): (u64, usize),
    ) -> Self {
        Self {
            candidates: Candidates::new(&accepts.0, &accepts.1.source, hints),
            donors: Candidates::new(&refuses.0, &refuses.1.source, hints),
            sent: accepts.0,
            accepts: accepts.1,
            refuses: refuses.1,
            fuel,
            tries,
            reader: Reader::new(),
            workspace: Workspace::new(),
        }
    }

    /// A proof for each reason, if one is found among `share` instances. If there is none of any reason and
    /// the rules are sure of none, looks for any instance that is refused, among `most`.
    pub(super) fn prove(&mut self, reasons: &[Reason<'_>], share: usize, most: usize) -> Proofs {
        let mut other = None;
        let mut own = Vec::with_capacity(reasons.len());
        for (index, reason) in reasons.iter().enumerate() {
            own.push(self.prove_one(reasons, (index, reason), share, &mut other));
        }
        let is_shown = own.iter().any(Option::is_some) || reasons.iter().any(|one| one.sure);
        Proofs {
            own,
            other: match is_shown {
                true => None,
                false => other.or_else(|| self.find(None, most)),
            },
        }
    }

    fn prove_one(
        &mut self,
        reasons: &[Reason<'_>],
        (index, reason): (usize, &Reason<'_>),
        share: usize,
        other: &mut Option<String>,
    ) -> Option<String> {
        let focus = reason.focus();
        let mut beside = None;
        let mut last = share;
        for number in 0..share {
            if number >= last {
                break;
            }
            // Half of them vary at the member itself.
            let (focus, turn) = match (&reason.member, number % 2) {
                (None, _) => (reason.place.as_slice(), number),
                (Some(_), 0) => (reason.place.as_slice(), number / 2),
                (Some(_), _) => (focus.as_slice(), number / 2),
            };
            let Some(text) = self.next_proof(Some(focus), turn) else {
                if self.is_used_up() {
                    break;
                }
                continue;
            };
            match self.evidence(reasons, index, &text) {
                Evidence::Alone => return Some(text),
                Evidence::Beside if beside.is_none() => {
                    beside = Some(text);
                    last = share.min(number.saturating_add(MORE_TRIES));
                }
                Evidence::Beside => {}
                Evidence::None => {
                    other.get_or_insert(text);
                }
            }
        }
        beside
    }

    /// The first proof among `most` instances that vary at `focus`.
    fn find(&mut self, focus: Option<&[Step]>, most: usize) -> Option<String> {
        for number in 0..most {
            let found = self.next_proof(focus, number);
            if found.is_some() || self.is_used_up() {
                return found;
            }
        }
        None
    }

    /// Instance `number`, if it is a proof.
    fn next_proof(&mut self, focus: Option<&[Step]>, number: usize) -> Option<String> {
        if self.is_used_up() {
            return None;
        }
        self.tries = self.tries.saturating_sub(1);
        let text = self.candidates.get(number, focus);
        self.fuel = self.fuel.saturating_sub(self.candidates.take_work());
        text.filter(|text| self.proves(text))
    }

    fn is_used_up(&self) -> bool {
        self.tries == 0 || self.fuel == 0
    }

    /// Why an instance is refused: because of this reason, or of others.
    fn evidence(&mut self, reasons: &[Reason<'_>], index: usize, text: &str) -> Evidence {
        let Some(reason) = reasons.get(index) else {
            return Evidence::None;
        };
        let mut workspace =
            std::mem::take(&mut self.workspace).fuel(self.fuel.min(self.refuses.fuel));
        let report = self.refuses.schema.explain(&mut workspace, text.as_bytes());
        self.fuel = self.fuel.saturating_sub(workspace.fuel_used());
        self.workspace = workspace;
        let Ok(report) = report else {
            return Evidence::None;
        };
        if !self.is_about(reason, text) {
            return Evidence::None;
        }
        let same_place = reasons.iter().filter(|one| one.place == reason.place);
        let members: Vec<&str> = same_place.filter_map(|one| one.member.as_deref()).collect();
        let findings = report.findings.iter();
        let own = findings
            .filter(|finding| reason.is_found(finding, &members))
            .count();
        // One reason is the only one that there can be.
        let is_only = reasons.len() == 1 && reason.keyword.is_none();
        if is_only || (own == report.findings.len() && report.complete) {
            return Evidence::Alone;
        }
        let hidden = || {
            report
                .findings
                .iter()
                .any(|finding| reason.is_hidden_by(finding))
        };
        if own > 0 {
            Evidence::Beside
        } else if hidden() && self.is_mended(reasons, index, text) {
            Evidence::Alone
        } else {
            Evidence::None
        }
    }

    /// Whether an instance has a value that the reason may be about.
    fn is_about(&self, reason: &Reason<'_>, text: &str) -> bool {
        let document = OwnedDocument::read(text.as_bytes(), &self.refuses.instance);
        document.is_ok_and(|document| {
            let values = places(document.document().root(), &reason.place);
            values.into_iter().any(|value| {
                let only = reason.only.as_ref();
                only.is_none_or(|only| only.has(value)) && reason.applies_to(value)
            })
        })
    }

    /// Whether an instance would be accepted with another value at the location of a reason. This says
    /// nothing if another reason is about the same values.
    fn is_mended(&mut self, reasons: &[Reason<'_>], index: usize, text: &str) -> bool {
        let Some(focus) = reasons.get(index).map(Reason::focus) else {
            return false;
        };
        let others = reasons.iter().enumerate().filter(|(at, _)| *at != index);
        let mut others = others.filter(|(_, other)| {
            let place = other.focus();
            place.starts_with(&focus) || focus.starts_with(&place)
        });
        if others.any(|(_, other)| self.is_about(other, text)) {
            return false;
        }
        for number in 0..MENDS {
            let donor = self.donors.get(number, Some(&focus));
            self.fuel = self.fuel.saturating_sub(self.donors.take_work());
            let Some(donor) = donor else {
                continue;
            };
            for text in mended(text, &focus, &donor) {
                if self.is_used_up() {
                    return false;
                }
                let mut reader = std::mem::take(&mut self.reader);
                let document = reader.read(text.as_bytes(), &self.refuses.instance);
                let is_valid = document.is_ok_and(|document| {
                    self.verdict(self.refuses, document.root()) == Verdict::Valid
                });
                self.reader = reader;
                if is_valid {
                    return true;
                }
            }
        }
        false
    }

    /// The fuel that is left.
    pub(super) fn left(&self) -> u64 {
        self.fuel
    }

    fn proves(&mut self, text: &str) -> bool {
        // Parses once for both schemas. A schema can also validate text while it is parsed, but then only
        // reports that it is valid: an instance that should be rejected would be processed twice.
        let mut reader = std::mem::take(&mut self.reader);
        let document = reader.read(text.as_bytes(), &self.refuses.instance);
        let proves = document.is_ok_and(|document| {
            let instance = document.root();
            is_sent(&self.sent, instance)
                && self.verdict(self.refuses, instance) == Verdict::Invalid
                && self.verdict(self.accepts, instance) == Verdict::Valid
        });
        self.reader = reader;
        proves
    }

    fn verdict(&mut self, judge: &Judge<'_>, instance: View<'_>) -> Verdict {
        let mut workspace = std::mem::take(&mut self.workspace).fuel(self.fuel.min(judge.fuel));
        let verdict = judge.schema.check(&mut workspace, instance);
        self.fuel = self
            .fuel
            .saturating_sub(workspace.fuel_used().saturating_add(100));
        self.workspace = workspace;
        verdict
    }
}

impl Reason<'_> {
    /// Whether a finding is about what this is about. `members` are those that reasons at the same location
    /// are about.
    fn is_found(&self, finding: &Finding, members: &[&str]) -> bool {
        let mut tokens = toolsure_json::pointer::tokens(finding.instance_location());
        for step in &self.place {
            if !tokens.next().is_some_and(|token| step.is(&token)) {
                return false;
            }
        }
        let (inner, deeper) = (tokens.next(), tokens.next());
        let is_keyword = |keyword: &str| group(keyword) == group(finding.keyword());
        match (&self.member, self.keyword) {
            (Some(member), Some("required")) => {
                inner.is_none()
                    && matches!(&finding.kind, FindingKind::Required { missing, .. }
                        if missing.contains(member))
            }
            (Some(member), keyword) => {
                let missing = match &finding.kind {
                    FindingKind::Required { missing, .. } => missing.contains(member),
                    _ => false,
                };
                let is_inner = inner.is_some_and(|inner| inner == *member);
                (is_inner && keyword.is_none_or(is_keyword)) || (keyword.is_none() && missing)
            }
            (None, None) => true,
            // Such a finding is at the member.
            (None, Some(keyword @ ("additionalProperties" | "unevaluatedProperties"))) => {
                let is_other = inner.is_some_and(|inner| !members.contains(&&*inner));
                is_other && deeper.is_none() && is_keyword(keyword)
            }
            (None, Some(keyword)) if APPLICATORS.contains(&group(keyword)) => {
                stands_at(finding.keyword_location(), self.place.len(), keyword)
            }
            (None, Some(keyword)) => inner.is_none() && is_keyword(keyword),
        }
    }

    /// Whether the keyword applies to values of this type.
    fn applies_to(&self, value: View<'_>) -> bool {
        let keyword = self.keyword.and_then(Keyword::from_name);
        let names = keyword.map_or(&[][..], |keyword| keyword.applies_to().types());
        let mut types = names.iter().filter_map(|name| TypeSet::from_name(name));
        names.is_empty() || types.any(|types| types.intersects(TypeSet::of(value)))
    }

    /// Whether a finding is about the union around what this is about.
    fn is_hidden_by(&self, finding: &Finding) -> bool {
        let Some(above) = self.union_at.and_then(|count| self.place.get(..count)) else {
            return false;
        };
        let mut tokens = toolsure_json::pointer::tokens(finding.instance_location());
        let mut steps = above.iter();
        let at_union = steps.all(|step| tokens.next().is_some_and(|token| step.is(&token)));
        at_union && tokens.next().is_none() && group(finding.keyword()) == "anyOf"
    }
}

/// Whether a keyword of this group is in the location of a keyword, in a schema for the values that are so many steps inside the
/// instance. A property or a definition may have the name of a keyword, and be neither.
fn stands_at(keyword_location: &str, depth: usize, keyword: &str) -> bool {
    let mut tokens = toolsure_json::pointer::tokens(keyword_location).peekable();
    let mut steps = 0;
    while let Some(token) = tokens.next() {
        if steps == depth && group(&token) == group(keyword) {
            return true;
        }
        let Some(outer) = Keyword::from_name(&token) else {
            continue;
        };
        match outer.layout() {
            Some(SubschemaLayout::Map) => {
                let _name = tokens.next();
            }
            Some(SubschemaLayout::Schemas) => {
                let is_index = |next: &_| str::bytes(next).all(|byte| byte.is_ascii_digit());
                let _index = tokens.next_if(|next| is_index(next));
            }
            None => continue,
        }
        steps += usize::from(!outer.is_in_place());
    }
    false
}

/// The first of the keywords that say the same kind of thing.
fn group(keyword: &str) -> &str {
    match keyword {
        "exclusiveMinimum" => "minimum",
        "exclusiveMaximum" => "maximum",
        "const" => "enum",
        "oneOf" => "anyOf",
        "then" | "else" => "if",
        "minContains" | "maxContains" => "contains",
        "dependentRequired" | "dependentSchemas" => "dependencies",
        other => other,
    }
}

/// Keywords whose findings may be those of a keyword inside them.
const APPLICATORS: [&str; 6] = [
    "if",
    "dependencies",
    "contains",
    "not",
    "unevaluatedItems",
    "propertyNames",
];
/// Instances that are tried after one that is refused for something else too.
const MORE_TRIES: usize = 16;
/// Instances whose values are put in the place of refused ones.
const MENDS: usize = 8;
/// One check may take a tenth of the whole budget.
const FUEL_OF_ONE: u64 = 500_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_keywords_of_other_schemas_are_told_apart() {
        for (location, depth, keyword, expected) in [
            ("/not", 0, "not", true),
            ("/then/maxProperties", 0, "if", true),
            ("/allOf/1/$ref/not/type", 0, "not", true),
            ("/properties/a/items/contains", 2, "contains", true),
            ("/properties/not/not", 1, "not", true),
            ("/items/0/not", 1, "not", true),
            ("/dependentSchemas/not/not", 0, "not", true),
            ("/properties/not/type", 0, "not", false),
            ("/properties/a/not", 0, "not", false),
            ("/dependentSchemas/not/type", 0, "not", false),
            ("/properties/a/items/contains", 1, "contains", false),
            ("/not", 1, "not", false),
        ] {
            let found = stands_at(location, depth, keyword);
            assert_eq!(found, expected, "{keyword} at {depth} in {location}");
        }
    }
}
