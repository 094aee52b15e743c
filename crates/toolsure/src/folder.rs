//! `--register-dir`: finds the schemas of a folder, with the URIs that references may use.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View, quote};
use toolsure_syntax::uri;

use crate::exit::Failure;
use crate::input::Input;
use crate::render::{count_of, sarif};
use crate::{text, yaml};

/// A URI and its file.
pub(crate) type Entry = (String, PathBuf);

/// The `file:` URI of an existing file or folder; a folder's URI ends with `/`.
pub(crate) fn file_uri(path: &Path) -> Option<String> {
    let path = fs::canonicalize(path).ok()?;
    let mut uri = sarif::uri(path.to_str()?);
    if path.is_dir() && !uri.ends_with('/') {
        uri.push('/');
    }
    Some(uri)
}

/// Finds the schemas in a folder and below it, each by its `file:` URI and by its absolute `$id`.
/// Skips hidden folders, `node_modules`, `target`, links that lead out of the folder, and files
/// that are not schemas by their name or their text.
///
/// Reads at most `most` files, of `bytes` each and [`TOTAL_BYTES`] in all.
pub(crate) fn schemas(folder: &Path, most: usize, bytes: usize) -> Result<Vec<Entry>, Failure> {
    let name = quote(&folder.display().to_string(), 200).to_string();
    let cannot =
        |error: std::io::Error| Failure::usage(format!("cannot read the folder `{name}`: {error}"));
    let top = fs::canonicalize(folder).map_err(cannot)?;
    if !top.is_dir() {
        return Err(Failure::usage(format!("`{name}` is not a folder"))
            .with_help("`--register URI=FILE` registers one document"));
    }
    let files = files(&top, most).map_err(|fault| match fault {
        Fault::Io(error) => cannot(error),
        Fault::TooMany => Failure::usage(format!(
            "`{name}` has more than {}",
            count_of(most, "schema")
        ))
        .with_help("raise it with `--limit registrations=N`"),
    })?;
    let mut entries = Vec::new();
    let mut ids: HashMap<String, PathBuf> = HashMap::new();
    let mut total = 0_usize;
    for path in files {
        let Some(uri) = file_uri(&path) else { continue };
        let Ok(read) = Input::File(path.clone()).read(bytes) else {
            continue;
        };
        total = total.saturating_add(read.len());
        if total > TOTAL_BYTES {
            return Err(Failure::usage(format!(
                "the schemas in `{name}` have more than {TOTAL_BYTES} bytes"
            )));
        }
        let Ok((json, _)) = text::document(&path, read, bytes) else {
            continue;
        };
        let limits = ReadLimits {
            bytes,
            ..ReadLimits::default()
        };
        let Ok(document) = OwnedDocument::read(json, &limits) else {
            continue;
        };
        let root = document.document().root();
        if !matches!(root.kind(), Kind::Object | Kind::Boolean) {
            continue;
        }
        if let Some(id) = identifier(root) {
            if let Some(other) = ids.insert(id.clone(), path.clone()) {
                let files =
                    [other, path].map(|path| quote(&path.display().to_string(), 200).to_string());
                return Err(Failure::usage(format!(
                    "`{}` and `{}` have the same `$id`: `{}`",
                    files[0],
                    files[1],
                    quote(&id, 200)
                )));
            }
            entries.push((id, path.clone()));
        }
        entries.push((uri, path));
    }
    Ok(entries)
}

/// The absolute URI in a schema's `$id` or `id`, without its fragment.
fn identifier(root: View<'_>) -> Option<String> {
    if root.kind() != Kind::Object {
        return None;
    }
    let id = root.member("$id").or_else(|| root.member("id"))?;
    if id.kind() != Kind::String {
        return None;
    }
    let (id, _) = uri::split(id.string());
    uri::split_scheme(id).map(|_| id.to_owned())
}

enum Fault {
    Io(std::io::Error),
    TooMany,
}

/// The files that may be schemas, sorted. None is outside of `top`, which must be a canonical path.
fn files(top: &Path, most: usize) -> Result<Vec<PathBuf>, Fault> {
    let mut found = Vec::new();
    let mut todo = vec![(top.to_owned(), 0_usize)];
    while let Some((folder, depth)) = todo.pop() {
        for entry in fs::read_dir(&folder).map_err(Fault::Io)? {
            let entry = entry.map_err(Fault::Io)?;
            let kind = entry.file_type().map_err(Fault::Io)?;
            let hidden = entry.file_name().to_str().is_none_or(|name| {
                name.starts_with('.') || matches!(name, "node_modules" | "target")
            });
            let path = entry.path();
            if hidden {
                continue;
            }
            if kind.is_dir() {
                if depth < DEEPEST {
                    todo.push((path, depth.saturating_add(1)));
                }
                continue;
            }
            // For a link, the file that it points to decides.
            let inside =
                fs::canonicalize(&path).is_ok_and(|real| real.starts_with(top) && real.is_file());
            let is_json = path.extension().is_some_and(|end| end == "json");
            if inside && (is_json || yaml::is_yaml(&path)) {
                if found.len() >= most {
                    return Err(Fault::TooMany);
                }
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

const TOTAL_BYTES: usize = 256 << 20;
const DEEPEST: usize = 64;
