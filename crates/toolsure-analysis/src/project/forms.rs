//! Tools in the forms of providers' APIs: written for a request, and read back as tools of the protocol.

use toolsure_json::{Kind, Node as _, View, json_string};
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
/// assert_eq!(tools, [r#"{"name":"find","inputSchema":{"type": "object"}}"#]);
/// # Ok::<(), toolsure_analysis::ReadError>(())
/// ```
#[must_use]
pub fn read_provider_tools(listing: View<'_>) -> Option<Vec<String>> {
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

/// The tools of one entry; none if it has no known form.
fn declared_tools(entry: View<'_>) -> Vec<String> {
    let object = |name| {
        entry
            .member(name)
            .filter(|one: &View<'_>| one.kind() == Kind::Object)
    };
    let declarations = ["functionDeclarations", "function_declarations"];
    let declarations = declarations.into_iter().find_map(|name| entry.member(name));
    if let Some(declarations) = declarations {
        return declarations
            .items()
            .filter_map(|one| from_gemini(one))
            .collect();
    }
    let is_function = entry
        .member("type")
        .is_some_and(|own| own.kind() == Kind::String && own.string() == "function");
    let tool = match (object("function"), object("input_schema")) {
        (Some(function), _) if is_function => of_protocol(function, function.member("parameters")),
        (_, Some(schema)) => of_protocol(entry, Some(schema)),
        _ if is_function || object("parameters").is_some() => {
            of_protocol(entry, entry.member("parameters"))
        }
        _ => None,
    };
    tool.into_iter().collect()
}

fn of_protocol(function: View<'_>, schema: Option<View<'_>>) -> Option<String> {
    let schema = schema.filter(|schema| schema.kind() == Kind::Object);
    let schema = schema.map_or(NO_PARAMETERS, |schema| schema.raw());
    written(function, schema)
}

fn from_gemini(function: View<'_>) -> Option<String> {
    if let Some(schema) = function.member("parametersJsonSchema") {
        return of_protocol(function, Some(schema));
    }
    let Some(schema) = function.member("parameters") else {
        return of_protocol(function, None);
    };
    let mut schema = Json::of(schema);
    lower_types(&mut schema);
    written(function, &without_nullable(&schema).write())
}

fn written(function: View<'_>, schema: &str) -> Option<String> {
    let text = |name| {
        let text = function
            .member(name)
            .filter(|one| one.kind() == Kind::String);
        text.map(|text| json_string(text.string()))
    };
    let name = text("name")?;
    let about =
        text("description").map_or(String::new(), |about| format!(",\"description\":{about}"));
    Some(format!(
        "{{\"name\":{name}{about},\"inputSchema\":{schema}}}"
    ))
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

const NO_PARAMETERS: &str = r#"{"type":"object","properties":{}}"#;
