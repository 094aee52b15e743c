//! `toolsure fetch`: fetches what schemas refer to, pins it, saves it for `--register`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use toolsure_fetch::{Digest, Document, Fetcher, Host, Lock};
use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, quote};
use toolsure_schema::Compiler;

use crate::compilers::{fetch, host, read_lock, schemas_of};
use crate::exit::{Exit, Failure};
use crate::input::Input;
use crate::listing::saved::{self, Saved};
use crate::local;
use crate::term::Term;
use crate::text;

/// Fetch the documents that schemas refer to, so that they can be registered
///
/// Fetches over HTTPS from the named hosts only, and never from an address that is not public.
/// Documents that these refer to are fetched too, under the same rules. No schema starts a fetch by
/// itself; other commands fetch only if `--fetch-host` is given.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct FetchCommand {
    /// Files with a schema or a saved listing; `-` is standard input
    #[arg(value_name = "SCHEMA|LISTING", required = true)]
    files: Vec<PathBuf>,

    /// Allow a host (`example.com`), all its subdomains (`*.example.com`) or another port
    /// (`example.com:8443`); may be repeated
    #[arg(long = "host", value_name = "HOST", required = true, value_parser = host)]
    hosts: Vec<Host>,

    /// Refuse documents whose digest differs from the one in this file, and add missing digests if every
    /// document was fetched
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,

    /// Refuse documents that are not in the lock
    #[arg(long, requires = "lock")]
    locked: bool,

    /// Save the documents in this folder and print the `--register` arguments for them
    #[arg(long, value_name = "DIR")]
    save_dir: Option<PathBuf>,

    /// Maximum size of each file, in bytes or with a unit (`100MiB`), at most 1 GiB
    #[arg(long, value_name = "N", default_value = "1GiB", value_parser = local::bytes)]
    max_file_bytes: usize,
}

/// Runs the command.
pub(crate) fn run(args: &FetchCommand, term: &Term) -> Result<Exit, Failure> {
    let mut schemas = Vec::new();
    for file in &args.files {
        schemas.extend(read(file, args.max_file_bytes)?);
    }
    let mut lock = match &args.lock {
        Some(path) if path.exists() || args.locked => read_lock(path)?,
        _ => Lock::default(),
    };
    let fetcher = Fetcher::new(args.hosts.iter().cloned());
    let fetcher = fetcher.lock(if args.locked {
        lock.clone()
    } else {
        lock.clone().open()
    });
    let schemas: Vec<&str> = schemas.iter().map(String::as_str).collect();
    let fetched = fetch(&fetcher, &schemas, &[])?;
    for event in &fetched.events {
        match &event.outcome {
            Ok(_) => term.note(&event.to_string()),
            Err(_) => term.aside(&format!("{event}\n")),
        }
    }
    if fetched.events.is_empty() {
        term.note("no schema refers to a document that has to be fetched");
    }
    if let Some(directory) = &args.save_dir {
        for document in &fetched.documents {
            let path = save(directory, document)?;
            let (uri, path) = (quote(&document.uri, LONG), path.display().to_string());
            term.write(&format!("--register {uri}={}\n", quote(&path, LONG)))?;
        }
    }
    // A lock in which documents are missing would refuse them later, far from the reason.
    let new_lock = args.lock.as_ref().filter(|_| !args.locked);
    if let Some(path) = new_lock.filter(|_| !fetched.has_failed()) {
        for document in &fetched.documents {
            lock.insert(&document.uri, document.digest);
        }
        write(path, lock.to_string().as_bytes())?;
    } else if let Some(path) = new_lock {
        let name = quote(&path.display().to_string(), 200).to_string();
        term.aside(&format!(
            "`{name}` stays as it was, because not every document was fetched\n"
        ));
    }
    Ok(if fetched.has_failed() {
        Exit::Unreachable
    } else {
        Exit::Ok
    })
}

/// The schemas in a file.
fn read(file: &Path, most: usize) -> Result<Vec<String>, Failure> {
    let input = Input::of(file);
    let name = quote(&input.name(), 200).to_string();
    let text = input
        .read_with(most, |_| ())
        .map_err(|error| Failure::usage(format!("cannot read `{name}`: {error}")))?;
    if text.bytes.len() > most {
        return Err(saved::too_long(&name, most));
    }
    match saved::parse(name.clone(), text.clone(), most) {
        Ok(Saved::Listing(listing)) => {
            return Ok(schemas_of(listing.tools.iter().map(String::as_str)));
        }
        Ok(Saved::Listings(listings)) => {
            let schemas = listings
                .iter()
                .map(|listing| schemas_of(listing.tools.iter().map(String::as_str)));
            return Ok(schemas.flatten().collect());
        }
        Ok(Saved::Servers(_)) => {
            return Err(
                Failure::usage(format!("`{name}` names servers, not schemas"))
                    .with_help("save their listings with `toolsure check --save FILE`"),
            );
        }
        Err(_) => {}
    }
    let (bytes, _) = text::document(file, text.bytes, most)
        .map_err(|fault| Failure::usage(format!("{name}:{fault}")))?;
    let limits = ReadLimits {
        bytes: Compiler::new().bounds().model.schema_bytes,
        ..ReadLimits::default()
    };
    let document = OwnedDocument::read(bytes, &limits)
        .map_err(|error| Failure::usage(format!("`{name}` is not a schema: {error}")))?;
    match document.document().root().kind() {
        Kind::Object | Kind::Boolean => Ok(vec![document.into_source()]),
        _ => Err(Failure::usage(format!("`{name}` is not a schema"))),
    }
}

/// Saves a document in a file that is named by its digest.
fn save(directory: &Path, document: &Document) -> Result<PathBuf, Failure> {
    fs::create_dir_all(directory).map_err(|error| cannot_write(directory, &error))?;
    let digest: Digest = document.digest;
    let path = directory.join(format!("{digest}.json"));
    write(&path, &document.bytes)?;
    Ok(path)
}

/// Writes a file atomically, so that no reader sees half of it.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    fs::write(&new, bytes)
        .and_then(|()| fs::rename(&new, path))
        .map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let name = quote(&path.display().to_string(), 200).to_string();
    Failure::usage(format!("cannot write `{name}`: {error}"))
}

const LONG: usize = 4_000;

const AFTER_HELP: &str = "\
Examples:
  toolsure fetch --host schemas.example.com --lock schemas.lock --save-dir schemas listing.json
  toolsure fetch --host '*.example.com' order.schema.json
  toolsure check --fetch-host schemas.example.com --fetch-lock schemas.lock listing.json

Exit codes, the first that applies:
  2  wrong usage, or a file that cannot be read or written
  4  a document was refused or could not be fetched
  0  every document that is referred to was fetched";
