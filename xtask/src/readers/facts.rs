//! The facts with the evidence `tried`, what tries each, and what must come of it.

use serde_json::{Value, json};
use toolsure_analysis::readers::{
    Consequence, Evidence, Fact, Part, PatternLanguage, READERS, Shape, SourcedFact, State,
};
use toolsure_schema::{Compiler, Dialect, Verdict, Workspace};
use toolsure_testkit::protocol::{WORDS, Wrong};

use super::trial::{Kind, Need, Set, Trial, numbered, set};
use crate::guard_proof::outcome::Outcome;

/// A fact with the readers that have it.
pub(super) struct Tried {
    pub(super) fact: &'static SourcedFact,
    pub(super) readers: Vec<&'static str>,
}

/// All facts that are said to be tried, each once.
pub(super) fn tried() -> Vec<Tried> {
    let mut all: Vec<Tried> = Vec::new();
    for reader in READERS {
        for fact in reader
            .own
            .iter()
            .filter(|fact| fact.evidence == Evidence::Tried)
        {
            let is_same = |one: &&mut Tried| {
                one.fact.fact == fact.fact && one.fact.consequence == fact.consequence
            };
            match all.iter_mut().find(is_same) {
                Some(known) => known.readers.push(reader.name),
                None => all.push(Tried {
                    fact,
                    readers: vec![reader.name],
                }),
            }
        }
    }
    all
}

/// The trials of a fact that is not about a member of a message.
///
/// # Errors
///
/// One line if nothing tries such a fact.
pub(super) fn own(fact: &Fact) -> Result<Vec<Trial>, String> {
    let trials: Vec<Trial> = match fact {
        Fact::Member(shape, _, _) if *shape != Shape::Call => Vec::new(),
        Fact::ReadsAs(Part::Output, dialect) => READ_DIFFERENTLY
            .iter()
            .map(|(schema, value)| {
                let breaks = accepts(schema, value, Dialect::Draft202012)?
                    && !accepts(schema, value, *dialect)?;
                let (schema, value) = (parsed(schema)?, parsed(value)?);
                Ok(output(&schema, &value, breaks))
            })
            .collect::<Result<_, String>>()?,
        Fact::Declares(Part::Output, dialect) => DIALECTS
            .iter()
            .map(|(uri, declared)| {
                let schema = json!({ "$schema": uri, "type": "object" });
                output(&schema, &json!({}), declared != dialect)
            })
            .collect(),
        Fact::Patterns(Part::Output, rule) => PATTERNS
            .iter()
            .map(|(pattern, is_ecma)| {
                let property = json!({ "type": "string", "pattern": pattern });
                let schema = json!({ "type": "object", "properties": { "p": property } });
                let is_taken = rule.takes(pattern)
                    && (*is_ecma || rule.language != PatternLanguage::EcmaUnicode);
                output(&schema, &json!({}), !is_taken)
            })
            .collect(),
        Fact::OutputObject => [
            (json!({ "type": "object" }), json!({}), false),
            (json!({ "type": "array" }), json!([]), true),
            (json!({ "anyOf": [{ "type": "object" }] }), json!({}), true),
        ]
        .iter()
        .map(|(schema, value, breaks)| output(schema, value, *breaks))
        .collect(),
        Fact::NoBooleanProperties => [
            (json!({}), false),
            (json!(true), true),
            (json!(false), true),
        ]
        .iter()
        .map(|(property, breaks)| {
            let schema = json!({ "type": "object", "properties": { "p": property } });
            output(&schema, &json!({}), *breaks)
        })
        .collect(),
        Fact::ChecksErrors => [(json!({ "p": 1 }), false), (json!({ "q": 1 }), true)]
            .iter()
            .map(|(value, breaks)| {
                let schema = json!({ "type": "object", "required": ["p"] });
                let mut trial = output(&schema, value, *breaks);
                if let Some(answer) = trial.case.get_mut("answer") {
                    set(answer, "isError", json!(true));
                }
                trial
            })
            .collect(),
        _ => {
            return Err(format!(
                "nothing tries `{fact}`, which the table says is tried"
            ));
        }
    };
    Ok(numbered(trials))
}

/// A tool with an output schema, and its result.
fn output(schema: &Value, value: &Value, breaks: bool) -> Trial {
    let text = [json!({ "type": "text", "text": WORDS })];
    let answer = json!({ "content": text, "structuredContent": value });
    Trial {
        name: String::new(),
        what: format!("{schema} with {value}"),
        case: json!({ "tool": { "outputSchema": schema }, "answer": answer }),
        call: json!({}),
        need: Need::Text,
        breaks,
        place: None,
    }
}

/// The trials of a set that break a fact about a member, and whether each of them must, besides its
/// name. A value that has the member's type may be in its range.
pub(super) fn breaking<'a>(
    fact: &Fact,
    set: &'a Set,
) -> Vec<(&'static str, bool, usize, &'a Trial)> {
    let Fact::Member(shape, names, state) = fact else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (index, trial) in set.trials.iter().enumerate() {
        let Some((wrong, found)) = &trial.place else {
            continue;
        };
        let name = names
            .iter()
            .find(|name| is_of(*shape, name, wrong, set.kind));
        if let Some(name) = name.filter(|_| found == state) {
            all.push((*name, *state != State::OutOfRange, index, trial));
        }
    }
    all
}

/// Whether a place is that member of that kind of object.
fn is_of(shape: Shape, name: &str, wrong: &Wrong, kind: Kind) -> bool {
    let parts: Vec<&str> = wrong.place.split('/').skip(1).collect();
    let block = |index: &str| wrong.value.pointer(&format!("/content/{index}/type"));
    match (shape, kind, &*parts) {
        (Shape::Result, Kind::Result, [member])
        | (Shape::Page | Shape::CachedPage, Kind::Page, [member])
        | (Shape::Tool, Kind::Tool, [member])
        | (Shape::ToolAnnotations, Kind::Tool, ["annotations", member])
        | (Shape::Block, Kind::Result, ["content", _, member])
        | (Shape::BlockAnnotations, Kind::Result, ["content", _, "annotations", member])
        | (Shape::EmbeddedResource, Kind::Result, ["content", _, "resource", member]) => {
            *member == name
        }
        (Shape::ResourceLink, Kind::Result, ["content", index, member]) => {
            *member == name && block(index).is_some_and(|tag| tag == "resource_link")
        }
        _ => false,
    }
}

/// Whether an outcome is this consequence; `None` if no outcome is.
pub(super) fn is_consequence(consequence: Consequence, outcome: Outcome) -> Option<bool> {
    Some(match consequence {
        Consequence::ToolLost => matches!(outcome, Outcome::Error | Outcome::Hidden),
        Consequence::ResultLost => outcome == Outcome::Error,
        Consequence::ListLost => outcome == Outcome::NoTools,
        Consequence::Hang => outcome == Outcome::Hangs,
        _ => return None,
    })
}

/// Whether our engine accepts a value.
///
/// # Errors
///
/// One line if the schema or the value is unusable.
pub(super) fn accepts(schema: &str, value: &str, dialect: Dialect) -> Result<bool, String> {
    let compiler = Compiler::new().dialect(dialect);
    let compiled = compiler.compile(schema.as_bytes());
    let compiled = compiled.map_err(|e| format!("{schema}: {e}"))?;
    let verdict = compiled.check(&mut Workspace::new(), value.as_bytes());
    let verdict = verdict.map_err(|e| format!("{value}: {e}"))?;
    Ok(verdict == Verdict::Valid)
}

fn parsed(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| format!("{text}: {e}"))
}

/// Schemas in 2020-12, each with a value that it accepts.
const READ_DIFFERENTLY: [(&str, &str); 4] = [
    (
        r#"{"type":"object","properties":{"p":{"prefixItems":[{"type":"string"}],"items":false}}}"#,
        r#"{"p":["a"]}"#,
    ),
    (
        r#"{"type":"object","properties":{"p":{"contains":{"const":1},"minContains":0}}}"#,
        r#"{"p":[2]}"#,
    ),
    (
        r#"{"type":"object","properties":{"p":{"prefixItems":[{"type":"string"}],"items":{"type":"null"}}}}"#,
        r#"{"p":["a",null]}"#,
    ),
    (
        r#"{"type":"object","properties":{"p":{"prefixItems":[{"type":"string"}]}}}"#,
        r#"{"p":["a"]}"#,
    ),
];
const DIALECTS: [(&str, Dialect); 5] = [
    ("http://json-schema.org/draft-04/schema#", Dialect::Draft4),
    ("http://json-schema.org/draft-06/schema#", Dialect::Draft6),
    ("http://json-schema.org/draft-07/schema#", Dialect::Draft7),
    (
        "https://json-schema.org/draft/2019-09/schema",
        Dialect::Draft201909,
    ),
    (
        "https://json-schema.org/draft/2020-12/schema",
        Dialect::Draft202012,
    ),
];
/// Patterns, and whether ECMA-262 with the `u` flag has them.
const PATTERNS: [(&str, bool); 12] = [
    ("^a+$", true),
    (r"^\p{Lu}(?<n>b)?(?=c)", true),
    (r"(?<!a)b\1?()", true),
    (r"^[\w.\-]+$", true),
    ("(?i)a", false),
    ("(?P<n>a)", false),
    (r"^[\w-.]+$", false),
    (r"\A a\Z", false),
    (r"a\-b", false),
    ("[[:alpha:]]*+", false),
    ("a++", false),
    ("(?>a)", false),
];
