//! Each limit at its value and one over; depth on a small stack.
#![expect(clippy::panic, reason = "a panic is how a test fails")]

use toolsure_json::{OwnedDocument, ReadErrorKind, ReadLimits, Reader};

fn limits() -> ReadLimits {
    ReadLimits::default()
}

/// Reads with the limit at what the text needs, and at one less.
fn check(text: &str, needed: usize, name: &str, kind: ReadErrorKind, at: usize) {
    let with = |allowed: usize| match name {
        "bytes" => ReadLimits {
            bytes: allowed,
            ..limits()
        },
        "depth" => ReadLimits {
            depth: allowed,
            ..limits()
        },
        "nodes" => ReadLimits {
            nodes: allowed,
            ..limits()
        },
        _ => ReadLimits {
            digits: allowed,
            ..limits()
        },
    };
    let mut reader = Reader::new();
    assert!(
        reader.read(text.as_bytes(), &with(needed)).is_ok(),
        "{text} with {needed} {name}"
    );
    let Err(error) = reader.read(text.as_bytes(), &with(needed - 1)) else {
        panic!("{text} was read with {} {name}", needed - 1);
    };
    assert_eq!(error.kind(), kind, "{text}");
    assert_eq!(error.at(), at, "{text}: {error}");
    assert_eq!(error.limit().map(|limit| limit.0), Some(name), "{text}");
    assert_eq!(
        error.limit().map(|limit| limit.1),
        u64::try_from(needed - 1).ok()
    );
    let owned = OwnedDocument::read(text, &with(needed - 1));
    assert_eq!(owned.err(), Some(error), "{text}");
}

#[test]
fn bytes() {
    for text in ["[1, 2]", "1", "  1  ", "\"é\""] {
        let kind = ReadErrorKind::TooLong;
        check(text, text.len(), "bytes", kind, text.len() - 1);
    }
}

#[test]
fn depth() {
    let kind = ReadErrorKind::TooDeep;
    check("[]", 1, "depth", kind, 0);
    check("[[]]", 2, "depth", kind, 1);
    check("[[], [], {}]", 2, "depth", kind, 1);
    check(r#"{"a": {"b": [1]}}"#, 3, "depth", kind, 12);
    let deep = format!("{}{}", "[".repeat(128), "]".repeat(128));
    check(&deep, 128, "depth", kind, 127);
}

#[test]
fn nodes() {
    let kind = ReadErrorKind::TooManyNodes;
    check("1", 1, "nodes", kind, 0);
    check("[1, 2]", 3, "nodes", kind, 4);
    check(r#"{"a": 1}"#, 3, "nodes", kind, 6);
    check(r#"{"a": 1, "b": []}"#, 5, "nodes", kind, 14);
    check(r#"{"a": "\n"}"#, 3, "nodes", kind, 6);
    check("[true, 1.5, null]", 4, "nodes", kind, 12);
}

#[test]
fn digits() {
    let kind = ReadErrorKind::TooManyDigits;
    check("1", 1, "digits", kind, 0);
    check("[123]", 3, "digits", kind, 1);
    check("-12.50e+10", 6, "digits", kind, 0);
    check("1e1000000000", 11, "digits", kind, 0);
    check("[0, 12345678901234567890]", 20, "digits", kind, 4);
    check(&"7".repeat(4096), 4096, "digits", kind, 0);
    check(&format!("1e{}", "0".repeat(4095)), 4096, "digits", kind, 0);
}

#[test]
fn messages() {
    let none = ReadLimits {
        bytes: 3,
        depth: 0,
        nodes: 0,
        digits: 0,
        ..limits()
    };
    let mut reader = Reader::new();
    for (text, message) in [
        ("1234", "the text is longer than the limit of 3 bytes"),
        (
            " []",
            "arrays and objects nested deeper than the limit of 0 at byte 1",
        ),
        (" 1", "a number longer than the limit of 0 digits at byte 1"),
        (
            "\"\"",
            "more values and keys than the limit of 0 nodes at byte 0",
        ),
    ] {
        let error = reader.read(text.as_bytes(), &none);
        assert_eq!(error.unwrap_err().to_string(), message);
    }
}

/// Neither refusing nor reading, walking and comparing deep text needs stack.
#[test]
fn depth_needs_no_stack() {
    let small = || {
        let deep = 100_000;
        let arrays = "[".repeat(deep);
        let objects = "{\"a\":".repeat(deep);
        let whole = format!("{arrays}{}", "]".repeat(deep));
        let any = ReadLimits {
            depth: usize::MAX,
            ..limits()
        };
        let mut reader = Reader::new();
        for text in [&arrays, &objects, &whole] {
            let error = reader.read(text.as_bytes(), &limits()).unwrap_err();
            assert_eq!(error.kind(), ReadErrorKind::TooDeep);
        }
        for text in [&arrays, &objects] {
            let error = reader.read(text.as_bytes(), &any).unwrap_err();
            assert_eq!(error.kind(), ReadErrorKind::UnexpectedEnd);
        }
        let first = OwnedDocument::read(whole.as_str(), &any).unwrap();
        let second = OwnedDocument::read(whole.as_str(), &any).unwrap();
        let (a, b) = (first.document().root(), second.document().root());
        let mut meter = toolsure_json::Unmetered;
        assert!(toolsure_json::equal(a, b, &mut meter).is_continue());
        assert!(toolsure_json::hash_value(a, &mut meter).is_continue());
        let last = toolsure_json::NodeId::from_index(deep - 1);
        let pointer = first.document().pointer(last);
        assert_eq!(pointer.len(), 2 * (deep - 1));
        assert!(first.document().at_pointer(&pointer).is_some());
    };
    let thread = std::thread::Builder::new().stack_size(64 << 10);
    thread.spawn(small).unwrap().join().unwrap();
}
