//! Collects the members that the objects of a schema declare.

use toolsure_json::{Key as _, Kind, Node as _, View};
use toolsure_syntax::Keyword;

use super::declared::{Declared, Group};
use super::document::Doc;

/// The members that a document declares; `None` if it has too many schemas.
pub(super) fn declared<'a>(doc: &Doc<'a>) -> Option<Declared<'a>> {
    let mut all = Declared::default();
    let root = all.new_group();
    all.edit(root, |group| group.names_members = true);
    let mut todo = vec![(doc.root, root)];
    while let Some((schema, group)) = todo.pop() {
        if schema.kind() != Kind::Object {
            continue;
        }
        let id = schema.id().index();
        if let Some(known) = all.group_of.get(&id) {
            all.join(*known, group);
            continue;
        }
        if all.group_of.len() >= MOST_SCHEMAS {
            return None;
        }
        all.group_of.insert(id, group);
        in_place(&mut all, doc, schema, group, &mut todo);
    }
    all.open_below_patterns();
    all.root = all.find(root);
    Some(all)
}

fn in_place<'a>(
    all: &mut Declared<'a>,
    doc: &Doc<'a>,
    schema: View<'a>,
    group: usize,
    todo: &mut Vec<(View<'a>, usize)>,
) {
    if let Some(reference) = doc.keyword(schema, "$ref") {
        match doc.resolve(reference.string()) {
            Some(target) => todo.push((target, group)),
            None => all.edit(group, Group::open),
        }
        if doc.hides_siblings() {
            return;
        }
    }
    let has = |keyword| doc.keyword(schema, keyword).is_some();
    if has("$dynamicRef") || has("$recursiveRef") {
        all.edit(group, Group::open);
    }
    for keyword in Keyword::ALL.iter().filter(|keyword| keyword.is_in_place()) {
        let branches = doc.subschemas(schema, *keyword).into_iter();
        todo.extend(branches.map(|branch| (branch, group)));
    }
    members(all, doc, schema, group, todo);
    for keyword in [
        "prefixItems",
        "items",
        "additionalItems",
        "contains",
        "unevaluatedItems",
    ] {
        let Some(value) = doc.keyword(schema, keyword) else {
            continue;
        };
        let items = all.items(group);
        match value.kind() {
            Kind::Array => todo.extend(value.items().map(|one| (one, items))),
            _ => todo.push((value, items)),
        }
    }
}

fn members<'a>(
    all: &mut Declared<'a>,
    doc: &Doc<'a>,
    schema: View<'a>,
    group: usize,
    todo: &mut Vec<(View<'a>, usize)>,
) {
    if let Some(properties) = doc.keyword(schema, "properties") {
        all.edit(group, |group| group.names_members = true);
        for (key, one) in properties.members() {
            let child = all.member(group, key.text());
            todo.push((one, child));
        }
    }
    let required = doc
        .keyword(schema, "required")
        .into_iter()
        .flat_map(View::items);
    for name in required.filter(|name| name.kind() == Kind::String) {
        all.edit(group, |group| {
            group.names.entry(name.string()).or_default();
        });
    }
    for (key, one) in doc
        .keyword(schema, "patternProperties")
        .into_iter()
        .flat_map(View::members)
    {
        all.edit(group, |group| {
            group.patterns.insert(key.text());
        });
        todo.push((one, all.others(group)));
    }
    for keyword in ["additionalProperties", "unevaluatedProperties"] {
        if let Some(rest) = doc.keyword(schema, keyword)
            && (rest.kind() != Kind::Boolean || rest.boolean())
        {
            let is_any = rest.kind() == Kind::Boolean || rest.is_empty();
            all.edit(group, |group| match is_any {
                true => group.open = true,
                false => group.open(),
            });
            todo.push((rest, all.others(group)));
        }
    }
    let speaks = ["propertyNames", "minProperties", "maxProperties"];
    if speaks
        .iter()
        .any(|keyword| doc.keyword(schema, keyword).is_some())
    {
        all.edit(group, |group| group.speaks_of_members = true);
    }
}

/// Schemas of one document that are grouped.
const MOST_SCHEMAS: usize = 50_000;
