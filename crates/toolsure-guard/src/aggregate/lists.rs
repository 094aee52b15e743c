//! Merges the lists of several servers: names get their prefixes, and one cursor serves all servers.
//! An item that clashes with another is left out and noted.

use toolsure_json::{Kind, Node as _, View, json_string, quote};
use toolsure_mcp::message::{Edits, METHOD_NOT_FOUND};

use super::Aggregator;
use super::fan_out::{FanOut, ListOf, Part};
use super::merge::freshness;
use crate::reading::OwnedReading;

impl Aggregator {
    /// Merges the answers into one page of a list.
    pub(super) fn merged_list(&mut self, of: ListOf, fan_out: &FanOut) -> String {
        let answers = fan_out.answers();
        let (member, key) = of.members();
        let mut items: Vec<String> = Vec::new();
        let mut cursors: Vec<Option<String>> = vec![None; self.routes.len()];
        for (route, answer) in &answers {
            if let Some(subject) = of.subject().filter(|_| fan_out.first) {
                self.known.renew(subject, *route);
            }
            let root = answer.root();
            if let Some(cursor) = root
                .member("nextCursor")
                .filter(|cursor| cursor.kind() == Kind::String)
                && let Some(slot) = cursors.get_mut(*route)
            {
                *slot = Some(answer.raw(cursor).to_owned());
            }
            let listed = root.member(member).into_iter();
            for item in listed.flat_map(|listed| listed.items()) {
                items.extend(self.listed(of, *route, answer, item, key));
            }
        }
        let mut out = format!(r#"{{"{member}":[{}]"#, items.join(","));
        if cursors.iter().any(Option::is_some) {
            let each = cursors.iter();
            let each = each.map(|cursor| cursor.as_deref().unwrap_or("null"));
            let joined = format!("[{}]", each.collect::<Vec<_>>().join(","));
            out.push_str(",\"nextCursor\":");
            out.push_str(&json_string(&joined));
        }
        if fan_out.modern {
            // A server without such a list does not count as missing.
            let mut parts = fan_out.parts().iter();
            let missing = parts
                .any(|part| matches!(part, Part::Failed(code, _) if *code != METHOD_NOT_FOUND));
            let roots = answers.iter().map(|(_, answer)| answer.root());
            out.push_str(r#","resultType":"complete","#);
            out.push_str(&freshness(roots, missing));
        }
        out.push('}');
        out
    }

    /// An item as the client sees it; `None` if another item has the same name.
    fn listed(
        &mut self,
        of: ListOf,
        route: usize,
        answer: &OwnedReading,
        item: View<'_>,
        key: &str,
    ) -> Option<String> {
        let Some(name) = item.member(key).filter(|name| name.kind() == Kind::String) else {
            // The server's own guard has passed it unchanged.
            return Some(answer.raw(item).to_owned());
        };
        let Some(subject) = of.subject() else {
            let whole = self.routes.get(route)?.prefixed(name.string());
            let Some(whole) = whole else {
                let shown = quote(name.string(), SHOWN);
                let what = format!("`{shown}` is too long with its prefix and is left out");
                self.note(route, "name-too-long", what);
                return None;
            };
            let mut edits = Edits::new();
            edits.replace(name, json_string(&whole));
            let span = item.span();
            return Some(edits.apply_within(answer.text(), span.start, span.end));
        };
        if let Err(other) = self.known.learn(subject, name.string(), route) {
            let own = self.routes.get(route)?.shown();
            let other = self.routes.get(other)?.shown();
            let shown = quote(name.string(), SHOWN);
            let what =
                format!("`{other}` and `{own}` both have `{shown}`; that of `{own}` is left out");
            self.note(route, "clash", what);
            return None;
        }
        Some(answer.raw(item).to_owned())
    }
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
