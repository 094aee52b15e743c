//! Rules on what could be omitted: nothing depends on it, and every reader pays for it.

use toolsure_json::{Kind, Node as _, quote};

use crate::lint::edit::remove_member;
use crate::lint::finding::{Edit, Safety};
use crate::lint::out::Out;
use crate::lint::tool::{Side, Step, Subschema, Tool};

/// TL071: an empty list of required properties.
pub(crate) fn required_empty<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub
        .get("required")
        .is_some_and(|list| list.kind() == Kind::Array && list.is_empty())
    {
        out.find(tool.at(sub, "required"), "`required` is empty")
            .help("leave it out; draft 4 does not even allow it")
            .fix(Safety::Safe, removal(tool, sub, "required"));
    }
}

/// TL072: titles that repeat names.
pub(crate) fn titles(tool: &Tool<'_>, out: &mut Out<'_>) {
    let own = tool.text("name").map(letters).unwrap_or_default();
    let noise: Vec<&Subschema<'_>> = tool
        .subs
        .iter()
        .filter(|sub| {
            let Some(title) = sub.text("title").map(letters) else {
                return false;
            };
            match sub.step {
                Step::Name(name) if sub.keyword == "properties" => title == letters(name),
                Step::Name(name) if matches!(sub.keyword, "$defs" | "definitions") => {
                    title == letters(name)
                }
                _ if sub.is_root() => {
                    let rest = title.strip_prefix(&own);
                    rest.is_some_and(|rest| GENERATED.contains(&rest))
                }
                _ => false,
            }
        })
        .collect();
    let (Some(first), count) = (noise.first(), noise.len()) else {
        return;
    };
    let bytes = noise.iter().fold(0_usize, |sum, sub| {
        let title = sub.get("title").map_or(0, |title| title.raw().len());
        sum.saturating_add(title).saturating_add(9)
    });
    let message = format!(
        "{count} `title`{} only repeat{} a name, for about {} tokens",
        if count == 1 { "" } else { "s" },
        if count == 1 { "s" } else { "" },
        bytes.div_ceil(4)
    );
    let edits = (!tool.ambiguous).then(|| {
        noise
            .iter()
            .filter_map(|sub| remove_member(sub.view, "title"))
            .collect()
    });
    out.find(tool.key(first, "title"), message)
        .help("leave them out; the generator has an option for that")
        .fix(Safety::Safe, edits);
}

/// TL073: the bounds of safe integers, which add nothing to `integer`, in what a model sees.
pub(crate) fn safe_integers<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    if sub.side != Side::Input {
        return;
    }
    for (keyword, bound) in [("minimum", -SAFE), ("maximum", SAFE)] {
        let found = sub.get(keyword).is_some_and(|value| {
            value.kind() == Kind::Number && value.number().as_i64() == Some(bound)
        });
        if found {
            let message =
                format!("`{keyword}` is the bound of safe integers, which the generator added");
            out.find(tool.at(sub, keyword), message)
                .fix(Safety::Unsafe, removal(tool, sub, keyword));
        }
    }
}

/// TL074: property names that must be strings, which they always are, in what a model sees.
pub(crate) fn property_names<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let trivial = sub.get("propertyNames").is_some_and(|names| {
        names.len() == 1
            && names
                .member("type")
                .is_some_and(|one| one.string() == "string")
    });
    if trivial && sub.side == Side::Input {
        out.find(
            tool.at(sub, "propertyNames"),
            "`propertyNames` asks for strings, which names always are",
        )
        .fix(Safety::Safe, removal(tool, sub, "propertyNames"));
    }
}

/// TL075: an enum with one value.
pub(crate) fn single_enum<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let Some(list) = sub
        .get("enum")
        .filter(|list| list.kind() == Kind::Array && list.len() == 1)
    else {
        return;
    };
    let only = list.item(0).map_or("", |value| value.raw());
    let message = format!("`enum` has one value, `{}`", quote(only, 60));
    out.find(tool.at(sub, "enum"), message)
        .help("`const` says it");
}

/// TL076: a union with one branch.
pub(crate) fn single_branch<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        if sub
            .get(keyword)
            .is_some_and(|list| list.kind() == Kind::Array && list.len() == 1)
        {
            out.find(tool.at(sub, keyword), format!("`{keyword}` has one branch"))
                .help("write what is in it beside the other keywords");
        }
    }
}

/// TL077: undeclared arguments are accepted.
pub(crate) fn open_root<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, out: &mut Out<'_>) {
    let root = sub.is_root() && sub.side == Side::Input && sub.view.kind() == Kind::Object;
    let closed = ["additionalProperties", "unevaluatedProperties"]
        .iter()
        .any(|one| sub.has(one));
    if root && !closed {
        out.find(
            tool.place(sub),
            "unknown arguments are accepted, so a misspelt optional one goes unnoticed",
        )
        .help("write `\"additionalProperties\": false`");
    }
}

fn removal<'a>(tool: &Tool<'a>, sub: &Subschema<'a>, keyword: &str) -> Option<Vec<Edit>> {
    let edit = remove_member(sub.view, keyword).filter(|_| !tool.ambiguous)?;
    Some(vec![edit])
}

/// Letters and digits in lower case.
fn letters(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric()).take(200);
    kept.flat_map(char::to_lowercase).collect()
}

const SAFE: i64 = 9_007_199_254_740_991;
const GENERATED: [&str; 9] = [
    "",
    "arguments",
    "output",
    "input",
    "args",
    "params",
    "dictoutput",
    "request",
    "inputschema",
];
