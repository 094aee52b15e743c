//! The official JSON Schema test suite: the validation tests of the five dialects.
//!
//! As the suite's README requires, remote documents are registered under `http://localhost:1234/`,
//! `format` is asserted in `optional/format` and an annotation elsewhere, and a schema without
//! `$schema` has the dialect of its folder. No test is excluded.

use std::path::Path;
use std::sync::Arc;

use crate::Dialect;
use crate::cases::{self, Case};
use crate::engine::{Document, Engine};
use crate::place;
use crate::raw;
use crate::tally::Tally;

/// Runs every test of one dialect on all of these engines.
///
/// # Errors
///
/// One line if the suite cannot be read.
pub fn run(suite: &Path, dialect: Dialect, engines: &[&dyn Engine]) -> Result<Tally, String> {
    let documents = documents(suite)?;
    let mut tally = Tally::default();
    for case in load(suite, dialect, &documents)? {
        for engine in engines {
            case.run(*engine, &mut tally);
        }
    }
    Ok(tally)
}

/// The name of a dialect's folder in the suite.
fn folder_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Draft4 => "draft4",
        Dialect::Draft6 => "draft6",
        Dialect::Draft7 => "draft7",
        Dialect::Draft201909 => "draft2019-09",
        Dialect::Draft202012 => "draft2020-12",
    }
}

/// Every case of one dialect: required, optional and format.
///
/// # Errors
///
/// One line that names the file that cannot be read.
pub fn load(
    suite: &Path,
    dialect: Dialect,
    documents: &Arc<[Document]>,
) -> Result<Vec<Case>, String> {
    let folder = suite.join("tests").join(folder_name(dialect));
    let mut found = Vec::new();
    for path in place::files(&folder, "json")? {
        let text = place::text(&path)?;
        let inside = path.strip_prefix(&folder).unwrap_or(&path);
        let formats = inside.starts_with("optional/format");
        let file = inside.to_string_lossy().into_owned();
        for case in raw::items(&text) {
            let mut case = cases::parse(case, &file, dialect)?;
            case.formats = formats;
            // why: draft-07 allows asserting the content keywords, and this file expects that.
            case.content = inside == Path::new("optional/content.json");
            case.documents = Arc::clone(documents);
            found.push(case);
        }
    }
    if found.is_empty() {
        return Err(format!("`{}` holds no tests", folder.display()));
    }
    Ok(found)
}

/// The suite's remote documents, under their retrieval URIs.
///
/// The folders of other releases than the five dialects are left out: no test of the five refers to
/// them.
///
/// # Errors
///
/// One line that names the file that cannot be read.
pub fn documents(suite: &Path) -> Result<Arc<[Document]>, String> {
    let folder = suite.join("remotes");
    let mut found = Vec::new();
    for path in place::files(&folder, "json")? {
        let inside = path.strip_prefix(&folder).unwrap_or(&path);
        if inside.starts_with("draft3")
            || inside.starts_with("v1")
            || inside.starts_with("draft-next")
        {
            continue;
        }
        found.push(Document {
            uri: format!("http://localhost:1234/{}", inside.to_string_lossy()),
            text: place::text(&path)?,
        });
    }
    Ok(found.into())
}
