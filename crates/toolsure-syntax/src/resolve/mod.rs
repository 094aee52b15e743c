//! Resolves references: finds the subschema that each `$ref`, `$dynamicRef` and
//! `$recursiveRef` leads to.
//!
//! A reference may lead into the same document, to an embedded resource, to a
//! bundled metaschema or to a document that the operator registered. There is
//! no loader: a reference to any other document is refused.

mod cycle;
mod lenient;

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, quote};

use crate::build::{ModelBuilder, PendingReference};
use crate::closest::closest;
use crate::dialect::{DialectRules, Keyword};
use crate::error::{CompileError, CompileErrorKind, FOREIGN_TEXT, cut};
use crate::model::{
    Dangling, Model, ReferenceId, ReferenceTarget, Resource, ResourceId, ScopeName, Subschema,
    SubschemaId,
};
use crate::options::Warning;
use crate::reference::{Fragment, PointerIndex};
use crate::uri;

/// Finds a registered or bundled document by its URI without fragment.
pub(crate) type Documents<'l> = dyn Fn(&str) -> Option<Result<OwnedDocument, CompileError>> + 'l;

/// Resolves every reference of a schema, and adds the documents that they lead to.
///
/// # Errors
///
/// `RefDenied`, `UnresolvedRef`, `CyclicRef`, or what is wrong with a document that a reference
/// leads to.
pub(crate) fn resolve(
    builder: ModelBuilder<'_>,
    root: ResourceId,
    documents: &Documents<'_>,
) -> Result<Model, CompileError> {
    let mut work = Resolver {
        builder,
        documents,
        targets: Vec::new(),
        names: Names::default(),
        index: PointerIndex::new(),
        known: HashMap::new(),
        spellings: SPELLINGS,
    };
    let mut dangling = Vec::new();
    while let Some(pending) = work.builder.refs.get(work.targets.len()).copied() {
        let reference = ReferenceId::new(work.targets.len());
        let target = match work.reference(pending) {
            Ok(target) => target,
            Err(error) if matches!(error.kind(), CompileErrorKind::UnresolvedRef { .. }) => {
                dangling.push((pending.sub, reference, error));
                // It is left out below, unless the schema is refused.
                ReferenceTarget::Static(pending.sub)
            }
            Err(error) => return Err(error),
        };
        work.targets.push(target);
    }
    let names = work.names;
    let left_out = work.builder.left_out;
    let is_known = work.builder.again.is_some();
    let scope_names = names.count;
    let mut resources = work.builder.resources;
    for resource in &mut resources {
        resource.scope = bindings(resource, &names);
    }
    let root = resources.get(root.index()).ok_or(Dangling)?.root;
    let mut patterns = work.builder.patterns;
    let count = patterns.len();
    // Nobody else has them yet.
    for pattern in patterns.iter_mut().filter_map(Arc::get_mut) {
        pattern.share(count);
    }
    let mut model = Model {
        docs: work.builder.docs,
        resources,
        subs: work.builder.subs,
        entries: work.builder.entries,
        patterns,
        targets: work.targets,
        scope_names,
        root,
        warnings: work.builder.warnings,
    };
    if !dangling.is_empty() {
        leave_out(&mut model, dangling)?;
    }
    lenient::leave_out_above(&mut model, &left_out)?;
    if !is_known {
        cycle::refuse(&model)?;
    }
    if model.entries.len() > LARGE {
        // Its vectors have grown, and compiling needs memory of that size beside them.
        model.subs.shrink_to_fit();
        model.entries.shrink_to_fit();
        model.targets.shrink_to_fit();
    }
    Ok(model)
}

/// Leaves out the unresolved references that no evaluation can reach, with a warning for each.
///
/// # Errors
///
/// The first one that an evaluation can reach.
fn leave_out(
    model: &mut Model,
    dangling: Vec<(SubschemaId, ReferenceId, CompileError)>,
) -> Result<(), CompileError> {
    let reached = model.reached()?;
    for (sub, reference, error) in dangling {
        // A subschema about which nothing is known counts as reached.
        if reached.get(sub.index()) != Some(&false) || !model.drop_reference(sub, reference) {
            return Err(error);
        }
        model.warnings.push(Warning::new(error));
    }
    Ok(())
}

/// Every anchor name that a dynamic reference looks up.
#[derive(Default)]
struct Names {
    of_anchors: HashMap<String, ScopeName>,
    /// The unnamed anchor of `$recursiveRef`.
    recursive: Option<ScopeName>,
    count: usize,
}

impl Names {
    fn anchor(&mut self, name: &str) -> ScopeName {
        if let Some(known) = self.of_anchors.get(name) {
            return *known;
        }
        let id = self.next();
        self.of_anchors.insert(name.to_owned(), id);
        id
    }

    fn recursive(&mut self) -> ScopeName {
        match self.recursive {
            Some(known) => known,
            None => {
                let id = self.next();
                *self.recursive.insert(id)
            }
        }
    }

    fn next(&mut self) -> ScopeName {
        self.count += 1;
        ScopeName::new(self.count - 1)
    }
}

struct Resolver<'t, 'l> {
    builder: ModelBuilder<'t>,
    documents: &'l Documents<'l>,
    targets: Vec<ReferenceTarget>,
    names: Names,
    index: PointerIndex,
    /// The targets of references by their texts, each with the resource it was found in: the same
    /// definition is often referred to.
    known: HashMap<String, (ResourceId, SubschemaId)>,
    /// How many more names may be compared to find suggestions.
    spellings: usize,
}

impl Resolver<'_, '_> {
    fn reference(&mut self, pending: PendingReference) -> Result<ReferenceTarget, CompileError> {
        let sub = self.subschema(pending.sub)?;
        let text = self.text(sub)?;
        let text = text.document().get(pending.value).ok_or(Dangling)?;
        let text = text.string();
        let parts = uri::Parts::split(text);
        let resource = if parts.is_same_document() {
            sub.resource
        } else {
            let target = uri::resolve(&self.resource(sub.resource)?.uri, text);
            self.find(&target, sub.rules)?.ok_or_else(|| {
                let kind = CompileErrorKind::RefDenied {
                    keyword: pending.keyword.name(),
                    reference: cut(text),
                    uri: target.clone(),
                };
                CompileError::new(kind, self.builder.place(sub.doc, pending.value))
            })?
        };
        if let Some((found_in, target)) = self.known.get(text)
            && *found_in == resource
        {
            return Ok(ReferenceTarget::Static(*target));
        }
        let Some(fragment) = Fragment::parse(parts.fragment.unwrap_or("")) else {
            let looked =
                "its fragment is neither a JSON pointer nor a name in percent-encoded UTF-8";
            return Err(self.nowhere(pending, text, looked, None));
        };
        self.fragment(pending, text, resource, &fragment)
    }

    /// The target of a fragment inside a resource.
    fn fragment(
        &mut self,
        pending: PendingReference,
        text: &str,
        resource: ResourceId,
        fragment: &Fragment<'_>,
    ) -> Result<ReferenceTarget, CompileError> {
        let found = self.resource(resource)?;
        let fragment: &str = match fragment {
            Fragment::Root => {
                let initial = found.root;
                if pending.keyword == Keyword::RecursiveRef && found.recursive {
                    return Ok(ReferenceTarget::Dynamic {
                        initial,
                        name: self.names.recursive(),
                    });
                }
                return Ok(ReferenceTarget::Static(initial));
            }
            Fragment::Pointer(pointer) => {
                let target = self.pointer(pending, text, found.root, pointer)?;
                self.known.insert(text.to_owned(), (resource, target));
                return Ok(ReferenceTarget::Static(target));
            }
            Fragment::Anchor(name) => name,
        };
        match found.anchors.get(fragment).copied() {
            Some(anchor) if anchor.dynamic && pending.keyword == Keyword::DynamicRef => {
                let name = self.names.anchor(fragment);
                Ok(ReferenceTarget::Dynamic {
                    initial: anchor.sub,
                    name,
                })
            }
            Some(anchor) => Ok(ReferenceTarget::Static(anchor.sub)),
            None => {
                let known = found.anchors.len();
                let is_paid = spend(&mut self.spellings, known);
                let names = self.resource(resource).ok().filter(|_| is_paid);
                let names = names.into_iter().flat_map(|found| found.anchors.keys());
                let near = closest(fragment, names.map(String::as_str));
                let near = near.map(|name| format!("#{name}"));
                let looked = format!("there is no anchor `{}`", quote(fragment, FOREIGN_TEXT));
                Err(self.nowhere(pending, text, &looked, near))
            }
        }
    }

    /// Follows a JSON pointer (RFC 6901) from a resource's root.
    fn pointer(
        &mut self,
        pending: PendingReference,
        text: &str,
        root: SubschemaId,
        pointer: &str,
    ) -> Result<SubschemaId, CompileError> {
        let sub = self.subschema(root)?;
        let source = self.text(sub)?;
        let mut view = source.document().get(sub.node).ok_or(Dangling)?;
        let mut around = root;
        for (steps, token) in toolsure_json::pointer::tokens(pointer).enumerate() {
            let Some(next) = self.index.step(sub.doc.index(), view, &token) else {
                let mut walked = String::new();
                for token in toolsure_json::pointer::tokens(pointer).take(steps) {
                    toolsure_json::pointer::push(&mut walked, &token);
                }
                let names = view.members().map(|(key, _)| key.text());
                let near = (view.kind() == Kind::Object && spend(&mut self.spellings, view.len()))
                    .then(|| closest(&token, names))
                    .flatten()
                    .map(|name| {
                        let mut whole = format!("#{walked}");
                        toolsure_json::pointer::push(&mut whole, name);
                        whole
                    });
                let place = if walked.is_empty() {
                    "the root"
                } else {
                    &walked
                };
                let looked = format!(
                    "there is no `{}` under {}",
                    quote(&token, FOREIGN_TEXT),
                    quote(place, FOREIGN_TEXT)
                );
                return Err(self.nowhere(pending, text, &looked, near));
            };
            view = next;
            around = self.builder.decoded(sub.doc, view.id())?.unwrap_or(around);
        }
        self.builder.add_target(sub.doc, view.id(), around)
    }

    /// The resource with that URI; adds its document to the model if it is not there yet.
    fn find(&mut self, uri: &str, rules: DialectRules) -> Result<Option<ResourceId>, CompileError> {
        if let Some(id) = self.builder.resource_of_uri.get(uri) {
            return Ok(Some(*id));
        }
        match (self.documents)(uri) {
            None => Ok(None),
            Some(document) => {
                let rules = DialectRules::all(rules.dialect);
                self.builder.add_document(uri, document?, rules).map(Some)
            }
        }
    }

    fn resource(&self, id: ResourceId) -> Result<&Resource, Dangling> {
        self.builder.resources.get(id.index()).ok_or(Dangling)
    }

    fn subschema(&self, id: SubschemaId) -> Result<Subschema, Dangling> {
        self.builder.subs.get(id.index()).copied().ok_or(Dangling)
    }

    /// The document that a subschema is in.
    fn text(&self, sub: Subschema) -> Result<OwnedDocument, Dangling> {
        let document = self.builder.docs.get(sub.doc.index());
        Ok(document.ok_or(Dangling)?.text.clone())
    }

    fn nowhere(
        &self,
        pending: PendingReference,
        text: &str,
        looked: &str,
        closest: Option<String>,
    ) -> CompileError {
        let kind = CompileErrorKind::UnresolvedRef {
            keyword: pending.keyword.name(),
            reference: cut(text),
            looked: looked.to_owned(),
            closest,
        };
        let doc = self
            .builder
            .subs
            .get(pending.sub.index())
            .map(|sub| sub.doc);
        let place = doc
            .map(|doc| self.builder.place(doc, pending.value))
            .unwrap_or_default();
        CompileError::new(kind, place)
    }
}

/// The bindings of a resource for the names that dynamic references look up.
fn bindings(resource: &Resource, names: &Names) -> Vec<(ScopeName, SubschemaId)> {
    let recursive = names.recursive.filter(|_| resource.recursive);
    let anchors = resource.anchors.iter().filter(|(_, anchor)| anchor.dynamic);
    let mut bound: Vec<(ScopeName, SubschemaId)> = anchors
        .filter_map(|(name, anchor)| Some((*names.of_anchors.get(name)?, anchor.sub)))
        .chain(recursive.map(|id| (id, resource.root)))
        .collect();
    bound.sort_unstable();
    bound
}

/// Deducts the cost of comparing a mistyped name with that many others. Once the budget is spent,
/// no later reference gets a suggestion.
fn spend(left: &mut usize, names: usize) -> bool {
    *left = left.saturating_sub(names);
    *left > 0
}

/// Names compared for the suggestions of one schema, about 0.2 µs each: enough for a few mistakes
/// in the largest schemas, and a bound for a schema in which no reference resolves.
const SPELLINGS: usize = 50_000;
/// A model of more keywords gives back the memory that it does not use.
const LARGE: usize = 2_048;
