//! The flags for schema settings: generated from the engine's table, and the same in every command.

use std::ffi::OsStr;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, StyledStr, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use toolsure_json::quote;
use toolsure_schema::settings::{self, Kind, Setting};
use toolsure_schema::{CompileError, Compiler, Formats};

use crate::exit::Failure;
use crate::folder;
use crate::input::Input;
use crate::text;
use crate::yaml::Original;

/// The settings of a command before the operator changes any.
pub(crate) trait Base {
    fn compiler() -> Compiler;

    /// The default of a setting, for help texts.
    fn default(setting: &Setting) -> String {
        setting.show(&Self::compiler())
    }
}

/// The engine's own defaults.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Annotated;

/// Formats are asserted, so that values that break one are reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asserted;

impl Base for Annotated {
    fn compiler() -> Compiler {
        Compiler::new()
    }
}

impl Base for Asserted {
    fn compiler() -> Compiler {
        Compiler::new().formats(Formats::Assert)
    }
}

/// The settings on the command line.
#[derive(Clone, Debug)]
pub(crate) struct SchemaArgs<B> {
    values: Vec<(&'static Setting, String)>,
    documents: Vec<Document>,
    folders: Vec<PathBuf>,
    base: PhantomData<B>,
}

/// A document that references may resolve to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    /// Its absolute URI, without a fragment.
    pub(crate) uri: String,
    pub(crate) input: Input,
}

impl<B: Base + Clone> SchemaArgs<B> {
    /// The documents to register: those of folders, then named ones, which win for the same URI.
    pub(crate) fn documents(&self) -> Result<Vec<Document>, Failure> {
        let compiler = self.compiler()?;
        let bounds = compiler.bounds();
        let mut documents = Vec::new();
        for folder in &self.folders {
            let found = folder::schemas(
                folder,
                bounds.model.registrations,
                bounds.model.schema_bytes,
            )?;
            documents.extend(found.into_iter().map(|(uri, file)| Document {
                uri,
                input: Input::File(file),
            }));
        }
        let named = |one: &Document| self.documents.iter().any(|other| other.uri == one.uri);
        documents.retain(|one| !named(one));
        documents.extend(self.documents.iter().cloned());
        Ok(documents)
    }

    /// The base URI for the relative references of a schema in this file: the file's `file:` URI
    /// or, without a file, the folder's. `None` if no folder is registered.
    pub(crate) fn base_uri(&self, file: Option<&Path>) -> Option<String> {
        let folder = self.folders.first()?;
        folder::file_uri(file.unwrap_or(folder))
    }

    /// Whether the command line sets a setting.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.values
            .iter()
            .any(|(setting, _)| setting.name() == name)
    }

    /// The same settings, preceded by a file's: its values, and its documents with their paths.
    pub(crate) fn after(
        &self,
        file: &str,
        settings: &[(String, String)],
        documents: &[(String, PathBuf)],
    ) -> Result<Self, Failure> {
        let fault = |error: &dyn std::fmt::Display| Failure::usage(format!("{file}: {error}"));
        let mut all = self.clone();
        all.values.clear();
        for (name, value) in settings {
            let setting = settings::find(name).map_err(|error| fault(&error))?;
            let applied = setting.apply(Compiler::new(), value);
            applied.map_err(|error| fault(&error))?;
            all.values.push((setting, value.clone()));
        }
        all.values.extend(self.values.iter().cloned());
        let given = |uri: &String| self.documents.iter().any(|document| document.uri == *uri);
        let documents = documents.iter().filter(|(uri, _)| !given(uri));
        all.documents.extend(documents.map(|(uri, file)| Document {
            uri: uri.clone(),
            input: Input::File(file.clone()),
        }));
        Ok(all)
    }

    /// A compiler with the command line's settings, without the documents.
    pub(crate) fn compiler(&self) -> Result<Compiler, Failure> {
        let mut values = self.values.iter();
        values.try_fold(B::compiler(), |compiler, (setting, value)| {
            let applied = setting.apply(compiler, value);
            applied.map_err(|error| Failure::usage(error.to_string()))
        })
    }

    /// The same with the documents, which are read from their files.
    pub(crate) fn compiler_with_documents(&self) -> Result<Compiler, Failure> {
        let compiler = match self.base_uri(None) {
            Some(base) => self.compiler()?.base_uri(&base),
            None => self.compiler()?,
        };
        let mut documents = self.documents()?.into_iter();
        documents.try_fold(compiler, |compiler, document| {
            let (bytes, _) = document.read(compiler.bounds().model.schema_bytes)?;
            let registered = compiler.register(&document.uri, &bytes);
            registered.map_err(|error| {
                let name = quote(&document.input.name(), 200).to_string();
                let failure = Failure::usage(format!("the document `{name}`: {error}"));
                match help(&error) {
                    Some(help) => failure.with_help(help),
                    None => failure,
                }
            })
        })
    }
}

impl Document {
    /// Its JSON text, and the original file if that is another text. If it is too long, enough is
    /// returned for the compiler to refuse it.
    pub(crate) fn read(&self, most: usize) -> Result<(Vec<u8>, Option<Original>), Failure> {
        let name = || quote(&self.input.name(), 200).to_string();
        let bytes = self.input.read(most).map_err(|error| {
            let name = name();
            Failure::usage(format!(
                "cannot read the registered document `{name}`: {error}"
            ))
        })?;
        text::document(self.input.path(), bytes, most)
            .map_err(|fault| Failure::usage(format!("{}:{fault}", name())))
    }
}

impl<B: Base> Args for SchemaArgs<B> {
    fn augment_args(command: Command) -> Command {
        let words = settings::ALL.iter().filter(|setting| is_flag(setting));
        let command = words.fold(command, |command, setting| {
            let help = format!(
                "{} [default: {}]",
                capital(setting.help()),
                B::default(setting)
            );
            command.arg(
                Arg::new(setting.name())
                    .long(flag(setting.name()))
                    .value_name("WORD")
                    .value_parser(Word(setting))
                    .help(help)
                    .help_heading(HEADING),
            )
        });
        let register = Arg::new(REGISTER)
            .long(REGISTER)
            .value_name("URI=FILE")
            .action(ArgAction::Append)
            .value_parser(document)
            .help("Register a document that references may resolve to, split at the last `=`; may be repeated")
            .help_heading(HEADING);
        let limit = Arg::new(LIMIT)
            .long(LIMIT)
            .value_name("NAME=VALUE")
            .action(ArgAction::Append)
            .value_parser(limit)
            .help("Set a limit on schemas and instances; may be repeated; `--help` lists them")
            .long_help(limits_help::<B>())
            .help_heading(HEADING);
        let folder = Arg::new(REGISTER_DIR)
            .long(REGISTER_DIR)
            .value_name("DIR")
            .action(ArgAction::Append)
            .value_parser(clap::value_parser!(PathBuf))
            .help("Register the schemas (*.json, *.yaml) in a folder and below it, by `$id` and by path, so that relative references between files work; may be repeated")
            .help_heading(HEADING);
        command.arg(register).arg(folder).arg(limit)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<B: Base> FromArgMatches for SchemaArgs<B> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let words = settings::ALL.iter().filter(|setting| is_flag(setting));
        let words = words.filter_map(|setting| {
            let value = matches.get_one::<String>(setting.name())?;
            Some((setting, value.clone()))
        });
        let limits = matches.get_many::<Limit>(LIMIT).into_iter().flatten();
        let limits = limits.map(|limit| (limit.setting, limit.value.clone()));
        let documents = matches.get_many::<Document>(REGISTER).into_iter().flatten();
        let folders = matches
            .get_many::<PathBuf>(REGISTER_DIR)
            .into_iter()
            .flatten();
        Ok(Self {
            values: words.chain(limits).collect(),
            documents: documents.cloned().collect(),
            folders: folders.cloned().collect(),
            base: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// How to fix a schema that was refused, in terms of the command line.
pub(crate) fn help(error: &CompileError) -> Option<String> {
    match error.limit() {
        Some(limit) => Some(raise(limit.name.setting())),
        None => error.help(),
    }
}

/// How to raise the limit of a setting on the command line.
pub(crate) fn raise(setting: &str) -> String {
    let most = match settings::find(setting).map(Setting::kind) {
        Ok(Kind::Count(range) | Kind::Bytes(range)) => format!(", at most {}", range.end()),
        _ => String::new(),
    };
    format!("raise it with `--{LIMIT} {}=N`{most}", limit_name(setting))
}

/// A value of `--limit`.
#[derive(Clone, Debug)]
struct Limit {
    setting: &'static Setting,
    value: String,
}

fn limit(text: &str) -> Result<Limit, String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("must be a name and a value, as in `fuel=4000000`")?;
    let name = name.strip_prefix(LIMITS).unwrap_or(name).replace('-', "_");
    let setting = settings::find(&format!("{LIMITS}{name}")).map_err(|error| error.to_string())?;
    match setting.apply(Compiler::new(), value) {
        Ok(_) => Ok(Limit {
            setting,
            value: value.to_owned(),
        }),
        Err(error) => Err(error.to_string()),
    }
}

fn document(text: &str) -> Result<Document, String> {
    let (uri, file) = settings::registration(text).map_err(|error| error.to_string())?;
    Ok(Document {
        uri: uri.to_owned(),
        input: Input::File(file.into()),
    })
}

/// Parses the value of a setting that accepts words, and lists the words.
#[derive(Clone, Debug)]
struct Word(&'static Setting);

impl Word {
    fn values(&self) -> Vec<PossibleValue> {
        match self.0.kind() {
            Kind::Word(words) => {
                let value = |(word, help): (&'static str, &'static str)| {
                    PossibleValue::new(word).help(help)
                };
                words.into_iter().map(value).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl TypedValueParser for Word {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        let text = value
            .to_str()
            .ok_or_else(|| Error::new(ErrorKind::InvalidUtf8).with_cmd(command))?;
        match self.0.apply(Compiler::new(), text) {
            Ok(_) => Ok(text.to_owned()),
            // This error is the usual one for words, with the closest of them.
            Err(_) => PossibleValuesParser::new(self.values()).parse_ref(command, arg, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values().into_iter()))
    }
}

/// Whether a setting has a flag of its own.
fn is_flag(setting: &Setting) -> bool {
    matches!(setting.kind(), Kind::Word(_)) && !setting.name().starts_with(LIMITS)
}

fn flag(name: &str) -> String {
    name.replace('_', "-")
}

fn limit_name(setting: &str) -> &str {
    setting.strip_prefix(LIMITS).unwrap_or(setting)
}

fn limits_help<B: Base>() -> StyledStr {
    let mut text =
        String::from("Set a limit on schemas and instances; may be repeated. NAME is one of:\n");
    for setting in settings::ALL {
        if let Some(name) = setting.name().strip_prefix(LIMITS) {
            let default = B::default(setting);
            text.push_str(&format!(
                "\n- {name} [default: {default}]: {}",
                setting.help()
            ));
        }
    }
    text.into()
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

const REGISTER: &str = "register";
const REGISTER_DIR: &str = "register-dir";
const LIMIT: &str = "limit";
const LIMITS: &str = "limits.";
const HEADING: &str = "Schema settings";

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Line<B: Base + Clone + Send + Sync + 'static> {
        #[command(flatten)]
        schemas: SchemaArgs<B>,
    }

    fn parse(args: &[&str]) -> Result<SchemaArgs<Annotated>, String> {
        let line = std::iter::once(&"x").chain(args);
        let line: Result<Line<Annotated>, _> = clap::Parser::try_parse_from(line);
        line.map(|line| line.schemas)
            .map_err(|error| error.to_string())
    }

    /// Every row of the table is a flag or a name of `--limit`, and takes effect in the compiler.
    #[test]
    fn each_setting_can_be_set() {
        for setting in settings::ALL {
            let (value, shown) = match setting.kind() {
                Kind::Word(words) => (
                    words[words.len() - 1].0.to_owned(),
                    words[words.len() - 1].0.to_owned(),
                ),
                Kind::Count(range) | Kind::Bytes(range) => {
                    (range.start().to_string(), range.start().to_string())
                }
                _ => continue,
            };
            let args = if is_flag(setting) {
                [format!("--{}", flag(setting.name())), value]
            } else {
                [
                    "--limit".to_owned(),
                    format!("{}={value}", limit_name(setting.name())),
                ]
            };
            let args = parse(&[&args[0], &args[1]]).unwrap();
            assert!(args.names(setting.name()));
            assert_eq!(
                setting.show(&args.compiler().unwrap()),
                shown,
                "{}",
                setting.name()
            );
        }
    }

    #[test]
    fn wrong_values_are_told_with_what_was_meant() {
        for (args, expected) in [
            (["--limit", "feul=3"], "did you mean `limits.fuel`?"),
            (["--limit", "fuel"], "as in `fuel=4000000`"),
            (
                ["--limit", "depth=0"],
                "must be a number from 1 to 512, found `0`",
            ),
            (["--formats", "asert"], "a similar value exists: 'assert'"),
            (
                ["--register", "a=b.json"],
                "as in `https://example.com/a=a.json`",
            ),
        ] {
            let error = parse(&args).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let draft = parse(&[
            "--dialect",
            "draft-07",
            "--limit",
            "limits.schema-bytes=1MiB",
        ]);
        let compiler = draft.unwrap().compiler().unwrap();
        assert_eq!(settings::find("dialect").unwrap().show(&compiler), "draft7");
        assert_eq!(
            settings::find("limits.schema_bytes")
                .unwrap()
                .show(&compiler),
            "1 MiB"
        );
    }

    #[test]
    fn a_limit_says_how_it_is_raised() {
        let compiler = parse(&["--limit", "subschemas=1"])
            .unwrap()
            .compiler()
            .unwrap();
        let error = compiler.compile(b"{\"not\": {\"not\": {}}}").unwrap_err();
        let expected = "raise it with `--limit subschemas=N`, at most 16777216";
        assert_eq!(help(&error).as_deref(), Some(expected));
    }

    #[test]
    fn documents_are_split_at_the_last_sign() {
        let args = parse(&["--register", "https://example.com/?a=1#=b.json"]).unwrap();
        let expected = Document {
            uri: "https://example.com/?a=1".to_owned(),
            input: Input::File("b.json".into()),
        };
        assert_eq!(args.documents().unwrap(), [expected]);
    }
}
