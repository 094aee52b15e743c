//! Against another reader: the same texts are read, with the same values.
//!
//! Documented differences: we keep numbers beyond a double, and refuse
//! duplicate keys unless told otherwise. Generated texts stay below both
//! readers' depth limits.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use proptest::prelude::*;
use serde_json::Value;
use toolsure_json::{
    DuplicateKeys, Key, Kind, Node, NodeId, Number, ReadErrorKind, ReadLimits, Reader, View,
};

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        agree(&bytes);
    }

    #[test]
    fn arbitrary_tokens(tokens in prop::collection::vec(token(), 0..24)) {
        agree(tokens.concat().as_bytes());
    }

    #[test]
    fn damaged_json(
        value in json(),
        pretty: bool,
        at: prop::sample::Index,
        damage in damage(),
    ) {
        let text = write(&value, pretty);
        agree(text.as_bytes());
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        match damage {
            Damage::Replace(byte) => *bytes.get_mut(at).unwrap() = byte,
            Damage::Insert(byte) => bytes.insert(at, byte),
            Damage::Remove => drop(bytes.remove(at)),
            Damage::Cut => bytes.truncate(at),
        }
        agree(&bytes);
    }

    #[test]
    fn strings(text in prop::collection::vec(any::<char>(), 0..40), padding in 0..20_usize) {
        let text: String = text.into_iter().collect();
        let padded = format!("{}{text}", "x".repeat(padding));
        agree(serde_json::to_string(&padded).unwrap().as_bytes());
        let escaped: String = padded
            .encode_utf16()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect();
        let source = format!("\"{escaped}\"");
        agree(source.as_bytes());
        let mut reader = Reader::new();
        let document = reader.read(source.as_bytes(), &limits()).unwrap();
        prop_assert_eq!(document.root().string(), padded);
    }

    #[test]
    fn doubles(value: f64) {
        if value.is_finite() {
            // Of two decimals that are equally near, the standard library does not take the even one.
            let text = serde_json::to_string(&value).unwrap();
            prop_assert_eq!(Number::from_f64(value), Number::parse(&text).unwrap());
            let shown = Number::from_f64(value).to_string();
            prop_assert_eq!(shown.parse::<f64>().unwrap(), value);
        }
    }

    /// Spans, pointers, parents and names fit together at every node.
    #[test]
    fn places(value in json(), pretty: bool) {
        let text = write(&value, pretty);
        let mut reader = Reader::new();
        let document = reader.read(text.as_bytes(), &limits()).unwrap();
        for index in 0..document.len() {
            let view = document.view(NodeId::from_index(index));
            prop_assert_eq!(view.id().index(), index);
            let pointer = document.pointer(view.id());
            let found = document.at_pointer(&pointer).unwrap();
            let expect = value.pointer(&pointer).unwrap();
            same(found, expect);
            let span = found.span();
            prop_assert_eq!(text.get(span.start..span.end), Some(found.raw()));
            let again: Value = serde_json::from_str(found.raw()).unwrap();
            // Reads the same digits twice: the other reader may round them.
            let expect: Value = serde_json::from_str(&expect.to_string()).unwrap();
            prop_assert_eq!(again, expect);
            if found.id() != view.id() {
                // The pointer of a key is that of its value.
                prop_assert_eq!(found.name().map(View::id), Some(view.id()));
                prop_assert_eq!(view.name().map(View::id), None);
            }
            match view.parent() {
                None => prop_assert_eq!(index, 0),
                Some(parent) => {
                    let held = parent.items().any(|item| item.id() == found.id())
                        || parent.members().any(|(key, member)| {
                            member.id() == found.id()
                                && found.name().map(View::id) == Some(key.view().id())
                        });
                    prop_assert!(held);
                    prop_assert!(parent.span().start < span.start);
                    prop_assert!(parent.span().end > span.end);
                }
            }
        }
    }
}

fn limits() -> ReadLimits {
    ReadLimits {
        duplicate_keys: DuplicateKeys::KeepLast,
        ..ReadLimits::default()
    }
}

/// Both read it to the same value, or neither does.
fn agree(bytes: &[u8]) {
    let mut reader = Reader::new();
    let ours = reader.read(bytes, &limits());
    let theirs = serde_json::from_slice::<Value>(bytes);
    match (ours, theirs) {
        (Ok(document), Ok(value)) => {
            same(document.root(), &value);
            let whole = document.root().raw().as_bytes();
            assert_eq!(whole, bytes.trim_ascii());
        }
        (Ok(document), Err(error)) => {
            let message = error.to_string();
            assert!(
                message.contains("number out of range"),
                "{:?}: {message}",
                document.source()
            );
        }
        (Err(error), Ok(_)) => {
            panic!("{:?}: {error}", String::from_utf8_lossy(bytes));
        }
        (Err(error), Err(_)) => {
            assert!(error.at() <= bytes.len());
            assert_ne!(error.kind(), ReadErrorKind::DuplicateKey);
        }
    }
    // Read strictly, a duplicate key is the only thing that may be added.
    let strict = reader.read(bytes, &ReadLimits::default()).map(|_| ());
    let lax = reader.read(bytes, &limits()).map(|_| ());
    if strict.is_ok() != lax.is_ok() {
        let kind = strict.map_err(|error| error.kind());
        assert_eq!(kind, Err(ReadErrorKind::DuplicateKey));
    }
}

fn same(ours: View<'_>, theirs: &Value) {
    match theirs {
        Value::Null => assert_eq!(ours.kind(), Kind::Null),
        Value::Bool(value) => {
            assert_eq!((ours.kind(), ours.boolean()), (Kind::Boolean, *value));
        }
        Value::Number(value) => {
            assert_eq!(ours.kind(), Kind::Number);
            let number = ours.number();
            assert_eq!(Number::parse(ours.raw()).unwrap(), number);
            if let Some(value) = value.as_i64() {
                assert_eq!(number, Number::from_i64(value), "{}", ours.raw());
            } else if let Some(value) = value.as_u64() {
                assert_eq!(number, Number::from_u64(value), "{}", ours.raw());
            } else {
                let shown = number.to_string().parse::<f64>().unwrap();
                assert_eq!(shown, ours.raw().parse::<f64>().unwrap(), "{}", ours.raw());
            }
        }
        Value::String(value) => {
            assert_eq!((ours.kind(), ours.string()), (Kind::String, value.as_str()));
        }
        Value::Array(values) => {
            assert_eq!((ours.kind(), ours.len()), (Kind::Array, values.len()));
            assert_eq!(ours.items().count(), values.len());
            for (index, (ours, theirs)) in ours.items().zip(values).enumerate() {
                same(ours, theirs);
                if index < 4 {
                    let found = ours.parent().and_then(|array| array.item(index));
                    assert_eq!(found.map(View::id), Some(ours.id()));
                }
            }
            assert!(ours.item(values.len()).is_none());
        }
        Value::Object(members) => {
            assert_eq!((ours.kind(), ours.len()), (Kind::Object, members.len()));
            assert_eq!(ours.members().count(), members.len());
            for (key, value) in ours.members() {
                assert_eq!(key.hash(), toolsure_json::key_hash(key.text()));
                let found = ours.member(key.text()).unwrap();
                assert_eq!(found.id(), value.id());
                same(value, members.get(key.text()).unwrap());
            }
        }
    }
}

fn write(value: &Value, pretty: bool) -> String {
    if pretty {
        serde_json::to_string_pretty(value).unwrap()
    } else {
        value.to_string()
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1000_i64..1000).prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..20)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{0,3}",
        "[ -~]{0,20}",
        prop::collection::vec(any::<char>(), 0..12).prop_map(|text| text.into_iter().collect()),
        "[~/\"\\\\\n\t€😀]{0,6}",
    ]
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    Replace(u8),
    Insert(u8),
    Remove,
    Cut,
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = || {
        prop_oneof![
            any::<u8>(),
            prop::sample::select(&b"{}[]\",:\\0123456789-+eE.tfnu \n\x00\x1f\x7f\x80\xff"[..]),
        ]
    };
    prop_oneof![
        byte().prop_map(Damage::Replace),
        byte().prop_map(Damage::Insert),
        Just(Damage::Remove),
        Just(Damage::Cut),
    ]
}

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"a\"",
        "\"b\":",
        "\"a\":",
        "\\",
        "\\u",
        "\\ud83d",
        "\\ude00",
        "\\n",
        "0",
        "1",
        "12",
        "-",
        "+",
        ".",
        "e",
        "E5",
        "1.5",
        "1e5",
        "true",
        "false",
        "null",
        " ",
        "\n",
        "\t",
        "\r",
        "é",
        "\u{1}",
        "[]",
        "{}",
        "[1,2]",
        "{\"a\":1}",
    ])
}
