//! Decides from a schema alone whether it allows only objects.

use std::collections::HashMap;

use toolsure_json::{Key as _, Kind, Node as _, NodeId, View};
use toolsure_syntax::reference::{Resources, hides_siblings};
use toolsure_syntax::{AppliesTo, Dialect, Keyword};

/// Whether a root allows only objects: its `type` is `object`, or the target of its `$ref`
/// within the document allows only objects, or every member of its `anyOf` or `oneOf` does, or any member of its
/// `allOf`. `type: ["object", "null"]` does not.
///
/// Linear in the schema; beyond [`DEPTH`] steps of reference and composition the answer is no,
/// which is always safe for a reader.
pub(crate) fn accepts_only_objects(root: View<'_>) -> bool {
    let mut judge = ObjectRoot {
        resources: Resources::of(root),
        known: HashMap::new(),
    };
    judge.schema(root, 0)
}

/// Whether a root without `type` has keywords that apply to objects, and none that apply to other
/// values.
pub(crate) fn constrains_only_objects(root: View<'_>) -> bool {
    let mut of_objects = false;
    for (key, _) in root.members() {
        let keyword = Keyword::from_name(key.text()).unwrap_or(Keyword::Unknown);
        match keyword.applies_to() {
            AppliesTo::Objects => of_objects = true,
            AppliesTo::Any if !keyword.can_reject() => {}
            _ => return false,
        }
    }
    of_objects
}

struct ObjectRoot<'a> {
    resources: Resources<'a>,
    /// False while it is being decided: a cycle of references guarantees nothing.
    known: HashMap<NodeId, bool>,
}

impl<'a> ObjectRoot<'a> {
    /// Recurses at most [`DEPTH`] levels.
    fn schema(&mut self, schema: View<'a>, depth: usize) -> bool {
        if let Some(known) = self.known.get(&schema.id()) {
            return *known;
        }
        if depth > DEPTH {
            return false;
        }
        self.known.insert(schema.id(), false);
        let answer = self.judge(schema, depth + 1);
        self.known.insert(schema.id(), answer);
        answer
    }

    fn judge(&mut self, schema: View<'a>, depth: usize) -> bool {
        let reference = schema.member("$ref").filter(|r| r.kind() == Kind::String);
        let referred = reference.and_then(|r| self.resources.resolve(schema, r.string()).schema());
        let position = self.resources.position(schema);
        let dialect = position.and_then(|at| self.resources.dialect(at));
        if hides_siblings(schema, dialect.unwrap_or(Dialect::Draft202012)) {
            return referred.is_some_and(|target| self.schema(target, depth));
        }
        if schema
            .member("type")
            .is_some_and(|kind| kind.string() == "object")
        {
            return true;
        }
        if referred.is_some_and(|target| self.schema(target, depth)) {
            return true;
        }
        ["anyOf", "oneOf"].into_iter().any(|keyword| {
            let members = schema.member(keyword).filter(|list| !list.is_empty());
            members.is_some_and(|list| list.items().all(|member| self.schema(member, depth)))
        }) || schema
            .member("allOf")
            .is_some_and(|list| list.items().any(|member| self.schema(member, depth)))
    }
}

/// The maximum number of references and compositions to follow.
const DEPTH: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_json::{OwnedDocument, ReadLimits};

    /// `type`, references inside the document, `anyOf`, `oneOf` and `allOf` decide; `properties`
    /// and `required` do not.
    #[test]
    fn the_schema_says_whether_it_is_object_shaped() {
        let deep = format!(
            "{}{{\"type\":\"object\"}}{}",
            "{\"allOf\":[".repeat(50),
            "]}".repeat(50)
        );
        let wide: String = (0..60)
            .map(|n| format!(r##","d{n}":{{"allOf":[{{"$ref":"#/$defs/d{m}"}},{{"$ref":"#/$defs/d{m}"}}]}}"##, m = n + 1))
            .collect();
        let fan = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{"d60":{{}}{wide}}}}}"##);
        for (schema, expected) in [
            (r#"{"type":"object"}"#, true),
            (r#"{}"#, false),
            (r#"{"type":["object","null"]}"#, false),
            (r#"{"type":["object"]}"#, false),
            (r#"{"properties":{"a":{}},"required":["a"]}"#, false),
            (
                r##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}"##,
                true,
            ),
            (
                r##"{"$ref":"#/%24defs/a~1b","$defs":{"a/b":{"type":"object"}}}"##,
                true,
            ),
            (
                r##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"array"}}}"##,
                false,
            ),
            // Pointers start at the root of the resource.
            (
                r##"{"$defs":{"a":{"type":"object"}},"allOf":[{"$id":"urn:x","$ref":"#/$defs/a","$defs":{"a":{"type":"array"}}}]}"##,
                false,
            ),
            (
                r##"{"$ref":"#n%61me","$defs":{"a":{"$anchor":"name","type":"object"}}}"##,
                true,
            ),
            (r##"{"$ref":"#/$defs/no"}"##, false),
            (r##"{"$ref":"#"}"##, false),
            (r##"{"$ref":""}"##, false),
            (r##"{"$ref":"https://x.invalid/"}"##, false),
            (r#"{"anyOf":[{"type":"object"},{"type":"object"}]}"#, true),
            (r#"{"anyOf":[{"type":"object"},{"type":"string"}]}"#, false),
            (r#"{"anyOf":[]}"#, false),
            (
                r#"{"oneOf":[{"type":"object"},{"allOf":[{},{"type":"object"}]}]}"#,
                true,
            ),
            (r#"{"allOf":[{"type":"object"},{"minProperties":1}]}"#, true),
            (r#"{"allOf":[{"minProperties":1}]}"#, false),
            (
                r##"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","$ref":"#/definitions/a","definitions":{"a":{}}}"##,
                false,
            ),
            (deep.as_str(), true),
            (fan.as_str(), false),
        ] {
            let document = OwnedDocument::read(schema, &ReadLimits::default()).unwrap();
            assert_eq!(
                accepts_only_objects(document.document().root()),
                expected,
                "{schema}"
            );
        }
    }
}
