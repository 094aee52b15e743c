//! Mutations: of bytes, and of JSON values with parts of other seeds.

use serde_json::{Map, Value};
use toolsure_testkit::differential::random::Random;

use crate::input::{SEPARATOR, join, parts};

/// An input made from `seed` and others.
#[must_use]
pub fn mutate(random: &mut Random, seed: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    if random.chance(15) {
        return bytes(random, seed, others);
    }
    let mut texts: Vec<Vec<u8>> = parts(seed).map(<[u8]>::to_vec).collect();
    if texts.len() > MOST_FIXED && random.chance(40) {
        rearrange(random, &mut texts, others);
        return join(&texts);
    }
    let chosen = random.below(texts.len());
    let changes = 1 + random.below(4);
    if let Some(text) = texts.get_mut(chosen) {
        // A word may stand before the value: who says it.
        let start = text.iter().position(|byte| b"{[".contains(byte));
        let start = start.filter(|at| *at <= LONGEST_WORD).unwrap_or_default();
        let json = text.get(start..).unwrap_or_default();
        if let Ok(mut value) = serde_json::from_slice::<Value>(json) {
            for _ in 0..changes {
                change(random, &mut value, others);
            }
            text.truncate(start);
            text.extend_from_slice(value.to_string().as_bytes());
            return join(&texts);
        }
    }
    if random.chance(50) {
        return lines(random, seed, others);
    }
    bytes(random, seed, others)
}

/// Drops, repeats, moves or replaces parts after the first, where an input is a sequence of many.
fn rearrange(random: &mut Random, texts: &mut Vec<Vec<u8>>, others: &[Vec<u8>]) {
    for _ in 0..=random.below(3) {
        let (one, other) = (
            1 + random.below(texts.len().saturating_sub(1)),
            1 + random.below(texts.len().saturating_sub(1)),
        );
        if one >= texts.len() || other >= texts.len() {
            return;
        }
        match random.below(4) {
            0 => drop(texts.remove(one)),
            1 => {
                let repeated = texts.get(one).cloned().unwrap_or_default();
                texts.insert(other, repeated);
            }
            2 => texts.swap(one, other),
            _ => {
                let from = others.get(random.below(others.len()));
                let from: Vec<&[u8]> = parts(from.map(Vec::as_slice).unwrap_or_default()).collect();
                let part = from.get(random.below(from.len())).copied();
                texts.insert(one, part.unwrap_or_default().to_vec());
            }
        }
    }
}

/// Drops, repeats, swaps or replaces lines of a text that is not JSON.
fn lines(random: &mut Random, seed: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut rows: Vec<&[u8]> = seed.split(|byte| *byte == b'\n').collect();
    for _ in 0..=random.below(3) {
        let (one, other) = (random.below(rows.len()), random.below(rows.len()));
        match random.below(4) {
            0 if rows.len() > 1 => drop(rows.remove(one)),
            1 => rows.insert(other, rows.get(one).copied().unwrap_or_default()),
            2 if !rows.is_empty() => rows.swap(one, other),
            _ => {
                let from = others.get(random.below(others.len()));
                let from = from.map(Vec::as_slice).unwrap_or_default();
                let from: Vec<&[u8]> = from.split(|byte| *byte == b'\n').collect();
                let row = from.get(random.below(from.len())).copied();
                rows.insert(one, row.unwrap_or_default());
            }
        }
    }
    rows.join(&b'\n')
}

/// The most parts of an input in which each has a meaning of its own.
const MOST_FIXED: usize = 3;
/// Bytes of the longest word before a value.
const LONGEST_WORD: usize = 8;

/// Changes bytes without regard to what they mean.
fn bytes(random: &mut Random, seed: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut input = seed.to_vec();
    for _ in 0..=random.below(4) {
        let start = random.below(input.len() + 1);
        let end = (start + random.below(12)).min(input.len());
        match random.below(5) {
            0 => drop(input.drain(start..end)),
            1 => {
                let copied = input.get(start..end).unwrap_or_default().to_vec();
                input.splice(start..start, copied);
            }
            2 => {
                let other = others.get(random.below(others.len()));
                let other = other.map(Vec::as_slice).unwrap_or_default();
                let from = random.below(other.len());
                let to = (from + random.below(40)).min(other.len());
                let piece = other.get(from..to).unwrap_or_default().to_vec();
                input.splice(start..end, piece);
            }
            3 => {
                let token = TOKENS.get(random.below(TOKENS.len()));
                let token = token.copied().unwrap_or_default().as_bytes().to_vec();
                input.splice(start..start, token);
            }
            _ => {
                if let Some(byte) = input.get_mut(start) {
                    let bit = 1_u8 << random.below(8);
                    *byte ^= bit;
                    if *byte == SEPARATOR {
                        *byte = b' ';
                    }
                }
            }
        }
    }
    input
}

/// Changes one place of a value.
fn change(random: &mut Random, root: &mut Value, others: &[Vec<u8>]) {
    let mut place = root;
    while random.chance(75) && size(place) > 0 {
        let chosen = random.below(size(place));
        let next = match place {
            Value::Array(items) => items.get_mut(chosen),
            Value::Object(members) => members.iter_mut().nth(chosen).map(|(_, value)| value),
            _ => None,
        };
        match next {
            Some(next) => place = next,
            None => return,
        }
    }
    match random.below(9) {
        0 | 1 => *place = part_of(random, others).unwrap_or(Value::Null),
        2 => wrap(random, place, others),
        3 => shrink(random, place),
        _ => alter(random, place, others),
    }
}

/// How many values a container holds directly.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

/// Some value that is inside another seed.
fn part_of(random: &mut Random, others: &[Vec<u8>]) -> Option<Value> {
    let other = others.get(random.below(others.len()))?;
    let texts: Vec<&[u8]> = parts(other).collect();
    let text = texts.get(random.below(texts.len()))?;
    let mut value: Value = serde_json::from_slice(text).ok()?;
    while random.chance(70) && size(&value) > 0 {
        let chosen = random.below(size(&value));
        value = match value {
            Value::Array(items) => items.into_iter().nth(chosen)?,
            Value::Object(members) => members.into_iter().nth(chosen)?.1,
            other => other,
        };
    }
    Some(value)
}

fn wrap(random: &mut Random, place: &mut Value, others: &[Vec<u8>]) {
    let inner = place.take();
    let other = part_of(random, others).unwrap_or(Value::Bool(true));
    *place = match random.below(8) {
        0 => object("not", inner),
        1 => object("allOf", Value::Array(vec![inner, other])),
        2 => object("anyOf", Value::Array(vec![other, inner])),
        3 => object("oneOf", Value::Array(vec![inner, other])),
        4 => object("items", inner),
        5 => object("$ref", Value::String("#".to_owned())),
        6 => object("unevaluatedProperties", inner),
        _ => Value::Array(vec![inner.clone(), other, inner]),
    };
}

fn object(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

fn shrink(random: &mut Random, place: &mut Value) {
    let chosen = random.below(size(place));
    match place {
        Value::Array(items) if !items.is_empty() => drop(items.remove(chosen)),
        Value::Object(members) => {
            if let Some(name) = members.keys().nth(chosen).cloned() {
                members.remove(&name);
            }
        }
        other => *other = Value::Object(Map::new()),
    }
}

fn alter(random: &mut Random, place: &mut Value, others: &[Vec<u8>]) {
    match place {
        Value::Object(members) => {
            let keyword = KEYWORDS.get(random.below(KEYWORDS.len()));
            let keyword = keyword.copied().unwrap_or_default();
            let value = value_of(random, keyword, others);
            members.insert(keyword.to_owned(), value.unwrap_or(Value::Bool(false)));
        }
        Value::Array(items) => items.push(part_of(random, others).unwrap_or(Value::Null)),
        Value::String(text) => {
            let token = TOKENS.get(random.below(TOKENS.len()));
            let token = token.copied().unwrap_or_default();
            match random.below(3) {
                0 => text.push_str(token),
                1 => token.clone_into(text),
                _ => text.push(text.chars().next().unwrap_or('\u{e9}')),
            }
        }
        Value::Number(_) => {
            let number = NUMBERS.get(random.below(NUMBERS.len()));
            let number = number.copied().unwrap_or("0");
            *place = serde_json::from_str(number).unwrap_or(Value::Null);
        }
        Value::Bool(flag) => *flag = !*flag,
        Value::Null => *place = Value::Bool(true),
    }
}

/// The value that some other seed gives a keyword.
fn value_of(random: &mut Random, keyword: &str, others: &[Vec<u8>]) -> Option<Value> {
    for _ in 0..20 {
        let other = others.get(random.below(others.len()))?;
        let schema = parts(other).next()?;
        if let Ok(Value::Object(mut members)) = serde_json::from_slice(schema)
            && let Some(value) = members.remove(keyword)
        {
            return Some(value);
        }
    }
    part_of(random, others)
}

const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "0.5",
    "1.0",
    "1e0",
    "10e-1",
    "1e400",
    "-1e400",
    "1e-400",
    "9007199254740993",
    "18446744073709551616",
    "0.1",
    "0.30000000000000004",
    "4294967296",
    "123456789012345678901234567890.5",
    "1E+2",
];

const TOKENS: &[&str] = &[
    "a",
    "^",
    "$",
    "[a-z]",
    "(?:a|b)*",
    "\\d+",
    "\\p{L}",
    ".*",
    "{2,5}",
    "/",
    "~1",
    "~0",
    "%25",
    "#",
    "#/$defs/a",
    "$ref",
    "\u{0}",
    "\u{1F600}",
    "\u{FEFF}",
    "\\ud83d",
    "\u{202E}",
    "e\u{301}",
    "2026-11-23",
    "23:59:60Z",
    "x@example.com",
    "http://example.com/a b",
    "::1",
    "xn--a",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "1e9999",
    "null",
    "\n",
    "<IMPORTANT>",
];

const KEYWORDS: &[&str] = &[
    "$anchor",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "description",
    "else",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "a",
    "foo",
    "",
];
