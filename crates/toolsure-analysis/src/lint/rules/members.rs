//! Rules on members that have a form in the protocol: of tools, of pages and of the entries of other lists.

use toolsure_json::{Key as _, Kind, Node as _, View, pointer, quote};

use crate::lint::edit::remove_member;
use crate::lint::finding::{Finding, Safety};
use crate::lint::out::Out;
use crate::lint::page::Page;
use crate::lint::profile::Broken;
use crate::lint::tool::{Place, Tool, span};
use crate::readers::{Fact, Shape, State};
use crate::tool::{
    ANNOTATIONS, AllowedMembers, CACHED_PAGE, CONTRACT, Form, LISTS, PAGE, TOOL, lookalike,
};

/// TL010: the optional members of a tool. TL001 and TL016 are about the others.
pub(crate) fn of_tool(tool: &Tool<'_>, out: &mut Out<'_>) {
    if tool.root.kind() != Kind::Object {
        return;
    }
    let mut walk = Walk::new(&[Shape::Tool]);
    walk.object(&TOOL, tool.root, "", "", None);
    for mut one in walk.found {
        if ["name", "inputSchema", "outputSchema"].contains(&one.top) {
            continue;
        }
        if one.top == "annotations" && one.name != "annotations" {
            (one.shapes, one.top) = (&[Shape::ToolAnnotations], one.name);
            one.state = one.own;
        }
        let is_null = one.own == State::Null;
        let edit = remove_member(one.object, one.name).filter(|_| is_null && !tool.ambiguous);
        let advice = "leave it out, as the guard does";
        one.report(out, "the tool", advice)
            .fix(Safety::Safe, edit.map(|edit| vec![edit]));
    }
}

/// TL120: members of a tool and its annotations whose names differ only in case from one of the protocol.
pub(crate) fn case(tool: &Tool<'_>, out: &mut Out<'_>) {
    let annotations = tool.root.member("annotations");
    let objects = [
        (Some(tool.root), &TOOL, ""),
        (annotations, &ANNOTATIONS, "/annotations"),
    ];
    for (object, allowed, at) in objects {
        let names: Vec<_> = allowed.names().collect();
        for (key, value) in object.into_iter().flat_map(View::members) {
            let name = key.text();
            let Some(known) = lookalike(name, &names) else {
                continue;
            };
            let is_there = object.is_some_and(|object| tool.member(object, known).is_some());
            // TL016 is about a required member that is not there.
            let decides = at.is_empty() && CONTRACT.contains(&known) && allowed.is_optional(known);
            if is_there || decides {
                let mut pointer = at.to_owned();
                pointer::push(&mut pointer, name);
                let place = Place {
                    pointer,
                    span: span(value),
                };
                let message = format!("`{name}` differs from `{known}` only in case");
                out.find(place, message).help(format!(
                    "readers that ignore case take one of the two; leave out `{name}`"
                ));
            }
        }
    }
}

/// TL118: the members of a page beside its entries, and the list itself.
pub(crate) fn of_page(page: &Page<'_>, out: &mut Out<'_>) {
    if page.root.kind() != Kind::Object {
        return;
    }
    let shapes: &[Shape] = match page.is_cached {
        true => &[Shape::Page, Shape::CachedPage],
        false => &[Shape::Page],
    };
    let mut walk = Walk::new(shapes);
    let members = if page.is_cached { &CACHED_PAGE } else { &PAGE };
    walk.object(members, page.root, "", "", None);
    let list = LISTS.iter().find(|list| list.method == page.method);
    if let Some(list) = list {
        let form = Form::Each(&Form::Text);
        match page.root.member(list.member) {
            None => walk.missing(list.member, page.root, "", "", None),
            Some(value) if form.admits(value) => {}
            Some(value) => {
                let place = (format!("/{}", list.member), list.member.to_owned());
                walk.malformed(list.member, form, page.root, value, place, None);
            }
        }
    }
    for one in walk.found {
        if !one.is_fault(out) {
            continue;
        }
        let what = format!("the result of `{}`", quote(page.method, 40));
        let advice = match one.own {
            State::Missing => "write it, as the guard does",
            State::OtherSpelling => "write it in digits, as the guard does",
            _ if list.is_some_and(|list| list.member == one.name) => {
                "write an array; the guard lists nothing in its place"
            }
            _ => "leave it out, or write a value that the protocol allows, as the guard does",
        };
        one.report(out, &what, advice);
    }
}

/// TL119: the entries of other lists than that of tools.
pub(crate) fn of_entries(page: &Page<'_>, out: &mut Out<'_>) {
    let list = LISTS.iter().find(|list| list.method == page.method);
    let Some((list, Form::Object(members))) = list.map(|list| (list, list.entry)) else {
        return;
    };
    // No reader is known to read skills.
    let shapes: &[Shape] = match list.member {
        "skills" => &[],
        _ => &[Shape::Entry],
    };
    let entries = page.root.member(list.member);
    let entries = entries.filter(|entries| entries.kind() == Kind::Array);
    for (index, entry) in entries.into_iter().flat_map(View::items).enumerate() {
        let at = format!("/{}/{index}", list.member);
        let shown = format!("{}[{index}]", list.member);
        let mut walk = Walk::new(shapes);
        if entry.kind() == Kind::Object {
            walk.object(members, entry, &at, &shown, None);
        } else {
            let place = (at, shown.clone());
            walk.malformed(list.member, list.entry, page.root, entry, place, None);
        }
        for one in walk.found {
            if !one.is_fault(out) {
                continue;
            }
            let advice = match members.is_optional(one.top) {
                true => "leave it out, as the guard does",
                false => {
                    "write it; the guard names the entry by its title or address, or leaves it out"
                }
            };
            one.report(out, &format!("`{shown}`"), advice);
        }
    }
}

/// Collects the members of an object that the protocol does not allow as they are: the same that a repair
/// leaves out, and missing ones.
struct Walk<'a> {
    shapes: &'static [Shape],
    found: Vec<Malformed<'a>>,
}

/// A member that is missing, or has a form that the protocol does not allow.
struct Malformed<'a> {
    pointer: String,
    /// Its path for people.
    shown: String,
    name: &'static str,
    /// The object that has it, or lacks it.
    object: View<'a>,
    value: Option<View<'a>>,
    /// The form that it must have, in words.
    expected: String,
    /// Its own state.
    own: State,
    /// The objects of the protocol that facts are about: the outermost one.
    shapes: &'static [Shape],
    /// The member of the outermost object in which it is, and the state of that.
    top: &'static str,
    state: State,
}

impl<'a> Walk<'a> {
    fn new(shapes: &'static [Shape]) -> Self {
        Self {
            shapes,
            found: Vec::new(),
        }
    }

    fn object(
        &mut self,
        allowed: &AllowedMembers,
        object: View<'a>,
        at: &str,
        shown: &str,
        top: Option<&'static str>,
    ) {
        for (name, _) in allowed.required {
            if object.member(name).is_none() {
                self.missing(name, object, at, shown, top);
            }
        }
        for (key, value) in object.members() {
            let Some((name, form)) = allowed.get(key.text()) else {
                continue;
            };
            let mut at = at.to_owned();
            pointer::push(&mut at, name);
            let shown = match shown {
                "" => name.to_owned(),
                shown => format!("{shown}.{name}"),
            };
            if form.admits(value) && !form.is_other_spelling(value) {
                self.value((name, form), object, value, (at, shown), top);
            } else {
                self.malformed(name, form, object, value, (at, shown), top);
            }
        }
    }

    /// What is in a value of a form that admits it.
    fn value(
        &mut self,
        (name, form): (&'static str, Form),
        object: View<'a>,
        value: View<'a>,
        (at, shown): (String, String),
        top: Option<&'static str>,
    ) {
        let top = top.or(Some(name));
        match form {
            Form::Object(members) => self.object(members, value, &at, &shown, top),
            Form::Objects(members) => {
                for (index, item) in value.items().enumerate() {
                    let place = (format!("{at}/{index}"), format!("{shown}[{index}]"));
                    let form = Form::Object(members);
                    match form.admits(item) {
                        true => self.value((name, form), value, item, place, top),
                        false => self.malformed(name, form, value, item, place, top),
                    }
                }
            }
            Form::AnyOf(forms) if !form.takes(value) => {
                let place = (at, shown);
                let form = forms.iter().find(|form| form.admits(value));
                let form = form.copied().unwrap_or(Form::AnyOf(forms));
                self.malformed(name, form, object, value, place, top);
            }
            _ => {}
        }
    }

    fn missing(
        &mut self,
        name: &'static str,
        object: View<'a>,
        at: &str,
        shown: &str,
        top: Option<&'static str>,
    ) {
        self.found.push(Malformed {
            pointer: at.to_owned(),
            shown: shown.to_owned(),
            name,
            object,
            value: None,
            expected: String::new(),
            own: State::Missing,
            shapes: self.shapes,
            top: top.unwrap_or(name),
            state: top.map_or(State::Missing, |_| State::OutOfRange),
        });
    }

    fn malformed(
        &mut self,
        name: &'static str,
        form: Form,
        object: View<'a>,
        value: View<'a>,
        (pointer, shown): (String, String),
        top: Option<&'static str>,
    ) {
        let own = match value.kind() {
            Kind::Null => State::Null,
            Kind::Number if form.admits(value) => State::OtherSpelling,
            kind if kind == form.kind() => State::OutOfRange,
            _ => State::OtherType,
        };
        self.found.push(Malformed {
            pointer,
            shown,
            name,
            object,
            value: Some(value),
            expected: match form {
                Form::Count if own == State::OtherSpelling => "an integer in digits".to_owned(),
                Form::OneOf(words) => format!("`{}`", words.join("` or `")),
                form => form.expected().to_owned(),
            },
            own,
            shapes: self.shapes,
            top: top.unwrap_or(name),
            state: top.map_or(own, |_| State::OutOfRange),
        });
    }
}

impl Malformed<'_> {
    /// The facts that it breaks.
    fn broken(&self, out: &Out<'_>) -> Vec<Broken> {
        out.broken(|fact| {
            matches!(fact, Fact::Member(shape, names, state)
                if self.shapes.contains(shape) && names.contains(&self.top) && *state == self.state)
        })
    }

    /// Whether it is worth a finding: the protocol allows every spelling of an integer, so one is a fault
    /// only for the readers that do not take it.
    fn is_fault(&self, out: &Out<'_>) -> bool {
        self.own != State::OtherSpelling || !self.broken(out).is_empty()
    }

    fn report<'o>(self, out: &'o mut Out<'_>, whole: &str, advice: &str) -> &'o mut Finding {
        let broken = self.broken(out);
        let message = match self.value {
            None if self.shown.is_empty() => format!("{whole} has no `{}`", self.name),
            None => format!("`{}` has no `{}`", quote(&self.shown, 80), self.name),
            Some(value) => {
                let found = match self.own {
                    State::OutOfRange => format!("`{}`", quote(value.raw(), 40)),
                    _ => value.kind().to_string(),
                };
                let shown = quote(&self.shown, 80);
                format!("`{shown}` must be {}, found {found}", self.expected)
            }
        };
        let place = Place {
            pointer: self.pointer,
            span: span(self.value.unwrap_or(self.object)),
        };
        out.find_for(place, message, &broken, advice)
    }
}
