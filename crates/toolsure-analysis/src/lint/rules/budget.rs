//! Rules on the limits of readers: lengths and counts, for a tool, a schema or the listing.

use toolsure_json::{Key as _, Kind, Node as _, View, quote};

use super::Listing;
use crate::lint::out::Out;
use crate::lint::tool::{Place, Side, Subschema, Tool};
use crate::readers::{Fact, Limit, NameRule};
use crate::sizes::{EnumSize, NAMED, Sizes};

/// TL081: names that readers take.
pub(crate) fn name(tool: &Tool<'_>, out: &mut Out<'_>) {
    let Some(name) = tool.text("name").filter(|name| !name.is_empty()) else {
        return;
    };
    let length = name.chars().count();
    let odd = |rule: &NameRule| {
        name.chars()
            .enumerate()
            .find(|(at, c)| !rule.takes(*at, *c))
    };
    let breaks = |fact: &Fact| match fact {
        Fact::ToolName(rule) => length > rule.longest || odd(rule).is_some(),
        _ => false,
    };
    let broken = out.broken(breaks);
    let rules = broken.iter().filter_map(|(_, fact)| match &fact.fact {
        Fact::ToolName(rule) => Some(rule),
        _ => None,
    });
    let Some(rule) = rules.min_by_key(|rule| rule.longest) else {
        return;
    };
    let message = match odd(rule) {
        Some((0, odd)) if rule.letter_first => {
            format!("the name begins with `{}`", quote(&odd.to_string(), 10))
        }
        Some((_, odd)) => format!("the name has a `{}` in it", quote(&odd.to_string(), 10)),
        None => format!("the name has {length} characters"),
    };
    let first = if rule.letter_first {
        ", a letter or `_` first"
    } else {
        ""
    };
    let others: Vec<String> = rule.others.chars().map(String::from).collect();
    let advice = format!(
        "use 1 to {} of the characters `A-Z a-z 0-9 {}`{first}",
        rule.longest,
        others.join(" ")
    );
    out.find_broken(tool.member_place("name"), message, &broken, &advice);
}

/// TL083: descriptions that are refused or cut.
pub(crate) fn description(tool: &Tool<'_>, out: &mut Out<'_>) {
    let text = tool.text("description").unwrap_or_default();
    // A string never has more characters than bytes.
    let over = |most: usize| text.len() > most && text.chars().count() > most;
    for broken in out.facts() {
        let Fact::Limit(Limit::Description(most)) = broken.1.fact else {
            continue;
        };
        if over(most) {
            let length = text.chars().count();
            let message = format!("the description has {length} characters, more than {most}");
            let advice = "say the essential first, the rest in parameter descriptions";
            out.find_broken(tool.member_place("description"), message, &[broken], advice);
        }
    }
}

/// TL094: sizes over a reader's limits.
pub(crate) fn schema(tool: &Tool<'_>, out: &mut Out<'_>) {
    let mut sizes = Sizes::default();
    for sub in tool.subs.iter().filter(|sub| sub.side == Side::Input) {
        sizes.add_properties(usize::from(sub.property().is_some()));
        if let Some(list) = sub.member("enum") {
            sizes.add_enum(EnumSize::of(list.len(), list.items().filter_map(string)));
        }
        if let Some(text) = sub.member("const").and_then(string) {
            sizes.add_text(text);
        }
        for keyword in NAMED {
            let names = sub.member(keyword).into_iter().flat_map(View::members);
            names.for_each(|(key, _)| sizes.add_text(key.text()));
        }
    }
    sizes.add_level(tool.levels());
    for broken in out.facts() {
        let Fact::Limit(limit) = broken.1.fact else {
            continue;
        };
        if let Some((found, most, what)) = sizes.over(limit) {
            let message = format!("the input schema has {found} {what}, more than {most}");
            let place = tool.member_place(Side::Input.member());
            let advice = "split the tool, or take free text and check it in the handler";
            out.find_broken(place, message, &[broken], advice);
        }
    }
}

/// TL095: more tools than a reader sends to the model.
pub(crate) fn tools(listing: &Listing, out: &mut Out<'_>) {
    let count = listing.tools.len();
    for broken in out.facts() {
        let Fact::Limit(Limit::Tools(most)) = broken.1.fact else {
            continue;
        };
        if count > most {
            let message = format!(
                "the listing has {count} tools, more than the {most} of all servers together"
            );
            let advice = "split the server, or offer sets of tools";
            out.find_broken(Place::none(), message, &[broken], advice);
        }
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
    for broken in out.facts() {
        let Fact::Limit(Limit::CombinedName(most)) = broken.1.fact else {
            continue;
        };
        if both > most {
            let message = match out.server() {
                Some(server) => format!(
                    "the name and that of the server, `{}`, have {both} characters together, more than {most}",
                    quote(server, 64)
                ),
                None => format!(
                    "the name has {own} characters, with that of the server more than {most}"
                ),
            };
            out.find_broken(
                tool.member_place("name"),
                message,
                &[broken],
                "shorten its name",
            );
        }
    }
}

/// TL102: how much of a budget for strict tools a listing uses.
pub(crate) fn strict(listing: &Listing, out: &mut Out<'_>) {
    let sum = |of: fn(&super::Facts) -> usize| {
        let all = listing.tools.iter().map(of);
        all.fold(0_usize, usize::saturating_add)
    };
    for broken in out.facts() {
        let Fact::Limit(limit) = broken.1.fact else {
            continue;
        };
        let (what, found, most) = match limit {
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
                "the listing has {found} {what}, more than the {most} of all tools together"
            );
            let advice = "ask for strict mode only where it matters, require parameters, or give them one type";
            out.find_broken(Place::none(), message, &[broken], advice);
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

fn string<'a>(value: View<'a>) -> Option<&'a str> {
    (value.kind() == Kind::String).then(|| value.string())
}
