//! Finds the subschema at a node of a document, and decodes those that were omitted.

use toolsure_json::{Kind, Node as _, NodeId};

use super::ModelBuilder;
use crate::error::CompileError;
use crate::model::{Dangling, DocumentId, SubschemaId};

impl ModelBuilder<'_> {
    /// The subschema at a node that a pointer leads to: the one that the walk found there, or a new
    /// one in the resource of `around`.
    ///
    /// # Errors
    ///
    /// What is wrong with the new subschema.
    pub(crate) fn add_target(
        &mut self,
        doc: DocumentId,
        node: NodeId,
        around: SubschemaId,
    ) -> Result<SubschemaId, CompileError> {
        if let Some(sub) = self.decoded(doc, node)? {
            return Ok(sub);
        }
        let outer = self.subs.get(around.index()).copied().ok_or(Dangling)?;
        let sub = self.push(doc, node, outer.resource, outer.rules, 0)?;
        self.walk()?;
        Ok(sub)
    }

    /// The subschema at a node, if there is one; it is decoded if it was omitted.
    pub(crate) fn decoded(
        &mut self,
        doc: DocumentId,
        node: NodeId,
    ) -> Result<Option<SubschemaId>, CompileError> {
        let Some(id) = self.position(doc, node) else {
            return Ok(None);
        };
        if let Some(omitted @ true) = self.omitted.get_mut(id.index()) {
            *omitted = false;
            let text = self.docs.get(doc.index()).ok_or(Dangling)?.text.clone();
            // It was not read.
            let view = text.document().get(node).ok_or(Dangling)?;
            if view.kind() == Kind::Null {
                return Err(Dangling.into());
            }
            self.decode(id, &text)?;
            self.walk()?;
        }
        Ok(Some(id))
    }

    /// The subschema at a node, if there is one.
    fn position(&mut self, doc: DocumentId, node: NodeId) -> Option<SubschemaId> {
        if self.positions.is_empty() {
            let nodes = self.docs.iter().map(|doc| doc.text.document().len());
            self.positions = nodes.map(|nodes| vec![None; nodes]).collect();
            for (index, sub) in self.subs.iter().enumerate() {
                let places = self.positions.get_mut(sub.doc.index());
                if let Some(place) = places.and_then(|places| places.get_mut(sub.node.index())) {
                    *place = Some(SubschemaId::new(index));
                }
            }
        }
        *self.positions.get(doc.index())?.get(node.index())?
    }
}
