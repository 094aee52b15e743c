//! Where the references in a tool's schemas lead.

use foldhash::HashMap;
use toolsure_json::{NodeId, View};
use toolsure_syntax::Parser;
use toolsure_syntax::reference::Target;

use super::subschema::{Side, Subschema};

/// The targets of all `$ref`s of a tool, by the id of the schema that has the `$ref`.
pub(super) struct References<'a> {
    targets: HashMap<NodeId, Target<'a>>,
}

impl<'a> References<'a> {
    /// Resolves the references in the subschemas of each of some schemas.
    pub(super) fn of(
        schemas: impl IntoIterator<Item = (Side, View<'a>)>,
        subs: &[Subschema<'a>],
        parser: &Parser,
    ) -> Self {
        let mut targets = HashMap::default();
        for (side, schema) in schemas {
            let mut resources = parser.resources(schema);
            for sub in subs.iter().filter(|sub| sub.side == side) {
                if let Some(reference) = sub.text("$ref") {
                    targets.insert(sub.view.id(), resources.resolve(sub.view, reference));
                }
            }
        }
        Self { targets }
    }

    /// Where the `$ref` of a subschema leads, if it has one.
    pub(super) fn target(&self, sub: &Subschema<'a>) -> Option<&Target<'a>> {
        self.targets.get(&sub.view.id())
    }
}
