//! How the rules have schemas compiled, as the operator set it.

use toolgate_json::{Node as _, View};
use toolgate_schema::{Compiler, Dialect, Formats, Strictness, settings};

/// The compiler of a linter, and the dialects that it goes by.
#[derive(Debug, Clone)]
pub(super) struct Engine {
    compiler: Compiler,
    /// The dialect of every schema, whatever it declares.
    forced: Option<Dialect>,
    /// The dialect of a schema that declares none.
    default: Dialect,
}

impl Engine {
    pub(super) fn new(compiler: Compiler) -> Self {
        let word = |name: &str| {
            let setting = settings::find(name).ok()?;
            Dialect::from_name(&setting.show(&compiler))
        };
        Self {
            forced: word("dialect"),
            default: word("default_dialect").unwrap_or_default(),
            compiler,
        }
    }

    /// A compiler that says all it can of a schema.
    pub(super) fn lenient(&self) -> Compiler {
        self.compiler.clone().strictness(Strictness::Lenient)
    }

    /// The same for a schema of ours with that of a tool beside it: each has the dialect it declares,
    /// or else the one that the operator wants.
    pub(super) fn beside(&self) -> Compiler {
        let compiler = self.lenient().declared_dialect();
        compiler.default_dialect(self.forced.unwrap_or(self.default))
    }

    /// The dialect of a schema below one of the dialect `outer`, or of a root.
    pub(super) fn dialect(&self, schema: View<'_>, outer: Option<Dialect>) -> Dialect {
        let declared = || Dialect::from_uri(schema.member("$schema")?.string());
        let dialect = self.forced.or_else(declared).or(outer);
        dialect.unwrap_or(self.default)
    }
}

impl Default for Engine {
    /// Formats are asserted, so that a default that breaks one is found.
    fn default() -> Self {
        Self::new(Compiler::new().formats(Formats::Assert))
    }
}
