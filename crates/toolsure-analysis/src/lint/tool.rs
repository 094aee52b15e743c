//! One tool as the rules see it: its document and all its subschemas.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use foldhash::HashMap;
use toolsure_json::{
    Document, DuplicateKeys, Key as _, Kind, Node as _, OwnedDocument, ReadError, ReadLimits, View,
    pointer,
};
use toolsure_pattern::Pattern;
use toolsure_syntax::positions::SubschemaLayout;
use toolsure_syntax::reference::follow;
use toolsure_syntax::{Keyword, Limits, closest_within};

use super::finding::Finding;
use super::references::References;
pub(super) use super::subschema::{Side, Step, Subschema};
use crate::engine::Engine;
use crate::members::Members;

/// Parses a tool's text under wide limits. Also returns the error for the first object that has two members
/// with the same name.
pub(super) fn read(text: &str) -> Result<(OwnedDocument, Option<ReadError>), ReadError> {
    let limits = |duplicate_keys| ReadLimits {
        depth: 512,
        duplicate_keys,
        ..ReadLimits::default()
    };
    match OwnedDocument::read(text.as_bytes(), &limits(DuplicateKeys::Refuse)) {
        Ok(document) => Ok((document, None)),
        Err(strict) => {
            let generous = OwnedDocument::read(text.as_bytes(), &limits(DuplicateKeys::KeepLast));
            generous.map(|document| (document, Some(strict)))
        }
    }
}

/// A set of names.
type Names<'a> = Rc<HashSet<&'a str>>;

/// A parsed tool.
pub(super) struct Tool<'a> {
    pub(super) root: View<'a>,
    /// The subschemas of both schemas, parents before children.
    pub(super) subs: Vec<Subschema<'a>>,
    /// The definitions that nothing refers to, which are not among them.
    pub(super) unused: Vec<Subschema<'a>>,
    /// Whether an object has two members with the same name, so that edits by location are not safe.
    pub(super) ambiguous: bool,
    /// How its schemas are compiled.
    pub(super) engine: &'a Engine,
    /// The compiler's limits; TL028 reports what exceeds them.
    limits: &'a Limits,
    /// The number of spelling comparisons that are left.
    spellings: Cell<usize>,
    /// The required names of the subschema that was requested last.
    required: RefCell<Option<(usize, Names<'a>)>>,
    /// The properties that a schema and its branches declare, by the schema's id.
    declared: RefCell<HashMap<usize, Option<Names<'a>>>>,
    /// Compiled patterns, each compiled once.
    compiled: RefCell<HashMap<&'a str, Option<Rc<Pattern>>>>,
    /// The fuel left for matching names.
    fuel: Cell<u64>,
    members: Members<'a>,
    references: OnceCell<References<'a>>,
    /// Bytes of patterns that may still be compiled.
    patterns: Cell<usize>,
    /// The number of tokens that a model sees of it, once they are counted.
    pub(super) tokens: OnceCell<usize>,
}

/// The location of a finding.
pub(super) struct Place {
    pub(super) pointer: String,
    pub(super) span: Range<usize>,
}

impl Place {
    /// The location of a finding about the listing.
    pub(super) fn none() -> Self {
        Self {
            pointer: String::new(),
            span: 0..0,
        }
    }
}

impl<'a> Tool<'a> {
    pub(super) fn new(document: Document<'a>, ambiguous: bool, engine: &'a Engine) -> Self {
        let root = document.root();
        let limits = &engine.compiler().parser().options().limits;
        let mut tool = Self {
            root,
            limits,
            subs: Vec::new(),
            unused: Vec::new(),
            ambiguous,
            engine,
            spellings: Cell::new(SPELLINGS),
            required: RefCell::default(),
            declared: RefCell::default(),
            compiled: RefCell::default(),
            fuel: Cell::new(PATTERN_FUEL),
            members: Members::default(),
            references: OnceCell::new(),
            // Each of the two schemas may have that many.
            patterns: Cell::new(limits.patterns_size.saturating_mul(2)),
            tokens: OnceCell::new(),
        };
        for side in [Side::Input, Side::Output] {
            // The compiler rejects a larger one (TL028), and that report is enough.
            if let Some(schema) = tool
                .schema(side)
                .filter(|schema| schema.raw().len() <= tool.limits.schema_bytes)
            {
                tool.walk(side, schema);
            }
        }
        tool.set_unused_aside();
        tool
    }

    /// The maximum depth of nested properties in the input schema.
    pub(super) fn levels(&self) -> usize {
        // Parents come before their children.
        let mut levels: Vec<usize> = Vec::with_capacity(self.subs.len());
        let mut most = 0;
        for sub in &self.subs {
            let above = sub.parent.and_then(|parent| levels.get(parent)).copied();
            let own = usize::from(sub.property().is_some() && sub.side == Side::Input);
            let level = above.unwrap_or(0).saturating_add(own);
            most = most.max(level);
            levels.push(level);
        }
        most
    }

    /// Whether each subschema of a schema is applied in only one way: all of it was walked and it has no
    /// references.
    pub(super) fn is_tree(&self, side: Side) -> bool {
        let references = ["$ref", "$dynamicRef", "$recursiveRef"];
        let mut subs = self.subs.iter().filter(|sub| sub.side == side).peekable();
        subs.peek().is_some()
            && subs.clone().count() < self.limits.subschemas
            && subs.all(|sub| !references.iter().any(|keyword| sub.has(keyword)))
    }

    /// A schema of the tool, if it is an object or a boolean.
    pub(super) fn schema(&self, side: Side) -> Option<View<'a>> {
        let schema = self.root.member(side.member())?;
        matches!(schema.kind(), Kind::Object | Kind::Boolean).then_some(schema)
    }

    /// The member of the tool, if it is a string.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        let value = self.root.member(name)?;
        (value.kind() == Kind::String).then(|| value.string())
    }

    pub(super) fn parent(&self, sub: &Subschema<'a>) -> Option<&Subschema<'a>> {
        self.subs.get(sub.parent?)
    }

    /// The closest spelling of a name, while comparisons are left.
    pub(super) fn closest<'c>(
        &self,
        name: &str,
        candidates: impl IntoIterator<Item = &'c str>,
    ) -> Option<&'c str> {
        let mut left = self.spellings.get();
        if left == 0 {
            return None;
        }
        let near = candidates.into_iter().filter(|candidate| {
            let near = candidate.len().abs_diff(name.len()) <= LENGTHS_APART;
            left = left.saturating_sub(if near { SPELLING } else { 1 });
            near && left > 0
        });
        // Longer words may have two misspellings, the shortest only a different case.
        let allowed = match name.chars().take(LONGEST_NAME + 1).count() {
            0..4 => 0,
            4..8 => 1,
            8..=LONGEST_NAME => 2,
            _ => return None,
        };
        let found = closest_within(allowed, name, near);
        self.spellings.set(left);
        found
    }

    /// Whether a pattern matches a name; `None` if unknown.
    pub(super) fn matches(&self, pattern: &'a str, name: &str) -> Option<bool> {
        let mut fuel = self.fuel.get();
        if fuel == 0 {
            return None;
        }
        let answer = self.pattern(pattern)?.matches(name, &mut fuel);
        self.fuel.set(fuel.saturating_sub(1));
        answer
    }

    /// The value in the tool that a JSON Pointer leads to.
    pub(super) fn at_pointer(&self, pointer: &str) -> Option<View<'a>> {
        follow(self.root, pointer, |object, name| self.member(object, name))
    }

    /// The properties that a schema and its branches declare, or `None` if some may be declared elsewhere;
    /// computed once for each schema.
    pub(super) fn declared(
        &self,
        schema: View<'a>,
        find: impl FnOnce() -> Option<HashSet<&'a str>>,
    ) -> Option<Names<'a>> {
        let mut declared = self.declared.borrow_mut();
        let known = declared.entry(schema.id().index());
        known.or_insert_with(|| find().map(Rc::new)).clone()
    }

    /// The names that a subschema requires.
    pub(super) fn required(&self, sub: &Subschema<'a>) -> Names<'a> {
        let id = sub.view.id().index();
        let mut last = self.required.borrow_mut();
        if let Some((known, names)) = last.as_ref()
            && *known == id
        {
            return Rc::clone(names);
        }
        let names = sub.get("required").into_iter().flat_map(View::items);
        let names = names.filter(|name| name.kind() == Kind::String);
        let names: Rc<HashSet<&str>> = Rc::new(names.map(|name| name.string()).collect());
        *last = Some((id, Rc::clone(&names)));
        names
    }

    /// Where its references lead.
    pub(super) fn references(&self) -> &References<'a> {
        self.references.get_or_init(|| {
            let sides = [Side::Input, Side::Output].into_iter();
            let schemas = sides.filter_map(|side| Some((side, self.schema(side)?)));
            References::of(schemas, &self.subs, self.engine.compiler().parser())
        })
    }

    /// A member of an object that may have many members.
    pub(super) fn member(&self, object: View<'a>, name: &str) -> Option<View<'a>> {
        self.members.find(object, name)
    }

    /// The compiled pattern, if it is valid and the limit on compiled bytes allows it. All rules share it.
    pub(super) fn pattern(&self, text: &'a str) -> Option<Rc<Pattern>> {
        if let Some(known) = self.compiled.borrow().get(text) {
            return known.clone();
        }
        if self.patterns.get() == 0 {
            return None;
        }
        let limits = toolsure_pattern::Limits {
            length: self.limits.pattern_bytes,
            depth: self.limits.pattern_depth,
            size: self.patterns.get().min(self.limits.pattern_size),
        };
        let pattern = Pattern::new(text, &limits).ok().map(Rc::new);
        let cost = pattern.as_ref().map_or(text.len(), |one| one.size());
        self.patterns.set(self.patterns.get().saturating_sub(cost));
        self.compiled.borrow_mut().insert(text, pattern.clone());
        pattern
    }

    /// The location of a tool's member, or of the tool if it has no such member.
    pub(super) fn member_place(&self, name: &str) -> Place {
        match self.root.member(name) {
            Some(value) => Place {
                pointer: format!("/{name}"),
                span: span(value),
            },
            None => Place {
                pointer: String::new(),
                span: span(self.root),
            },
        }
    }

    /// The JSON Pointer to a subschema in the tool.
    pub(super) fn pointer(&self, sub: &Subschema<'a>) -> String {
        let mut chain = vec![sub];
        let mut at = sub;
        while let Some(parent) = self.parent(at) {
            chain.push(parent);
            at = parent;
        }
        let mut text = format!("/{}", at.side.member());
        for sub in chain.into_iter().rev() {
            if !sub.keyword.is_empty() {
                pointer::push(&mut text, sub.keyword);
            }
            match sub.step {
                Step::None => {}
                Step::Name(name) => pointer::push(&mut text, name),
                Step::Index(index) => pointer::push(&mut text, &index.to_string()),
            }
            if text.len() > Finding::POINTER_BYTES {
                let end = (0..=Finding::POINTER_BYTES)
                    .rev()
                    .find(|at| text.is_char_boundary(*at));
                text.truncate(end.unwrap_or(0));
                text.push('…');
                break;
            }
        }
        text
    }

    /// The location of a subschema.
    pub(super) fn place(&self, sub: &Subschema<'a>) -> Place {
        Place {
            pointer: self.pointer(sub),
            span: span(sub.view),
        }
    }

    /// The location of a keyword's value.
    pub(super) fn at(&self, sub: &Subschema<'a>, keyword: &str) -> Place {
        let mut place = self.place(sub);
        if let Some(value) = self.member(sub.view, keyword) {
            if !place.pointer.ends_with('…') {
                pointer::push(&mut place.pointer, keyword);
            }
            place.span = span(value);
        }
        place
    }

    /// The location of a part of a keyword's text.
    pub(super) fn within(&self, sub: &Subschema<'a>, keyword: &str, part: Range<usize>) -> Place {
        let mut place = self.at(sub, keyword);
        if let Some(value) = self.member(sub.view, keyword) {
            place.span = span_within(value, part);
        }
        place
    }

    /// The location of a keyword's name.
    pub(super) fn key(&self, sub: &Subschema<'a>, keyword: &str) -> Place {
        let mut place = self.at(sub, keyword);
        if let Some(key) = self.member(sub.view, keyword).and_then(View::name) {
            place.span = span(key);
        }
        place
    }

    fn walk(&mut self, side: Side, root: View<'a>) {
        let mut next = self.subs.len();
        let most = next.saturating_add(self.limits.subschemas);
        let dialect = self.engine.dialect(root, None);
        self.subs.push(Subschema::new(
            root,
            (side, dialect),
            None,
            ("", Step::None),
        ));
        while next < self.subs.len() && self.subs.len() < most {
            self.children(next);
            next = next.saturating_add(1);
        }
    }

    fn children(&mut self, index: usize) {
        let Some(parent) = self.subs.get(index) else {
            return;
        };
        if parent.view.kind() != Kind::Object || parent.depth >= self.limits.depth {
            return;
        }
        let mut found = Vec::new();
        let mut push = |keyword, step, view: View<'a>| {
            if matches!(view.kind(), Kind::Object | Kind::Boolean) {
                let dialect = self.engine.dialect(view, Some(parent.dialect));
                let rules = (parent.side, dialect);
                found.push(Subschema::new(
                    view,
                    rules,
                    Some((index, parent)),
                    (keyword, step),
                ));
            }
        };
        for (key, value) in parent.view.members() {
            let Some(keyword) = Keyword::from_name(key.text()) else {
                continue;
            };
            let name = keyword.name();
            match (keyword.layout(), value.kind()) {
                (Some(SubschemaLayout::Map), Kind::Object) => {
                    for (member, schema) in value.members() {
                        push(name, Step::Name(member.text()), schema);
                    }
                }
                (Some(SubschemaLayout::Schemas), Kind::Array) => {
                    for (at, schema) in value.items().enumerate() {
                        push(name, Step::Index(at), schema);
                    }
                }
                (Some(SubschemaLayout::Schemas), _) => push(name, Step::None, value),
                (Some(SubschemaLayout::Map) | None, _) => {}
            }
        }
        self.subs.append(&mut found);
    }
}

/// The bytes of the text of a string's value: of `"a\u0062c"`, 1..2 of the value are 2..8 of the text.
pub(super) fn span_within(view: View<'_>, range: Range<usize>) -> Range<usize> {
    let whole = span(view);
    let raw = view.raw();
    let (mut at, mut read) = (1, 0);
    let (mut start, mut end) = (None, None);
    while let Some(rest) = raw.get(at..raw.len().saturating_sub(1)) {
        if read >= range.start {
            start.get_or_insert(at);
        }
        if read >= range.end {
            end.get_or_insert(at);
            break;
        }
        let Some(c) = rest.chars().next() else {
            break;
        };
        let (length, text) = match (c, rest.as_bytes().get(1)) {
            ('\\', Some(b'u')) => {
                let unit = rest
                    .get(2..6)
                    .and_then(|hex| u32::from_str_radix(hex, 16).ok());
                match unit.unwrap_or_default() {
                    0..0x80 => (6, 1),
                    0x80..0x800 => (6, 2),
                    0xd800..0xdc00 if rest.get(6..8) == Some("\\u") => (12, 4),
                    _ => (6, 3),
                }
            }
            ('\\', _) => (2, 1),
            _ => (c.len_utf8(), c.len_utf8()),
        };
        at = at.saturating_add(length);
        read = read.saturating_add(text);
    }
    match (start, end) {
        (Some(start), Some(end)) => {
            whole.start.saturating_add(start)..whole.start.saturating_add(end)
        }
        _ => whole,
    }
}

pub(super) fn span(view: View<'_>) -> Range<usize> {
    let span = view.span();
    span.start..span.end
}

/// A thousand times what a published tool needs, in steps: comparing two names of similar length takes
/// [`SPELLING`], and any other candidate takes one.
const SPELLINGS: usize = 100_000;
const SPELLING: usize = 20;
/// The difference in bytes between names that differ by two letters.
const LENGTHS_APART: usize = 8;
/// Letters of the longest name that is compared.
const LONGEST_NAME: usize = 40;
const PATTERN_FUEL: u64 = 1_000_000;
