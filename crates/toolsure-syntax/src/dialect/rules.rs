//! A dialect as one schema resource uses it.

use super::{Dialect, Keyword, Vocabulary};

/// A dialect as one schema resource uses it: the version, without the vocabularies that a custom
/// metaschema omits, and whether it makes `format` assert.
///
/// ```
/// use toolsure_syntax::{Dialect, Keyword, DialectRules, Vocabulary};
///
/// let rules = DialectRules::all(Dialect::Draft4);
/// assert_eq!(rules.keyword("maximum"), Some(Keyword::Maximum));
/// assert_eq!(rules.keyword("const"), None); // since draft 6
///
/// let applicators = DialectRules::core(Dialect::Draft202012).with(Vocabulary::Applicator);
/// assert_eq!(applicators.keyword("maximum"), None);
/// assert_eq!(applicators.keyword("anyOf"), Some(Keyword::AnyOf));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DialectRules {
    /// The version.
    pub dialect: Dialect,
    vocabularies: u8,
    /// Whether the metaschema requires the format-assertion vocabulary (2020-12, validation
    /// §7.2.2).
    pub asserts_format: bool,
}

impl DialectRules {
    /// The rules for a schema that declares nothing.
    pub const DEFAULT: Self = Self {
        dialect: Dialect::Draft202012,
        vocabularies: u8::MAX,
        asserts_format: false,
    };

    /// All keywords of a dialect.
    ///
    /// ```
    /// use toolsure_syntax::{Dialect, DialectRules, Keyword};
    ///
    /// let rules = DialectRules::all(Dialect::Draft7);
    /// assert_eq!(rules.keyword("if"), Some(Keyword::If));
    /// ```
    pub fn all(dialect: Dialect) -> Self {
        Self {
            dialect,
            vocabularies: u8::MAX,
            asserts_format: false,
        }
    }

    /// Only the core of a dialect, to which vocabularies can be added.
    ///
    /// ```
    /// use toolsure_syntax::{Dialect, DialectRules, Keyword};
    ///
    /// let rules = DialectRules::core(Dialect::Draft202012);
    /// assert_eq!(rules.keyword("$ref"), Some(Keyword::Ref));
    /// assert_eq!(rules.keyword("minLength"), None);
    /// ```
    pub fn core(dialect: Dialect) -> Self {
        Self {
            dialect,
            vocabularies: Vocabulary::Core.bit(),
            asserts_format: false,
        }
    }

    /// These rules with one more vocabulary.
    ///
    /// ```
    /// use toolsure_syntax::{Dialect, DialectRules, Keyword, Vocabulary};
    ///
    /// let rules = DialectRules::core(Dialect::Draft202012).with(Vocabulary::Validation);
    /// assert_eq!(rules.keyword("minLength"), Some(Keyword::MinLength));
    /// ```
    pub fn with(mut self, vocabulary: Vocabulary) -> Self {
        self.vocabularies |= vocabulary.bit();
        // In 2019-09 the unevaluated keywords belong to the applicator vocabulary.
        if vocabulary == Vocabulary::Applicator && self.dialect == Dialect::Draft201909 {
            self.vocabularies |= Vocabulary::Unevaluated.bit();
        }
        self.asserts_format |= vocabulary == Vocabulary::FormatAssertion;
        self
    }

    /// The keyword called `name` under these rules, if there is one.
    ///
    /// ```
    /// use toolsure_syntax::{Dialect, DialectRules, Keyword};
    ///
    /// assert_eq!(DialectRules::DEFAULT.keyword("const"), Some(Keyword::Const));
    /// assert_eq!(DialectRules::DEFAULT.keyword("colour"), None);
    /// assert_eq!(DialectRules::all(Dialect::Draft4).keyword("const"), None);
    /// ```
    pub fn keyword(self, name: &str) -> Option<Keyword> {
        let keyword = Keyword::from_name(name)?;
        let (_, _, vocabulary) = keyword.home();
        (keyword.is_in(self.dialect) && self.vocabularies & vocabulary.bit() != 0)
            .then_some(keyword)
    }
}
