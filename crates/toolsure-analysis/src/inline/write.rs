//! Writes the output: pieces of the source, with the targets of references between them.

use std::collections::{HashMap, HashSet};

use toolsure_json::{Key as _, Kind, Node as _, NodeId, View, json_string};
use toolsure_syntax::Dialect;

use super::choose::Choice;
use super::map::{Map, Place, Reference, Target};
use super::merge::{Member, merge};
use super::report::{Inlined, Kept, Why};
use super::task::Task;

/// Writes the output.
pub(super) struct Writer<'m, 'a> {
    map: &'m Map<'a>,
    choice: &'m Choice,
    source: &'a str,
    out: String,
    /// The definitions that are needed, and their names.
    names: HashMap<usize, String>,
    taken: HashSet<String>,
    /// How many definitions already had a name.
    numbers: HashMap<String, usize>,
    waiting: Vec<usize>,
    told: HashSet<NodeId>,
    done: Inlined,
}

/// A schema with its references merged into it.
enum Flat {
    Boolean(bool),
    Members(Vec<Member>),
}

impl<'m, 'a> Writer<'m, 'a> {
    pub(super) fn new(map: &'m Map<'a>, choice: &'m Choice) -> Self {
        Self {
            map,
            choice,
            source: map.root.document().source(),
            out: String::new(),
            names: HashMap::new(),
            taken: HashSet::new(),
            numbers: HashMap::new(),
            waiting: Vec::new(),
            told: HashSet::new(),
            done: Inlined::default(),
        }
    }

    pub(super) fn write(mut self) -> Inlined {
        let whole = self.schema(0);
        self.run(whole);
        if !self.waiting.is_empty() {
            self.definitions();
        }
        self.done.text = std::mem::take(&mut self.out);
        self.done
    }

    fn run(&mut self, mut open: Vec<Task>) {
        open.reverse();
        while let Some(task) = open.pop() {
            match task {
                Task::Source(start, end) => {
                    let text = self.source.get(start..end).unwrap_or_default();
                    self.out.push_str(text);
                }
                Task::Text(text) => self.out.push_str(&text),
                Task::Schema(place) => open.extend(self.schema(place).into_iter().rev()),
                Task::Named(place) => {
                    let reference = self.reference_to(place);
                    self.out.push_str("{\"$ref\":");
                    self.out.push_str(&reference);
                    self.out.push('}');
                }
            }
        }
    }

    /// Writes the definitions that stay at the end of the root object.
    fn definitions(&mut self) {
        // The root contains a reference, so it is an object.
        self.out.pop();
        let blank = self.out.trim_end().len();
        self.out.truncate(blank);
        if !self.out.ends_with('{') {
            self.out.push(',');
        }
        self.out.push_str(&format!("\"{}\":{{", self.container()));
        let mut next = 0;
        while let Some(place) = self.waiting.get(next).copied() {
            if next > 0 {
                self.out.push(',');
            }
            let name = self.names.get(&place).cloned().unwrap_or_default();
            self.out.push_str(&format!("\"{name}\":"));
            let tasks = self.schema(place);
            self.run(tasks);
            next += 1;
        }
        self.out.push_str("}}");
    }

    fn container(&self) -> &'static str {
        if self.map.dialect >= Dialect::Draft201909 {
            "$defs"
        } else {
            "definitions"
        }
    }

    /// The pieces of one schema.
    fn schema(&mut self, index: usize) -> Vec<Task> {
        let view = self.map.view(index);
        let Some(place) = self.map.places.get(index) else {
            return Vec::new();
        };
        if view.kind() != Kind::Object || self.stays_whole(view, place, index) {
            let span = view.span();
            return self.pieces(place, span.start, span.end);
        }
        if let Some(reference) = self.map.pure_reference(index)
            && let Some(target) = self.taken_in(reference, index == 0)
        {
            return vec![Task::Schema(target)];
        }
        match self.flat(index, index == 0) {
            Flat::Boolean(value) => vec![Task::Text(value.to_string())],
            Flat::Members(members) => {
                let mut tasks = vec![Task::Text("{".to_owned())];
                for (at, member) in members.into_iter().enumerate() {
                    let comma = if at > 0 { "," } else { "" };
                    tasks.push(Task::Text(format!("{comma}{}:", member.key)));
                    tasks.extend(member.value);
                }
                tasks.push(Task::Text("}".to_owned()));
                tasks
            }
        }
    }

    /// Whether a schema's own members all stay.
    fn stays_whole(&self, view: View<'_>, place: &Place, index: usize) -> bool {
        place.references.is_empty()
            && view
                .members()
                .all(|(key, value)| !self.map.goes(key.text(), value, index == 0, false))
    }

    /// The source from `start` to `end`, with the schemas in it as tasks.
    fn pieces(&self, place: &Place, start: usize, end: usize) -> Vec<Task> {
        let mut tasks = Vec::new();
        let mut from = start;
        let first = place.children.partition_point(|child| child.start < start);
        for child in place.children.iter().skip(first) {
            if child.start >= end {
                break;
            }
            tasks.push(Task::Source(from, child.start));
            tasks.push(if self.choice.cut.get(child.place) == Some(&true) {
                Task::Named(child.place)
            } else {
                Task::Schema(child.place)
            });
            from = child.end;
        }
        tasks.push(Task::Source(from, end));
        tasks
    }

    /// A schema's members with its references merged into them. The recursion follows a chain of references
    /// with siblings; each of them counted as a level when it was chosen to be written out.
    fn flat(&mut self, mut index: usize, at_root: bool) -> Flat {
        while let Some(reference) = self.map.pure_reference(index)
            && let Some(target) = self.taken_in(reference, false)
        {
            index = target;
        }
        let view = self.map.view(index);
        let Some(place) = self.map.places.get(index) else {
            return Flat::Boolean(true);
        };
        if view.kind() != Kind::Object {
            return Flat::Boolean(view.boolean());
        }
        if self.map.is_hidden(view) {
            return self.flat_hiding(view, place, at_root);
        }
        let mut members = Vec::new();
        let mut marks = Vec::new();
        for (key, value) in view.members() {
            let reference = place.references.iter().find(|r| r.node == value.id());
            if let Some(reference) = reference {
                marks.push((members.len(), reference));
            } else if !self.map.goes(key.text(), value, at_root, false) {
                members.push(self.member(place, key.view(), value));
            }
        }
        let mut branches = Vec::new();
        let mut shift = 0;
        let single = marks.len() == 1;
        for (at, reference) in marks {
            let at = at + shift;
            let before = members.len();
            let replaced = self.done.replaced;
            match self.taken_in(reference, at_root) {
                Some(target) => match self.flat(target, false) {
                    Flat::Boolean(true) => {}
                    Flat::Boolean(false) if members.is_empty() && single => {
                        return Flat::Boolean(false);
                    }
                    Flat::Boolean(false) => {
                        let never = own_member("not", vec![Task::Text("{}".to_owned())]);
                        if !merge(&mut members, at, &[never]) {
                            branches.push(Task::Text("false".to_owned()));
                        }
                    }
                    Flat::Members(theirs) => {
                        if !merge(&mut members, at, &theirs) {
                            // References in the target are counted when the branch is written.
                            self.done.replaced = replaced + 1;
                            branches.push(Task::Schema(target));
                        }
                    }
                },
                None => {
                    let text = self.kept(view, reference);
                    if members.iter().any(|member| member.name == "$ref") {
                        branches.push(Task::Text(format!("{{\"$ref\":{text}}}")));
                    } else {
                        let member = own_member("$ref", vec![Task::Text(text)]);
                        members.insert(at.min(members.len()), member);
                    }
                }
            }
            shift += members.len().saturating_sub(before);
        }
        add_branches(&mut members, branches);
        Flat::Members(members)
    }

    /// The same for dialects in which `$ref` hides the keywords beside it.
    fn flat_hiding(&mut self, view: View<'a>, place: &'m Place, at_root: bool) -> Flat {
        let mut members = Vec::new();
        for (key, value) in view.members() {
            let is_reference = place.references.iter().any(|r| r.node == value.id());
            if !is_reference && !self.map.goes(key.text(), value, at_root, true) {
                members.push(self.member(place, key.view(), value));
            }
        }
        let Some(reference) = place.references.first() else {
            return Flat::Members(members);
        };
        let Some(target) = self.taken_in(reference, at_root) else {
            let text = self.kept(view, reference);
            members.push(own_member("$ref", vec![Task::Text(text)]));
            return Flat::Members(members);
        };
        match self.flat(target, false) {
            Flat::Boolean(value) if members.is_empty() => Flat::Boolean(value),
            Flat::Boolean(true) => Flat::Members(members),
            Flat::Boolean(false) => {
                members.push(own_member("not", vec![Task::Text("{}".to_owned())]));
                Flat::Members(members)
            }
            // A kept reference hides title and description again; they stay.
            Flat::Members(theirs) => {
                let at = members.len();
                merge(&mut members, at, &theirs);
                Flat::Members(members)
            }
        }
    }

    /// The target that replaces a reference, if it is replaced.
    fn taken_in(&mut self, reference: &Reference, at_root: bool) -> Option<usize> {
        let Target::Place(target) = reference.target else {
            return None;
        };
        let kept = self.choice.kept.get(target).is_some_and(Option::is_some);
        // Readers look for an object at the root, so a reference there is written out once even if it stays
        // elsewhere.
        let replaced = target != 0 && (!kept || at_root);
        if replaced {
            self.done.replaced += 1;
        }
        replaced.then_some(target)
    }

    /// The text of a reference that stays, as JSON; also reports it.
    fn kept(&mut self, holder: View<'a>, reference: &Reference) -> String {
        let value = holder.document().view(reference.node);
        let why = match &reference.target {
            Target::Place(target) => self.choice.kept.get(*target).copied().flatten(),
            Target::External(_) => Some(Why::External),
            _ => Some(Why::Unresolved),
        };
        if self.told.insert(holder.id()) {
            if self.done.kept.len() < Inlined::KEPT {
                self.done.kept.push(Kept {
                    pointer: self.pointer(holder),
                    reference: value.string().chars().take(SHOWN).collect(),
                    why: why.unwrap_or(Why::Recursive),
                });
            } else {
                self.done.more_kept += 1;
            }
        }
        match &reference.target {
            Target::Place(target) => self.reference_to(*target),
            Target::External(uri) if uri.as_str() != value.string() => json_string(uri),
            _ => value.raw().to_owned(),
        }
    }

    /// The JSON Pointer of a schema, relative to the root that is rewritten.
    fn pointer(&self, view: View<'_>) -> String {
        let document = view.document();
        let whole = document.pointer(view.id());
        if self.map.root.id() == document.root().id() {
            return whole;
        }
        let root = document.pointer(self.map.root.id());
        whole.strip_prefix(&root).unwrap_or(&whole).to_owned()
    }

    /// The reference to a place that stays, as JSON.
    fn reference_to(&mut self, place: usize) -> String {
        if place == 0 {
            return "\"#\"".to_owned();
        }
        if !self.names.contains_key(&place) {
            let name = self.name(place);
            self.taken.insert(name.clone());
            self.names.insert(place, name);
            self.waiting.push(place);
        }
        let name = self.names.get(&place).map_or("", String::as_str);
        format!("\"#/{}/{name}\"", self.container())
    }

    /// A name for a definition, based on its name in the source.
    fn name(&mut self, place: usize) -> String {
        let key = self.map.view(place).name();
        let plain: String = key
            .map_or("", |key| key.string())
            .chars()
            .take(NAME_CHARS)
            .map(|c| {
                let plain = c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
                if plain { c } else { '_' }
            })
            .collect();
        let plain = if plain.is_empty() { "schema" } else { &plain };
        let mut name = plain.to_owned();
        let number = self.numbers.entry(name.clone()).or_insert(1);
        while self.taken.contains(&name) {
            *number += 1;
            name = format!("{plain}_{number}");
        }
        name
    }

    fn member(&self, place: &Place, key: View<'_>, value: View<'_>) -> Member {
        let span = value.span();
        let pieces = self.pieces(place, span.start, span.end);
        let is_literal = pieces.len() == 1;
        Member {
            name: key.string().to_owned(),
            key: key.raw().to_owned(),
            value: pieces,
            literal: is_literal.then(|| value.raw().to_owned()),
            items: (value.kind() == Kind::Array).then(|| value.len()),
        }
    }
}

/// Appends branches to `allOf`.
fn add_branches(members: &mut Vec<Member>, branches: Vec<Task>) {
    if branches.is_empty() {
        return;
    }
    let mut list = Vec::new();
    for (at, branch) in branches.into_iter().enumerate() {
        if at > 0 {
            list.push(Task::Text(",".to_owned()));
        }
        list.push(branch);
    }
    let all = members.iter_mut().find(|member| member.name == "allOf");
    let Some(all) = all else {
        list.insert(0, Task::Text("[".to_owned()));
        list.push(Task::Text("]".to_owned()));
        members.push(own_member("allOf", list));
        return;
    };
    all.literal = None;
    match (all.items, all.value.pop()) {
        (Some(items), Some(Task::Source(start, end))) => {
            // Without the closing bracket.
            all.value.push(Task::Source(start, end.saturating_sub(1)));
            if items > 0 {
                all.value.push(Task::Text(",".to_owned()));
            }
            all.value.extend(list);
            all.value.push(Task::Text("]".to_owned()));
        }
        // An `allOf` that is not an array asserts nothing.
        _ => {
            all.value = vec![Task::Text("[".to_owned())];
            all.value.extend(list);
            all.value.push(Task::Text("]".to_owned()));
        }
    }
}

fn own_member(name: &str, value: Vec<Task>) -> Member {
    Member {
        name: name.to_owned(),
        key: format!("\"{name}\""),
        value,
        literal: None,
        items: None,
    }
}

/// Characters of a reference that a report shows.
const SHOWN: usize = 200;
/// Characters of a definition's name.
const NAME_CHARS: usize = 64;
