//! Finds the parameters of a tool that are also sent as HTTP headers.

use std::fmt;

use toolsure_analysis::tool::{HEADER, HeaderFaultKind, HeaderKind, HeaderNames};
use toolsure_json::{Key as _, Kind, Node as _, View, quote};
use toolsure_syntax::positions::{SubschemaLayout, layout};

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

/// Why a tool's annotations break the rules. A client on HTTP must drop the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderFault {
    /// The location, as a JSON pointer into the input schema.
    pub pointer: String,
    /// What is wrong.
    pub kind: HeaderFaultKind,
}

impl fmt::Display for HeaderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = quote(&self.pointer, PLACE);
        write!(f, "{} (at inputSchema {pointer})", self.kind)
    }
}

/// The annotated parameters of an input schema, in the schema's order.
pub(crate) fn parameters(input: View<'_>) -> Result<Vec<HeaderParameter>, HeaderFault> {
    let (mut found, mut names) = (Vec::new(), HeaderNames::default());
    let mut left = PATH_BYTES;
    let mut waiting = vec![(input, true)];
    while let Some((schema, reachable)) = waiting.pop() {
        if let Some(annotation) = schema.member(HEADER) {
            // The root is not a parameter.
            let is_parameter = reachable && schema.id() != input.id();
            let fault = |kind| HeaderFault {
                pointer: schema.document().pointer(annotation.id()),
                kind,
            };
            let named = names.add(schema, annotation, is_parameter);
            let (name, kind) = named.map_err(fault)?;
            let path = path(input, schema, &mut left);
            found.push(HeaderParameter {
                name: name.to_owned(),
                path: path.ok_or_else(|| fault(HeaderFaultKind::TooLong { limit: PATH_BYTES }))?,
                kind,
            });
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

/// The names of the properties that lead from the root to a parameter; `None` if they take more
/// bytes than are `left`.
fn path(input: View<'_>, parameter: View<'_>, left: &mut usize) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut next = Some(parameter);
    while let Some(schema) = next.filter(|schema| schema.id() != input.id()) {
        if let Some(name) = schema.name() {
            let name = name.string();
            *left = left.checked_sub(NAME_BYTES + name.len())?;
            names.push(name.to_owned());
        }
        let properties = schema.parent();
        next = properties.and_then(View::parent);
    }
    names.reverse();
    Some(names)
}

/// The maximum number of bytes that the paths of all parameters take together.
const PATH_BYTES: usize = 1 << 20;
/// The bytes of a name besides its text.
const NAME_BYTES: usize = 32;
/// The maximum number of characters of a pointer in a message.
const PLACE: usize = 200;
