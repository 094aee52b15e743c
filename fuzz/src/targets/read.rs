//! Reading any bytes: the same texts as another reader, and a value that survives being written
//! and read again.

use std::ops::ControlFlow;

use serde_json::Value;
use toolsure_json::{
    DuplicateKeys, Kind, Node, NodeId, Number, OwnedDocument, ReadError, ReadErrorKind, ReadLimits,
    Reader, Span, Unmetered, equal, first_duplicate, hash_value,
};

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "read",
    about: "the reader takes what `serde_json` takes; nodes are where they say; what is written is read as the same value",
    run,
    seeds,
    gate: 100_000,
};

fn seeds(seeds: &Seeds) -> Vec<Vec<u8>> {
    let instances = seeds
        .pairs
        .iter()
        .map(|(_, instance)| instance.clone().into_bytes());
    instances.chain(seeds.schemas()).collect()
}

fn run(input: &[u8]) -> Outcome {
    let limits = ReadLimits {
        // The other reader's limit, so that both stop at the same depth.
        depth: 127,
        duplicate_keys: DuplicateKeys::KeepLast,
        ..ReadLimits::default()
    };
    let ours = OwnedDocument::read(input, &limits);
    let theirs = serde_json::from_slice::<Value>(input);
    check_strict(input, &limits, &ours)?;
    let (document, value) = match (ours, theirs) {
        (Ok(document), Ok(value)) => (document, value),
        (Ok(document), Err(error)) => {
            // It keeps numbers as doubles if it is not told otherwise; we never do.
            ensure!(
                error.to_string().contains("number out of range"),
                "the peer says {error}"
            );
            return walk(&document);
        }
        (Err(error), Ok(_)) => {
            let digits = error.kind() == ReadErrorKind::TooManyDigits;
            ensure!(digits, "the peer reads it: {error}");
            return Ok(());
        }
        (Err(error), Err(_)) => {
            let place = error.line_column(input);
            ensure!(
                error.at() <= input.len(),
                "an error behind the end: {error}"
            );
            ensure!(
                place.line >= 1 && place.column >= 1,
                "an error nowhere: {error}"
            );
            ensure!(
                !error.to_string().contains('\n'),
                "an error of several lines: {error}"
            );
            return Ok(());
        }
    };
    walk(&document)?;
    edit(input, &document, &limits)?;
    round_trip(&document, &value, &limits)
}

/// The strict reading differs by refusing duplicate keys and by nothing else.
fn check_strict(
    input: &[u8],
    limits: &ReadLimits,
    lax: &Result<OwnedDocument, ReadError>,
) -> Outcome {
    let strict = ReadLimits {
        duplicate_keys: DuplicateKeys::Refuse,
        ..*limits
    };
    match (OwnedDocument::read(input, &strict), lax) {
        (Ok(strict), Ok(lax)) => {
            ensure!(
                strict.document().len() == lax.document().len(),
                "two readings differ"
            );
        }
        (Err(error), Ok(_)) => {
            ensure!(
                error.kind() == ReadErrorKind::DuplicateKey,
                "only strictly: {error}"
            );
            ensure!(
                error.other().is_some_and(|first| first < error.at()),
                "no first key: {error}"
            );
        }
        (Err(strict), Err(lax)) => {
            let same = strict == *lax || strict.kind() == ReadErrorKind::DuplicateKey;
            ensure!(same, "{strict}, {lax}");
        }
        (Ok(_), Err(error)) => return Err(format!("only strictly read: {error}")),
    }
    Ok(())
}

/// Every node is where its span and its pointer say.
fn walk(document: &OwnedDocument) -> Outcome {
    let document = document.document();
    // Finding a pointer may cost as much as the document, so look at a few.
    for index in (0..document.len()).take(200) {
        let view = document.view(NodeId::from_index(index));
        let pointer = document.pointer(view.id());
        let Some(found) = document.at_pointer(&pointer) else {
            return Err(format!("`{pointer}` leads nowhere"));
        };
        // The pointer of a name leads to its value.
        let is_key = found.id() != view.id();
        let name = found.name().map(|name| name.id());
        ensure!(
            !is_key || name == Some(view.id()),
            "`{pointer}` leads elsewhere"
        );
        let parsed = Number::parse(view.raw());
        ensure!(
            (view.kind() == Kind::Number) == parsed.is_some(),
            "kind of {}",
            view.raw()
        );
        let number = view.number();
        let shown = number.to_string();
        ensure!(
            Number::parse(&shown) == Some(number),
            "{shown} is not {number:?}"
        );
        let divides = number.is_multiple_of(Number::from_i64(1));
        ensure!(
            divides == number.is_integer(),
            "{shown} is whole and is not"
        );
    }
    let ControlFlow::Continue(found) = first_duplicate(document.root(), &mut Unmetered);
    if let Some((first, later)) = found {
        let (Some(first), Some(later)) = (document.root().item(first), document.root().item(later))
        else {
            return Err("a duplicate outside the array".to_owned());
        };
        let same = equal(first, later, &mut Unmetered);
        ensure!(
            same == ControlFlow::Continue(true),
            "duplicates that differ"
        );
    }
    Ok(())
}

/// A text with two replacements is what it is when it is read whole.
fn edit(input: &[u8], document: &OwnedDocument, limits: &ReadLimits) -> Outcome {
    let Ok(parsed) = Box::<Reader>::default().parse(input.to_vec(), limits) else {
        return Err("it is not read again".to_owned());
    };
    let document = document.document();
    let middle = input.get(input.len() / 2).copied().unwrap_or_default();
    let turn = input.len().wrapping_add(usize::from(middle));
    let place = |nth: usize| {
        let index = turn.wrapping_mul(nth) % document.len();
        let Span { start, end } = document.view(NodeId::from_index(index)).span();
        match (turn / nth) % 3 {
            0 => Span { start, end: start },
            1 => Span { start: end, end },
            _ => Span { start, end },
        }
    };
    let mut places = [place(1), place(7)];
    places.sort_by_key(|span| (span.start, span.end));
    let [first, second] = places;
    if second.start < first.end {
        return Ok(());
    }
    let with = |nth: usize| {
        let index = (turn / nth) % REPLACEMENTS.len();
        REPLACEMENTS.get(index).copied().unwrap_or_default()
    };
    let source = parsed.document().source();
    let part = |start: usize, end: usize| source.get(start..end).unwrap_or_default();
    let whole = [
        part(0, first.start),
        with(2),
        part(first.end, second.start),
        with(5),
        part(second.end, source.len()),
    ]
    .concat();
    let edits = [(first, with(2)), (second, with(5))];
    match (
        parsed.edited(Box::default(), &edits),
        OwnedDocument::read(whole.as_bytes(), limits),
    ) {
        (Ok(edited), Ok(read)) => {
            let (edited, read) = (edited.document(), read.document());
            ensure!(edited.source() == whole, "another text: {whole}");
            ensure!(edited.len() == read.len(), "other nodes: {whole}");
            for index in (0..read.len()).take(200) {
                let id = NodeId::from_index(index);
                let (one, other) = (edited.view(id), read.view(id));
                let is_same = one.span() == other.span()
                    && one.kind() == other.kind()
                    && one.parent().map(|it| it.id()) == other.parent().map(|it| it.id())
                    && edited.pointer(id) == read.pointer(id);
                ensure!(is_same, "another node {index}: {whole}");
            }
            let ControlFlow::Continue(same) = equal(edited.root(), read.root(), &mut Unmetered);
            ensure!(same, "another value: {whole}");
        }
        (Err((_, one)), Err(other)) => ensure!(one == other, "{one}, {other}: {whole}"),
        (one, other) => {
            let (one, other) = (one.is_ok(), other.is_ok());
            return Err(format!("edited {one}, whole {other}: {whole}"));
        }
    }
    Ok(())
}

fn round_trip(document: &OwnedDocument, value: &Value, limits: &ReadLimits) -> Outcome {
    let written = value.to_string();
    let Ok(again) = OwnedDocument::read(written.as_bytes(), limits) else {
        return Err(format!("not read again: {written}"));
    };
    let (one, other) = (document.document().root(), again.document().root());
    let ControlFlow::Continue(same) = equal(one, other, &mut Unmetered);
    ensure!(same, "another value: {written}");
    let ControlFlow::Continue(left) = hash_value(one, &mut Unmetered);
    let ControlFlow::Continue(right) = hash_value(other, &mut Unmetered);
    ensure!(
        left == right,
        "equal values with different hashes: {written}"
    );
    Ok(())
}

/// What replaces a value, or stands before or behind it.
const REPLACEMENTS: [&str; 8] = [
    "",
    "7",
    "[{\"a\":1}]",
    ",\"b\":[2]",
    "\"\\u00e9\"",
    "[",
    "]",
    "{},",
];
