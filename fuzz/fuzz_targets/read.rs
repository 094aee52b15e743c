//! Reading any bytes: never a panic, the same texts as another reader, and a
//! value that survives being written and read again.
#![no_main]

use std::ops::ControlFlow;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use toolgate_json::{
    DuplicateKeys, Kind, Node, NodeId, Number, OwnedDocument, ReadError, ReadErrorKind, ReadLimits,
    Unmetered, equal, first_duplicate, hash_value,
};

fuzz_target!(|bytes: &[u8]| {
    let limits = ReadLimits {
        // The other reader's limit, so that both stop at the same depth.
        depth: 127,
        duplicate_keys: DuplicateKeys::KeepLast,
        ..ReadLimits::default()
    };
    let ours = OwnedDocument::read(bytes, &limits);
    let theirs = serde_json::from_slice::<Value>(bytes);
    check_strict(bytes, &limits, &ours);
    let (document, value) = match (ours, theirs) {
        (Ok(document), Ok(value)) => (document, value),
        (Ok(document), Err(error)) => {
            // It keeps numbers as doubles; we do not.
            assert!(error.to_string().contains("number out of range"));
            walk(&document);
            return;
        }
        (Err(error), Ok(_)) => {
            assert_eq!(error.kind(), ReadErrorKind::TooManyDigits, "{error}");
            return;
        }
        (Err(error), Err(_)) => {
            assert!(error.at() <= bytes.len());
            let place = error.line_column(bytes);
            assert!(place.line >= 1 && place.column >= 1);
            assert!(!error.to_string().contains('\n'));
            return;
        }
    };
    walk(&document);
    round_trip(&document, &value, &limits);
});

/// The strict reading differs by refusing duplicate keys and by nothing else.
fn check_strict(bytes: &[u8], limits: &ReadLimits, lax: &Result<OwnedDocument, ReadError>) {
    let strict = ReadLimits {
        duplicate_keys: DuplicateKeys::Refuse,
        ..*limits
    };
    match (OwnedDocument::read(bytes, &strict), lax) {
        (Ok(strict), Ok(lax)) => {
            assert_eq!(strict.document().len(), lax.document().len());
        }
        (Err(error), Ok(_)) => {
            assert_eq!(error.kind(), ReadErrorKind::DuplicateKey);
            assert!(error.other().is_some_and(|first| first < error.at()));
        }
        (Err(strict), Err(lax)) => {
            let same = strict == *lax || strict.kind() == ReadErrorKind::DuplicateKey;
            assert!(same, "{strict} / {lax}");
        }
        (Ok(_), Err(error)) => panic!("{error}"),
    }
}

/// Every node is where its span and its pointer say.
fn walk(document: &OwnedDocument) {
    let document = document.document();
    // Finding a pointer may cost as much as the document, so look at a few.
    for index in (0..document.len()).take(200) {
        let view = document.view(NodeId::from_index(index));
        let found = document.at_pointer(&document.pointer(view.id()));
        let found = found.expect("a node's pointer leads to it");
        let is_key = found.id() != view.id();
        assert!(!is_key || found.name().map(|name| name.id()) == Some(view.id()));
        assert_eq!(
            view.kind() == Kind::Number,
            Number::parse(view.raw()).is_some()
        );
        let number = view.number();
        let shown = number.to_string();
        assert_eq!(Number::parse(&shown), Some(number));
        assert!(number.is_multiple_of(Number::from_i64(1)) == number.is_integer());
    }
    let ControlFlow::Continue(found) = first_duplicate(document.root(), &mut Unmetered);
    if let Some((first, later)) = found {
        let item = |index| document.root().item(index).expect("an index in the array");
        let same = equal(item(first), item(later), &mut Unmetered);
        assert_eq!(same, ControlFlow::Continue(true));
    }
}

/// What the other reader makes of it, read by us, is the same value, unless
/// it had numbers that a double cannot hold.
fn round_trip(document: &OwnedDocument, value: &Value, limits: &ReadLimits) {
    let written = value.to_string();
    let again = OwnedDocument::read(written, limits).expect("what was written can be read");
    let (a, b) = (document.document(), again.document());
    assert_eq!(a.len(), b.len());
    // `12e0` is a double to the other reader, so only what a double can hold.
    let is_exact = |number: Number<'_>| {
        let long = number.as_i64();
        long.is_some_and(|long| long.unsigned_abs() <= 1 << 53)
    };
    let exact = (0..a.len()).all(|index| {
        let view = a.view(NodeId::from_index(index));
        view.kind() != Kind::Number || is_exact(view.number())
    });
    if exact {
        let same = equal(a.root(), b.root(), &mut Unmetered);
        assert_eq!(same, ControlFlow::Continue(true));
        let (left, right) = (
            hash_value(a.root(), &mut Unmetered),
            hash_value(b.root(), &mut Unmetered),
        );
        assert_eq!(left, right);
    }
}
