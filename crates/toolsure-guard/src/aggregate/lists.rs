//! Merges the lists of several servers: names get their prefixes, and one cursor serves all servers.
//! An item that clashes with another is left out and noted.

use toolsure_json::{Kind, Node as _, View, json_string, quote};
use toolsure_mcp::message::{Edits, METHOD_NOT_FOUND};

use super::fan_out::{FanOut, ListOf, Part};
use super::merge::freshness;
use super::outbox::Outbox;
use super::routing_table::RoutingTable;
use crate::reading::OwnedReading;

/// Merges the answers into one page of a list.
pub(super) fn merged_list(
    of: ListOf,
    fan_out: &FanOut,
    table: &mut RoutingTable,
    out: &mut Outbox,
) -> String {
    let answers = fan_out.answers();
    let (member, key) = of.members();
    let mut items: Vec<String> = Vec::new();
    let mut cursors: Vec<Option<String>> = vec![None; table.routes.len()];
    for (route, answer) in &answers {
        if let Some(subject) = of.subject().filter(|_| fan_out.first) {
            table.known.renew(subject, *route);
        }
        let root = answer.root();
        if let Some(cursor) = root
            .member("nextCursor")
            .filter(|cursor| cursor.kind() == Kind::String)
            && let Some(slot) = cursors.get_mut(*route)
        {
            *slot = Some(answer.raw(cursor).to_owned());
        }
        let list = root.member(member).into_iter();
        for item in list.flat_map(|list| list.items()) {
            items.extend(listed((of, *route), answer, item, key, table, out));
        }
    }
    let mut text = format!(r#"{{"{member}":[{}]"#, items.join(","));
    if cursors.iter().any(Option::is_some) {
        let each = cursors.iter();
        let each = each.map(|cursor| cursor.as_deref().unwrap_or("null"));
        let joined = format!("[{}]", each.collect::<Vec<_>>().join(","));
        text.push_str(",\"nextCursor\":");
        text.push_str(&json_string(&joined));
    }
    if fan_out.modern {
        // A server without such a list does not count as missing.
        let mut parts = fan_out.parts().iter();
        let missing =
            parts.any(|part| matches!(part, Part::Failed(code, _) if *code != METHOD_NOT_FOUND));
        let roots = answers.iter().map(|(_, answer)| answer.root());
        text.push_str(r#","resultType":"complete","#);
        text.push_str(&freshness(roots, missing));
    }
    text.push('}');
    text
}

/// An item as the client sees it; `None` if another item has the same name.
fn listed(
    (of, route): (ListOf, usize),
    answer: &OwnedReading,
    item: View<'_>,
    key: &str,
    table: &mut RoutingTable,
    out: &mut Outbox,
) -> Option<String> {
    let Some(name) = item.member(key).filter(|name| name.kind() == Kind::String) else {
        // The server's own guard has passed it unchanged.
        return Some(answer.raw(item).to_owned());
    };
    let Some(subject) = of.subject() else {
        let whole = table.routes.get(route)?.prefixed(name.string());
        let Some(whole) = whole else {
            let shown = quote(name.string(), SHOWN);
            let what = format!("`{shown}` is too long with its prefix and is left out");
            out.note(route, "name-too-long", what);
            return None;
        };
        let mut edits = Edits::new();
        edits.replace(name, json_string(&whole));
        let span = item.span();
        return Some(edits.apply_within(answer.text(), span.start, span.end));
    };
    if let Err(other) = table.known.learn(subject, name.string(), route) {
        let own = table.routes.get(route)?.shown();
        let other = table.routes.get(other)?.shown();
        let shown = quote(name.string(), SHOWN);
        let what =
            format!("`{other}` and `{own}` both have `{shown}`; that of `{own}` is left out");
        out.note(route, "clash", what);
        return None;
    }
    Some(answer.raw(item).to_owned())
}

/// The view of a request's cursor, and the cursor of each server as JSON text.
pub(super) type Cursors<'a> = (View<'a>, Vec<Option<String>>);

/// Reads the cursors of all servers from the cursor that the client sends back; `None` on a first page.
pub(super) fn cursors<'a>(
    params: Option<View<'a>>,
    servers: usize,
) -> Result<Option<Cursors<'a>>, &'static str> {
    let Some(view) = params.and_then(|params| params.member("cursor")) else {
        return Ok(None);
    };
    let unknown = "the cursor does not belong to this list";
    let each = OwnedReading::read(view.string()).map_err(|_| unknown)?;
    let root = each.root();
    let own = |view: View<'_>| match view.kind() {
        Kind::String => Some(Some(each.raw(view).to_owned())),
        Kind::Null => Some(None),
        _ => None,
    };
    let each: Option<Vec<Option<String>>> = match root.kind() {
        Kind::Array => root.items().map(own).collect(),
        _ => None,
    };
    match each {
        Some(each) if each.len() == servers && each.iter().any(Option::is_some) => {
            Ok(Some((view, each)))
        }
        _ => Err(unknown),
    }
}

const SHOWN: usize = 128;
