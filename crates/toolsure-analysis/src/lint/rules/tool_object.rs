//! Rules on the tool object: its name, descriptions, annotations and members.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use toolsure_json::{Key as _, Kind, Node, View, quote};

use super::text::is_unseen;
use super::{Listing, Silent, list, words_of_name};
use crate::lint::edit::rename;
use crate::lint::finding::Safety;
use crate::lint::out::{About, Out};
use crate::lint::tool::{Place, Side, Subschema, Tool, span};
use crate::readers::Fact;
use crate::tool::{
    ANNOTATIONS, HEADER, HeaderFaultKind, HeaderNames, NameFault, TOOL, is_token_char,
};

/// TL001: the tool is an object with a name.
pub(crate) fn is_tool(tool: &Tool<'_>, out: &mut Out<'_>) {
    if tool.root.kind() != Kind::Object {
        let message = format!("a tool must be an object, found {}", tool.root.kind());
        out.find(tool.member_place(""), message);
        return;
    }
    match tool.root.member("name") {
        None => {
            out.find(tool.member_place("name"), "the tool has no `name`")
                .help("no client can list or call it; add a `name`");
        }
        Some(name) if name.kind() != Kind::String => {
            let message = format!("`name` must be a string, found {}", name.kind());
            out.find(tool.member_place("name"), message);
        }
        Some(name) if name.string().is_empty() => {
            out.find(tool.member_place("name"), "`name` is empty");
        }
        Some(_) => {}
    }
}

/// TL002: the name follows the recommendation of the specification.
pub(crate) fn name(tool: &Tool<'_>, out: &mut Out<'_>) {
    let message = match tool.text("name").and_then(NameFault::of) {
        // TL001 reports an empty name.
        None | Some(NameFault::Empty) => return,
        // TL109 reports what nobody sees.
        Some(NameFault::Character(odd)) if is_unseen(odd) => return,
        Some(NameFault::Character(odd)) => {
            format!("the name has a `{}` in it", quote(&odd.to_string(), 10))
        }
        Some(fault @ NameFault::TooLong { .. }) => fault.to_string(),
    };
    let help = format!(
        "a name has 1 to {} of the characters `A-Z a-z 0-9 _ - .`",
        NameFault::LONGEST
    );
    out.find(tool.member_place("name"), message).help(help);
}

/// TL003: no two tools of a listing have the same name.
pub(crate) fn duplicate_names(listing: &Listing, out: &mut Out<'_>) {
    let mut first = HashMap::new();
    for (index, facts) in listing.tools.iter().enumerate() {
        let Some((name, span)) = &facts.name else {
            continue;
        };
        let taken = *first.entry(name.as_str()).or_insert(index);
        if taken != index {
            out.turn_to(About::Tool(index));
            let place = Place {
                pointer: "/name".to_owned(),
                span: span.clone(),
            };
            let message = format!(
                "the name `{}` is taken by tool {} of the listing",
                quote(name, 64),
                taken.saturating_add(1)
            );
            out.find(place, message)
                .help("clients keep one of the two and lose the other");
        }
    }
    out.turn_to(About::Listing);
}

/// TL005: misspelt members of the tool.
pub(crate) fn members(tool: &Tool<'_>, out: &mut Out<'_>) {
    for (key, _) in tool.root.members() {
        let name = key.text();
        if TOOL.get(name).is_some() {
            continue;
        }
        let bare: String = name
            .chars()
            .filter(|c| *c != '_' && *c != '-')
            .take(40)
            .collect();
        let meant = TOOL
            .names()
            .find(|member| member.eq_ignore_ascii_case(&bare))
            .or_else(|| tool.closest(name, TOOL.names()));
        let meant = match name {
            "parameters" | "params" | "args" | "arguments" => Some("inputSchema"),
            "returns" | "result" => Some("outputSchema"),
            _ => meant,
        };
        let Some(meant) = meant.filter(|meant| tool.member(tool.root, meant).is_none()) else {
            continue;
        };
        let place = Place {
            pointer: format!("/{}", quote(name, 64)),
            span: span(key.view()),
        };
        let edit = rename(key.view(), meant);
        out.find(
            place,
            format!("`{}` is not a member of a tool", quote(name, 64)),
        )
        .help(format!("did you mean `{meant}`?"))
        .fix(Safety::Unsafe, edit.map(|edit| vec![edit]));
    }
}

/// TL006: the tool says what it does.
pub(crate) fn described(tool: &Tool<'_>, out: &mut Out<'_>) {
    if tool.root.kind() != Kind::Object {
        return;
    }
    let empty = tool
        .text("description")
        .is_none_or(|text| text.trim().is_empty());
    if empty {
        out.find(tool.member_place("description"), "the tool has no description")
            .help("a model chooses tools by their descriptions; say what it does, when to use it, and what it returns");
    }
}

/// TL007: each parameter is described, by itself or in its tool's description. A name that several tools
/// have is reported for the first of them.
pub(crate) fn parameters_described(listing: &Listing, out: &mut Out<'_>) {
    let mut tools_with: HashMap<&str, usize> = HashMap::new();
    for silent in listing.tools.iter().filter_map(|tool| tool.silent.as_ref()) {
        for name in &silent.names {
            let count = tools_with.entry(name).or_default();
            *count = count.saturating_add(1);
        }
    }
    for (index, facts) in listing.tools.iter().enumerate() {
        let Some(silent) = &facts.silent else {
            continue;
        };
        let all = silent.names.iter().map(String::as_str);
        let new: Vec<(&str, usize)> = all
            .filter_map(|name| Some((name, tools_with.remove(name)?)))
            .collect();
        let names: Vec<&str> = new.iter().map(|(name, _)| *name).collect();
        let mut message = match names.as_slice() {
            [] => continue,
            [one] => format!("parameter `{}` has no description", quote(one, 64)),
            many => format!(
                "{} of {} parameters have no description: {}",
                many.len(),
                silent.of,
                list(many)
            ),
        };
        let others = new.iter().map(|(_, count)| count.saturating_sub(1)).max();
        match others.unwrap_or(0) {
            0 => {}
            1 => message.push_str(", here and in another tool"),
            others => message.push_str(&format!(", here and in up to {others} other tools")),
        }
        out.turn_to(About::Tool(index));
        let place = Place {
            pointer: "/inputSchema/properties".to_owned(),
            span: silent.span.clone(),
        };
        out.find(place, message)
            .help("a model sees only name and type; add a `description` to each");
    }
    out.turn_to(About::Listing);
}

/// The parameters of a tool that nothing describes; `None` if there are none.
pub(crate) fn silent_parameters(tool: &Tool<'_>) -> Option<Silent> {
    let schema = tool.schema(Side::Input)?;
    let properties = schema.member("properties")?;
    let prose = tool.text("description").unwrap_or_default();
    let words = words(prose);
    // Names of several words are searched one by one, in the first part of a long text.
    let start = prose.get(..LONGEST_PROSE.min(prose.len()));
    let start = start.unwrap_or(prose);
    let lower = OnceCell::new();
    let mentioned = |name: &str| {
        if prose.is_empty() {
            return false;
        }
        if name.chars().all(is_part_of_a_word) {
            if words.contains(name) {
                return true;
            }
        } else if mentions(start, name) {
            return true;
        }
        // `filePaths` is mentioned as "file paths".
        let parts = words_of_name(name);
        let lower = lower.get_or_init(|| start.to_lowercase());
        parts.len() > 1 && mentions(lower, &parts.join(" "))
    };
    let mut names = Vec::new();
    let mut first = None;
    for (key, property) in properties.members() {
        let name = key.text();
        if !says_something(property) && !is_of_pages(name) && !mentioned(name) {
            first.get_or_insert_with(|| span(key.view()));
            names.push(name.to_owned());
        }
    }
    Some(Silent {
        names,
        of: properties.len(),
        span: first?,
    })
}

/// TL008: the same for nested parameters.
pub(crate) fn nested_described<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(name) = sub.property() else { return };
    let nested = tool.parent(sub).is_some_and(|parent| !parent.is_root());
    if nested && sub.side == Side::Input && !says_something(sub.view) {
        let message = format!("nested property `{}` has no description", quote(name, 64));
        out.find(tool.place(sub), message);
    }
}

/// TL009: hints that contradict each other.
pub(crate) fn hints(tool: &Tool<'_>, out: &mut Out<'_>) {
    let Some(annotations) = tool.root.member("annotations") else {
        return;
    };
    let hint = |name: &str| annotations.member(name).is_some_and(Node::boolean);
    if hint("readOnlyHint") && hint("destructiveHint") {
        let place = Place {
            pointer: "/annotations/destructiveHint".to_owned(),
            span: annotations.member("destructiveHint").map_or(0..0, span),
        };
        out.find(place, "`destructiveHint` is true, and so is `readOnlyHint`")
            .help("a tool that changes nothing destroys nothing; set one of them to false");
    }
}

/// TL011: annotations that no client knows.
pub(crate) fn unknown_hints(tool: &Tool<'_>, out: &mut Out<'_>) {
    let Some(annotations) = tool.root.member("annotations") else {
        return;
    };
    for (key, value) in annotations.members() {
        let name = key.text();
        if ANNOTATIONS.get(name).is_some() {
            continue;
        }
        let place = annotation_place(name, value);
        let found = out.find(
            place,
            format!(
                "`{}` is not an annotation of the specification",
                quote(name, 64)
            ),
        );
        match tool.closest(name, ANNOTATIONS.names()) {
            Some(meant) => found.help(format!("did you mean `{meant}`?")),
            None => found.help("put what is your own under `_meta`"),
        };
    }
}

/// TL012: the tool has hints.
pub(crate) fn annotated(tool: &Tool<'_>, out: &mut Out<'_>) {
    if tool.root.kind() == Kind::Object && tool.root.member("annotations").is_none() {
        out.find(
            tool.member_place("annotations"),
            "the tool has no `annotations`",
        )
        .help("without `readOnlyHint` a client must assume that the tool changes things");
    }
}

/// TL108: members of a tool that a reader requires.
pub(crate) fn required_members(tool: &Tool<'_>, out: &mut Out<'_>) {
    if tool.root.kind() != Kind::Object {
        return;
    }
    let annotations = tool.root.member("annotations");
    let has = |name: &str| {
        let own = tool.root.member(name);
        let found = own.or_else(|| annotations.and_then(|annotations| annotations.member(name)));
        found.is_some_and(|value| match value.kind() {
            Kind::String => !value.string().trim().is_empty(),
            kind => kind == Kind::Boolean,
        })
    };
    for broken in out.facts() {
        let Fact::ToolMember(names) = broken.1.fact else {
            continue;
        };
        if !names.iter().any(|name| has(name)) {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let message = format!("the tool has no {}", names.join(" or "));
            let advice = "say what a person needs to know before it is called";
            out.find_broken(tool.member_place(""), message, &[broken], advice);
        }
    }
}

/// TL013: `x-mcp-header` (2026-07-28, server/tools): a token, unique, on a primitive property that is
/// reachable through `properties` alone.
pub(crate) fn headers(tool: &Tool<'_>, out: &mut Out<'_>) {
    let mut names = HeaderNames::default();
    for sub in &tool.subs {
        let Some(value) = sub.get(HEADER).filter(|_| sub.side == Side::Input) else {
            continue;
        };
        let Err(fault) = names.add(sub.view, value, reachable(tool, sub)) else {
            continue;
        };
        let fault = match fault {
            HeaderFaultKind::NotAString => format!("must be a string, found {}", value.kind()),
            HeaderFaultKind::NotAToken(name) => match name.chars().find(|c| !is_token_char(*c)) {
                Some(odd) => format!(
                    "has a `{}`, which no header name may have",
                    quote(&odd.to_string(), 10)
                ),
                None => "is empty".to_owned(),
            },
            HeaderFaultKind::Unreachable => {
                "is on a schema that is not reachable through `properties` alone".to_owned()
            }
            HeaderFaultKind::Type => {
                "must be on a property of type string, integer or boolean".to_owned()
            }
            HeaderFaultKind::Duplicate(name) => {
                format!("`{}` is given to two properties", quote(&name, 64))
            }
            // `HeaderNames` never returns it: lint keeps no paths.
            kind @ HeaderFaultKind::TooLong { .. } => kind.to_string(),
            HeaderFaultKind::Unreadable(error) => format!("cannot be read: {error}"),
        };
        out.find(tool.at(sub, HEADER), format!("`{HEADER}` {fault}"))
            .help("clients on HTTP must drop the whole tool");
    }
}

/// Whether a schema, one of its branches or one of its properties has a description, or its values describe
/// themselves.
fn says_something(schema: View<'_>) -> bool {
    let branches = ["anyOf", "oneOf", "allOf"]
        .iter()
        .filter_map(|keyword| schema.member(keyword));
    let items = schema.member("items");
    let items = items.filter(|items| items.kind() == Kind::Object);
    schema.kind() != Kind::Object
        || is_described(schema, NESTED)
        || schema.member("const").is_some()
        || has_names(schema)
        || items.is_some_and(says_something)
        || branches
            .flat_map(Node::items)
            .any(|one| is_described(one, NESTED))
}

/// Whether a schema or one of its properties has a description, down to `below` levels.
fn is_described(schema: View<'_>, below: usize) -> bool {
    let text = schema.member("description").map_or("", Node::string);
    if !text.trim().is_empty() || schema.member("$ref").is_some() {
        return true;
    }
    let Some(below) = below.checked_sub(1) else {
        return false;
    };
    let members = schema.member("properties").into_iter();
    let mut members = members.flat_map(View::members);
    members.any(|(_, member)| is_described(member, below))
}

/// Whether the possible values are a single value, or names.
fn has_names(schema: View<'_>) -> bool {
    let names = |list: View<'_>| {
        let words = |one: View<'_>| one.string().chars().any(char::is_alphabetic);
        list.len() == 1 || list.items().all(words)
    };
    schema
        .member("enum")
        .is_some_and(|list| !list.is_empty() && names(list))
}

/// Whether the name is a common one for pagination, which models know.
fn is_of_pages(name: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    let letters = letters.flat_map(char::to_lowercase);
    PAGES.iter().any(|page| page.chars().eq(letters.clone()))
}

/// Whether a text contains a name as a word.
fn mentions(text: &str, name: &str) -> bool {
    let part = is_part_of_a_word;
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let after = text
                .get(at.saturating_add(name.len())..)
                .and_then(|text| text.chars().next());
            !before.is_some_and(part) && !after.is_some_and(part)
        })
}

fn is_part_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words of a text.
fn words(text: &str) -> HashSet<&str> {
    text.split(|c| !is_part_of_a_word(c)).collect()
}

/// Levels of properties that can describe an object.
const NESTED: usize = 3;
/// Names for pagination, without `_` and in lower case.
const PAGES: [&str; 11] = [
    "page",
    "pagenumber",
    "pagesize",
    "perpage",
    "limit",
    "offset",
    "cursor",
    "nexttoken",
    "pagetoken",
    "nextpagetoken",
    "maxresults",
];

/// Bytes of a description that are searched for each name.
const LONGEST_PROSE: usize = 4_000;

/// Whether a schema is a property that is reached through `properties` alone.
fn reachable<'a>(tool: &Tool<'a>, sub: &Subschema<'a>) -> bool {
    let mut at = sub;
    while let Some(parent) = tool.parent(at) {
        if at.property().is_none() {
            return false;
        }
        at = parent;
    }
    !sub.is_root()
}

fn annotation_place(name: &str, value: View<'_>) -> Place {
    let mut pointer = "/annotations".to_owned();
    let name: String = name.chars().take(64).collect();
    toolsure_json::pointer::push(&mut pointer, &name);
    Place {
        pointer,
        span: span(value),
    }
}
