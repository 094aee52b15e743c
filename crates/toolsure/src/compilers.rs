//! `--fetch-host` of other commands: fetches and registers documents before schemas are compiled.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use clap::Args;
use toolsure_fetch::{Document, Fetched, Fetcher, Host, Lock};
use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, quote};
use toolsure_schema::Compiler;

use crate::exit::Failure;
use crate::input::Input;
use crate::term::Term;

/// What may be fetched before schemas are compiled.
#[derive(Clone, Debug, Args)]
pub(crate) struct FetchArgs {
    /// First fetch the documents on this host that schemas refer to, over HTTPS; may be repeated
    #[arg(long = "fetch-host", value_name = "HOST", value_parser = host, help_heading = HEADING)]
    fetch_hosts: Vec<Host>,

    /// Refuse fetched documents whose digest is not in this lock (see `toolsure fetch`)
    #[arg(long, value_name = "FILE", requires = "fetch_hosts", help_heading = HEADING)]
    fetch_lock: Option<PathBuf>,
}

impl FetchArgs {
    /// Whether anything may be fetched.
    pub(crate) fn is_on(&self) -> bool {
        !self.fetch_hosts.is_empty()
    }

    fn fetcher(&self, compiler: &Compiler) -> Result<Option<Fetcher>, Failure> {
        if !self.is_on() {
            return Ok(None);
        }
        let fetcher = Fetcher::new(self.fetch_hosts.iter().cloned()).compiler(compiler.clone());
        Ok(Some(match &self.fetch_lock {
            Some(path) => fetcher.lock(read_lock(path)?),
            None => fetcher,
        }))
    }

    /// Fetches what schemas refer to, except the documents that are registered.
    pub(crate) fn documents(
        &self,
        compiler: &Compiler,
        schemas: &[&str],
        registered: &[(&str, &[u8])],
        term: &Term,
    ) -> Result<Vec<Document>, Failure> {
        match self.fetcher(compiler)? {
            Some(fetcher) => run(&fetcher, schemas, registered, term),
            None => Ok(Vec::new()),
        }
    }
}

/// A command's compiler, to which the documents that are fetched for listings are added.
#[derive(Debug)]
pub(crate) struct Compilers {
    compiler: RefCell<Compiler>,
    args: FetchArgs,
}

impl Compilers {
    /// Starts with the documents that the command line registers.
    pub(crate) fn new(compiler: Compiler, args: &FetchArgs) -> Result<Self, Failure> {
        // Reports a lock that cannot be read before any server is contacted.
        args.fetcher(&compiler)?;
        Ok(Self {
            compiler: RefCell::new(compiler),
            args: args.clone(),
        })
    }

    /// The compiler with everything that was fetched so far.
    pub(crate) fn compiler(&self) -> Compiler {
        self.compiler.borrow().clone()
    }

    /// Fetches what these tools refer to, and returns the compiler with it. Documents that cannot
    /// be fetched are reported, and references to them stay denied.
    pub(crate) fn for_tools<'t>(
        &self,
        tools: impl Iterator<Item = &'t str>,
        term: &Term,
    ) -> Compiler {
        let compiler = self.compiler();
        if !self.args.is_on() {
            return compiler;
        }
        let schemas = schemas_of(tools);
        let schemas: Vec<&str> = schemas.iter().map(String::as_str).collect();
        let found = self.args.documents(&compiler, &schemas, &[], term);
        let documents = found.unwrap_or_else(|failure| {
            term.failure(&failure);
            Vec::new()
        });
        let compiler = documents.iter().fold(compiler, |compiler, document| {
            let more = compiler.clone().register(&document.uri, &document.bytes);
            more.unwrap_or(compiler)
        });
        self.compiler.replace(compiler.clone());
        compiler
    }
}

fn run(
    fetcher: &Fetcher,
    schemas: &[&str],
    registered: &[(&str, &[u8])],
    term: &Term,
) -> Result<Vec<Document>, Failure> {
    term.clear_progress();
    let fetched = fetch(fetcher, schemas, registered)?;
    for event in &fetched.events {
        match &event.outcome {
            Ok(_) => term.note(&event.to_string()),
            Err(_) => term.aside(&format!("{event}\n")),
        }
    }
    Ok(fetched.documents)
}

/// The texts of the schemas of tools. Tools that cannot be parsed are skipped.
pub(crate) fn schemas_of<'t>(tools: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut schemas = Vec::new();
    for tool in tools {
        let limits = ReadLimits {
            depth: 512,
            ..ReadLimits::default()
        };
        let Ok(document) = OwnedDocument::read(tool.as_bytes(), &limits) else {
            continue;
        };
        for member in ["inputSchema", "outputSchema"] {
            let schema = document.document().root().member(member);
            let schema = schema.filter(|schema| schema.kind() == Kind::Object);
            schemas.extend(schema.map(|schema| schema.raw().to_owned()));
        }
    }
    schemas
}

/// Fetches what schemas refer to, on a runtime of its own.
pub(crate) fn fetch(
    fetcher: &Fetcher,
    schemas: &[&str],
    registered: &[(&str, &[u8])],
) -> Result<Fetched, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::usage(format!("cannot set up input and output: {error}")))?;
    Ok(runtime.block_on(fetcher.references(schemas, registered)))
}

pub(crate) fn read_lock(path: &Path) -> Result<Lock, Failure> {
    let name = quote(&path.display().to_string(), 200).to_string();
    let input = Input::File(path.to_owned());
    let bytes = input
        .read(LOCK_BYTES)
        .map_err(|error| Failure::usage(format!("cannot read the lock `{name}`: {error}")))?;
    let text = String::from_utf8(bytes)
        .map_err(|_invalid| Failure::usage(format!("the lock `{name}` is not UTF-8")))?;
    Lock::parse(&text).map_err(|error| Failure::usage(format!("`{name}`: {error}")))
}

/// Parses a host from the command line.
pub(crate) fn host(text: &str) -> Result<Host, String> {
    Host::parse(text).map_err(|error| error.to_string())
}

const LOCK_BYTES: usize = 1 << 20;
const HEADING: &str = "Schema settings";
