//! Reads test files in each of their layouts.

use std::cell::Cell;
use std::fmt;
use std::path::PathBuf;

use toolsure_json::{self as json, Kind, Node, ReadLimits, View, json_string, quote};
use toolsure_schema::Compiler;

use crate::exit::Failure;
use crate::input::Input;
use crate::local;
use crate::text;
use crate::yaml::Original;

/// A schema and its cases.
#[derive(Debug)]
pub(super) struct Group {
    /// The schema's text, or why it could not be read.
    pub(super) schema: Result<Vec<u8>, Failed>,
    pub(super) cases: Vec<Case>,
}

/// Why a text could not be read, in one line; escaped.
type Failed = String;

#[derive(Debug)]
pub(super) struct Case {
    /// From the test file: untrusted, not escaped.
    pub(super) description: String,
    pub(super) line: usize,
    pub(super) expected: Expected,
    pub(super) instance: Result<Vec<u8>, Failed>,
}

/// The outcome that a case expects or has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Valid,
    Invalid,
    Undecided,
    /// The schema does not compile.
    Refused,
    /// The schema or the instance cannot be read. No case can expect it.
    Unusable,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Undecided => "undecided",
            Self::Refused => "refused",
            Self::Unusable => "unusable",
        })
    }
}

/// The file's name, escaped.
pub(super) fn name(input: &Input) -> String {
    quote(&input.name(), 200).to_string()
}

/// Reads a file; `None` if it is not a test file.
pub(super) fn read(input: &Input, compiler: &Compiler) -> Result<Option<Vec<Group>>, Failure> {
    let name = name(input);
    let limits = ReadLimits {
        bytes: local::BYTES,
        nodes: usize::MAX,
        ..compiler.bounds().instance
    };
    let text = input
        .read(limits.bytes)
        .map_err(|error| {
            Failure::usage(format!("cannot read `{name}`: {error}"))
                .with_help("`toolsure test` reads files of test cases; `toolsure test-server -- COMMAND` tests a server")
        })?;
    let (text, original) = text::document(input.path(), text, limits.bytes)
        .map_err(|fault| Failure::usage(format!("{name}:{fault}")))?;
    let mut reader = json::Reader::new();
    let document = reader
        .read(&text, &limits)
        .map_err(|error| text::unreadable(&name, &text, original.as_ref(), &error))?;
    let root = document.root();
    let reader = Reader {
        input,
        text: &text,
        original: original.as_ref(),
        name: &name,
        schema_bytes: compiler.bounds().model.schema_bytes,
        instance_bytes: compiler.bounds().instance.bytes,
        last: Cell::new((0, 1)),
    };
    let is_group = |view: &View<'_>| {
        view.member("tests")
            .is_some_and(|all| all.kind() == Kind::Array)
    };
    let groups: Vec<View<'_>> = match root.kind() {
        Kind::Array => root.items().collect(),
        _ => vec![root],
    };
    if groups.is_empty() || !groups.iter().all(is_group) {
        return Ok(None);
    }
    groups
        .into_iter()
        .map(|group| reader.group(group))
        .collect::<Result<_, _>>()
        .map(Some)
}

struct Reader<'t> {
    input: &'t Input,
    text: &'t [u8],
    /// The file that the text was converted from: YAML or JSON with comments.
    original: Option<&'t Original>,
    name: &'t str,
    schema_bytes: usize,
    instance_bytes: usize,
    /// The last byte whose line was asked for, and its line. The tests of a file are read in their order.
    last: Cell<(usize, usize)>,
}

impl Reader<'_> {
    fn group(&self, group: View<'_>) -> Result<Group, Failure> {
        let of_group = group.member("description").map_or("", Node::string);
        let schema = match (group.member("schema"), group.member("target")) {
            (Some(schema), None) if schema.kind() == Kind::String => self.named(schema.string()),
            (Some(schema), None) => Ok(schema.raw().as_bytes().to_vec()),
            (None, Some(target)) if target.kind() == Kind::String => self.named(target.string()),
            _ => return Err(self.fault(group, "a group of tests needs a `schema` or a `target`")),
        };
        let tests = group.member("tests").into_iter().flat_map(View::items);
        let cases = tests.map(|test| self.case(test, of_group));
        Ok(Group {
            schema,
            cases: cases.collect::<Result<_, _>>()?,
        })
    }

    fn case(&self, test: View<'_>, of_group: &str) -> Result<Case, Failure> {
        let instance = match (
            test.member("data"),
            test.member("instance"),
            test.member("dataPath"),
        ) {
            (Some(data), None, None) | (None, Some(data), None) => {
                Ok(data.raw().as_bytes().to_vec())
            }
            (None, None, Some(path)) if path.kind() == Kind::String => {
                self.file(path.string(), self.instance_bytes)
            }
            _ => {
                let what = "a test needs one of `data`, `instance` and `dataPath`";
                return Err(self.fault(test, what));
            }
        };
        let valid = test
            .member("valid")
            .filter(|valid| valid.kind() == Kind::Boolean);
        let expected = test.member("expected").map_or("", Node::string);
        let expected = match (valid.map(View::boolean), expected) {
            (Some(true), "") | (None, "valid") => Expected::Valid,
            (Some(false), "") | (None, "invalid") => Expected::Invalid,
            (None, "undecided") => Expected::Undecided,
            (None, "refused") => Expected::Refused,
            _ => {
                let what = "a test needs `valid` (true or false), or `expected`: \
                    valid, invalid, undecided or refused";
                return Err(self.fault(test, what));
            }
        };
        let own = test.member("description").map_or("", Node::string);
        let both = [of_group, own].into_iter().filter(|text| !text.is_empty());
        Ok(Case {
            description: both.collect::<Vec<_>>().join(": "),
            line: self.line(test),
            expected,
            instance,
        })
    }

    /// The schema with this name, which is a registered document's URI or a path.
    fn named(&self, name: &str) -> Result<Vec<u8>, Failed> {
        if name.contains("://") || name.starts_with("urn:") {
            return Ok(format!("{{\"$ref\": {}}}", json_string(name)).into_bytes());
        }
        self.file(name, self.schema_bytes)
    }

    /// Reads a file of at most `most` bytes, by its path from the test file's folder.
    fn file(&self, path: &str, most: usize) -> Result<Vec<u8>, Failed> {
        let folder = match self.input {
            Input::Stdin => None,
            Input::File(file) => file.parent(),
        };
        let path = folder.map_or_else(|| PathBuf::from(path), |folder| folder.join(path));
        let input = Input::File(path);
        let shown = name(&input);
        let text = input.read(most);
        let text = text.map_err(|error| format!("cannot read `{shown}`: {error}"))?;
        let text = text::document(input.path(), text, most);
        text.map(|(text, _)| text)
            .map_err(|fault| format!("{shown}:{fault}"))
    }

    fn line(&self, view: View<'_>) -> usize {
        let at = view.span().start;
        let (text, at) = match self.original {
            Some(original) => (original.text.as_slice(), original.place(at)),
            None => (self.text, at),
        };
        let (from, line) = Some(self.last.get())
            .filter(|(last, _)| *last <= at)
            .unwrap_or((0, 1));
        let between = text.get(from..at).unwrap_or_default();
        let line = line + between.iter().filter(|byte| **byte == b'\n').count();
        self.last.set((at, line));
        line
    }

    fn fault(&self, view: View<'_>, what: &str) -> Failure {
        Failure::usage(format!("{}:{}: {what}", self.name, self.line(view)))
    }
}
