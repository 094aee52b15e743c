//! Tests that the reference page matches the list of keys.

use std::fmt::Write;

use super::caller_rule::CallerRule;
use super::keys::{self, Key};
use super::settings::Config;
use super::tool_rule::ToolRule;
use super::upstream::Upstream;

/// The tables that the page must have between its marks.
fn tables() -> String {
    let mut text = String::new();
    for section in keys::sections() {
        heading(&mut text, &format!("[{section}]"));
        let inside = |key: &&Key<Config>| key.name.split_once('.').map(|(s, _)| s) == Some(section);
        for key in keys::global().filter(inside) {
            let name = key.name.split_once('.').map_or("", |(_, name)| name);
            row(&mut text, name, key, &mut Config::default());
        }
    }
    heading(&mut text, "[upstreams.NAME]");
    for key in keys::UPSTREAM {
        row(&mut text, key.name, key, &mut Upstream::default());
    }
    heading(&mut text, "[[tools]]");
    for key in keys::TOOL {
        row(&mut text, key.name, key, &mut ToolRule::default());
    }
    heading(&mut text, "[[callers]]");
    for key in keys::CALLER {
        row(&mut text, key.name, key, &mut CallerRule::default());
    }
    text
}

fn heading(text: &mut String, name: &str) {
    let _infallible = write!(
        text,
        "\n### `{name}`\n\n| key | takes | default | reload | meaning |\n|---|---|---|---|---|\n"
    );
}

fn row<T>(text: &mut String, name: &str, key: &Key<T>, defaults: &mut T) {
    let default = key.slot.show(defaults);
    let default = default.map_or_else(|| "none".to_owned(), |shown| format!("`{shown}`"));
    let live = if key.live { "yes" } else { "no" };
    let _infallible = writeln!(
        text,
        "| `{name}` | {} | {default} | {live} | {} |",
        key.slot.expects(),
        key.slot.help().unwrap_or(key.meaning).replace('|', "\\|")
    );
}

#[test]
fn the_reference_page_has_every_key() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guard/settings.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, rest) = page.split_once("<!-- keys -->\n").unwrap();
    let (there, _) = rest.split_once("\n<!-- end of keys -->").unwrap();
    let tables = tables();
    assert!(
        there == tables,
        "between its marks, docs/guard/settings.md must have:\n{tables}"
    );
}

#[test]
fn every_key_is_explained_once() {
    let mut names: Vec<&str> = keys::global().map(|key| key.name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(all, names.len());
    // `sections` returns each section once only if the keys of a section are adjacent.
    let mut sections: Vec<&str> = keys::sections().collect();
    let all = sections.len();
    sections.sort_unstable();
    sections.dedup();
    assert_eq!(all, sections.len());
}
