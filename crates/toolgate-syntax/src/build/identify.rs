//! What a subschema is called: its dialect, its id, its anchors.

use toolgate_json::{Kind, Node as _, View};

use super::ModelBuilder;
use crate::dialect::{Dialect, Keyword, Rules};
use crate::error::{CompileError, CompileErrorKind, cut};
use crate::model::{Anchor, Subschema, SubschemaId};
use crate::uri;

impl ModelBuilder<'_> {
    /// Reads `$schema`, the id and the anchors of a subschema, before its other
    /// keywords, since these depend on them. Returns the subschema as it now is.
    pub(super) fn identify(
        &mut self,
        id: SubschemaId,
        mut sub: Subschema,
        depth: usize,
        view: View<'_>,
    ) -> Result<Subschema, CompileError> {
        let is_root = depth == 0 && self.is_document_root(sub);
        if let Some(declared) = view.member(Keyword::Schema.name()) {
            let embedded = view.member("$id").is_some() || view.member("id").is_some();
            if (is_root || embedded) && declared.kind() == Kind::String {
                sub.rules = self.rules_of(sub, declared)?;
            }
        }
        let hidden = hides_siblings(sub, view);
        if !hidden && let Some(value) = view.member(sub.rules.dialect.id_keyword()) {
            // A value of another type is refused where the keyword is decoded.
            if value.kind() == Kind::String {
                self.name_resource(id, &mut sub, value)?;
            }
        }
        if let Some(stored) = self.subs.get_mut(id.index()) {
            stored.resource = sub.resource;
            stored.rules = sub.rules;
        }
        for (keyword, dynamic) in [(Keyword::Anchor, false), (Keyword::DynamicAnchor, true)] {
            if let Some(value) = view.member(keyword.name())
                && sub.rules.keyword(keyword.name()) == Some(keyword)
                && value.kind() == Kind::String
            {
                self.add_anchor(sub.resource, value.string(), Anchor { sub: id, dynamic });
            }
        }
        let recursive = Keyword::RecursiveAnchor;
        if sub.rules.keyword(recursive.name()) == Some(recursive)
            && view
                .member(recursive.name())
                .is_some_and(|value| value.boolean())
            && let Some(resource) = self.resources.get_mut(sub.resource.index())
            && resource.root == id
        {
            resource.recursive = true;
        }
        Ok(sub)
    }

    fn is_document_root(&self, sub: Subschema) -> bool {
        self.docs
            .get(sub.doc.index())
            .is_some_and(|doc| doc.text.document().root().id() == sub.node)
    }

    /// The rules that a `$schema` asks for.
    fn rules_of(&self, sub: Subschema, declared: View<'_>) -> Result<Rules, CompileError> {
        if let Some(dialect) = self.options.dialect {
            return Ok(Rules::all(dialect));
        }
        let text = declared.string();
        if let Some(dialect) = Dialect::from_uri(text) {
            return Ok(Rules::all(dialect));
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

    /// Opens a new resource for an id, or names an anchor (draft 7 and older).
    fn name_resource(
        &mut self,
        id: SubschemaId,
        sub: &mut Subschema,
        value: View<'_>,
    ) -> Result<(), CompileError> {
        let text = value.string();
        self.check_reference_length(*sub, value)?;
        let parts = uri::Parts::split(text);
        let old = sub.rules.dialect.ref_hides_siblings();
        if parts.is_same_document() {
            match parts.fragment {
                Some(name) if old && !name.is_empty() => {
                    self.add_anchor(
                        sub.resource,
                        name,
                        Anchor {
                            sub: id,
                            dynamic: false,
                        },
                    );
                }
                _ => {}
            }
            return Ok(());
        }
        let base = self
            .resources
            .get(sub.resource.index())
            .map_or("", |base| base.uri.as_str());
        let uri = uri::resolve(base, text);
        let at_root = self
            .resources
            .get(sub.resource.index())
            .is_some_and(|base| base.root == id);
        if at_root {
            // The document's own name: known from now on beside the one it was found under.
            if let Some(resource) = self.resources.get_mut(sub.resource.index()) {
                resource.uri.clone_from(&uri);
            }
            self.resource_of_uri.entry(uri).or_insert(sub.resource);
        } else {
            sub.resource = self.add_resource(uri, id);
        }
        if let Some(name) = parts.fragment.filter(|name| old && !name.is_empty()) {
            self.add_anchor(
                sub.resource,
                name,
                Anchor {
                    sub: id,
                    dynamic: false,
                },
            );
        }
        Ok(())
    }
}

/// Whether a subschema has a `$ref` that makes its dialect ignore all beside it.
pub(super) fn hides_siblings(sub: Subschema, view: View<'_>) -> bool {
    sub.rules.dialect.ref_hides_siblings()
        && view
            .member(Keyword::Ref.name())
            .is_some_and(|value| value.kind() == Kind::String)
}
