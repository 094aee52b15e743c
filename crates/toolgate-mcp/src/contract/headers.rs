//! `x-mcp-header`: parameters that are also sent as HTTP headers (2026-07-28, server/tools and
//! basic/transports/streamable-http).

use std::collections::HashSet;
use std::fmt;

use toolgate_json::{Key as _, Kind, Node as _, ReadError, View, pointer, quote};

use toolgate_syntax::positions::{SubschemaLayout, layout};

/// A parameter that a client also sends as the header `Mcp-Param-{name}`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderParameter {
    /// The name in the annotation.
    pub name: String,
    /// The names of the properties that lead to the value in the arguments.
    pub path: Vec<String>,
    /// The value's type.
    pub kind: HeaderKind,
}

/// A type that a header can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderKind {
    /// `string`
    String,
    /// `integer`, within ±(2^53 - 1)
    Integer,
    /// `boolean`
    Boolean,
}

/// Why a tool's annotations break the rules. A client on HTTP must drop the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderFault {
    /// The location, as a JSON pointer into the input schema.
    pub pointer: String,
    /// What is wrong.
    pub kind: HeaderFaultKind,
}

/// Which rule an annotation breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderFaultKind {
    /// The annotation is not a string.
    NotAString,
    /// The name is empty or not a token of RFC 9110 section 5.6.2.
    NotAToken(String),
    /// Another annotation has the same name, ignoring letter case.
    Duplicate(String),
    /// The type is not exactly one of `string`, `integer` and `boolean`.
    Type,
    /// It is not reached from the root by `properties` alone.
    Unreachable,
    /// The schema cannot be parsed, so its annotations are unknown.
    Unreadable(ReadError),
}

impl fmt::Display for HeaderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            HeaderFaultKind::NotAString => f.write_str("`x-mcp-header` must be a string")?,
            HeaderFaultKind::NotAToken(name) => write!(
                f,
                "`x-mcp-header` must be a header token, found `{}`",
                quote(name, SHOWN)
            )?,
            HeaderFaultKind::Duplicate(name) => write!(
                f,
                "`x-mcp-header` `{}` is used twice, ignoring case",
                quote(name, SHOWN)
            )?,
            HeaderFaultKind::Type => {
                f.write_str("`x-mcp-header` must stand on a `string`, `integer` or `boolean`")?
            }
            HeaderFaultKind::Unreachable => {
                f.write_str("`x-mcp-header` must be reached through `properties` alone")?
            }
            HeaderFaultKind::Unreadable(error) => {
                write!(f, "the schema with `x-mcp-header` cannot be read: {error}")?
            }
        }
        write!(f, " (at inputSchema {})", quote(&self.pointer, PLACE))
    }
}

/// The annotated parameters of an input schema, in the schema's order.
pub(crate) fn parameters(input: View<'_>) -> Result<Vec<HeaderParameter>, HeaderFault> {
    let mut found = Vec::new();
    let mut names = HashSet::new();
    let mut waiting = vec![(input, true)];
    while let Some((schema, reachable)) = waiting.pop() {
        let annotation = schema.member("x-mcp-header");
        if let Some(annotation) = annotation {
            let parameter = judge(input, schema, annotation, reachable, &mut names);
            found.push(parameter.map_err(|kind| HeaderFault {
                pointer: schema.document().pointer(annotation.id()),
                kind,
            })?);
        }
        let before = waiting.len();
        for (key, value) in schema.members() {
            match layout(key.text()) {
                None => {}
                Some(SubschemaLayout::Map) => {
                    let through = reachable && key.text() == "properties";
                    waiting.extend(value.members().map(|(_, schema)| (schema, through)));
                }
                Some(SubschemaLayout::Schemas) if value.kind() == Kind::Array => {
                    waiting.extend(value.items().map(|schema| (schema, false)));
                }
                Some(SubschemaLayout::Schemas) => waiting.push((value, false)),
            }
        }
        if let Some(added) = waiting.get_mut(before..) {
            added.reverse();
        }
    }
    Ok(found)
}

fn judge(
    input: View<'_>,
    schema: View<'_>,
    annotation: View<'_>,
    reachable: bool,
    names: &mut HashSet<String>,
) -> Result<HeaderParameter, HeaderFaultKind> {
    if annotation.kind() != Kind::String {
        return Err(HeaderFaultKind::NotAString);
    }
    let name = annotation.string().to_owned();
    if !is_token(&name) {
        return Err(HeaderFaultKind::NotAToken(name));
    }
    // The root is not a parameter.
    if !reachable || schema.id() == input.id() {
        return Err(HeaderFaultKind::Unreachable);
    }
    let kind = match schema.member("type").map(toolgate_json::Node::string) {
        Some("string") => HeaderKind::String,
        Some("integer") => HeaderKind::Integer,
        Some("boolean") => HeaderKind::Boolean,
        _ => return Err(HeaderFaultKind::Type),
    };
    if !names.insert(name.to_ascii_lowercase()) {
        return Err(HeaderFaultKind::Duplicate(name));
    }
    let place = schema.document().pointer(schema.id());
    let root = schema.document().pointer(input.id());
    let Some(inside) = place.strip_prefix(root.as_str()) else {
        return Err(HeaderFaultKind::Unreachable);
    };
    // The pointer alternates `properties` and names.
    let path = pointer::tokens(inside)
        .skip(1)
        .step_by(2)
        .map(|token| token.into_owned());
    Ok(HeaderParameter {
        name,
        path: path.collect(),
        kind,
    })
}

/// RFC 9110 section 5.6.2.
fn is_token(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !name.is_empty() && name.bytes().all(allowed)
}

/// The maximum number of characters of an annotation in a message.
const SHOWN: usize = 64;
/// The maximum number of characters of a pointer in a message.
const PLACE: usize = 200;
