//! `Catalog`: the tools that a client knows of its server, for the sessions in Python, which only
//! send and receive.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use toolsure_mcp::catalog::{AskedPage, KnownTools, Listing};
use toolsure_mcp::check::Refusal;
use toolsure_mcp::contract::{Isolated, SchemaStore};
use toolsure_mcp::era::Era;

use crate::contract::{ToolContract, contract_compiler, era};
use crate::errors::{self, Members};
use crate::text::{bytes, detached};

/// The tools that a client knows of its server. `now` is in seconds, of any clock that does not go
/// back.
#[pyclass(frozen, module = "toolsure._toolsure", name = "Catalog")]
pub(crate) struct Catalog {
    known: Mutex<KnownTools>,
    era: Era,
    store: SchemaStore,
}

/// The state of a catalog when a page was requested.
#[pyclass(frozen, module = "toolsure._toolsure", name = "AskedPage")]
pub(crate) struct Asked(AskedPage);

#[pymethods]
impl Catalog {
    #[new]
    #[pyo3(signature = (protocol_version, **options))]
    fn new(protocol_version: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let store = SchemaStore::with(contract_compiler(options)?, SchemaStore::BYTES);
        Ok(Self {
            known: Mutex::new(KnownTools::new(store.clone())),
            era: era(protocol_version)?,
            store,
        })
    }

    /// Whether the tools are up to date, as far as the server has reported.
    fn is_fresh(&self, now: f64) -> PyResult<bool> {
        Ok(self.known().is_fresh(time(now)?))
    }

    /// Whether the server guarantees the tools: their `ttlMs` has not expired.
    fn is_vouched_for(&self, now: f64) -> PyResult<bool> {
        Ok(self.known().is_vouched_for(time(now)?))
    }

    /// Records that the tools changed.
    fn changed(&self) {
        self.known().changed();
    }

    /// Call this when a page is requested, and pass the answer to `page`.
    fn ask(&self) -> Asked {
        Asked(self.known().ask())
    }

    /// Records a page, the JSON text of a result of `tools/list`, and returns the cursor of the next.
    /// Raises `ValueError` if the page cannot be read, or the list is too long.
    fn page(
        &self,
        py: Python<'_>,
        page: &Bound<'_, PyAny>,
        cursor: Option<&str>,
        asked: &Asked,
        now: f64,
    ) -> PyResult<Option<String>> {
        let (text, now) = (bytes(page)?.into_owned(), time(now)?);
        let read = detached(py, text.len(), || {
            let listing = Listing::read(text)?;
            self.known().page(&listing, cursor, asked.0, now)?;
            Ok(listing.next_cursor().map(str::to_owned))
        });
        let refused = |error: toolsure_mcp::catalog::UnreadableListing| {
            PyValueError::new_err(error.to_string())
        };
        read.map_err(refused)
    }

    /// Uses the pages that were read, because the next could not be.
    fn incomplete(&self, reason: &str, now: f64) -> PyResult<()> {
        self.known().incomplete(reason, time(now)?);
        Ok(())
    }

    /// The contract of a tool; `None` if the server does not list it. Raises `ContractError` if the
    /// definition is malformed or does not compile, or if the tool may be in a part of the list that
    /// could not be read.
    fn contract(&self, py: Python<'_>, name: &str) -> PyResult<Option<ToolContract>> {
        let (tools, unread) = {
            let known = self.known();
            (known.catalog().snapshot(), known.unread().cloned())
        };
        if let Some(contract) = tools.tool(name) {
            let verified = detached(py, contract.text().len(), || contract.verify());
            if let Err(why) = verified {
                return Err(crate::contract::uncompilable(py, name, &why));
            }
            let contract = Arc::clone(contract);
            return Ok(Some(ToolContract::of(contract, self.era, &self.store)));
        }
        let isolated = tools
            .isolated_tool(name)
            .map(|tool: &Isolated| Refusal::isolated_tool(tool));
        let unread = || unread.map(|reason| Refusal::unread_list(name, &reason));
        let Some(refusal) = isolated.or_else(unread) else {
            return Ok(None);
        };
        let members = Members::new(py)
            .with("code", refusal.fault.code())
            .with("tool", name);
        Err(errors::contract(py, refusal.text(), members))
    }

    /// The names of the tools.
    fn names(&self) -> Vec<String> {
        let tools = self.known().catalog().snapshot();
        tools.tools().map(|tool| tool.name().to_owned()).collect()
    }
}

impl Catalog {
    fn known(&self) -> MutexGuard<'_, KnownTools> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn time(now: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(now).map_err(|error| PyValueError::new_err(error.to_string()))
}
