//! What identifies a subschema: its dialect, its id, its anchors.

use toolgate_json::{Node as _, View};

use super::ModelBuilder;
use crate::dialect::{Dialect, DialectRules, declaration};
use crate::error::{CompileError, CompileErrorKind, cut};
use crate::model::{Anchor, Dangling, Subschema, SubschemaId};
use crate::reference::Identity;
use crate::uri;

impl Dialect {
    /// The dialect of a subschema in a schema of the dialect `outer`. `$schema` selects another one
    /// only at the root of a document and beside an id; one that is not of the five selects none.
    ///
    /// ```
    /// use toolgate_json::{OwnedDocument, ReadLimits};
    /// use toolgate_syntax::Dialect;
    ///
    /// let text = r#"{"$schema": "http://json-schema.org/draft-07/schema#"}"#;
    /// let document = OwnedDocument::read(text, &ReadLimits::default())?;
    /// let schema = document.document().root();
    /// let outer = Dialect::Draft202012;
    /// assert_eq!(Dialect::of_subschema(schema, true, outer), Dialect::Draft7);
    /// assert_eq!(Dialect::of_subschema(schema, false, outer), outer);
    /// # Ok::<(), toolgate_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn of_subschema(schema: View<'_>, is_root: bool, outer: Self) -> Self {
        let declared = declaration(schema, is_root);
        let known = declared.and_then(|uri| Self::from_uri(uri.string()));
        known.unwrap_or(outer)
    }
}

/// The `$schema` of a subschema, if it counts there: a string, at the root of a document or beside
/// an id (core 2020-12 §8.1.1).
fn declaration(schema: View<'_>, is_root: bool) -> Option<View<'_>> {
    let declared = schema.member(Keyword::Schema.name())?;
    let has_id = || schema.member("$id").is_some() || schema.member("id").is_some();
    (declared.kind() == Kind::String && (is_root || has_id())).then_some(declared)
}

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
        if let Some(declared) = declaration(view, is_root) {
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
