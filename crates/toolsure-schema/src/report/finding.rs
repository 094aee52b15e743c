//! The description of what is wrong with an instance.

use std::fmt::{self, Write as _};
use std::ops::{ControlFlow, Range};

use toolsure_json::{Key as _, Kind, Node, View, quote};

use super::locate::Locator;
use crate::execute::Allowance;
use crate::explain::kind::FindingKind;
use crate::explain::sink::{Full, MOST_FINDINGS, Sink};
use crate::explain::text::SHOWN;
use crate::explain::{Fault, FaultDescriber, Found, PointerWriter, Program};
use crate::model::Model;

/// One keyword that does not hold for one value of the instance.
///
/// `Display` is one line: what was expected, what was found, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The value, as a JSON pointer (RFC 6901) into the instance.
    pub instance_location: String,
    /// The member's name, if the keyword was applied to a name (`propertyNames`) of the object at
    /// `instance_location`.
    pub property_name: Option<String>,
    /// The evaluation path of the keyword, references included, as a JSON pointer.
    pub keyword_location: String,
    /// The location of the keyword: its resource's URI with a JSON pointer as fragment. Without an
    /// `$id` the URI is only the fragment.
    pub absolute_keyword_location: String,
    /// The keyword; for a `false` schema the one that applies it (empty at the root).
    pub keyword: String,
    /// What is wrong.
    pub kind: FindingKind,
    /// The location of the keyword in the schema's JSON text.
    pub source: Source,
    /// The byte range of the value in the instance's JSON text, if the instance was read from text.
    pub instance_span: Option<Range<usize>>,
}

/// A location in a schema document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The URI of the document; empty for the schema itself.
    pub document: String,
    /// The keyword's JSON pointer in the document.
    pub pointer: String,
    /// The bytes of the keyword's value in the document.
    pub span: Range<usize>,
}

impl Finding {
    /// Finds the span of the value in the text of the instance.
    pub(super) fn locate(&mut self, instance: View<'_>) {
        let mut view = instance;
        for token in toolsure_json::pointer::tokens(&self.instance_location) {
            let next = match view.kind() {
                Kind::Array => toolsure_json::pointer::index(&token).and_then(|at| view.item(at)),
                _ => view.member(&token),
            };
            let Some(next) = next else { return };
            view = next;
        }
        if let Some(name) = &self.property_name {
            let key = view.members().find(|(key, _)| key.text() == name);
            if let Some((key, _)) = key {
                view = key.view();
            }
        }
        let span = view.span();
        self.instance_span = Some(span.start..span.end);
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // why: written piece by piece, it would make the caller's string grow many times.
        let mut line = String::with_capacity(LINE);
        if let Some(name) = &self.property_name {
            write!(line, "property name `{}`: ", quote(name, SHOWN))?;
        }
        write!(line, "{} (at ", self.kind)?;
        match self.instance_location.as_str() {
            "" => line.push_str("the root"),
            place => write!(line, "{}", quote(place, PLACE))?,
        }
        line.push(')');
        f.write_str(&line)
    }
}

/// Accepts faults up to a maximum number and total size. If the caller asked for fewer than the
/// maximum, the evaluation ends with the last one; otherwise one fault too many tells that there
/// are more.
pub(super) struct Bounds {
    count: usize,
    most: usize,
    bytes: usize,
}

impl Bounds {
    pub(super) fn new(most: usize) -> Self {
        Self {
            count: 0,
            most,
            bytes: BYTES.saturating_mul((most / MOST_FINDINGS).max(1)),
        }
    }
}

impl Sink for Bounds {
    const EVERYTHING: bool = false;

    fn room(&mut self, bytes: usize) -> ControlFlow<Full> {
        match self.bytes.checked_sub(KIND_BYTES + bytes) {
            Some(left) if self.count < self.most => {
                self.bytes = left;
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Break(Full),
        }
    }

    fn noted(&mut self) -> ControlFlow<Full> {
        self.count += 1;
        match self.count == self.most && self.most < MOST_FINDINGS {
            true => ControlFlow::Break(Full),
            false => ControlFlow::Continue(()),
        }
    }

    fn most(&self) -> usize {
        self.most.max(MOST_FINDINGS)
    }

    fn findings(&self) -> usize {
        self.count
    }
}

/// Describes faults as findings.
pub(super) struct Writer<'o, 'i, N: Node<'i>> {
    model: &'o Model,
    found: &'o Found<'o, 'i, N>,
    describer: FaultDescriber<'o, 'i, N>,
    locator: Locator<'o>,
    keywords: PointerWriter,
    instances: PointerWriter,
}

impl<'o, 'i, N: Node<'i>> Writer<'o, 'i, N> {
    /// Describes the faults in `found`.
    pub(super) fn new(
        program: &'o Program,
        found: &'o Found<'o, 'i, N>,
        allowance: Allowance,
    ) -> Self {
        let model = program.model();
        Self {
            model,
            found,
            describer: FaultDescriber::new(program, allowance),
            locator: Locator::new(model),
            keywords: PointerWriter::default(),
            instances: PointerWriter::default(),
        }
    }

    /// The finding for a fault, and `before` is the last one that was written; `None` if a limit was
    /// reached, or something is missing.
    pub(super) fn write(
        &mut self,
        fault: &Fault<'i, N>,
        before: Option<&Finding>,
    ) -> Option<Finding> {
        let kind = self.describer.describe(self.found, fault)?;
        let model = self.model;
        let paths = &self.found.paths;
        let sub = model.sub(fault.sub).ok()?;
        let entry = fault.entry(model);
        let (node, keyword) = match entry {
            Some(entry) => {
                let name = model.view(sub.doc, entry.name)?;
                (entry.value, name.string().to_owned())
            }
            None => (sub.node, fault.applied_by().unwrap_or_default().to_owned()),
        };
        let span = model.view(sub.doc, node)?.span();
        let document = model.docs.get(sub.doc.index())?;
        let (keyword_before, instance_before) = before.map_or(("", ""), |before| {
            (&*before.keyword_location, &*before.instance_location)
        });
        let keyword_location = self.keywords.write(paths, fault.path, keyword_before);
        let behind = self.keywords.length_of(fault.origin.path);
        let behind = keyword_location.get(behind..).unwrap_or_default();
        let (pointer, absolute) = self.locator.places(fault.sub, fault.origin, behind);
        Some(Finding {
            instance_location: self.instances.write(paths, fault.place, instance_before),
            property_name: fault.name().map(str::to_owned),
            keyword_location,
            absolute_keyword_location: absolute,
            keyword,
            kind,
            source: Source {
                document: document.uri.clone(),
                pointer,
                span: span.start..span.end,
            },
            instance_span: None,
        })
    }
}

/// Maximum size of all findings of a report in bytes, for each 100 findings that may be listed.
const BYTES: usize = 1 << 20;
/// The size of a finding in addition to its locations.
const KIND_BYTES: usize = 1 << 10;

/// The length of a message; most are not longer.
const LINE: usize = 256;
/// Maximum number of characters of a location that a message repeats.
pub(super) const PLACE: usize = 200;
