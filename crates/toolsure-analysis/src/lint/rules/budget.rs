//! Rules on the limits of readers: lengths and counts, for a tool, a schema or the listing.

use toolsure_json::{Key as _, Kind, Node as _, View, quote};

use super::Listing;
use crate::lint::out::Out;
use crate::lint::profile::Limit;
use crate::lint::tool::{Place, Side, Subschema, Tool};

/// TL081: names that model providers accept.
pub(crate) fn name(tool: &Tool<'_>, out: &mut Out<'_>) {
    let Some(name) = tool.text("name").filter(|name| !name.is_empty()) else {
        return;
    };
    let length = name.chars().count();
    let odd = name
        .chars()
        .find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')));
    let limits = limits(out, |limit| match limit {
        Limit::Name(most) => Some(most),
        _ => None,
    });
    let broken: Vec<(&str, usize)> = limits
        .filter(|(_, most)| odd.is_some() || length > *most)
        .collect();
    let Some((_, most)) = broken.iter().copied().min_by_key(|(_, most)| *most) else {
        return;
    };
    let message = match odd {
        Some(odd) => format!("the name has a `{}` in it", quote(&odd.to_string(), 10)),
        None => format!("the name has {length} characters"),
    };
    let readers: Vec<&str> = broken.iter().map(|(reader, _)| *reader).collect();
    let help = format!(
        "1 to {most} of the characters `A-Z a-z 0-9 _ -` go with {}",
        readers.join(" and ")
    );
    out.find(tool.member_place("name"), message).help(help);
}

/// TL083 and TL097: descriptions that are rejected or cut.
pub(crate) fn description(tool: &Tool<'_>, out: &mut Out<'_>) {
    let text = tool.text("description").unwrap_or_default();
    let limits = limits(out, |limit| match limit {
        Limit::Description(most) => Some(most),
        _ => None,
    });
    // A string never has more characters than bytes.
    let broken: Vec<(&str, usize)> = limits
        .filter(|(_, most)| text.len() > *most && text.chars().count() > *most)
        .collect();
    for (reader, most) in broken {
        let length = text.chars().count();
        let message = format!(
            "the description has {length} characters, more than the {most} that {reader} take{}",
            if reader.ends_with('s') { "" } else { "s" }
        );
        out.find(tool.member_place("description"), message).help(
            "it is cut or refused; say the essential first, the rest in parameter descriptions",
        );
    }
}

/// TL094: sizes over OpenAI's limits.
pub(crate) fn schema(tool: &Tool<'_>, out: &mut Out<'_>) {
    let input = || tool.subs.iter().filter(|sub| sub.side == Side::Input);
    let properties = input().filter(|sub| sub.property().is_some()).count();
    let mut members = 0_usize;
    let mut longest = 0_usize;
    let mut text = 0_usize;
    for sub in input() {
        let list = sub.member("enum");
        let count = list.map_or(0, |list| list.len());
        members = members.saturating_add(count);
        let characters = list.into_iter().flat_map(View::items).fold(0, characters);
        if count > LONG_ENUM {
            longest = longest.max(characters);
        }
        text = text.saturating_add(characters);
        text = sub.member("const").into_iter().fold(text, self::characters);
        for keyword in ["properties", "$defs", "definitions"] {
            let names = sub.member(keyword).into_iter().flat_map(View::members);
            text = names.fold(text, |sum, (key, _)| {
                sum.saturating_add(key.text().chars().count())
            });
        }
    }
    for limit in out.readers().flat_map(|reader| reader.limits) {
        let (what, found, most) = match *limit {
            Limit::Properties(most) => ("properties", properties, most),
            Limit::Depth(most) => ("levels of properties", tool.levels(), most),
            Limit::EnumMembers(most) => ("enum members", members, most),
            Limit::EnumText(most) => (
                "characters in an enum of more than 250 members",
                longest,
                most,
            ),
            Limit::Text(most) => ("characters in names, enums and constants", text, most),
            _ => continue,
        };
        if found > most {
            let message = format!(
                "the input schema has {found} {what}, more than the {most} that OpenAI's strict mode takes"
            );
            out.find(tool.member_place(Side::Input.member()), message)
                .help("split the tool, or take free text and check it in the handler");
        }
    }
}

/// TL095: more tools than a reader sends to the model.
pub(crate) fn tools(listing: &Listing, out: &mut Out<'_>) {
    let count = listing.tools.len();
    let limits = limits(out, |limit| match limit {
        Limit::Tools(most) => Some(most),
        _ => None,
    });
    let broken: Vec<(&str, usize)> = limits.filter(|(_, most)| count > *most).collect();
    for (reader, most) in broken {
        let message = format!(
            "the listing has {count} tools, and {reader} takes {most}, of all servers together"
        );
        out.find(Place::none(), message)
            .help("the others are left out or the request is refused; split the server, or offer tool sets");
    }
}

/// TL096: names that are too long for a reader together with the server's.
pub(crate) fn combined_name(tool: &Tool<'_>, out: &mut Out<'_>) {
    let Some(name) = tool.text("name") else {
        return;
    };
    let own = name.chars().count();
    // A server's name has at least one character.
    let server = out.server().map_or(1, |server| server.chars().count());
    let both = own.saturating_add(server);
    let limits = limits(out, |limit| match limit {
        Limit::CombinedName(most) => Some(most),
        _ => None,
    });
    let broken: Vec<(&str, usize)> = limits.filter(|(_, most)| both > *most).collect();
    for (reader, most) in broken {
        let message = match out.server() {
            Some(server) => format!(
                "the name and that of the server, `{}`, have {both} characters together, more than the {most} that {reader} takes",
                quote(server, 64)
            ),
            None => format!(
                "the name has {own} characters; with that of the server {reader} takes {most}"
            ),
        };
        out.find(tool.member_place("name"), message)
            .help("the tool is left out or refused; shorten its name");
    }
}

/// TL102: how much of Anthropic's budget for strict tools a listing uses.
pub(crate) fn strict(listing: &Listing, out: &mut Out<'_>) {
    let sum = |of: fn(&super::Facts) -> usize| {
        let all = listing.tools.iter().map(of);
        all.fold(0_usize, usize::saturating_add)
    };
    for limit in out.readers().flat_map(|reader| reader.limits) {
        let (what, found, most) = match *limit {
            Limit::StrictTools(most) => ("tools", listing.tools.len(), most),
            Limit::OptionalParameters(most) => {
                ("optional parameters", sum(|tool| tool.optional), most)
            }
            Limit::UnionParameters(most) => {
                ("parameters of several types", sum(|tool| tool.unions), most)
            }
            _ => continue,
        };
        if found > most {
            let message = format!(
                "the listing has {found} {what}, and a request in Anthropic's strict mode takes {most}, of all tools together"
            );
            out.find(Place::none(), message)
                .help("ask for strict mode only where it matters, require parameters, or give them one type");
        }
    }
}

/// The number of a tool's parameters that are not required, and of those with several types, at every
/// level.
pub(crate) fn parameters(tool: &Tool<'_>) -> (usize, usize) {
    let (mut optional, mut unions) = (0_usize, 0_usize);
    for sub in tool.subs.iter().filter(|sub| sub.side == Side::Input) {
        let Some(name) = sub.property() else { continue };
        let required = tool
            .parent(sub)
            .is_some_and(|parent| tool.required(parent).contains(name));
        optional = optional.saturating_add(usize::from(!required));
        unions = unions.saturating_add(usize::from(is_union(sub)));
    }
    (optional, unions)
}

fn is_union(sub: &Subschema<'_>) -> bool {
    sub.has_member("anyOf")
        || sub
            .member("type")
            .is_some_and(|one| one.kind() == Kind::Array)
}

/// Adds the number of characters of a string.
fn characters(sum: usize, value: View<'_>) -> usize {
    match value.kind() {
        Kind::String => sum.saturating_add(value.string().chars().count()),
        _ => sum,
    }
}

/// The limits of one kind, with the readers that have them.
fn limits(
    out: &Out<'_>,
    kind: impl Fn(Limit) -> Option<usize>,
) -> impl Iterator<Item = (&'static str, usize)> {
    out.readers()
        .filter_map(move |reader| Some((reader.reader, reader.limit(&kind)?)))
}

/// The number of members from which the text of an enum counts.
const LONG_ENUM: usize = 250;
