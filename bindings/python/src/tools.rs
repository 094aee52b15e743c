//! Lint, diff and check of tool listings: the results as plain data, for the dataclasses in Python.

use std::borrow::Cow;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use toolsure_analysis::diff::{Aspect, Differ};
use toolsure_analysis::lint::{Finding, Linter, PROFILES, Profile, Rule, Safety, profile, rule};
use toolsure_json::{DuplicateKeys, Kind, Node as _, OwnedDocument, ReadLimits, View};
use toolsure_mcp::contract::{MalformedTool, SchemaStore, ToolContract};

use crate::errors;
use crate::options::plain;
use crate::text::{bytes, detached, is_text};
use crate::value;

/// Lints a listing.
#[pyfunction]
#[pyo3(signature = (listing, profiles, allow, deny))]
pub(crate) fn lint<'py>(
    py: Python<'py>,
    listing: &Bound<'py, PyAny>,
    profiles: Vec<String>,
    allow: Vec<String>,
    deny: Vec<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let tools = tools(listing)?;
    let mut linter = Linter::new();
    for word in &profiles {
        linter = linter.profile(named_profile(word)?);
    }
    for code in &allow {
        linter = linter.allow(known(code)?);
    }
    for code in &deny {
        linter = linter.deny(known(code)?);
    }
    let report = detached(py, usize::MAX, || {
        linter.lint(tools.iter().map(String::as_str))
    });
    let findings = PyList::empty(py);
    for one in &report.findings {
        findings.append(finding(py, one)?)?;
    }
    let made = PyDict::new(py);
    made.set_item("findings", findings)?;
    made.set_item("more", report.more)?;
    made.set_item("tokens", report.tokens)?;
    Ok(made)
}

fn named_profile(word: &str) -> PyResult<&'static Profile> {
    let unknown = || {
        let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        format!(
            "unknown profile `{}`; there are {}",
            toolsure_json::quote(word, WORD),
            names.join(", ")
        )
    };
    profile(word).ok_or_else(|| PyValueError::new_err(unknown()))
}

fn known(code: &str) -> PyResult<&'static Rule> {
    let unknown = || format!("unknown rule `{}`", toolsure_json::quote(code, WORD));
    rule(code).ok_or_else(|| PyValueError::new_err(unknown()))
}

fn finding<'py>(py: Python<'py>, finding: &Finding) -> PyResult<Bound<'py, PyDict>> {
    let made = PyDict::new(py);
    made.set_item("code", finding.rule.code)?;
    made.set_item("name", finding.rule.name)?;
    made.set_item("severity", finding.severity.to_string())?;
    made.set_item("tool", finding.tool)?;
    made.set_item("pointer", &finding.pointer)?;
    made.set_item("message", &finding.message)?;
    made.set_item("help", finding.help.as_deref())?;
    let fix = finding.fix.as_ref().map(|fix| -> PyResult<_> {
        let edits = fix.edits.iter();
        let edits = edits.map(|edit| (edit.span.start, edit.span.end, edit.text.as_str()));
        let fix_data = PyDict::new(py);
        fix_data.set_item("safe", fix.safety == Safety::Safe)?;
        fix_data.set_item("edits", edits.collect::<Vec<_>>())?;
        Ok(fix_data)
    });
    made.set_item("fix", fix.transpose()?)?;
    Ok(made)
}

/// Compares two listings.
#[pyfunction]
pub(crate) fn diff<'py>(
    py: Python<'py>,
    old: &Bound<'py, PyAny>,
    new: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let (old, new) = (tools(old)?, tools(new)?);
    let report = detached(py, usize::MAX, || {
        Differ::new().diff(
            old.iter().map(String::as_str),
            new.iter().map(String::as_str),
        )
    });
    let changed = PyList::empty(py);
    for tool in &report.tools {
        let changes = PyList::empty(py);
        for change in &tool.changes {
            let made = PyDict::new(py);
            made.set_item("class_", change.class.to_string())?;
            made.set_item("side", change.side.to_string())?;
            let words = change.aspect == Aspect::Words;
            made.set_item("aspect", if words { "words" } else { "contract" })?;
            made.set_item("place", &change.place)?;
            made.set_item("message", &change.message)?;
            made.set_item("witness", change.witness.as_deref())?;
            changes.append(made)?;
        }
        let made = PyDict::new(py);
        made.set_item("name", &tool.name)?;
        made.set_item("class_", tool.class().to_string())?;
        made.set_item("changes", changes)?;
        changed.append(made)?;
    }
    let made = PyDict::new(py);
    made.set_item("class_", report.class().map(|class| class.to_string()))?;
    made.set_item("same", report.same)?;
    made.set_item("tools", changed)?;
    Ok(made)
}

/// Reports whether each tool can be used.
#[pyfunction]
pub(crate) fn check<'py>(
    py: Python<'py>,
    listing: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let tools = tools(listing)?;
    let store = SchemaStore::new();
    let judged = detached(py, usize::MAX, || {
        let judge = |text: &String| ToolContract::read(text.as_bytes(), &store).map(Arc::new);
        tools.iter().map(judge).collect::<Vec<_>>()
    });
    let all = PyList::empty(py);
    for one in &judged {
        let made = PyDict::new(py);
        match one {
            Err(malformed) => {
                made.set_item("name", py.None())?;
                made.set_item("faults", vec![malformed_fault(malformed)])?;
                made.set_item("warnings", Vec::<String>::new())?;
            }
            Ok(tool) => {
                made.set_item("name", tool.name())?;
                made.set_item("faults", faults(py, tool))?;
                let warnings = tool.name_fault().map(|fault| fault.to_string());
                made.set_item("warnings", Vec::from_iter(warnings))?;
            }
        }
        all.append(made)?;
    }
    Ok(all)
}

/// A fault in plain data: code, location, message and help.
type Words = (&'static str, String, String, Option<String>);

fn malformed_fault(malformed: &MalformedTool) -> Words {
    (malformed.code(), String::new(), malformed.to_string(), None)
}

fn faults(py: Python<'_>, tool: &ToolContract) -> Vec<Words> {
    let parts = detached(py, usize::MAX, || [tool.input().err(), tool.output().err()]);
    let mut all: Vec<Words> = Vec::new();
    for fault in parts.into_iter().flatten() {
        let pointer = format!("/{}{}", fault.part.member(), fault.error.pointer());
        let error = &fault.error;
        all.push((error.code(), pointer, error.to_string(), error.help()));
    }
    if let Err(fault) = tool.headers() {
        let pointer = format!("/inputSchema{}", fault.pointer);
        all.push(("tool-header", pointer, fault.to_string(), None));
    }
    all
}

/// The texts of a listing's tools; unchanged if the listing is text.
fn tools(listing: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let text: Cow<'_, [u8]> = if is_text(listing) {
        bytes(listing)?
    } else {
        let text = value::json_text(&plain_tools(listing)?, &generous());
        let refused = |refusal: value::Refusal| errors::unread(listing.py(), refusal.into());
        Cow::Owned(text.map_err(refused)?.into_bytes())
    };
    let document = OwnedDocument::read(text.into_owned(), &generous());
    let document = document.map_err(|error| errors::unread(listing.py(), error.into()))?;
    let array = array(document.document().root()).ok_or_else(|| {
        PyValueError::new_err(
            "a listing is an array of tools, `{\"tools\": […]}`, or a JSON-RPC answer to `tools/list`",
        )
    })?;
    Ok(array.items().map(|tool| tool.raw().to_owned()).collect())
}

/// A listing as plain data: it may be an object of an SDK, or a list of such objects.
fn plain_tools<'py>(listing: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if !listing.is_instance_of::<PyList>() && !listing.is_instance_of::<PyTuple>() {
        return plain(listing);
    }
    let tools = listing.try_iter()?.map(|tool| plain(&tool?));
    let tools = PyList::new(listing.py(), tools.collect::<PyResult<Vec<_>>>()?)?;
    Ok(tools.into_any())
}

/// Finds the array of tools in the usual forms of a listing.
fn array(root: View<'_>) -> Option<View<'_>> {
    let inner = root
        .member("result")
        .and_then(|result| result.member("tools"));
    let candidates = [Some(root), root.member("tools"), inner];
    let mut arrays = candidates.into_iter().flatten();
    arrays.find(|value| value.kind() == Kind::Array)
}

/// Wide limits, because an error of one tool must not make the listing unreadable.
fn generous() -> ReadLimits {
    ReadLimits {
        bytes: 64 << 20,
        depth: 16_384,
        nodes: 8_000_000,
        digits: usize::MAX,
        duplicate_keys: DuplicateKeys::KeepLast,
    }
}

/// Characters of an unknown word that an error shows.
const WORD: usize = 60;
