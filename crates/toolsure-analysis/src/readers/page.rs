//! The table of readers as a page of Markdown: `docs/readers.md`.

use std::fmt::{self, Write as _};

use super::fact::{Fact, Keywords, Part, Shape, SourcedFact, State};
use super::pattern::{PatternLanguage, PatternRule};
use super::{Kind, READERS, Reader};

/// The page `docs/readers.md`.
#[must_use]
pub fn page() -> String {
    let mut page = String::from(HEAD);
    for (kind, title) in [
        (Kind::Provider, "Providers"),
        (Kind::Client, "Clients"),
        (Kind::Sdk, "SDKs"),
        (Kind::Directory, "Directories"),
    ] {
        let _ = writeln!(page, "\n## {title}");
        for reader in READERS.iter().filter(|reader| reader.kind == kind) {
            let _ = writeln!(page, "\n### `{}`\n", reader.name);
            let _ = write!(page, "{} ({}).", reader.about, reader.versions);
            if !reader.parents.is_empty() {
                let parents: Vec<String> = reader
                    .parents
                    .iter()
                    .map(|name| format!("[`{name}`](#{name})"))
                    .collect();
                let _ = write!(page, " The facts of {} apply too.", parents.join(" and "));
            }
            page.push('\n');
            write_facts(&mut page, reader.own);
        }
    }
    page
}

/// A table of facts, and below it the sources that its last column names by number.
fn write_facts(page: &mut String, facts: &[SourcedFact]) {
    if facts.is_empty() {
        return;
    }
    page.push_str("\n| takes | otherwise | source |\n|---|---|---|\n");
    let source = |fact: &SourcedFact| (fact.evidence, fact.month, fact.source);
    // The states of the same members are one row.
    let is_one_row = |one: &SourcedFact, other: &SourcedFact| match (&one.fact, &other.fact) {
        (Fact::Member(shape, names, _), Fact::Member(other_shape, other_names, _)) => {
            (shape, names, one.consequence) == (other_shape, other_names, other.consequence)
        }
        _ => false,
    };
    let mut sources = String::new();
    let of_one_source = facts.chunk_by(|one, other| source(one) == source(other));
    for (number, facts) in (1..).zip(of_one_source) {
        for row in facts.chunk_by(is_one_row) {
            let Some((first, rest)) = row.split_first() else {
                continue;
            };
            let _ = write!(page, "| {}", first.fact);
            for fact in rest {
                if let Fact::Member(_, _, state) = fact.fact {
                    let _ = write!(page, ", {}", state.taken());
                }
            }
            let _ = writeln!(page, " | {} | {number} |", first.consequence.words());
        }
        if let Some(fact) = facts.first() {
            let (evidence, month, source) = (fact.evidence.word(), fact.month, fact.source);
            let _ = writeln!(sources, "{number}. *{evidence}*, {month}: {source}");
        }
    }
    let _ = write!(page, "\n{sources}");
}

/// A table in Markdown of the members that clients of the SDKs do not take: a row for each member, a column
/// for each SDK, and in it the states of the member and what comes of them.
#[must_use]
pub fn members_table() -> String {
    let is_shown = |reader: &&'static Reader| {
        reader.kind == Kind::Sdk
            && !reader.own.is_empty()
            && reader.pick(state).next().is_some()
            && !READERS.iter().any(|other| {
                other.kind == Kind::Sdk
                    && !other.own.is_empty()
                    && other.parents.contains(&reader.name)
            })
    };
    let sdks: Vec<&'static Reader> = READERS.iter().filter(is_shown).collect();
    let mut table = String::from("| member |");
    for sdk in &sdks {
        let _ = write!(table, " {} ({}) |", sdk.shown, sdk.versions);
    }
    let _ = writeln!(table, "\n|---|{}", "---|".repeat(sdks.len()));
    let mut members: Vec<(Shape, &str)> = Vec::new();
    for (shape, names, _) in sdks.iter().flat_map(|sdk| sdk.pick(state)) {
        for name in names {
            if !members.contains(&(shape, name)) {
                members.push((shape, name));
            }
        }
    }
    members.sort_by_key(|(shape, _)| *shape);
    let mut rows: Vec<(Shape, Vec<&str>, String)> = Vec::new();
    for (shape, name) in members {
        let cells: String = sdks.iter().map(|sdk| cell(sdk, shape, name)).collect();
        match rows
            .iter_mut()
            .find(|(of, _, known)| *of == shape && *known == cells)
        {
            Some((_, names, _)) => names.push(name),
            None => rows.push((shape, vec![name], cells)),
        }
    }
    for (shape, names, cells) in rows {
        let _ = writeln!(table, "| {} of {} |{cells}", list(&names), shape.words());
    }
    table
}

/// The states of a member that a reader does not take, and what comes of them.
fn cell(sdk: &'static Reader, shape: Shape, name: &str) -> String {
    let mut lost: Vec<(&str, Vec<&str>)> = Vec::new();
    for (_, fact) in sdk.facts() {
        let state = state(&fact.fact)
            .filter(|(of, names, _)| *of == shape && names.contains(&name))
            .map(|(_, _, state)| state.found());
        let words = fact.consequence.words();
        match lost.iter_mut().find(|(known, _)| *known == words) {
            Some((_, states)) => states.extend(state),
            None => lost.extend(state.map(|state| (words, vec![state]))),
        }
    }
    let lost = lost.iter();
    let lost = lost.map(|(words, states)| format!("{}: {words}", states.join(", ")));
    format!(" {} |", lost.collect::<Vec<_>>().join("; "))
}

/// Names as code, separated by commas.
fn list(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// What a fact says of members of lists and results.
fn state(fact: &'static Fact) -> Option<(Shape, &'static [&'static str], State)> {
    match fact {
        Fact::Member(shape, names, state) if *shape != Shape::Call => Some((*shape, names, *state)),
        _ => None,
    }
}

impl State {
    /// What a member that is not in this state is.
    fn taken(self) -> &'static str {
        match self {
            Self::Missing => "present",
            Self::Null => "not null",
            Self::OtherType => "of its type",
            Self::OutOfRange => "in its range",
            Self::OtherSpelling => "an integer in digits",
        }
    }

    /// What a member in this state is.
    fn found(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Null => "null",
            Self::OtherType => "another type",
            Self::OutOfRange => "out of range",
            Self::OtherSpelling => "`5.0`",
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit(limit) => write!(f, "{limit}"),
            Self::ToolName(rule) => {
                let others: Vec<String> = rule.others.chars().map(String::from).collect();
                write!(
                    f,
                    "tool names of up to {} of `A-Z a-z 0-9 {}`{}",
                    rule.longest,
                    others.join(" "),
                    if rule.letter_first {
                        ", a letter or `_` first"
                    } else {
                        ""
                    }
                )
            }
            Self::PropertyNames => {
                f.write_str("names of the root's properties of 1 to 64 of `A-Z a-z 0-9 _ . -`")
            }
            Self::Keywords(Keywords::Without(lacks)) => {
                write!(f, "keywords, except {}", list(lacks))
            }
            Self::Keywords(Keywords::Only(takes)) => write!(f, "only the keywords {}", list(takes)),
            Self::Formats(formats) => write!(f, "the formats {}", list(formats)),
            Self::Patterns(Part::Input, rule) => write!(f, "patterns of {rule}"),
            Self::Patterns(Part::Output, rule) => {
                write!(f, "patterns of {rule} in output schemas")
            }
            Self::RootWithout(lacks) => write!(f, "no {} at the root", list(lacks)),
            Self::RootProperties => f.write_str("roots with `properties`"),
            Self::NoReferenceSiblings => f.write_str("`$ref` without keywords beside it"),
            Self::NoRecursion => f.write_str("no recursion"),
            Self::ReferencesBelow(start) => write!(f, "references that begin with `{start}`"),
            Self::BareUnions => f.write_str("`anyOf` with nothing but descriptions beside it"),
            Self::UnionsNotCombined => f.write_str("no `properties` beside a union"),
            Self::UnionTypesInBranches => {
                f.write_str("`type` in the branches of `anyOf`, not beside it")
            }
            Self::NoUnionItems => f.write_str("no `anyOf` in `items`"),
            Self::OneType => f.write_str("one name in `type`"),
            Self::Nullable => f.write_str("`nullable` for the type `null`"),
            Self::NoOptionalNull => f.write_str("no choice with null for an optional argument"),
            Self::Typed => f.write_str("properties and items with a type"),
            Self::Closed => f.write_str("objects with `additionalProperties: false`"),
            Self::AllRequired => f.write_str("objects that require all their properties"),
            Self::ArrayItems => f.write_str("arrays with `items`"),
            Self::TupleItems => f.write_str("`prefixItems` with `items`"),
            Self::NoItemsArray => f.write_str("one schema in `items`"),
            Self::EnumStrings => f.write_str("strings in `enum` that are not empty"),
            Self::EnumScalars => f.write_str("no objects and arrays in `enum`"),
            Self::NoNumberBounds => f.write_str("no bounds of a `number`"),
            Self::NoBooleanProperties => f.write_str("properties whose schema is an object"),
            Self::ReadsAs(part, dialect) => write!(
                f,
                "{} read as {}, whatever `$schema` says",
                part.words(),
                dialect.title()
            ),
            Self::Declares(part, dialect) => write!(
                f,
                "{} that declare {} or nothing",
                part.words(),
                dialect.title()
            ),
            Self::OutputObject => f.write_str("output schemas with `\"type\": \"object\"`"),
            Self::ToolMember(names) => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                write!(f, "tools with {}", names.join(" or "))
            }
            Self::Member(shape, names, state) => {
                write!(f, "{} of {}: {}", list(names), shape.words(), state.taken())
            }
            Self::ChecksErrors => {
                f.write_str("error results whose structured content fits the output schema")
            }
        }
    }
}

impl Part {
    fn words(self) -> &'static str {
        match self {
            Self::Input => "input schemas",
            Self::Output => "output schemas",
        }
    }
}

impl Shape {
    fn words(self) -> &'static str {
        match self {
            Self::Tool => "a tool",
            Self::ToolAnnotations => "a tool's annotations",
            Self::Page => "a page of a list",
            Self::CachedPage => "a page of a list (since 2026-07-28)",
            Self::Entry => "an entry of a list",
            Self::Result => "a result",
            Self::Block => "a content block",
            Self::BlockAnnotations => "a block's annotations",
            Self::ResourceLink => "a resource link",
            Self::EmbeddedResource => "an embedded resource",
            Self::Call => "a call",
        }
    }
}

impl fmt::Display for PatternRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.language {
            PatternLanguage::EcmaUnicode => "ECMA-262 with the `u` flag",
            PatternLanguage::Ecma => "ECMA-262",
            PatternLanguage::Python => "Python's `re`",
            PatternLanguage::Re2 => "RE2",
            PatternLanguage::Grammar => "a grammar: `^…$` without `(?`",
        })?;
        match (self.lookaround, self.backreferences) {
            (true, true) => Ok(()),
            (false, true) => f.write_str(", without lookaround"),
            (true, false) => f.write_str(", without references to groups"),
            (false, false) => f.write_str(", without lookaround and references to groups"),
        }
    }
}

const HEAD: &str = "\
# Readers: what providers, clients and SDKs take

`toolsure lint --profile NAME`, `toolsure project --for NAME` and the guard's `project_for` use these facts. The page is generated from
[their source](../crates/toolsure-analysis/src/readers); a reader without evidence is not in it.

Below each table are its sources, each with the evidence and the month in which it was last read; `#` marks an issue or a pull request of a public
repository. Providers and clients change.

| evidence | |
|---|---|
| *tried* | this project tried it with the reader of that version |
| *reported* | public reports quote the reader's error |
| *documented* | the vendor's documentation says it |

*Otherwise* is what happens to a listing or a result that is not so. `request refused` and `list lost` affect all other tools too.
";
