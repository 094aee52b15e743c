//! `#[needs(…)]` marks a test as ignored, with the reason, if the data that it needs is missing.
//!
//! A test that finds no data and returns counts as passed, and nobody learns that it did nothing.
//! The data is looked for when the test is compiled. If it was missing then, the test runs with
//! `cargo test -- --include-ignored`, or after its crate is compiled again.

use std::path::Path;

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// Ignores the test below unless one of the named places exists. Must be above `#[test]`.
///
/// A place is a path under `../shared` beside the workspace, or `$NAME` for an environment variable
/// that contains a path.
#[proc_macro_attribute]
pub fn needs(places: TokenStream, test: TokenStream) -> TokenStream {
    let places: Vec<String> = places.into_iter().filter_map(text).collect();
    let mut marked = if places.iter().any(|place| is_there(place)) {
        TokenStream::new()
    } else {
        ignored(&reason(&places))
    };
    marked.extend(test);
    // why: the compiler then compiles the test again when the variable changes.
    for name in places.iter().filter_map(|place| place.strip_prefix('$')) {
        marked.extend(read(name));
    }
    marked
}

/// The content of a string literal, without escapes.
fn text(token: TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else {
        return None;
    };
    let literal = literal.to_string();
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    Some(inner.to_owned())
}

fn is_there(place: &str) -> bool {
    match place.strip_prefix('$') {
        Some(name) => std::env::var_os(name).is_some_and(|value| Path::new(&value).exists()),
        None => Path::new(SHARED).join(place).exists(),
    }
}

fn reason(places: &[String]) -> String {
    let named = places.iter().map(|place| match place.strip_prefix('$') {
        Some(name) => format!("the folder that {name} names"),
        None => format!("../shared/{place}"),
    });
    format!("needs {}", named.collect::<Vec<_>>().join(" or "))
}

/// `#[ignore = "reason"]`
fn ignored(reason: &str) -> TokenStream {
    let inner = [
        TokenTree::from(Ident::new("ignore", Span::call_site())),
        Punct::new('=', Spacing::Alone).into(),
        Literal::string(reason).into(),
    ];
    let group = Group::new(Delimiter::Bracket, inner.into_iter().collect());
    let attribute = [Punct::new('#', Spacing::Alone).into(), group.into()];
    attribute
        .into_iter()
        .collect::<Vec<TokenTree>>()
        .into_iter()
        .collect()
}

/// `const _: Option<&str> = option_env!("NAME");`
fn read(name: &str) -> TokenStream {
    let item = format!("const _: ::core::option::Option<&str> = ::core::option_env!({name:?});");
    item.parse().unwrap_or_default()
}

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");

#[cfg(test)]
mod tests {
    use super::{is_there, reason};

    #[test]
    fn the_reason_names_every_place() {
        assert!(!is_there("no/such/folder") && !is_there("$NO_SUCH_VARIABLE"));
        assert_eq!(
            reason(&["a/b".to_owned(), "$X".to_owned()]),
            "needs ../shared/a/b or the folder that X names"
        );
    }
}
