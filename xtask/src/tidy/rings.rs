//! Checks that no files call each other in a ring through methods of one type, which their imports do not show.
//!
//! A file uses another one if it calls `self.method()` or `Self::method()` in an `impl` of a type, and the other
//! file defines that method for the type. The first parameter of a closure that such a call is given counts like
//! `self`: `self.event(now, |it, turn| it.method(turn))`. A method that a file defines itself is its own. Calls are
//! known by name only, and not seen with `::<Type>`. Types are told apart by where they are defined; those of
//! other crates are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{ImplItem, Item, ItemImpl};
use toolsure_testkit::tally::Tally;

use super::layers::{Imports, cycle};
use crate::api::{Sources, Target, impls, is_test, name_of};

/// Checks every type of the crates that has an `impl` in more than one file.
pub(crate) fn check(workspace: &Path, tally: &mut Tally) -> Result<(), String> {
    for name in CRATES {
        let package = workspace.join("crates").join(name);
        let sources = Sources::read(&package)?;
        let root = package.join("src");
        for (of, places) in impls(&sources) {
            let blocks = places.iter().filter_map(|&(at, place)| {
                let module = sources.modules.get(at)?;
                let file = module.folder.strip_prefix(&root).ok()?;
                let Item::Impl(block) = module.items.get(place)? else {
                    return None;
                };
                Some((file.display().to_string(), block))
            });
            let Target::Item(at, place) = of else {
                continue;
            };
            tally.record(cycle(&uses(blocks)).map_or(Ok(()), |ring| {
                let module = sources.modules.get(at);
                let of = module.and_then(|one| name_of(one.items.get(place)?));
                let (of, ring) = (of.unwrap_or_default(), ring.join(" -> "));
                Err(format!(
                    "`{name}`: files call each other by methods of `{of}`: {ring}"
                ))
            }));
        }
    }
    Ok(())
}

/// For each file with an `impl` of a type, the files with the methods of the type that it calls.
fn uses<'b>(blocks: impl Iterator<Item = (String, &'b ItemImpl)>) -> Imports {
    let mut files: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for (file, block) in blocks {
        let (methods, calls) = files.entry(file).or_default();
        for item in &block.items {
            if let ImplItem::Fn(method) = item
                && !is_test(&method.attrs)
            {
                methods.insert(method.sig.ident.to_string());
                let body = method.block.to_token_stream();
                read_calls(body, &["self", "Self"], calls);
            }
        }
    }
    let used = files.iter().map(|(file, (own, calls))| {
        let foreign = |methods: &BTreeSet<String>| {
            let mut called = methods.intersection(calls);
            called.any(|method| !own.contains(method))
        };
        let others = files.iter().filter(|(_, (methods, _))| foreign(methods));
        (
            file.clone(),
            others.map(|(other, _)| other.clone()).collect(),
        )
    });
    used.collect()
}

/// Adds the methods that `code` calls on one of the `receivers`.
fn read_calls(code: TokenStream, receivers: &[&str], calls: &mut BTreeSet<String>) {
    let mut tokens: Vec<TokenTree> = code.into_iter().collect();
    tokens.retain(|token| !is(token, ".") && !is(token, ":"));
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        read_calls(group.stream(), receivers, calls);
        if group.delimiter() == Delimiter::Parenthesis
            && let Some([.., receiver, TokenTree::Ident(method)]) = tokens.get(..at)
            && receivers.iter().any(|one| is(receiver, one))
        {
            calls.insert(method.to_string());
            if let Some(name) = closure_parameter(group.stream()) {
                read_calls(group.stream(), &[&name], calls);
            }
        }
    }
}

/// The first parameter of the first closure in the arguments of a call.
fn closure_parameter(arguments: TokenStream) -> Option<String> {
    let mut tokens = arguments.into_iter();
    tokens.find(|token| is(token, "|"))?;
    let name = tokens.find(|token| !is(token, "mut"))?;
    matches!(name, TokenTree::Ident(_)).then(|| name.to_string())
}

fn is(token: &TokenTree, text: &str) -> bool {
    token.to_string() == text
}

/// The crates with types that several files implement.
const CRATES: [&str; 2] = ["toolsure-guard", "toolsure-proxy"];

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(files: &[(&str, &str)]) -> Option<Vec<String>> {
        let read = |methods| syn::parse_str(&format!("impl Session {{ {methods} }}")).unwrap();
        let blocks: Vec<ItemImpl> = files.iter().map(|(_, methods)| read(methods)).collect();
        let names = files.iter().map(|(file, _)| (*file).to_owned());
        cycle(&uses(names.zip(&blocks)))
    }

    #[test]
    fn files_that_call_each_other_are_a_ring() {
        let ask = ("ask", "fn ask(&self) { self.send(1) }");
        for send in [
            "fn send(&self, n: u8) { if n == 0 { self.ask() } }",
            "fn send(&self, n: u8) { Self::ask(self) }",
            "fn send(&self, n: u8) { self.event(n, |it: &mut Self, now| vec![it.ask()]) }",
        ] {
            let found = ring(&[ask, ("send", send)]);
            assert_eq!(found.unwrap(), ["ask", "send", "ask"], "{send}");
        }
        for send in [
            "fn send(&self, n: u8) { self.state.ask(); self.ask = n; if self.ask {} }",
            "fn send(&self, n: u8) { self.ask() } fn ask(&self) {}",
            "fn send(&self, n: u8) { n.map(|it| it.ask()) }",
            "fn send(&self, n: u8) {} #[cfg(test)] fn test(&self) { self.ask() }",
        ] {
            assert_eq!(ring(&[ask, ("send", send)]), None, "{send}");
        }
    }
}
