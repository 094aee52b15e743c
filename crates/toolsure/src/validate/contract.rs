//! The schema and the registered documents: their texts, and their compiled form.

use toolsure_json::quote;
use toolsure_schema::{CompileError, Compiler, Schema};

use super::args::ValidateArgs;
use crate::argument;
use crate::compilers::FetchArgs;
use crate::exit::Failure;
use crate::input::Input;
use crate::render::Source;
use crate::term::Term;
use crate::text;
use crate::yaml::Original;

/// The texts of the schema and of the registered documents.
pub(super) struct Texts {
    /// Each with its URI. The first is the schema itself, with an empty URI.
    all: Vec<Text>,
}

struct Text {
    uri: String,
    name: String,
    bytes: Vec<u8>,
    /// The file that the bytes were converted from.
    original: Option<Original>,
}

impl Texts {
    /// Reads all of them. The compiler refuses texts that are too long.
    pub(super) fn load(
        args: &ValidateArgs,
        compiler: &Compiler,
        instances: &[Input],
        term: &Term,
    ) -> Result<Self, Failure> {
        let schema = Input::of(&args.schema);
        let most = compiler.bounds().model.schema_bytes;
        let inputs = std::iter::once(&schema).chain(instances);
        if inputs.filter(|input| **input == Input::Stdin).count() > 1 {
            return Err(Failure::usage("standard input can be read only once")
                .with_help("give `-` for one of the files"));
        }
        let name = schema.name();
        let bytes = schema.read(most).map_err(|error| {
            let name = quote(&name, 200);
            Failure::usage(format!("cannot read the schema `{name}`: {error}"))
        })?;
        let (bytes, original) = text::document(schema.path(), bytes, most)
            .map_err(|fault| Failure::usage(format!("{}:{fault}", quote(&name, 200))))?;
        let (name, bytes, original) = match args.argument_schema {
            // Diagnostics show the JSON Schema that the argument schema is converted to.
            true => {
                let bytes = argument::converted(&bytes, &quote(&name, 200).to_string(), term)?;
                (format!("{name} as JSON Schema"), bytes, None)
            }
            false => (name, bytes, original),
        };
        let mut all = vec![Text {
            uri: String::new(),
            name,
            bytes,
            original,
        }];
        for document in args.schemas.documents()? {
            let (bytes, original) = document.read(most)?;
            all.push(Text {
                uri: document.uri.clone(),
                name: document.input.name(),
                bytes,
                original,
            });
        }
        Ok(Self { all })
    }

    /// Adds the documents that the schema refers to and that the command line allows to fetch.
    pub(super) fn fetch(
        &mut self,
        args: &FetchArgs,
        compiler: &Compiler,
        term: &Term,
    ) -> Result<(), Failure> {
        let Some((schema, registered)) = self.all.split_first() else {
            return Ok(());
        };
        // The compiler refuses a text that is not UTF-8.
        let Ok(schema) = std::str::from_utf8(&schema.bytes) else {
            return Ok(());
        };
        let registered: Vec<(&str, &[u8])> = registered
            .iter()
            .map(|text| (text.uri.as_str(), text.bytes.as_slice()))
            .collect();
        let documents = args.documents(compiler, &[schema], &registered, term)?;
        self.all.extend(documents.into_iter().map(|document| Text {
            name: quote(&document.uri, 200).to_string(),
            uri: document.uri,
            bytes: document.bytes,
            original: None,
        }));
        Ok(())
    }

    /// The texts as sources of diagnostics.
    pub(super) fn sources(&self) -> Sources<'_> {
        let sources = self.all.iter();
        Sources(
            sources
                .map(|text| {
                    let source = Source::new(&text.name, &text.bytes);
                    (text.uri.as_str(), source.of(text.original.as_ref()))
                })
                .collect(),
        )
    }
}

/// The texts, by URI.
pub(super) struct Sources<'t>(Vec<(&'t str, Source<'t>)>);

impl<'t> Sources<'t> {
    /// The text of a document; the schema itself has the URI `""`. `None` for a bundled metaschema.
    pub(super) fn of(&self, uri: &str) -> Option<&Source<'t>> {
        let found = self.0.iter().find(|(known, _)| *known == uri);
        found.map(|(_, source)| source)
    }

    /// The name of the schema's file; escaped.
    pub(super) fn schema_name(&self) -> &str {
        self.of("").map_or("", |source| &source.name)
    }
}

/// Compiles the schema, with the other texts registered.
pub(super) fn compile(mut compiler: Compiler, texts: &Texts) -> Result<Schema, CompileError> {
    let mut schema: &[u8] = &[];
    for text in &texts.all {
        if text.uri.is_empty() {
            schema = &text.bytes;
        } else {
            compiler = compiler.register(&text.uri, &text.bytes)?;
        }
    }
    compiler.compile(schema)
}
