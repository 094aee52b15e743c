//! Judges one tool: takes its raw text, returns its verdict with all findings.

use std::ops::Range;

use toolsure_json::{
    DuplicateKeys, Kind, Node, OwnedDocument, ReadErrorKind, ReadLimits, View, pointer, quote,
};
use toolsure_mcp::argument::recognise;
use toolsure_schema::Compiler;

use crate::engine;
use crate::policy::CHECK;

/// The verdict on one tool.
#[derive(Clone, Debug)]
pub(crate) struct ToolReport {
    /// The tool's text as received.
    pub(crate) text: String,
    /// `name`, if it is a string: untrusted, not escaped.
    pub(crate) name: Option<String>,
    /// Bytes of `inputSchema`, if there is one.
    pub(crate) input: Option<usize>,
    /// Bytes of `outputSchema`, if there is one.
    pub(crate) output: Option<usize>,
    /// What is wrong, fatal findings first.
    pub(crate) findings: Vec<Finding>,
}

/// The verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Usable.
    Ok,
    /// Usable, with warnings.
    Warned,
    /// Not usable.
    Refused,
}

/// One thing that is wrong with a tool.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// Whether it makes the tool unusable.
    pub(crate) fatal: bool,
    /// The part of the tool that it is about.
    pub(crate) part: Part,
    /// A stable code.
    pub(crate) code: &'static str,
    /// One line, with untrusted text escaped.
    pub(crate) message: String,
    /// The location in the part, as a JSON pointer.
    pub(crate) pointer: String,
    /// The location in bytes of the tool's text.
    pub(crate) span: Option<Range<usize>>,
    /// The location of the part in bytes of the tool's text.
    pub(crate) whole: Option<Range<usize>>,
    /// How to fix it.
    pub(crate) help: Option<String>,
}

/// The part of a tool that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Tool,
    Input,
    Output,
}

impl Part {
    /// The tool's member with this part; `None` for the tool itself.
    pub(crate) fn member(self) -> Option<&'static str> {
        match self {
            Self::Tool => None,
            Self::Input => Some("inputSchema"),
            Self::Output => Some("outputSchema"),
        }
    }

    /// The word for messages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

impl ToolReport {
    /// Judges one tool by itself; [`mark_duplicates`] finds names that repeat.
    pub(crate) fn judge(text: String, compiler: &Compiler) -> Self {
        let mut report = Self {
            text,
            name: None,
            input: None,
            output: None,
            findings: Vec::new(),
        };
        match OwnedDocument::read(report.text.as_bytes(), &generous()) {
            Ok(document) => report.judge_members(document.document().root(), compiler),
            Err(error) => report
                .findings
                .push(Finding::on_tool("json", error.to_string(), "")),
        }
        // The sort is stable, so findings of the same severity keep their order.
        report.findings.sort_by_key(|finding| !finding.fatal);
        report
    }

    pub(crate) fn verdict(&self) -> Verdict {
        match self.findings.first() {
            None => Verdict::Ok,
            Some(finding) if finding.fatal => Verdict::Refused,
            Some(_) => Verdict::Warned,
        }
    }

    fn judge_members(&mut self, root: View<'_>, compiler: &Compiler) {
        if root.kind() != Kind::Object {
            let message = format!("a tool must be an object, found {}", article(root.kind()));
            self.findings
                .push(Finding::on_tool("not-an-object", message, ""));
            return;
        }
        self.judge_name(root.member("name"));
        self.judge_input(root.member("inputSchema"), compiler);
        self.judge_output(root.member("outputSchema"), compiler);
        self.judge_keys(root);
    }

    fn judge_name(&mut self, name: Option<View<'_>>) {
        let finding = match name {
            None => Finding::on_tool("name", "has no `name`".to_owned(), ""),
            Some(name) if name.kind() != Kind::String => Finding::on_tool(
                "name",
                format!("`name` must be a string, found {}", article(name.kind())),
                "/name",
            )
            .at(name),
            Some(name) => {
                self.name = Some(name.string().to_owned());
                match name_fault(name.string()) {
                    None => return,
                    Some(fault) => Finding {
                        fatal: name.string().is_empty(),
                        ..Finding::on_tool("name", fault, "/name").at(name)
                    },
                }
            }
        };
        self.findings.push(finding);
    }

    /// Warns of an argument schema in place of JSON Schema, where it means something else.
    fn recognise(&mut self, schema: View<'_>) {
        let Some(sign) = recognise(schema) else {
            return;
        };
        let message = format!(
            "this looks like an argument schema, not JSON Schema: {}",
            sign.what()
        );
        let finding = Finding::on_part(Part::Input, ARGUMENT_SCHEMA, message);
        let at = schema
            .document()
            .at_pointer(sign.pointer())
            .unwrap_or(schema);
        let pointer = sign
            .pointer()
            .strip_prefix("/inputSchema")
            .unwrap_or("")
            .to_owned();
        self.findings.push(Finding {
            fatal: false,
            pointer,
            help: Some(
                "`toolsure argument-schema convert FILE` converts it to JSON Schema".to_owned(),
            ),
            ..finding.at(at).within(schema)
        });
    }

    fn judge_input(&mut self, schema: Option<View<'_>>, compiler: &Compiler) {
        let Some(schema) = schema else {
            self.findings.push(Finding::on_tool(
                "input-schema",
                "has no `inputSchema`".to_owned(),
                "",
            ));
            return;
        };
        self.input = Some(schema.raw().len());
        if schema.kind() != Kind::Object {
            let message = format!("must be a schema object, found {}", article(schema.kind()));
            self.findings
                .push(Finding::on_part(Part::Input, "input-schema", message).at(schema));
            return;
        }
        self.recognise(schema);
        let root_type = schema.member("type");
        if !root_type
            .is_some_and(|value| value.kind() == Kind::String && value.string() == "object")
        {
            let found = root_type.map_or("none".to_owned(), |value| {
                format!("`{}`", quote(value.raw(), 60))
            });
            let message = format!("the root must have `\"type\": \"object\"`, found {found}");
            let mut finding = Finding::on_part(Part::Input, "input-root", message)
                .at(root_type.unwrap_or(schema));
            if root_type.is_some() {
                finding.pointer = "/type".to_owned();
            }
            self.findings.push(finding.within(schema));
        }
        self.compile(Part::Input, schema, compiler);
    }

    fn judge_output(&mut self, schema: Option<View<'_>>, compiler: &Compiler) {
        let Some(schema) = schema else { return };
        self.output = Some(schema.raw().len());
        if schema.kind() != Kind::Object {
            let message = format!("must be a schema object, found {}", article(schema.kind()));
            self.findings
                .push(Finding::on_part(Part::Output, "output-schema", message).at(schema));
            return;
        }
        self.compile(Part::Output, schema, compiler);
    }

    fn compile(&mut self, part: Part, schema: View<'_>, compiler: &Compiler) {
        let Err(refusal) = engine::compile(compiler, schema.raw()) else {
            return;
        };
        let start = schema.span().start;
        let span = refusal
            .span
            .map(|span| start.saturating_add(span.start)..start.saturating_add(span.end));
        let finding = Finding::on_part(part, refusal.code, refusal.message);
        self.findings.push(Finding {
            pointer: refusal.pointer,
            span,
            whole: Some(start..schema.span().end),
            help: refusal.help,
            ..finding
        });
    }

    /// Refuses a duplicate key outside the schemas: two parsers may see two different tools.
    fn judge_keys(&mut self, root: View<'_>) {
        let strict = ReadLimits {
            duplicate_keys: DuplicateKeys::Refuse,
            ..generous()
        };
        let Err(error) = OwnedDocument::read(self.text.as_bytes(), &strict) else {
            return;
        };
        let at = error.at();
        let in_schema = ["inputSchema", "outputSchema"]
            .iter()
            .filter_map(|name| root.member(name))
            .any(|schema| (schema.span().start..schema.span().end).contains(&at));
        if error.kind() == ReadErrorKind::DuplicateKey && !in_schema {
            let finding = Finding::on_tool("duplicate-key", error.to_string(), "");
            self.findings.push(Finding {
                span: Some(at..at.saturating_add(1)),
                ..finding
            });
        }
    }
}

/// Refuses every tool with the name of an earlier one, because no call could reach it.
pub(crate) fn mark_duplicates(tools: &mut [ToolReport]) {
    let mut first = std::collections::HashMap::new();
    for (index, tool) in tools.iter_mut().enumerate() {
        let Some(name) = tool.name.clone() else {
            continue;
        };
        match first.entry(name) {
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(index);
            }
            std::collections::hash_map::Entry::Occupied(taken) => {
                let message = format!(
                    "tool {} of the listing has the same name",
                    taken.get().saturating_add(1)
                );
                tool.findings
                    .insert(0, Finding::on_tool("duplicate-name", message, "/name"));
            }
        }
    }
}

impl Finding {
    fn on_tool(code: &'static str, message: String, pointer: &str) -> Self {
        debug_assert!(CHECK.contains(&code), "settings do not know `{code}`");
        Self {
            fatal: true,
            part: Part::Tool,
            code,
            message,
            pointer: pointer.to_owned(),
            span: None,
            whole: None,
            help: None,
        }
    }

    fn on_part(part: Part, code: &'static str, message: String) -> Self {
        Self {
            part,
            ..Self::on_tool(code, message, "")
        }
    }

    fn at(mut self, place: View<'_>) -> Self {
        self.span = Some(place.span().start..place.span().end);
        self
    }

    fn within(mut self, whole: View<'_>) -> Self {
        self.whole = Some(whole.span().start..whole.span().end);
        self
    }

    /// The location as a JSON pointer into the tool.
    pub(crate) fn pointer_in_tool(&self) -> String {
        let mut whole = String::new();
        if let Some(member) = self.part.member() {
            pointer::push(&mut whole, member);
        }
        whole.push_str(&self.pointer);
        whole
    }
}

/// Why the specification advises against a name (2026-07-28, server/tools, "Tool Names").
fn name_fault(name: &str) -> Option<String> {
    let length = name.chars().count();
    if length == 0 {
        return Some("`name` is empty".to_owned());
    }
    if length > NAME_CHARS {
        return Some(format!(
            "`name` should have at most {NAME_CHARS} characters, found {length}"
        ));
    }
    let odd = name
        .chars()
        .find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))?;
    let shown = odd.to_string();
    Some(format!(
        "`name` should have only letters, digits, `_`, `-` and `.`, found `{}`",
        quote(&shown, 8)
    ))
}

fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Boolean => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// Loose limits for the tool around its schemas; the compiler has its own limits for the schemas.
fn generous() -> ReadLimits {
    ReadLimits {
        bytes: usize::MAX,
        depth: usize::MAX,
        nodes: usize::MAX,
        digits: usize::MAX,
        duplicate_keys: DuplicateKeys::KeepLast,
    }
}

/// The code of the finding on an argument schema where JSON Schema was expected.
pub(crate) const ARGUMENT_SCHEMA: &str = "argument-schema";
const NAME_CHARS: usize = 128;
