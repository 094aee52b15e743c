//! What identifies a subschema: its dialect, its id, its anchors.

use toolsure_json::{Node as _, View};

use super::ModelBuilder;
use crate::dialect::{Dialect, DialectRules, declared_dialect};
use crate::error::{CompileError, CompileErrorKind, cut};
use crate::model::{Anchor, Dangling, Subschema, SubschemaId};
use crate::reference::Identity;
use crate::uri;

impl ModelBuilder<'_> {
    /// Reads `$schema`, the id and the anchors of a subschema before its other keywords, since
    /// these depend on them. Returns the updated subschema.
    pub(super) fn identify(
        &mut self,
        id: SubschemaId,
        mut sub: Subschema,
        depth: usize,
        view: View<'_>,
    ) -> Result<Subschema, CompileError> {
        let is_root = depth == 0 && self.is_document_root(sub);
        if let Some(declared) = declared_dialect(view, is_root) {
            sub.rules = self.rules_of(sub, declared)?;
        }
        let identity = Identity::of(view, sub.rules.dialect);
        let id_keyword = sub.rules.dialect.id_keyword();
        if (identity.uri.is_some() || identity.id_anchor.is_some())
            && let Some(value) = view.member(id_keyword.name())
        {
            self.check_reference_length(sub, value)?;
        }
        if let Some(uri) = identity.uri {
            self.name_resource(id, &mut sub, uri)?;
        }
        let stored = self.subs.get_mut(id.index()).ok_or(Dangling)?;
        stored.resource = sub.resource;
        stored.rules = sub.rules;
        let resource = self.resources.get_mut(sub.resource.index());
        let resource = resource.ok_or(Dangling)?;
        for (name, dynamic) in identity.anchors() {
            let anchor = Anchor { sub: id, dynamic };
            resource.anchors.entry(name.to_owned()).or_insert(anchor);
        }
        if identity.recursive_anchor && resource.root == id {
            resource.recursive = true;
        }
        Ok(sub)
    }

    fn is_document_root(&self, sub: Subschema) -> bool {
        self.docs
            .get(sub.doc.index())
            .is_some_and(|doc| doc.text.document().root().id() == sub.node)
    }

    /// The rules that a `$schema` selects.
    fn rules_of(&self, sub: Subschema, declared: View<'_>) -> Result<DialectRules, CompileError> {
        if let Some(dialect) = self.options.dialect {
            return Ok(DialectRules::all(dialect));
        }
        let text = declared.string();
        if let Some(dialect) = Dialect::from_uri(text) {
            return Ok(DialectRules::all(dialect));
        }
        let detail = match (self.metaschemas)(text) {
            Some(Ok(rules)) => return Ok(rules),
            Some(Err(detail)) => Some(detail),
            None => None,
        };
        let kind = CompileErrorKind::UnsupportedDialect {
            declared: cut(text),
            detail,
        };
        Err(CompileError::new(kind, self.place(sub.doc, declared.id())))
    }

    /// Starts a new resource for an id, given without its fragment.
    fn name_resource(
        &mut self,
        id: SubschemaId,
        sub: &mut Subschema,
        reference: &str,
    ) -> Result<(), Dangling> {
        let base = self.resources.get_mut(sub.resource.index());
        let base = base.ok_or(Dangling)?;
        let uri = uri::resolve(&base.uri, reference);
        if base.root == id {
            // The document's own id: it is now known by this and by the URI it was found under.
            base.uri.clone_from(&uri);
            self.resource_of_uri.entry(uri).or_insert(sub.resource);
        } else {
            sub.resource = self.add_resource(uri, id);
        }
        Ok(())
    }
}
