//! What is asked about an instance: whether it matches, why not, and what the schema says about it.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use toolsure_schema::{Annotations, Instance, OutputFormat, Report, Schema, Verdict, Workspace};

use crate::errors::{self, Unread};
use crate::text::loads;

/// A question about an instance, whether it is a value or a text.
pub(crate) trait Ask: Sync {
    type Answer: Send;

    fn ask<I: Instance>(
        &self,
        schema: &Schema,
        workspace: &mut Workspace,
        instance: I,
    ) -> I::Answer<Self::Answer>;
}

/// Whether it matches.
pub(crate) struct Check;

impl Ask for Check {
    type Answer = Verdict;

    #[inline]
    fn ask<I: Instance>(
        &self,
        schema: &Schema,
        workspace: &mut Workspace,
        instance: I,
    ) -> I::Answer<Verdict> {
        schema.check(workspace, instance)
    }
}

/// Why it does not match, in at most so many findings.
pub(crate) struct Explain(pub(crate) usize);

impl Ask for Explain {
    type Answer = Report;

    #[inline]
    fn ask<I: Instance>(
        &self,
        schema: &Schema,
        workspace: &mut Workspace,
        instance: I,
    ) -> I::Answer<Report> {
        *workspace = std::mem::take(workspace).findings(self.0);
        schema.explain(workspace, instance)
    }
}

/// The result in a standard output format, as JSON text.
pub(crate) struct Output(OutputFormat);

impl Output {
    pub(crate) fn named(name: &str) -> PyResult<Self> {
        OutputFormat::from_name(name).map(Self).ok_or_else(|| {
            let known = OutputFormat::ALL.map(OutputFormat::name).join(", ");
            let name = toolsure_json::quote(name, NAME);
            PyValueError::new_err(format!("unknown output format `{name}`; there are {known}"))
        })
    }

    pub(crate) fn read<'py>(
        &self,
        py: Python<'py>,
        text: Result<String, Unread>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let text = text.map_err(|why| errors::unread(py, why))?;
        loads(py, text.as_bytes())
    }
}

impl Ask for Output {
    type Answer = String;

    fn ask<I: Instance>(
        &self,
        schema: &Schema,
        workspace: &mut Workspace,
        instance: I,
    ) -> I::Answer<String> {
        schema.output(workspace, instance, self.0)
    }
}

/// The annotations.
pub(crate) struct Annotate;

impl Ask for Annotate {
    type Answer = Annotations;

    fn ask<I: Instance>(
        &self,
        schema: &Schema,
        workspace: &mut Workspace,
        instance: I,
    ) -> I::Answer<Annotations> {
        schema.annotations(workspace, instance)
    }
}

/// Characters of an unknown name that an error shows.
const NAME: usize = 80;
