//! A value that cannot say what it is never leads to a verdict.

use toolsure_json::{KeyView, Kind, Node, Number, note_contradiction};
use toolsure_schema::{AnyNode, Exhausted, Schema, Verdict, Workspace};

/// A string whose text is not there.
#[derive(Clone, Copy)]
struct Broken;

impl<'a> Node<'a> for Broken {
    type Key = KeyView<'a>;
    type Items = std::iter::Empty<Self>;
    type Members = std::iter::Empty<(KeyView<'a>, Self)>;

    fn kind(self) -> Kind {
        Kind::String
    }

    fn boolean(self) -> bool {
        false
    }

    fn number(self) -> Number<'a> {
        Number::from_i64(0)
    }

    fn string(self) -> &'a str {
        note_contradiction();
        ""
    }

    fn len(self) -> usize {
        0
    }

    fn items(self) -> Self::Items {
        std::iter::empty()
    }

    fn members(self) -> Self::Members {
        std::iter::empty()
    }

    fn item(self, _: usize) -> Option<Self> {
        None
    }

    fn member(self, _: &str) -> Option<Self> {
        None
    }

    fn identity(self) -> usize {
        1
    }
}

#[test]
fn what_contradicts_itself_is_undecided() {
    let mut workspace = Workspace::new();
    let internal = Verdict::Undecided(Exhausted::Internal);
    for (schema, verdict) in [
        (r#"{"maxLength": 3}"#, internal),
        (r#"{"minLength": 3}"#, internal),
        (r#"{"not": {"pattern": "a"}}"#, internal),
        // Its type is known.
        (r#"{"type": "string"}"#, Verdict::Valid),
        (r#"{"type": "object"}"#, Verdict::Invalid),
    ] {
        let schema = Schema::compile(schema.as_bytes()).unwrap();
        assert_eq!(schema.check(&mut workspace, AnyNode(Broken)), verdict);
    }
    // The next value is decided as ever.
    let schema = Schema::compile(br#"{"maxLength": 3}"#).unwrap();
    let verdict = schema.check(&mut workspace, r#""abcd""#);
    assert_eq!(verdict.unwrap(), Verdict::Invalid);
}
