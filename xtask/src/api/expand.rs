//! Expands calls of this repository's macros: `macro_rules!` on token trees, without hygiene.

use std::collections::BTreeMap;

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser as _};

/// The expansion of a macro call; `None` if no rule matches, or if a rule uses an unknown fragment.
pub(super) fn expand(rules: &TokenStream, call: &TokenStream) -> Option<TokenStream> {
    let rules: Vec<TokenTree> = rules.clone().into_iter().collect();
    let call: Vec<TokenTree> = call.clone().into_iter().collect();
    rules.split(|token| is_punct(token, ';')).find_map(|rule| {
        let (pattern, body) = match rule {
            [TokenTree::Group(pattern), _, _, TokenTree::Group(body)] => (pattern, body),
            _ => return None,
        };
        let mut rest = call.as_slice();
        let bound = matched(&trees(pattern), &mut rest)?;
        rest.is_empty().then(|| transcribed(&trees(body), &bound))?
    })
}

/// The value of a pattern's variable: tokens, or one value for each turn of a repetition.
#[derive(Debug, Clone)]
enum Bound {
    One(TokenStream),
    Many(Vec<Bound>),
}

type Bindings = BTreeMap<String, Bound>;

/// `$( … ) separator? operator` or `$name` at the start of some tokens; `taken` is its length.
enum Dollar<'t> {
    Repetition {
        inner: &'t Group,
        separator: Option<&'t TokenTree>,
        optional: bool,
        taken: usize,
    },
    Name(String),
}

fn dollar(tokens: &[TokenTree]) -> Option<Dollar<'_>> {
    let (first, after) = tokens.split_first()?;
    if !is_punct(first, '$') {
        return None;
    }
    match after {
        [TokenTree::Group(inner), operator, ..] if is_operator(operator) => {
            Some(Dollar::Repetition {
                inner,
                separator: None,
                optional: is_punct(operator, '?'),
                taken: 3,
            })
        }
        [TokenTree::Group(inner), separator, operator, ..] if is_operator(operator) => {
            Some(Dollar::Repetition {
                inner,
                separator: Some(separator),
                optional: is_punct(operator, '?'),
                taken: 4,
            })
        }
        [TokenTree::Ident(name), ..] => Some(Dollar::Name(name.to_string())),
        _ => None,
    }
}

/// Matches a pattern with the start of the input, and removes what matched from the input.
fn matched(pattern: &[TokenTree], input: &mut &[TokenTree]) -> Option<Bindings> {
    let mut bound = Bindings::new();
    let mut at = 0;
    while let Some(rest) = pattern.get(at..)
        && let Some(token) = rest.first()
    {
        match dollar(rest) {
            Some(Dollar::Name(name)) => {
                let TokenTree::Ident(fragment) = rest.get(3)? else {
                    return None;
                };
                let found = fragment_of(&fragment.to_string(), input)?;
                bound.insert(name, Bound::One(found));
                at += 4;
            }
            Some(Dollar::Repetition {
                inner,
                separator,
                optional,
                taken,
            }) => {
                let inner = trees(inner);
                let turns = turns(&inner, separator, optional, input);
                for name in variables(&inner) {
                    let each = turns.iter().filter_map(|turn| turn.get(&name).cloned());
                    let each = each.collect();
                    bound.insert(name, Bound::Many(each));
                }
                at += taken;
            }
            None => {
                let (next, after) = input.split_first()?;
                match (token, next) {
                    (TokenTree::Group(expected), TokenTree::Group(found))
                        if expected.delimiter() == found.delimiter() =>
                    {
                        let found = trees(found);
                        let mut inside = found.as_slice();
                        bound.extend(matched(&trees(expected), &mut inside)?);
                        if !inside.is_empty() {
                            return None;
                        }
                    }
                    _ if token.to_string() != next.to_string() => return None,
                    _ => {}
                }
                *input = after;
                at += 1;
            }
        }
    }
    Some(bound)
}

/// Matches a repetition as often as possible.
fn turns(
    inner: &[TokenTree],
    separator: Option<&TokenTree>,
    optional: bool,
    input: &mut &[TokenTree],
) -> Vec<Bindings> {
    let mut turns = Vec::new();
    while !input.is_empty() && (!optional || turns.is_empty()) {
        let mut rest = *input;
        if let Some(separator) = separator.filter(|_| !turns.is_empty()) {
            match rest.split_first() {
                Some((next, after)) if next.to_string() == separator.to_string() => rest = after,
                _ => break,
            }
        }
        let before = rest.len();
        match matched(inner, &mut rest) {
            Some(bound) if rest.len() < before => turns.push(bound),
            _ => break,
        }
        *input = rest;
    }
    turns
}

/// The variables of a pattern.
fn variables(pattern: &[TokenTree]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, token) in pattern.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            found.extend(variables(&trees(group)));
        }
        if let Some(Dollar::Name(name)) = pattern.get(at..).and_then(dollar) {
            found.push(name);
        }
    }
    found
}

/// Parses a fragment and removes it from the input.
fn fragment_of(kind: &str, input: &mut &[TokenTree]) -> Option<TokenStream> {
    let parse: fn(ParseStream<'_>) -> syn::Result<TokenStream> = match kind {
        "ident" => |input| Ok(input.parse::<syn::Ident>()?.into_token_stream()),
        "literal" => |input| Ok(input.parse::<syn::Lit>()?.into_token_stream()),
        "ty" => |input| Ok(input.parse::<syn::Type>()?.into_token_stream()),
        "expr" => |input| Ok(input.parse::<syn::Expr>()?.into_token_stream()),
        "meta" => |input| Ok(input.parse::<syn::Meta>()?.into_token_stream()),
        "tt" => |input| Ok(input.parse::<TokenTree>()?.into_token_stream()),
        _ => return None,
    };
    let all: TokenStream = input.iter().cloned().collect();
    let both = |input: ParseStream<'_>| Ok((parse(input)?, input.parse::<TokenStream>()?));
    let (found, rest) = both.parse2(all).ok()?;
    let left = rest.into_iter().count();
    *input = input.get(input.len().checked_sub(left)?..)?;
    Some(found)
}

/// The body of a rule with its variables replaced.
fn transcribed(body: &[TokenTree], bound: &Bindings) -> Option<TokenStream> {
    let mut out = TokenStream::new();
    let mut at = 0;
    while let Some(rest) = body.get(at..)
        && let Some(token) = rest.first()
    {
        match dollar(rest) {
            Some(Dollar::Name(name)) => {
                match (bound.get(&name), rest.get(1)) {
                    (Some(Bound::One(tokens)), _) => out.extend(tokens.clone()),
                    (None, Some(name)) => out.extend([name.clone()]),
                    _ => return None,
                }
                at += 2;
            }
            Some(Dollar::Repetition {
                inner,
                separator,
                taken,
                ..
            }) => {
                let inner = trees(inner);
                let used = variables(&inner);
                let count = used.iter().filter_map(|name| match bound.get(name)? {
                    Bound::Many(turns) => Some(turns.len()),
                    Bound::One(_) => None,
                });
                for turn in 0..count.max()? {
                    if let Some(separator) = separator.filter(|_| turn > 0) {
                        out.extend([separator.clone()]);
                    }
                    let mut own = bound.clone();
                    for name in &used {
                        if let Some(Bound::Many(turns)) = bound.get(name) {
                            own.insert(name.clone(), turns.get(turn)?.clone());
                        }
                    }
                    out.extend(transcribed(&inner, &own)?);
                }
                at += taken;
            }
            None => {
                match token {
                    TokenTree::Group(group) => {
                        let inner = transcribed(&trees(group), bound)?;
                        out.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
                    }
                    _ => out.extend([token.clone()]),
                }
                at += 1;
            }
        }
    }
    Some(out)
}

fn trees(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

fn is_punct(token: &TokenTree, expected: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == expected)
}

fn is_operator(token: &TokenTree) -> bool {
    ['*', '+', '?'].iter().any(|one| is_punct(token, *one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(rules: &str, call: &str) -> Option<String> {
        let out = expand(&rules.parse().unwrap(), &call.parse().unwrap())?;
        Some(out.to_string().split_whitespace().collect())
    }

    #[test]
    fn rules_are_tried_in_order_and_repetitions_follow_the_call() {
        let types =
            "($($(#[$doc:meta])* $name:ident: $of:ty;)*) => {$($(#[$doc])* struct $name($of);)*}";
        assert_eq!(
            expanded(types, "/// One.\nA: Vec<u8>; B: &'static str;").unwrap(),
            "#[doc=\"One.\"]structA(Vec<u8>);structB(&'staticstr);"
        );
        assert_eq!(expanded(types, "").unwrap(), "");
        assert_eq!(expanded(types, "A;"), None);
        let list = "() => {none}; ($first:literal $(, $rest:expr)*) => {[$first $(, $rest)*]}";
        assert_eq!(expanded(list, "").unwrap(), "none");
        assert_eq!(expanded(list, "1, 2 + 3, 4").unwrap(), "[1,2+3,4]");
        assert_eq!(expanded(list, "1 2"), None);
        assert_eq!(expanded("($x:pat) => {}", "1"), None);
    }
}
