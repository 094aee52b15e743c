//! Turns the command line's options into those of the engine.

use std::path::Path;

use clap::ValueEnum;
use toolgate_schema::{Compiler, OutputFormat, settings};

use super::ValidateArgs;
use crate::exit::Failure;

/// An output of the JSON Schema specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// Only the verdict
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

/// A compiler with the settings of the arguments, without the registered documents.
pub(super) fn compiler(args: &ValidateArgs) -> Result<Compiler, Failure> {
    let mut compiler = args.schemas.compiler()?;
    let file = Some(args.schema.as_path()).filter(|path| *path != Path::new("-"));
    if let Some(base) = args.schemas.base_uri(file) {
        compiler = compiler.base_uri(&base);
    }
    let fuel = args.fuel.map(|fuel| ("limits.fuel", fuel.to_string()));
    let bytes = args.max_instance_bytes;
    let bytes = bytes.map(|bytes| (INSTANCE_BYTES, bytes.to_string()));
    let formats = args
        .assert_formats
        .then(|| ("formats", "assert".to_owned()));
    let lenient = args.lenient.then(|| ("strictness", "lenient".to_owned()));
    for (name, value) in [fuel, bytes, formats, lenient].into_iter().flatten() {
        let applied = settings::find(name).and_then(|setting| setting.apply(compiler, &value));
        compiler = applied.map_err(|error| Failure::usage(error.to_string()))?;
    }
    if args.schemas.names(INSTANCE_NODES) {
        return Ok(compiler);
    }
    // Longer instances may have more values.
    let mut limits = compiler.bounds().clone();
    let nodes = limits.instance.bytes / BYTES_PER_NODE;
    limits.instance.nodes = limits.instance.nodes.max(nodes);
    Ok(compiler.limits(limits))
}

const INSTANCE_BYTES: &str = "limits.instance.bytes";
const INSTANCE_NODES: &str = "limits.instance.nodes";
/// Bytes of an instance that allow one more value in it; the engine's own ratio.
const BYTES_PER_NODE: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate_schema::Limits;

    #[test]
    fn the_ratio_is_that_of_the_engine() {
        let default = Limits::default().instance;
        assert!(default.bytes / BYTES_PER_NODE >= default.nodes);
    }
}
