//! Tools in the forms of providers' APIs: written for a request, and read back as tools of the protocol.

use std::ops::Range;

use toolsure_json::{Key as _, Kind, Node as _, View, json_string};
use toolsure_syntax::Dialect;
use toolsure_syntax::positions::{SubschemaLayout, layout_in};

use super::encode::without_nullable;
use super::tree::{Json, Members};

/// The form in which the API of a provider takes tools.
///
/// | form | the member `tools` of a request |
/// |---|---|
/// | `openai` | Chat Completions: `[{"type": "function", "function": {"name", "description", "parameters", "strict"}}]` |
/// | `responses` | Responses: `[{"type": "function", "name", "description", "parameters", "strict"}]` |
/// | `anthropic` | Messages: `[{"name", "description", "input_schema"}]`, with `strict` if it is true |
/// | `gemini` | Gemini and Vertex: `[{"functionDeclarations": [{"name", "description", "parameters"}]}]` |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProviderForm {
    /// OpenAI's Chat Completions, and servers that are compatible with it.
    Openai,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's and Vertex's `generateContent`.
    Gemini,
}

impl ProviderForm {
    /// All forms.
    pub const ALL: &'static [Self] =
        &[Self::Openai, Self::Responses, Self::Anthropic, Self::Gemini];

    /// The name, such as `responses`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Writes tools of the protocol, given as their JSON texts, as the value of the request's member
    /// `tools`. `strict` tells whether the provider is to hold the model to the schema, which needs one
    /// that is projected for the provider's strict profile; Gemini has no such choice. Tools without a
    /// name and an input schema are left out.
    ///
    /// ```
    /// use toolsure_analysis::project::ProviderForm;
    ///
    /// let tool = r#"{"name": "find", "inputSchema": {"type": "object"}}"#;
    /// assert_eq!(
    ///     ProviderForm::Responses.write([tool], false),
    ///     r#"[{"type":"function","name":"find","parameters":{"type": "object"},"strict":false}]"#,
    /// );
    /// assert_eq!(
    ///     ProviderForm::Anthropic.write([tool], false),
    ///     r#"[{"name":"find","input_schema":{"type": "object"}}]"#,
    /// );
    /// ```
    #[must_use]
    pub fn write<'t>(self, tools: impl IntoIterator<Item = &'t str>, strict: bool) -> String {
        let tools = tools.into_iter().filter_map(|text| self.tool(text, strict));
        let tools = tools.collect::<Vec<_>>().join(",\n ");
        match self {
            Self::Gemini => format!("[{{\"functionDeclarations\":[{tools}]}}]"),
            _ => format!("[{tools}]"),
        }
    }

    fn tool(self, text: &str, strict: bool) -> Option<String> {
        let document = super::limits::read_own(text).ok()?;
        let tool = document.document().root();
        let text = |name| tool.member(name).filter(|one| one.kind() == Kind::String);
        let schema = tool
            .member("inputSchema")
            .filter(|one| one.kind() == Kind::Object)?;
        let name = json_string(text("name")?.string());
        let about = text("description").map(|about| json_string(about.string()));
        let about = about.map_or(String::new(), |about| format!(",\"description\":{about}"));
        let schema = schema.raw();
        Some(match self {
            Self::Openai => format!(
                "{{\"type\":\"function\",\"function\":{{\"name\":{name}{about},\"parameters\":{schema},\"strict\":{strict}}}}}"
            ),
            // The API is strict unless told otherwise.
            Self::Responses => format!(
                "{{\"type\":\"function\",\"name\":{name}{about},\"parameters\":{schema},\"strict\":{strict}}}"
            ),
            Self::Anthropic => {
                let strict = if strict { ",\"strict\":true" } else { "" };
                format!("{{\"name\":{name}{about},\"input_schema\":{schema}{strict}}}")
            }
            Self::Gemini => format!("{{\"name\":{name}{about},\"parameters\":{schema}}}"),
        })
    }
}

/// The tools of a listing in one of the forms, as tools of the protocol in JSON text: the value of a
/// request's member `tools`, an object that has it, or one tool. `None` if no tool in it has such a form;
/// then it may be a listing of the protocol.
///
/// A tool without parameters takes an empty object. Gemini's schemas, with `STRING` for `string` and
/// `nullable`, are written in JSON Schema.
///
/// ```
/// use toolsure_analysis::project::read_provider_tools;
/// use toolsure_json::{OwnedDocument, ReadLimits};
///
/// let request = r#"{"tools": [{"type": "function", "function": {"name": "find",
///     "parameters": {"type": "object"}}}]}"#;
/// let request = OwnedDocument::read(request, &ReadLimits::default())?;
/// let tools = read_provider_tools(request.document().root()).unwrap_or_default();
/// assert_eq!(tools[0].text, r#"{"name":"find","inputSchema":{"type": "object"}}"#);
/// assert_eq!(tools[0].members[2], ("/inputSchema", "/function/parameters"));
/// # Ok::<(), toolsure_analysis::ReadError>(())
/// ```
#[must_use]
pub fn read_provider_tools(listing: View<'_>) -> Option<Vec<ProviderTool>> {
    let inside = listing
        .member("tools")
        .filter(|one| one.kind() == Kind::Array);
    let all = inside.unwrap_or(listing);
    let mut found = Vec::new();
    match all.kind() {
        Kind::Array => {
            for one in all.items() {
                found.extend(declared_tools(one));
            }
        }
        _ => found.extend(declared_tools(all)),
    }
    (!found.is_empty()).then_some(found)
}

/// A tool that was read from the form of a provider's API.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ProviderTool {
    /// The form.
    pub form: ProviderForm,
    /// The tool in the form of the protocol.
    pub text: String,
    /// The byte of the listing where the declaration begins that names the tool or has the name in it.
    pub start: usize,
    /// The bytes of `text` that have a place in the listing, and that place. Where both are of the same
    /// length, they are equal but for the case of letters.
    pub parts: Vec<(Range<usize>, Range<usize>)>,
    /// The JSON Pointers of members of the tool, and where they are in the declaration.
    pub members: [(&'static str, &'static str); 3],
}

/// The tools of one entry; none if it has no known form.
fn declared_tools(entry: View<'_>) -> Vec<ProviderTool> {
    let object = |name| {
        entry
            .member(name)
            .filter(|one: &View<'_>| one.kind() == Kind::Object)
    };
    let declarations = ["functionDeclarations", "function_declarations"];
    let declarations = declarations.into_iter().find_map(|name| entry.member(name));
    if let Some(declarations) = declarations {
        return declarations.items().map(from_gemini).collect();
    }
    let is_function = entry
        .member("type")
        .is_some_and(|own| own.kind() == Kind::String && own.string() == "function");
    let tool = match (object("function"), object("input_schema")) {
        (Some(function), _) if is_function => Declaration {
            form: ProviderForm::Openai,
            entry,
            function,
            schema: "parameters",
            members: [
                ("/name", "/function/name"),
                ("/description", "/function/description"),
                ("/inputSchema", "/function/parameters"),
            ],
        },
        (_, Some(_)) => Declaration::flat(ProviderForm::Anthropic, entry, "input_schema", INPUT),
        _ if is_function || object("parameters").is_some() => {
            Declaration::flat(ProviderForm::Responses, entry, "parameters", PARAMETERS)
        }
        _ => return Vec::new(),
    };
    vec![tool.read()]
}

fn from_gemini(function: View<'_>) -> ProviderTool {
    let form = ProviderForm::Gemini;
    match function.member("parametersJsonSchema") {
        Some(_) => Declaration::flat(form, function, "parametersJsonSchema", JSON_SCHEMA).read(),
        None => Declaration::flat(form, function, "parameters", PARAMETERS).read(),
    }
}

/// A declaration of a function.
struct Declaration<'a> {
    form: ProviderForm,
    entry: View<'a>,
    /// The object with the name.
    function: View<'a>,
    /// The member with the schema of the arguments.
    schema: &'static str,
    members: [(&'static str, &'static str); 3],
}

impl<'a> Declaration<'a> {
    fn flat(
        form: ProviderForm,
        entry: View<'a>,
        schema: &'static str,
        pointer: &'static str,
    ) -> Self {
        Self {
            form,
            entry,
            function: entry,
            schema,
            members: [
                ("/name", "/name"),
                ("/description", "/description"),
                ("/inputSchema", pointer),
            ],
        }
    }

    /// The tool of the protocol. What is malformed stays so, for readers of tools to tell.
    fn read(self) -> ProviderTool {
        let mut text = String::from("{");
        let mut parts = Vec::new();
        for (name, own) in [
            ("name", "name"),
            ("description", "description"),
            ("inputSchema", self.schema),
        ] {
            let value = self.function.member(own);
            let written = match value {
                Some(schema) if name == "inputSchema" && self.form == ProviderForm::Gemini => {
                    lowered(schema)
                }
                Some(value) => value.raw().to_owned(),
                None if name == "inputSchema" => NO_PARAMETERS.to_owned(),
                None => continue,
            };
            let comma = if text.len() > 1 { "," } else { "" };
            text.push_str(&format!("{comma}\"{name}\":"));
            let start = text.len();
            text.push_str(&written);
            if let Some(span) = value.map(View::span) {
                parts.push((start..text.len(), span.start..span.end));
            }
        }
        text.push('}');
        ProviderTool {
            form: self.form,
            text,
            start: self.entry.span().start,
            parts,
            members: self.members,
        }
    }
}

/// A schema in Gemini's own language as JSON Schema: as it is, if it is JSON Schema already.
fn lowered(schema: View<'_>) -> String {
    if !schema.raw().contains("\"nullable\"") {
        return lowered_in_place(schema);
    }
    let mut json = Json::of(schema);
    lower_types(&mut json);
    without_nullable(&json).write()
}

/// The text of a schema with the names of types in lower case.
fn lowered_in_place(schema: View<'_>) -> String {
    let start = schema.span().start;
    let mut text = schema.raw().to_owned();
    let mut waiting = vec![schema];
    while let Some(schema) = waiting.pop() {
        for (key, value) in schema.members() {
            let keyword = key.text();
            if keyword == "type" && value.kind() == Kind::String {
                let span = value.span();
                let within = span.start.saturating_sub(start)..span.end.saturating_sub(start);
                if let Some(name) = text.get_mut(within) {
                    name.make_ascii_lowercase();
                }
            }
            match (layout_in(Dialect::Draft202012, keyword), value.kind()) {
                (Some(SubschemaLayout::Map), _) => {
                    waiting.extend(value.members().map(|(_, one)| one));
                }
                (Some(SubschemaLayout::Schemas), Kind::Array) => waiting.extend(value.items()),
                (Some(SubschemaLayout::Schemas), _) => waiting.push(value),
                _ => {}
            }
        }
    }
    text
}

/// Writes the names of types as JSON Schema does.
fn lower_types(schema: &mut Json) {
    let Json::Object(Members { list, .. }) = schema else {
        return;
    };
    for (keyword, value) in list {
        if keyword == "type"
            && let Json::Text(name) = value
        {
            name.make_ascii_lowercase();
        }
        match (layout_in(Dialect::Draft202012, keyword), value) {
            (Some(SubschemaLayout::Map), Json::Object(map)) => {
                map.list.iter_mut().for_each(|(_, one)| lower_types(one));
            }
            (Some(SubschemaLayout::Schemas), Json::Array(all)) => {
                all.iter_mut().for_each(lower_types);
            }
            (Some(SubschemaLayout::Schemas), one) => lower_types(one),
            _ => {}
        }
    }
}

/// Where Responses, Anthropic and Gemini have the schema.
const PARAMETERS: &str = "/parameters";
const INPUT: &str = "/input_schema";
const JSON_SCHEMA: &str = "/parametersJsonSchema";
const NO_PARAMETERS: &str = r#"{"type":"object","properties":{}}"#;
