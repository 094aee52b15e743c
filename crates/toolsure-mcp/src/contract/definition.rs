//! Reads a tool's definition and checks what the protocol requires of its members.

use toolsure_analysis::tool::{CONTRACT, TOOL, is_unseen, lookalike};
use toolsure_json::{Key as _, Kind, Node as _, Span, View};

use super::malformed::MalformedTool;

/// A well-formed tool: its name, and the spans of the tool and its schemas in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ToolSpans<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Span,
    pub(crate) input: Span,
    pub(crate) output: Option<Span>,
}

/// The parts of a well-formed tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Definition<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Span,
    pub(crate) input: View<'a>,
    pub(crate) output: Option<View<'a>>,
}

impl<'a> Definition<'a> {
    /// Reads a tool from a list. Ignores unknown members.
    pub(crate) fn read(tool: View<'a>) -> Result<Self, MalformedTool> {
        if tool.kind() != Kind::Object {
            return Err(MalformedTool::NotAnObject(tool.kind()));
        }
        let (mut name, mut input, mut output) = (None, None, None);
        for (key, value) in tool.members() {
            match key.text() {
                "name" => name = Some(value),
                "inputSchema" => input = Some(value),
                "outputSchema" => output = Some(value),
                other => {
                    if let Some(member) = lookalike(other, &CONTRACT) {
                        return Err(MalformedTool::Lookalike(member));
                    }
                }
            }
            if let Some((member, expected, wanted)) = member(key.text()) {
                expect(value, member, expected, wanted)?;
            }
        }
        let name = name.ok_or(MalformedTool::Missing("name"))?;
        let input = input.ok_or(MalformedTool::Missing("inputSchema"))?;
        if let Some(odd) = name.string().chars().find(|c| is_unseen(*c)) {
            return Err(MalformedTool::UnseenInName(odd));
        }
        let definition = Self {
            name: name.string(),
            span: tool.span(),
            input,
            output,
        };
        definition.roots()?;
        Ok(definition)
    }

    /// The spans of its parts.
    pub(crate) fn spans(&self) -> ToolSpans<'a> {
        ToolSpans {
            name: self.name,
            span: self.span,
            input: self.input.span(),
            output: self.output.map(View::span),
        }
    }

    fn roots(&self) -> Result<(), MalformedTool> {
        for (key, value) in self.input.members() {
            match key.text() {
                "type" if value.string() != "object" => {
                    return Err(MalformedTool::InputTypeNotObject {
                        found: value.raw().chars().take(FOUND).collect(),
                    });
                }
                "$schema" => expect(value, "inputSchema.$schema", "a string", Kind::String)?,
                _ => {}
            }
        }
        if self.input.member("type").is_none() {
            return Err(MalformedTool::InputTypeMissing);
        }
        if let Some(dialect) = self.output.and_then(|output| output.member("$schema")) {
            expect(dialect, "outputSchema.$schema", "a string", Kind::String)?;
        }
        Ok(())
    }
}

/// What the protocol requires a member of a tool to be, if it says so: the member's name, and its
/// kind in words and as a [`Kind`].
pub(crate) fn member(name: &str) -> Option<(&'static str, &'static str, Kind)> {
    let (name, form) = TOOL.get(name)?;
    Some((name, form.expected(), form.kind()))
}

fn expect(
    value: View<'_>,
    member: &'static str,
    expected: &'static str,
    wanted: Kind,
) -> Result<(), MalformedTool> {
    if value.kind() == wanted {
        return Ok(());
    }
    Err(MalformedTool::Member {
        member,
        expected,
        found: value.kind(),
    })
}

/// The maximum number of characters of a wrong `type` that are kept.
const FOUND: usize = 80;
