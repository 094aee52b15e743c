//! Whether a value can match a branch of a union, by its shape.

use toolsure_json::{Key as _, Kind, Node as _, View};
use toolsure_syntax::model::TypeSet;

use super::apart::{forbids_items, needs_items};
use super::reference::follow;
use super::tree::{Form, Json, Members};
use super::walk::{DEEPEST, Side, Walk, declared, unwrap};

impl<'m> Walk<'m> {
    /// Whether a value can match a schema, by its shape: types, listed values, names.
    pub(super) fn fits(&mut self, schema: &'m Json, value: View<'_>, depth: usize) -> bool {
        if !self.pay() || depth > DEEPEST {
            return true;
        }
        let members = match schema {
            Json::Bool(accepts) => return *accepts,
            Json::Object(members) => members,
            _ => return true,
        };
        let published = self.side == Side::Published;
        match &members.coding.form {
            Form::Plain => {}
            Form::JsonText(types) => {
                return match (published, value.kind()) {
                    (false, kind) => types.admits(value, kind),
                    // A string that is not JSON stands for itself.
                    (true, Kind::String) => self.parse(value).map_or_else(
                        || types.intersects(TypeSet::STRING),
                        |document| {
                            let root = document.document().root();
                            types.admits(root, root.kind())
                        },
                    ),
                    (true, _) => false,
                };
            }
            Form::Wrapped(types) => {
                let parsed = match published {
                    false => return types.admits(value, value.kind()),
                    true => unwrap(value).and_then(|text| self.parse(text)),
                };
                return parsed.is_some_and(|document| {
                    let root = document.document().root();
                    types.admits(root, root.kind())
                });
            }
            Form::Entries => {
                let kind = if published { Kind::Array } else { Kind::Object };
                return value.kind() == kind;
            }
            Form::Words(table) => {
                if published {
                    let is_text = value.kind() == Kind::String;
                    return is_text && table.iter().any(|(word, _)| word == value.string());
                }
                let own = Json::of(value);
                return table.iter().any(|(_, original)| original.equals(&own));
            }
        }
        if members.get("nullable").is_some() && value.kind() == Kind::Null {
            return true;
        }
        if let Some(reference) = members.text("$ref")
            && let Some(target) = follow(self.root, reference)
            && !self.fits(target, value, depth + 1)
        {
            return false;
        }
        let types = members.stated_types().intersection(TypeSet::ALL);
        if !types.admits(value, value.kind()) {
            return false;
        }
        if members.has("enum") || members.has("const") {
            let mut listed = members.schemas("enum").iter().chain(members.get("const"));
            let is_listed = match value.kind() {
                Kind::String => listed.any(|one| one.as_text() == Some(value.string())),
                _ => {
                    let own = Json::of(value);
                    listed.any(|one| one.equals(&own))
                }
            };
            if !is_listed {
                return false;
            }
        }
        self.parts_fit(members, value, depth) && self.unions_fit(members, value, depth)
    }

    fn unions_fit(&mut self, members: &'m Members, value: View<'_>, depth: usize) -> bool {
        for keyword in ["anyOf", "oneOf"] {
            let branches = members.schemas(keyword);
            if !branches.is_empty() && !branches.iter().any(|one| self.fits(one, value, depth + 1))
            {
                return false;
            }
        }
        let all = members.schemas("allOf");
        all.iter().all(|one| self.fits(one, value, depth + 1))
    }

    fn parts_fit(&mut self, members: &'m Members, value: View<'_>, depth: usize) -> bool {
        match value.kind() {
            Kind::Object => {
                for name in members.required() {
                    let original = members.coding.original(name);
                    let (own, may_lack) = match self.side {
                        Side::Published => (name, false),
                        Side::Original => (original, members.coding.may_lack(original)),
                    };
                    if !may_lack && value.member(own).is_none() {
                        return false;
                    }
                }
                let closed =
                    members.forbids("additionalProperties") && !members.has("patternProperties");
                for (key, member) in value.members() {
                    let name = match self.side {
                        Side::Published => key.text(),
                        Side::Original => members.coding.published(key.text()),
                    };
                    let is_absent = || {
                        let own = members.coding.original(name);
                        members.coding.absent.iter().any(|one| one == own)
                    };
                    if self.side == Side::Published && member.kind() == Kind::Null && is_absent() {
                        continue;
                    }
                    match declared(members, name) {
                        None if closed => return false,
                        Some(below) if !self.fits(below, member, depth + 1) => return false,
                        _ => {}
                    }
                }
                true
            }
            Kind::Array if value.len() > 0 && forbids_items(members) => false,
            Kind::Array if value.len() == 0 && needs_items(members) => false,
            Kind::Array => value.items().take(LOOKED_AT).enumerate().all(|(at, item)| {
                let each = members
                    .schemas("prefixItems")
                    .get(at)
                    .or_else(|| members.get("items"));
                each.is_none_or(|each| self.fits(each, item, depth + 1))
            }),
            _ => true,
        }
    }
}

/// Items of an array that are examined to choose a branch.
const LOOKED_AT: usize = 100;
