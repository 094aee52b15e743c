//! Collects what a schema says about an instance that matches it.

use std::ops::ControlFlow;

use toolsure_json::Node;

use super::locate::{Locator, push_fragment};
use crate::execute::Scratch;
use crate::explain::Evaluation;
use crate::explain::sink::{EvaluationLocation, Full, Sink};
use crate::schema::instance::{Instance, Question};
use crate::schema::{Schema, Workspace};

/// The annotations of the subschemas that hold, with the values they hold for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Annotations {
    /// The annotations, the most recently collected first. Empty if the instance does not match.
    pub list: Vec<Annotation>,
    /// Whether the list is complete; `false`, with an empty list, if a limit was reached.
    pub complete: bool,
}

/// The annotation of one value by one keyword.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Annotation {
    /// The value, as a JSON pointer into the instance.
    pub instance_location: String,
    /// The keyword.
    pub keyword: String,
    /// The subschema that has the keyword: its document's URI (empty for the schema itself) with a
    /// JSON pointer as fragment.
    pub schema_location: String,
    /// The annotation as JSON text.
    pub value: String,
}

impl Annotations {
    /// The annotations of one value by one keyword, the latest first.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"title": "An id"}}"#)?;
    /// let annotations = schema.annotations(&mut Workspace::new(), "[1]")?;
    /// let titles: Vec<_> = annotations.of("/0", "title").map(|found| found.value.as_str()).collect();
    /// assert_eq!(titles, [r#""An id""#]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of<'a>(
        &'a self,
        instance_location: &'a str,
        keyword: &'a str,
    ) -> impl Iterator<Item = &'a Annotation> {
        self.list.iter().filter(move |annotation| {
            annotation.keyword == keyword && annotation.instance_location == instance_location
        })
    }
}

impl Schema {
    /// Collects annotations: what keywords that hold say about the values of an instance that
    /// matches (2020-12 core, section 7.7). Unknown keywords are annotations too. Their number and
    /// size are limited.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"properties": {"a": {"title": "A"}}}"#)?;
    /// let instance = serde_json::json!({"a": 1});
    /// let annotations = schema.annotations(&mut Workspace::new(), &instance);
    /// let title = annotations.of("/a", "title").next().map(|one| one.value.as_str());
    /// assert_eq!(title, Some("\"A\""));
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Only for JSON text: it is malformed, or exceeds the limits of
    /// [`Limits::instance`](crate::Limits::instance).
    pub fn annotations<I: Instance>(
        &self,
        workspace: &mut Workspace,
        instance: I,
    ) -> I::Answer<Annotations> {
        instance.ask(self, workspace, Annotate)
    }

    fn annotated<'i, N: Node<'i>>(&self, workspace: &Workspace, instance: N) -> Annotations {
        let Ok(program) = self.plain_with_annotations() else {
            return Annotations::default();
        };
        let mut collector = Collector {
            locator: Locator::new(program.model()),
            list: Vec::new(),
            open: Vec::new(),
            bytes: BYTES,
        };
        let scratch = Scratch::default();
        let allowance = self.allowance(workspace);
        let mut evaluation = Evaluation::new(program, instance, allowance, scratch);
        let decided = evaluation.decide();
        if decided != Ok(true) {
            return Annotations {
                list: Vec::new(),
                complete: decided.is_ok(),
            };
        }
        let complete = evaluation.report(&mut collector);
        let mut list = collector.list;
        if !complete {
            // A subschema in progress might still have failed.
            list.clear();
        }
        list.reverse();
        Annotations { list, complete }
    }
}

/// Asks for the annotations of an instance.
struct Annotate;

impl Question for Annotate {
    type Answer = Annotations;

    fn of_node<'i, N: Node<'i>>(
        self,
        schema: &Schema,
        workspace: &mut Workspace,
        node: N,
    ) -> Annotations {
        schema.annotated(workspace, node)
    }
}

struct Collector<'o> {
    locator: Locator<'o>,
    list: Vec<Annotation>,
    /// The number of annotations when each open subschema began.
    open: Vec<usize>,
    bytes: usize,
}

impl Sink for Collector<'_> {
    const EVERYTHING: bool = true;

    fn enter(&mut self, _: EvaluationLocation<'_>) -> ControlFlow<Full> {
        self.open.push(self.list.len());
        ControlFlow::Continue(())
    }

    fn annotation(&mut self, spot: EvaluationLocation<'_>, value: &str) -> ControlFlow<Full> {
        let Some(word) = spot.keyword.filter(|_| spot.name.is_none()) else {
            return ControlFlow::Continue(());
        };
        let model = self.locator.model();
        let pointer = self.locator.pointer(spot.sub);
        let document = model.sub(spot.sub).ok();
        let document = document.and_then(|sub| model.docs.get(sub.doc.index()));
        let uri = document.map_or("", |document| document.uri.as_str());
        let instance_location = spot.instance();
        let size = ENTRY_BYTES
            + instance_location.len()
            + word.len()
            + value.len()
            + uri.len()
            + 3 * pointer.len();
        let Some(left) = self.bytes.checked_sub(size) else {
            return ControlFlow::Break(Full);
        };
        self.bytes = left;
        let mut schema_location = format!("{uri}#");
        push_fragment(&mut schema_location, pointer);
        self.list.push(Annotation {
            instance_location,
            keyword: word.to_owned(),
            schema_location,
            value: value.to_owned(),
        });
        ControlFlow::Continue(())
    }

    fn leave(&mut self, valid: bool) {
        if let Some(before) = self.open.pop()
            && !valid
        {
            self.list.truncate(before);
        }
    }
}

/// Maximum size of all annotations in bytes.
const BYTES: usize = 4 << 20;
/// The size of an annotation in addition to its strings.
const ENTRY_BYTES: usize = 128;
