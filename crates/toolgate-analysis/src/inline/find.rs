//! Resolves references within one document.

use std::collections::HashMap;

use toolgate_json::{Kind, Node as _, pointer};
use toolgate_syntax::reference::{Fragment, PointerIndex};
use toolgate_syntax::uri;

use super::map::{Map, Target};
use super::report::{InlineLimits, Untouched};

impl<'a> Map<'a> {
    /// Resolves every reference. Targets outside the known places are searched when they are found.
    pub(super) fn follow_all(&mut self, limits: &InlineLimits) -> Result<(), Untouched> {
        let mut known = Known::default();
        let mut resources = 0;
        let mut next = 0;
        while let Some(place) = self.places.get(next) {
            let resource = place.resource;
            let nodes: Vec<_> = place.references.iter().map(|r| r.node).collect();
            for (index, resource) in self.resources.iter().enumerate().skip(resources) {
                known.by_uri.entry(resource.uri.clone()).or_insert(index);
            }
            resources = self.resources.len();
            for (at, node) in nodes.into_iter().enumerate() {
                let value = self.root.document().view(node);
                let dynamic = value.parent().is_some_and(|holder| {
                    holder.member("$ref").is_none_or(|plain| plain.id() != node)
                });
                let target = self.follow(value.string(), resource, &mut known, limits)?;
                if dynamic && self.is_dynamic(&target, value.string()) {
                    return Err(Untouched::Dynamic);
                }
                let reference = self
                    .places
                    .get_mut(next)
                    .and_then(|place| place.references.get_mut(at))
                    .ok_or(Untouched::Internal)?;
                reference.target = target;
            }
            next += 1;
        }
        Ok(())
    }

    fn follow(
        &mut self,
        text: &'a str,
        resource: usize,
        known: &mut Known<'a>,
        limits: &InlineLimits,
    ) -> Result<Target, Untouched> {
        let (before, fragment) = uri::split(text);
        let mut within = resource;
        if !before.is_empty() {
            let base = self.resources.get(resource).map_or("", |base| &base.uri);
            let uri = uri::resolve(base, before);
            match known.by_uri.get(&uri) {
                Some(found) => within = *found,
                None => {
                    let fragment = fragment.map_or(String::new(), |text| format!("#{text}"));
                    return Ok(Target::External(format!("{uri}{fragment}")));
                }
            }
        }
        let fragment = fragment.unwrap_or("");
        let place = match known.places.get(&(within, fragment)) {
            Some(place) => *place,
            None => {
                let place = self.in_resource(within, fragment, known, limits)?;
                known.places.insert((within, fragment), place);
                place
            }
        };
        Ok(place.map_or(Target::Nowhere, Target::Place))
    }

    /// The place that a fragment identifies in a resource.
    fn in_resource(
        &mut self,
        resource: usize,
        fragment: &str,
        known: &mut Known<'a>,
        limits: &InlineLimits,
    ) -> Result<Option<usize>, Untouched> {
        let (Some(fragment), Some(found)) =
            (Fragment::parse(fragment), self.resources.get(resource))
        else {
            return Ok(None);
        };
        let fragment = match fragment {
            Fragment::Root => return Ok(Some(found.root)),
            Fragment::Anchor(name) => return Ok(found.anchors.get(name.as_ref()).copied()),
            Fragment::Pointer(pointer) => pointer,
        };
        let mut within = resource;
        let mut view = self.view(found.root);
        for token in pointer::tokens(&fragment) {
            let Some(inner) = known.index.step(0, view, &token) else {
                return Ok(None);
            };
            view = inner;
            if let Some(place) = self.of_node.get(&view.id()) {
                within = self.places.get(*place).map_or(within, |p| p.resource);
            }
        }
        if !matches!(view.kind(), Kind::Object | Kind::Boolean) {
            return Ok(None);
        }
        self.discover(view, within, limits)?;
        Ok(self.of_node.get(&view.id()).copied())
    }

    /// Whether a `$dynamicRef` or `$recursiveRef` could lead elsewhere than to its initial target: only if
    /// another resource binds the same name.
    fn is_dynamic(&self, target: &Target, text: &str) -> bool {
        let Target::Place(place) = target else {
            return false;
        };
        let Some(resource) = self
            .places
            .get(*place)
            .and_then(|place| self.resources.get(place.resource))
        else {
            return false;
        };
        let (_, fragment) = uri::split(text);
        let name = fragment.unwrap_or("");
        if name.is_empty() {
            return resource.recursive && self.resources.iter().filter(|r| r.recursive).count() > 1;
        }
        resource.dynamic_anchors.contains(name)
            && self.binding.get(name).is_some_and(|count| *count > 1)
    }
}

/// References that are already resolved.
#[derive(Default)]
struct Known<'a> {
    by_uri: HashMap<String, usize>,
    /// By resource and fragment.
    places: HashMap<(usize, &'a str), Option<usize>>,
    index: PointerIndex,
}
