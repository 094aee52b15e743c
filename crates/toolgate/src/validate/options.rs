//! The words that the command line knows for the engine's options.

use std::path::PathBuf;

use clap::ValueEnum;
use toolgate_json::ReadLimits;
use toolgate_schema::{Compiler, Dialect, Formats, Limits, OutputFormat, Strictness};

use super::ValidateArgs;
use super::input::Input;

/// What `format` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatUse {
    /// Nothing is asserted
    Annotate,
    /// Every format of the specification is asserted; unknown ones never fail
    Assert,
    /// The same, and `int32`, `uint64`, `float` and their like
    AssertWithNumbers,
}

/// A dialect by the name of its publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectName {
    #[value(alias = "draft-04", alias = "4")]
    Draft4,
    #[value(alias = "draft-06", alias = "6")]
    Draft6,
    #[value(alias = "draft-07", alias = "7")]
    Draft7,
    #[value(name = "2019-09", alias = "draft2019-09")]
    Draft201909,
    #[value(name = "2020-12", alias = "draft2020-12")]
    Draft202012,
}

/// An output of the JSON Schema specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// The verdict alone
    Flag,
    /// A flat list of the subschemas that were evaluated
    List,
    /// The same as a tree
    Hierarchical,
    /// 2020-12: a flat list of the keywords that fail, or of annotations
    Basic,
    /// 2020-12: the same as a tree, condensed
    Detailed,
    /// 2020-12: everything that was evaluated
    Verbose,
}

impl Output {
    pub(super) fn format(self) -> OutputFormat {
        match self {
            Self::Flag => OutputFormat::Flag,
            Self::List => OutputFormat::List,
            Self::Hierarchical => OutputFormat::Hierarchical,
            Self::Basic => OutputFormat::Basic,
            Self::Detailed => OutputFormat::Detailed,
            Self::Verbose => OutputFormat::Verbose,
        }
    }
}

/// A document that references may lead to.
#[derive(Clone, Debug)]
pub(crate) struct Registration {
    /// Its absolute URI, without a fragment.
    pub(crate) uri: String,
    pub(crate) input: Input,
}

/// Reads the value of `--register`.
pub(super) fn registration(text: &str) -> Result<Registration, String> {
    let (uri, file) = text
        .rsplit_once('=')
        .ok_or("must be a URI and a file, as in `https://example.com/a=a.json`")?;
    let uri = uri.split('#').next().unwrap_or(uri);
    if !uri.contains(':') {
        return Err("the URI must be absolute, as in `https://example.com/a=a.json`".to_owned());
    }
    Ok(Registration {
        uri: uri.to_owned(),
        input: Input::File(PathBuf::from(file)),
    })
}

/// The bounds that the arguments ask for.
pub(super) fn limits(args: &ValidateArgs) -> Limits {
    let default = Limits::default();
    let bytes = args.max_instance_bytes;
    let instance = ReadLimits {
        bytes,
        nodes: default.instance.nodes.max(bytes / BYTES_PER_NODE),
        ..default.instance
    };
    Limits {
        fuel: args.fuel.unwrap_or(default.fuel),
        instance,
        ..default
    }
}

/// A compiler as the arguments ask for it, without the registered documents.
pub(super) fn compiler(args: &ValidateArgs) -> Compiler {
    let formats = match args.formats {
        _ if args.assert_formats => Formats::Assert,
        FormatUse::Annotate => Formats::Annotate,
        FormatUse::Assert => Formats::Assert,
        FormatUse::AssertWithNumbers => Formats::AssertWithNumbers,
    };
    let strictness = if args.lenient {
        Strictness::Lenient
    } else {
        Strictness::Strict
    };
    let compiler = Compiler::new()
        .limits(limits(args))
        .formats(formats)
        .strictness(strictness);
    match args.dialect {
        None => compiler,
        Some(name) => compiler.dialect(match name {
            DialectName::Draft4 => Dialect::Draft4,
            DialectName::Draft6 => Dialect::Draft6,
            DialectName::Draft7 => Dialect::Draft7,
            DialectName::Draft201909 => Dialect::Draft201909,
            DialectName::Draft202012 => Dialect::Draft202012,
        }),
    }
}

/// The default of `--max-instance-bytes`, that of the engine.
pub(super) const INSTANCE_BYTES: usize = 16 << 20;
/// How many bytes of an instance allow one more value in it; the engine's own ratio.
const BYTES_PER_NODE: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_engine() {
        let default = Limits::default().instance;
        assert_eq!(default.bytes, INSTANCE_BYTES);
        assert!(default.bytes / BYTES_PER_NODE >= default.nodes);
        // The help names it.
        assert_eq!(Limits::default().fuel, 2_000_000);
    }

    #[test]
    fn registrations_are_split_at_the_last_sign() {
        let registration = registration("https://example.com/?a=1#=b.json").unwrap();
        assert_eq!(registration.uri, "https://example.com/?a=1");
        assert_eq!(registration.input, Input::of("b.json".as_ref()));
        for wrong in ["a.json", "a=a.json", "=a.json"] {
            assert!(super::registration(wrong).is_err(), "{wrong}");
        }
    }
}
