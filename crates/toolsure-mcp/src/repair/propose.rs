//! Proposes edits that could fix a fault.

use toolsure_json::{Kind, Node as _, ReadLimits, Reader, View, pointer};
use toolsure_schema::{Finding, FindingKind};

use super::defaults::Defaults;
use super::edit::{Change, Proposal};

/// Edits, and whether there are more.
pub(super) struct Proposals<'d> {
    pub(super) edits: Vec<Proposal<'d>>,
    pub(super) more: bool,
}

/// The edits that could fix the first fault. Every rewrite that leads to valid arguments contains
/// one of them, so the other faults can wait. Only if the first fault is under a condition (`then`,
/// `else`, dependencies) may fixing another one help, so edits for the faults after it are added.
///
/// A union (`anyOf`, `oneOf`) without a matching branch is one fault; the edits may fix any finding
/// of its branches, or anything inside the value.
pub(super) fn proposals<'d>(
    defaults: &mut Defaults<'_>,
    root: View<'d>,
    findings: &[Finding],
    most: usize,
) -> Proposals<'d> {
    let mut out = Collector {
        defaults,
        root,
        most,
        found: Proposals {
            edits: Vec::new(),
            more: false,
        },
    };
    let unions: Vec<&Finding> = findings.iter().filter(|f| is_union(f)).collect();
    let inside = |finding: &Finding, union: &Finding| {
        let below = finding
            .keyword_location()
            .strip_prefix(union.keyword_location());
        below.is_some_and(|rest| rest.starts_with('/'))
    };
    let outer = |finding: &&Finding| !unions.iter().any(|union| inside(finding, union));
    for fault in findings.iter().filter(outer) {
        if is_union(fault) {
            for part in findings.iter().filter(|part| inside(part, fault)) {
                out.finding(part);
            }
            if let Some(value) = value_at(root, fault.instance_location()) {
                out.everything_in(fault.instance_location(), value);
            }
        } else {
            out.finding(fault);
        }
        if !is_conditional(fault) {
            break;
        }
    }
    out.found
}

fn is_union(finding: &Finding) -> bool {
    matches!(finding.kind, FindingKind::AnyOf(_) | FindingKind::OneOf(_))
}

/// Whether the keyword applies only because of other parts of the value.
fn is_conditional(finding: &Finding) -> bool {
    pointer::tokens(finding.keyword_location()).any(|token| {
        matches!(
            token.as_ref(),
            "then" | "else" | "dependentSchemas" | "dependentRequired" | "dependencies"
        )
    })
}

struct Collector<'a, 's, 'd> {
    defaults: &'a mut Defaults<'s>,
    root: View<'d>,
    most: usize,
    found: Proposals<'d>,
}

impl<'d> Collector<'_, '_, 'd> {
    /// Proposes edits for one finding.
    fn finding(&mut self, finding: &Finding) {
        if finding.property_name().is_some() {
            return;
        }
        let place = finding.instance_location();
        let Some(value) = value_at(self.root, place) else {
            return;
        };
        match &finding.kind {
            FindingKind::Required { missing, .. }
            | FindingKind::DependentRequired { missing, .. } => {
                if let FindingKind::DependentRequired { present, .. } = &finding.kind
                    && let Some(member) = value.member(present)
                {
                    self.remove(&joined(place, present), member);
                }
                // All of them are missing, so none can be fixed without the first.
                let name = missing.first();
                let own = finding.source().document.is_empty();
                let declared = name
                    .filter(|_| own)
                    .and_then(|name| self.defaults.find(finding.source().pointer, name));
                if let (Some(name), Some(declared)) = (name, declared) {
                    self.push(
                        joined(place, name),
                        Change::Fill {
                            object: value,
                            name: declared.name,
                            default: declared.default,
                        },
                    );
                }
            }
            FindingKind::ForbiddenProperty { .. } => self.remove(place, value),
            // A value that matches too many branches is not misspelled, and an undeclared member is
            // not an optional one.
            FindingKind::OneOfMany { .. } | FindingKind::UnexpectedProperty { .. } => {}
            FindingKind::Type { expected, .. } => {
                self.parse(place, value, |kind| {
                    expected.contains(&kind.name())
                        || (kind == Kind::Number && expected.contains(&"integer"))
                });
                self.remove(place, value);
            }
            _ => {
                self.parse(place, value, |_| true);
                self.remove(place, value);
            }
        }
    }

    /// Proposes edits for a value and everything in it, in source order.
    fn everything_in(&mut self, place: &str, value: View<'d>) {
        let mut open = vec![(place.to_owned(), value)];
        let mut looked_at = 0_usize;
        while let Some((place, value)) = open.pop() {
            looked_at += 1;
            if self.found.more || looked_at > MOST_VALUES {
                self.found.more = true;
                return;
            }
            self.parse(&place, value, |_| true);
            self.remove(&place, value);
            let first = open.len();
            for (at, item) in value.items().take(MOST_VALUES).enumerate() {
                open.push((joined(&place, &at.to_string()), item));
            }
            for (key, member) in value.members().take(MOST_VALUES) {
                open.push((joined(&place, toolsure_json::Key::text(key)), member));
            }
            if let Some(inner) = open.get_mut(first..) {
                inner.reverse();
            }
        }
    }

    /// Parses a string as JSON, if it contains a value of a wanted type.
    fn parse(&mut self, place: &str, value: View<'d>, wanted: impl Fn(Kind) -> bool) {
        // Other JSON texts start with another character; most strings are prose.
        let text = value.string().trim_matches([' ', '\t', '\r', '\n']);
        let plausible = text.starts_with(['[', '{', '-', 't', 'f', '0', '1', '2', '3', '4'])
            || text.starts_with(['5', '6', '7', '8', '9']);
        if value.kind() != Kind::String || !plausible {
            return;
        }
        let mut reader = Reader::new();
        let Ok(inner) = reader.read(text.as_bytes(), &ReadLimits::default()) else {
            return;
        };
        let kind = inner.root().kind();
        if matches!(kind, Kind::String | Kind::Null) || !wanted(kind) {
            return;
        }
        let text = text.to_owned();
        self.push(place.to_owned(), Change::Parse { value, text, kind });
    }

    /// Removes a member whose value is `null`.
    fn remove(&mut self, place: &str, value: View<'d>) {
        if value.kind() == Kind::Null
            && value.name().is_some()
            && value.id() != self.root.id()
            && let Some(object) = value.parent()
        {
            self.push(place.to_owned(), Change::Remove { object, value });
        }
    }

    fn push(&mut self, pointer: String, change: Change<'d>) {
        if self.found.edits.len() >= self.most {
            self.found.more = true;
            return;
        }
        self.found.edits.push(Proposal { pointer, change });
    }
}

fn joined(place: &str, token: &str) -> String {
    let mut whole = place.to_owned();
    pointer::push(&mut whole, token);
    whole
}

fn value_at<'d>(root: View<'d>, place: &str) -> Option<View<'d>> {
    root.document().at_pointer(place)
}

/// The maximum number of values to look at in one union.
const MOST_VALUES: usize = 1_000;
