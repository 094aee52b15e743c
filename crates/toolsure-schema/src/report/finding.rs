//! The description of what is wrong with an instance.

use std::fmt::{self, Write as _};
use std::ops::{ControlFlow, Range};

use toolsure_json::{Key as _, Kind, Node, View, quote};

use super::locate::{Locator, is_fragment, push_fragment};
use crate::execute::Allowance;
use crate::explain::kind::FindingKind;
use crate::explain::sink::{Full, MOST_FINDINGS, Sink};
use crate::explain::text::SHOWN;
use crate::explain::{Fault, FaultDescriber, Found, Path, PointerWriter, Program, TextPart};
use crate::model::Model;

/// One keyword that does not hold for one value of the instance.
///
/// `Display` is one line: what was expected, what was found, and where.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// The byte range of the value in the instance's JSON text, if the instance was read from text.
    pub instance_span: Option<Range<usize>>,
    keyword: &'static str,
    span: Range<usize>,
    /// The text of all locations: they overlap if they are equal.
    text: String,
    instance_location: TextPart,
    property_name: Option<TextPart>,
    keyword_location: TextPart,
    absolute_keyword_location: TextPart,
    document: TextPart,
    pointer: TextPart,
}

/// A location in a schema document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source<'f> {
    /// The URI of the document; empty for the schema itself.
    pub document: &'f str,
    /// The keyword's JSON pointer in the document.
    pub pointer: &'f str,
    /// The bytes of the keyword's value in the document.
    pub span: Range<usize>,
}

impl Finding {
    /// The value, as a JSON pointer (RFC 6901) into the instance.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let report = schema.explain(&mut Workspace::new(), &serde_json::json!([1, "2"]));
    /// assert_eq!(report.findings[0].instance_location(), "/1");
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn instance_location(&self) -> &str {
        self.instance_location.of(&self.text)
    }

    /// The member's name, if the keyword was applied to a name (`propertyNames`) of the object at
    /// [`instance_location`](Self::instance_location).
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"propertyNames": {"maxLength": 2}}"#)?;
    /// let report = schema.explain(&mut Workspace::new(), &serde_json::json!({"abc": 1}));
    /// assert_eq!(report.findings[0].property_name(), Some("abc"));
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn property_name(&self) -> Option<&str> {
        Some(self.property_name?.of(&self.text))
    }

    /// The evaluation path of the keyword, references included, as a JSON pointer.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br##"{"not": {}, "$ref": "#/$defs/n", "$defs": {"n": {"minimum": 3}}}"##)?;
    /// let report = schema.explain(&mut Workspace::new(), &serde_json::json!(1));
    /// let [_, minimum] = report.findings.as_slice() else { panic!("two findings") };
    /// assert_eq!(minimum.keyword_location(), "/$ref/minimum");
    /// assert_eq!(minimum.absolute_keyword_location(), "#/$defs/n/minimum");
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn keyword_location(&self) -> &str {
        self.keyword_location.of(&self.text)
    }

    /// The location of the keyword: its resource's URI with a JSON pointer as fragment. Without an
    /// `$id` the URI is only the fragment.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"$id": "https://example.com/n", "minimum": 3}"#)?;
    /// let report = schema.explain(&mut Workspace::new(), &serde_json::json!(1));
    /// let location = report.findings[0].absolute_keyword_location();
    /// assert_eq!(location, "https://example.com/n#/minimum");
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn absolute_keyword_location(&self) -> &str {
        self.absolute_keyword_location.of(&self.text)
    }

    /// The keyword; for a `false` schema the one that applies it (empty at the root).
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"minimum": 3}"#)?;
    /// let report = schema.explain(&mut Workspace::new(), &serde_json::json!(1));
    /// assert_eq!(report.findings[0].keyword(), "minimum");
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn keyword(&self) -> &'static str {
        self.keyword
    }

    /// The location of the keyword in the schema's JSON text.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let text = r#"{"minimum": 3}"#;
    /// let schema = Schema::compile(text.as_bytes())?;
    /// let report = schema.explain(&mut Workspace::new(), &serde_json::json!(1));
    /// let source = report.findings[0].source();
    /// assert_eq!((source.document, source.pointer), ("", "/minimum"));
    /// assert_eq!(&text[source.span], "3");
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        Source {
            document: self.document.of(&self.text),
            pointer: self.pointer.of(&self.text),
            span: self.span.clone(),
        }
    }

    /// Finds the span of the value in the text of the instance.
    pub(super) fn locate(&mut self, instance: View<'_>) {
        let mut view = instance;
        for token in toolsure_json::pointer::tokens(self.instance_location()) {
            let next = match view.kind() {
                Kind::Array => toolsure_json::pointer::index(&token).and_then(|at| view.item(at)),
                _ => view.member(&token),
            };
            let Some(next) = next else { return };
            view = next;
        }
        if let Some(name) = self.property_name() {
            let key = view.members().find(|(key, _)| key.text() == name);
            if let Some((key, _)) = key {
                view = key.view();
            }
        }
        let span = view.span();
        self.instance_span = Some(span.start..span.end);
    }
}

impl fmt::Debug for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finding")
            .field("instance_location", &self.instance_location())
            .field("property_name", &self.property_name())
            .field("keyword_location", &self.keyword_location())
            .field(
                "absolute_keyword_location",
                &self.absolute_keyword_location(),
            )
            .field("keyword", &self.keyword)
            .field("kind", &self.kind)
            .field("source", &self.source())
            .field("instance_span", &self.instance_span)
            .finish()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // why: written piece by piece, it would make the caller's string grow many times.
        let mut line = String::with_capacity(LINE);
        write!(line, "{}", Line(self))?;
        f.write_str(&line)
    }
}

/// The line that describes a finding.
struct Line<'f>(&'f Finding);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(finding) = self;
        if let Some(name) = finding.property_name() {
            write!(f, "property name `{}`: ", quote(name, SHOWN))?;
        }
        finding.kind.fmt(f)?;
        f.write_str(" (at ")?;
        match finding.instance_location() {
            "" => f.write_str("the root")?,
            place => quote(place, PLACE).fmt(f)?,
        }
        f.write_str(")")
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
        let (paths, origin) = (&self.found.paths, fault.origin);
        let sub = model.sub(fault.sub).ok()?;
        let (node, keyword) = match fault.entry(model) {
            Some(entry) => (entry.value, entry.keyword.name()),
            None => (sub.node, fault.applied_by().unwrap_or_default()),
        };
        let span = model.view(sub.doc, node)?.span();
        let document = model.docs.get(sub.doc.index())?.uri.as_str();
        let resource = model.resources.get(sub.resource.index())?;
        let (keyword_before, instance_before) = before.map_or(("", ""), |before| {
            (before.keyword_location(), before.instance_location())
        });
        // Without references, the evaluation path is also the pointer in the document.
        let is_direct = origin.path == Path::default();
        let length = paths.length(fault.path);
        let room = paths.length(fault.place) + resource.uri.len() + length + 1;
        let mut text = String::with_capacity(match is_direct {
            true => room,
            false => room + self.locator.pointer(origin.sub).len() + 2 * length,
        });
        let instance_location =
            self.instances
                .write(paths, fault.place, instance_before, &mut text);
        let property_name = fault.name().map(|name| TextPart::push(&mut text, name));
        let document = TextPart::push(&mut text, document);
        let start = text.len();
        if is_direct {
            text.push_str(&resource.uri);
            text.push('#');
        }
        let keyword_location = self
            .keywords
            .write(paths, fault.path, keyword_before, &mut text);
        let behind = self.keywords.length_of(origin.path);
        let behind = keyword_location.of(&text).get(behind..).unwrap_or_default();
        let is_whole = is_direct && resource.root == origin.sub && is_fragment(behind);
        let (pointer, absolute_keyword_location) = match is_whole {
            true => (keyword_location, TextPart::from(start, &text)),
            false => {
                let (pointer, below) = self.locator.pointer_from(resource, origin, behind);
                let start = text.len();
                text.push_str(&resource.uri);
                text.push('#');
                push_fragment(&mut text, pointer.get(below..).unwrap_or_default());
                let absolute = TextPart::from(start, &text);
                (TextPart::push(&mut text, &pointer), absolute)
            }
        };
        Some(Finding {
            kind,
            instance_span: None,
            keyword,
            span: span.start..span.end,
            text,
            instance_location,
            property_name,
            keyword_location,
            absolute_keyword_location,
            document,
            pointer,
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
