//! How lint and diff compile schemas, as the operator configured it.

use toolsure_json::View;
use toolsure_schema::Compiler;
use toolsure_syntax::{Content, Dialect, Formats, Strictness};

/// The compiler, the dialects that it uses, and what it asserts.
#[derive(Debug, Clone)]
pub(crate) struct Engine {
    compiler: Compiler,
    /// The dialect of every schema, whatever it declares.
    forced: Option<Dialect>,
    /// The dialect of a schema that declares none.
    default: Dialect,
    asserts: Asserts,
    lenient: bool,
}

/// The keywords that are asserted or not, depending on the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asserts {
    /// `format` on strings.
    pub(crate) formats: bool,
    /// `format` on numbers.
    pub(crate) numbers: bool,
    /// `contentEncoding` and `contentMediaType` in draft 7.
    pub(crate) content: bool,
}

impl Engine {
    pub(crate) fn new(compiler: Compiler) -> Self {
        let options = compiler.parser().options();
        Self {
            forced: options.dialect,
            default: options.default_dialect.unwrap_or_default(),
            asserts: Asserts {
                formats: options.formats.asserts_text(),
                numbers: options.formats.asserts_numbers(),
                content: options.content != Content::Annotate,
            },
            lenient: options.strictness != Strictness::Strict,
            compiler,
        }
    }

    /// The compiler as the operator configured it.
    pub(crate) fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// What is asserted.
    pub(crate) fn asserts(&self) -> Asserts {
        self.asserts
    }

    /// Whether keywords with values that their dialect forbids are ignored.
    pub(crate) fn is_lenient(&self) -> bool {
        self.lenient
    }

    /// Whether a schema's root declares an unknown dialect.
    pub(crate) fn has_foreign_dialect(&self, schema: View<'_>) -> bool {
        self.forced.is_none() && Dialect::of_schema(schema, true, self.default).is_none()
    }

    /// A compiler that reports as much as it can about a schema.
    pub(crate) fn lenient(&self) -> Compiler {
        self.compiler.clone().strictness(Strictness::Lenient)
    }

    /// The compiler for a generated schema together with a tool's schema: each has the dialect that it
    /// declares, or else the one that the operator chose.
    pub(crate) fn beside(&self) -> Compiler {
        let compiler = self.lenient().declared_dialect();
        compiler.default_dialect(self.forced.unwrap_or(self.default))
    }

    /// The dialect of a schema inside one of the dialect `outer`, or of a root.
    pub(crate) fn dialect(&self, schema: View<'_>, outer: Option<Dialect>) -> Dialect {
        let around = outer.unwrap_or(self.default);
        let own = || Dialect::of_schema(schema, outer.is_none(), around).unwrap_or(around);
        self.forced.unwrap_or_else(own)
    }
}

impl Default for Engine {
    /// Formats are asserted, so that a default that violates one is found.
    fn default() -> Self {
        Self::new(Compiler::new().formats(Formats::Assert))
    }
}
