//! The kinds of findings as the dataclasses of `toolsure.kinds`, for `match`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyModule, PyTuple};
use toolsure_schema::{Branches, FindingKind, FoundValue, Tag};

static KINDS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// The members of a dataclass that is being made.
struct Maker<'py> {
    module: Bound<'py, PyModule>,
    members: Bound<'py, PyDict>,
}

impl<'py> Maker<'py> {
    fn new(py: Python<'py>) -> PyResult<Self> {
        let module = KINDS.get_or_try_init(py, || {
            PyModule::import(py, "toolsure.kinds").map(Bound::unbind)
        })?;
        Ok(Self {
            module: module.bind(py).clone(),
            members: PyDict::new(py),
        })
    }

    fn with(self, name: &str, value: impl IntoPyObject<'py>) -> PyResult<Self> {
        self.members.set_item(name, value)?;
        Ok(self)
    }

    /// Adds a member that is a tuple.
    fn all<T: IntoPyObject<'py> + Clone>(self, name: &str, values: &[T]) -> PyResult<Self> {
        let tuple = PyTuple::new(self.members.py(), values.to_vec())?;
        self.with(name, tuple)
    }

    fn found(self, value: &FoundValue) -> PyResult<Self> {
        let found = found(self.members.py(), value)?;
        self.with("found", found)
    }

    fn make(self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.module.getattr(name)?.call((), Some(&self.members))
    }
}

fn found<'py>(py: Python<'py>, value: &FoundValue) -> PyResult<Bound<'py, PyAny>> {
    Maker::new(py)?
        .with("type", value.kind.name())?
        .with("text", value.text.as_str())?
        .make("Found")
}

fn tag<'py>(py: Python<'py>, tag: &Tag) -> PyResult<Bound<'py, PyAny>> {
    Maker::new(py)?
        .with("property", tag.property.as_str())?
        .all("expected", &tag.expected)?
        .with("more", tag.more)?
        .with("closest", tag.closest.as_deref())?
        .found(&tag.found)?
        .make("Tag")
}

fn branches<'py>(py: Python<'py>, name: &str, all: &Branches) -> PyResult<Bound<'py, PyAny>> {
    let tag = all.tag.as_ref().map(|one| tag(py, one)).transpose()?;
    Maker::new(py)?
        .with("count", all.count)?
        .all("plausible", &all.plausible)?
        .with("tag", tag)?
        .make(name)
}

/// Makes the dataclass of a kind.
pub(crate) fn kind<'py>(py: Python<'py>, kind: &FindingKind) -> PyResult<Bound<'py, PyAny>> {
    let new = || Maker::new(py);
    match kind {
        FindingKind::Type { expected, found } => {
            new()?.all("expected", expected)?.found(found)?.make("Type")
        }
        FindingKind::Const { expected, found } => {
            let made = new()?.with("expected", expected.as_str())?;
            made.found(found)?.make("Const")
        }
        FindingKind::Enum {
            expected,
            more,
            closest,
            found,
        } => {
            let made = new()?.all("expected", expected)?.with("more", *more)?;
            let made = made.with("closest", closest.as_deref())?;
            made.found(found)?.make("Enum")
        }
        FindingKind::Minimum {
            limit,
            exclusive,
            found,
        } => limited(new()?, limit, *exclusive, found)?.make("Minimum"),
        FindingKind::Maximum {
            limit,
            exclusive,
            found,
        } => limited(new()?, limit, *exclusive, found)?.make("Maximum"),
        FindingKind::MultipleOf { divisor, found } => {
            let made = new()?.with("divisor", divisor.as_str())?;
            made.found(found)?.make("MultipleOf")
        }
        FindingKind::MinLength {
            least,
            count,
            found,
        } => {
            let made = new()?.with("least", *least)?.with("count", *count)?;
            made.found(found)?.make("MinLength")
        }
        FindingKind::MaxLength { most, count, found } => {
            let made = new()?.with("most", *most)?.with("count", *count)?;
            made.found(found)?.make("MaxLength")
        }
        FindingKind::Pattern { pattern, found } => {
            let made = new()?.with("pattern", pattern.as_str())?;
            made.found(found)?.make("Pattern")
        }
        FindingKind::Format { format, found } => {
            new()?.with("format", *format)?.found(found)?.make("Format")
        }
        FindingKind::Content { expected, found } => {
            let made = new()?.with("expected", *expected)?;
            made.found(found)?.make("Content")
        }
        FindingKind::MinItems { least, count } => {
            counted(new()?, "least", *least, *count)?.make("MinItems")
        }
        FindingKind::MaxItems { most, count } => {
            counted(new()?, "most", *most, *count)?.make("MaxItems")
        }
        FindingKind::UniqueItems { first, second } => {
            let made = new()?.with("first", *first)?.with("second", *second)?;
            made.make("UniqueItems")
        }
        FindingKind::Contains => new()?.make("Contains"),
        FindingKind::MinContains { least, count } => {
            counted(new()?, "least", *least, *count)?.make("MinContains")
        }
        FindingKind::MaxContains { most } => new()?.with("most", *most)?.make("MaxContains"),
        FindingKind::MinProperties { least, count } => {
            counted(new()?, "least", *least, *count)?.make("MinProperties")
        }
        FindingKind::MaxProperties { most, count } => {
            counted(new()?, "most", *most, *count)?.make("MaxProperties")
        }
        FindingKind::Required { missing, more } => new()?
            .all("missing", missing)?
            .with("more", *more)?
            .make("Required"),
        FindingKind::DependentRequired {
            present,
            missing,
            more,
        } => {
            let made = new()?.with("present", present.as_str())?;
            let made = made.all("missing", missing)?.with("more", *more)?;
            made.make("DependentRequired")
        }
        FindingKind::UnexpectedProperty { name, closest } => {
            let made = new()?.with("property", name.as_str())?;
            made.with("closest", closest.as_deref())?
                .make("UnexpectedProperty")
        }
        FindingKind::ForbiddenProperty { name } => new()?
            .with("property", name.as_str())?
            .make("ForbiddenProperty"),
        FindingKind::UnexpectedItem { index } => {
            new()?.with("index", *index)?.make("UnexpectedItem")
        }
        FindingKind::ForbiddenName => new()?.make("ForbiddenName"),
        FindingKind::AnyOf(all) => branches(py, "AnyOf", all),
        FindingKind::OneOf(all) => branches(py, "OneOf", all),
        FindingKind::OneOfMany { matched } => new()?.all("matched", matched)?.make("OneOfMany"),
        FindingKind::Not { found } => new()?.found(found)?.make("Not"),
        FindingKind::Never { found } => new()?.found(found)?.make("Never"),
        // A kind that is newer than this package's dataclasses.
        _ => new()?.make("Other"),
    }
}

fn limited<'py>(
    maker: Maker<'py>,
    limit: &str,
    exclusive: bool,
    found: &FoundValue,
) -> PyResult<Maker<'py>> {
    let made = maker.with("limit", limit)?.with("exclusive", exclusive)?;
    made.found(found)
}

fn counted<'py>(maker: Maker<'py>, name: &str, bound: u64, count: usize) -> PyResult<Maker<'py>> {
    maker.with(name, bound)?.with("count", count)
}

/// Replaces the found values in a kind.
pub(crate) fn mask(kind: &mut FindingKind, mask: &str) {
    match kind {
        FindingKind::Type { found, .. }
        | FindingKind::Const { found, .. }
        | FindingKind::Enum { found, .. }
        | FindingKind::Minimum { found, .. }
        | FindingKind::Maximum { found, .. }
        | FindingKind::MultipleOf { found, .. }
        | FindingKind::MinLength { found, .. }
        | FindingKind::MaxLength { found, .. }
        | FindingKind::Pattern { found, .. }
        | FindingKind::Format { found, .. }
        | FindingKind::Content { found, .. }
        | FindingKind::Not { found, .. }
        | FindingKind::Never { found, .. } => mask.clone_into(&mut found.text),
        FindingKind::AnyOf(branches) | FindingKind::OneOf(branches) => {
            if let Some(tag) = &mut branches.tag {
                mask.clone_into(&mut tag.found.text);
            }
        }
        // These have numbers and names.
        _ => {}
    }
}
