//! Members that went while an equal one with another name came.

use toolsure_generate::Step;
use toolsure_json::{Key as _, Kind, Node as _, View, equal_values, quote};

use super::document::Doc;
use super::reason::Reason;
use super::report::Side;

/// A member that was probably renamed.
#[derive(Debug)]
pub(super) struct RenamedMember {
    /// The location of its object.
    pub(super) place: Vec<Step>,
    pub(super) old: String,
    pub(super) new: String,
}

impl RenamedMember {
    /// Whether it is about a member of the object at this location.
    pub(super) fn is_of(&self, place: &[Step], name: &str) -> bool {
        self.place == place && (self.old == name || self.new == name)
    }

    /// Whether a reason is about the member under one of its names, or about a part of it.
    fn explains(&self, reason: &Reason<'_>) -> bool {
        let Some(below) = reason.place.strip_prefix(self.place.as_slice()) else {
            return false;
        };
        let own = |name: &str| name == self.old || name == self.new;
        match below.first() {
            Some(Step::Name(name)) => own(name),
            Some(_) => false,
            None => reason.member.as_deref().is_some_and(own),
        }
    }

    /// Replaces the reasons that it explains by one, if one of them is a break.
    fn join(
        &self,
        broken: &mut Vec<Reason<'_>>,
        loosened: &mut Vec<Reason<'_>>,
        side: Side,
    ) -> bool {
        let Some(first) = broken.iter().position(|reason| self.explains(reason)) else {
            return false;
        };
        let explained: Vec<_> = broken
            .extract_if(.., |reason| self.explains(reason))
            .collect();
        loosened.retain(|reason| !self.explains(reason));
        let (old, new) = (quote(&self.old, 64), quote(&self.new, 64));
        let verb = match side {
            Side::Output => "promises",
            _ => "takes",
        };
        let own = explained.iter().filter(|one| one.place == self.place);
        let member = own.filter_map(|one| one.member.clone()).next();
        broken.insert(
            first.min(broken.len()),
            Reason {
                place: self.place.clone(),
                message: format!(
                    "`{old}` is renamed to `{new}`? it is gone, and `{new}` is new and {verb} the same"
                ),
                member: member.or_else(|| Some(self.old.clone())),
                sure: explained.iter().any(|one| one.sure),
                keyword: None,
                only: None,
                union_at: explained.iter().find_map(|one| one.union_at),
            },
        );
        true
    }
}

/// Joins the reasons that are about one renamed member, and returns the members with such reasons.
pub(super) fn join_renamed(
    (old, new): (&Doc<'_>, &Doc<'_>),
    broken: &mut Vec<Reason<'_>>,
    loosened: &mut Vec<Reason<'_>>,
    side: Side,
) -> Vec<RenamedMember> {
    let mut renamed = match broken.is_empty() {
        true => Vec::new(),
        false => renamed_members(old, new),
    };
    renamed.retain(|one| one.join(broken, loosened, side));
    renamed
}

/// The members that were probably renamed. Only one that could not be any other is taken: of its object,
/// one property went, and one came that differs only in its name and title.
fn renamed_members(old: &Doc<'_>, new: &Doc<'_>) -> Vec<RenamedMember> {
    let mut renamed = Vec::new();
    let mut todo = vec![(old.root, new.root, Vec::new())];
    let mut left = MOST_PAIRS;
    while let Some((before, after, place)) = todo.pop() {
        left = match left.checked_sub(1) {
            Some(left) => left,
            None => break,
        };
        if place.len() >= DEEPEST {
            continue;
        }
        let mut next = |before, after, step: Step| {
            let mut place: Vec<Step> = place.clone();
            place.push(step);
            todo.push((before, after, place));
        };
        let items = (old.keyword(before, "items"), new.keyword(after, "items"));
        if let (Some(one), Some(other)) = items
            && one.kind() == Kind::Object
            && other.kind() == Kind::Object
        {
            next(one, other, Step::AnyItem);
        }
        let properties = (
            old.keyword(before, "properties"),
            new.keyword(after, "properties"),
        );
        let (Some(own), Some(others)) = properties else {
            continue;
        };
        let mut gone = Vec::new();
        for (key, schema) in own.members() {
            match new.lookup.member(others, key.text()) {
                Some(other) => next(schema, other, Step::Name(key.text().to_owned())),
                None => gone.push((key.text(), schema)),
            }
        }
        let came = others.members();
        let came = came.filter(|(key, _)| old.lookup.member(own, key.text()).is_none());
        let came: Vec<_> = came.take(2).collect();
        if let ([(name, one)], [(key, other)]) = (gone.as_slice(), came.as_slice())
            && is_required(before, name) == is_required(after, key.text())
            && is_equal(*one, (*other, new))
            && (!refers(*one) || has_same_definitions(old, new))
        {
            renamed.push(RenamedMember {
                place,
                old: (*name).to_owned(),
                new: key.text().to_owned(),
            });
        }
    }
    renamed
}

fn is_required(schema: View<'_>, name: &str) -> bool {
    let required = schema.member("required").into_iter().flat_map(View::items);
    let mut names = required.filter(|one| one.kind() == Kind::String);
    names.any(|one| one.string() == name)
}

/// Whether two schemas are equal except for their titles, which generators make of the name, and say
/// more than a type.
fn is_equal<'a>(one: View<'_>, (other, new): (View<'a>, &Doc<'a>)) -> bool {
    if one.kind() != Kind::Object || other.kind() != Kind::Object {
        return false;
    }
    let contents = |schema: View<'_>| {
        schema
            .members()
            .filter(|(key, _)| key.text() != "title")
            .count()
    };
    let mut own = one.members().filter(|(key, _)| key.text() != "title");
    contents(one) == contents(other)
        && contents(one) > 1
        && own.all(|(key, value)| {
            let same = new.lookup.member(other, key.text());
            same.is_some_and(|same| equal_values(value, same))
        })
}

/// Whether a schema may mean other parts of its document.
fn refers(schema: View<'_>) -> bool {
    schema.raw().contains("\"$ref\"") || schema.raw().contains("\"$dynamicRef\"")
}

fn has_same_definitions(old: &Doc<'_>, new: &Doc<'_>) -> bool {
    ["$defs", "definitions"].into_iter().all(|keyword| {
        match (old.root.member(keyword), new.root.member(keyword)) {
            (Some(old), Some(new)) => equal_values(old, new),
            (None, None) => true,
            _ => false,
        }
    })
}

/// Pairs of schemas that are searched.
const MOST_PAIRS: usize = 2_000;
const DEEPEST: usize = 32;
