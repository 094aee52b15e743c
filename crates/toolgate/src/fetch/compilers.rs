//! `--fetch-host` of other commands: what is fetched first is registered.

use std::cell::RefCell;
use std::path::PathBuf;

use clap::Args;
use toolgate_fetch::{Document, Fetcher, Host};
use toolgate_json::{Kind, Node as _, OwnedDocument, ReadLimits};
use toolgate_schema::Compiler;

use crate::exit::Failure;
use crate::term::Term;

/// What may be fetched before schemas are compiled.
#[derive(Clone, Debug, Args)]
pub(crate) struct FetchArgs {
    /// Fetch what schemas refer to from this host first, over https; may be repeated
    #[arg(long = "fetch-host", value_name = "HOST", value_parser = super::host, help_heading = HEADING)]
    fetch_hosts: Vec<Host>,

    /// Take only fetched documents whose digest is in this lock (see `toolgate fetch`)
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
            Some(path) => fetcher.lock(super::read_lock(path)?),
            None => fetcher,
        }))
    }

    /// What a schema refers to beside the documents that are registered.
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

/// The compiler of a command, which learns of the documents that are fetched for listings.
#[derive(Debug)]
pub(crate) struct Compilers {
    compiler: RefCell<Compiler>,
    args: FetchArgs,
}

impl Compilers {
    /// Begins with the documents that the command line registers.
    pub(crate) fn new(compiler: Compiler, args: &FetchArgs) -> Result<Self, Failure> {
        // A lock that cannot be read is said before a server is asked.
        args.fetcher(&compiler)?;
        Ok(Self {
            compiler: RefCell::new(compiler),
            args: args.clone(),
        })
    }

    /// The compiler with all that was fetched so far.
    pub(crate) fn compiler(&self) -> Compiler {
        self.compiler.borrow().clone()
    }

    /// The compiler with what these tools refer to. What cannot be fetched is said, and stays
    /// denied.
    pub(crate) fn for_tools(&self, tools: &[String], term: &Term) -> Compiler {
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
    let fetched = super::fetch(fetcher, schemas, registered)?;
    for event in &fetched.events {
        match &event.outcome {
            Ok(_) => term.note(&event.to_string()),
            Err(_) => term.aside(&format!("{event}\n")),
        }
    }
    Ok(fetched.documents)
}

/// The texts of the schemas of tools.
pub(crate) fn schemas_of(tools: &[String]) -> Vec<String> {
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

const HEADING: &str = "Schema settings";
