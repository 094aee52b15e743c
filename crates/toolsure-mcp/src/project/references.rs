//! Moves a schema to another location in a document, and adjusts its references.

use std::collections::HashSet;

use toolsure_json::{Kind, Node as _, NodeId, View, json_string};
use toolsure_syntax::Dialect;
use toolsure_syntax::positions::each_subschema;
use toolsure_syntax::reference::{Fragment, Identity, Resources, Target};

use crate::message::Edits;

/// How a schema's references stay valid after a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchoring {
    /// References from the root are rewritten.
    Rewritten,
    /// The root has an `$id`, and all references are already relative to it.
    OwnId,
    /// The root is given an `$id`, because its `$recursiveAnchor` (2019-09) only has a meaning at a
    /// resource's root.
    GivenId,
}

/// Decides how a root's references stay valid, and adds the edits that move them under `prefix`, a
/// JSON pointer.
pub(super) fn rebase(root: View<'_>, prefix: &str, edits: &mut Edits) -> Anchoring {
    let resources = Resources::of(root);
    // An unknown dialect is treated as the newest one.
    let dialect = resources.dialect(0).unwrap_or(Dialect::Draft202012);
    if opens_base(root, dialect) {
        return Anchoring::OwnId;
    }
    let recursive = dialect == Dialect::Draft201909;
    if recursive && needs_own_root(root) {
        edits.prepend_member(root, &format!("\"$id\":{}", json_string(GIVEN_ID)));
        return Anchoring::GivenId;
    }
    let mut mover = Mover {
        root,
        prefix,
        dialect,
        resources,
        seen: HashSet::new(),
        waiting: vec![root],
    };
    while let Some(schema) = mover.waiting.pop() {
        if mover.seen.insert(schema.id()) {
            mover.schema(schema, edits);
        }
    }
    Anchoring::Rewritten
}

struct Mover<'a, 'p> {
    root: View<'a>,
    prefix: &'p str,
    dialect: Dialect,
    resources: Resources<'a>,
    seen: HashSet<NodeId>,
    waiting: Vec<View<'a>>,
}

impl<'a> Mover<'a, '_> {
    fn schema(&mut self, schema: View<'a>, edits: &mut Edits) {
        if schema.kind() != Kind::Object
            || (schema.id() != self.root.id() && opens_base(schema, self.dialect))
        {
            return;
        }
        for keyword in ["$ref", "$dynamicRef"] {
            let reference = schema.member(keyword).filter(|r| r.kind() == Kind::String);
            if let Some(reference) = reference {
                self.reference(schema, reference, edits);
            }
        }
        if self.dialect == Dialect::Draft201909 {
            let recursive = schema.member("$recursiveRef").filter(|r| r.string() == "#");
            if let Some((recursive, key)) = recursive.and_then(|r| Some((r, r.name()?))) {
                // Without a `$recursiveAnchor` at the root it is a plain reference.
                edits.replace(key, "\"$ref\"");
                edits.replace(recursive, json_string(&format!("#{}", self.prefix)));
            }
        }
        let waiting = &mut self.waiting;
        each_subschema(schema, |_, inner| waiting.push(inner));
    }

    /// Moves a reference that is the root or a pointer from it. Anchors and URIs stay valid.
    fn reference(&mut self, schema: View<'a>, reference: View<'a>, edits: &mut Edits) {
        let text = reference.string();
        let fragment = match text {
            "" => "",
            text => match text.strip_prefix('#') {
                Some(fragment) => fragment,
                None => return,
            },
        };
        // A fragment without meaning stays without one.
        let is_pointer = match Fragment::parse(fragment) {
            Some(Fragment::Root | Fragment::Pointer(_)) => true,
            Some(Fragment::Anchor(_)) => false,
            None => fragment.starts_with('/'),
        };
        if is_pointer {
            edits.replace(
                reference,
                json_string(&format!("#{}{fragment}", self.prefix)),
            );
        }
        // The target may be at a location that is not searched for subschemas.
        if let Target::Schema(target) = self.resources.resolve(schema, text)
            && !self.is_behind_base(target)
        {
            self.waiting.push(target);
        }
    }

    /// Whether a location is inside an embedded resource.
    fn is_behind_base(&self, place: View<'a>) -> bool {
        let mut above = place.parent();
        while let Some(view) = above {
            if view.id() == self.root.id() {
                return false;
            }
            if opens_base(view, self.dialect) {
                return true;
            }
            above = view.parent();
        }
        false
    }
}

/// Whether a schema is a resource of its own: its `$id` sets the base URI of its references.
fn opens_base(schema: View<'_>, dialect: Dialect) -> bool {
    Identity::of(schema, dialect).uri.is_some()
}

/// Whether `$recursiveRef` cannot be written as `$ref`: the root is a recursive anchor, or a `$ref`
/// is beside one.
fn needs_own_root(root: View<'_>) -> bool {
    if root
        .member("$recursiveAnchor")
        .is_some_and(|anchor| anchor.boolean())
    {
        return true;
    }
    let mut waiting = vec![root];
    while let Some(schema) = waiting.pop() {
        if schema.member("$recursiveRef").is_some() && schema.member("$ref").is_some() {
            return true;
        }
        each_subschema(schema, |_, inner| waiting.push(inner));
    }
    false
}

/// The `$id` of a moved root that had none. RFC 2606 guarantees that nobody owns the name.
const GIVEN_ID: &str = "https://toolsure.invalid/result";
