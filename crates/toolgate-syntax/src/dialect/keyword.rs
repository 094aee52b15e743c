//! Every keyword of the five dialects, where it lives, and nothing of what it means.

use super::{Dialect, Vocabulary};

macro_rules! keywords {
    ($($variant:ident $name:literal $first:ident $last:ident $vocabulary:ident;)*) => {
        /// A keyword of some dialect.
        ///
        /// ```
        /// use toolgate_syntax::Keyword;
        ///
        /// assert_eq!(Keyword::from_name("minLength"), Some(Keyword::MinLength));
        /// assert_eq!(Keyword::MinLength.name(), "minLength");
        /// assert_eq!(Keyword::from_name("colour"), None);
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(
            clippy::exhaustive_enums,
            reason = "every user of a model must decide what a new keyword means to it"
        )]
        pub enum Keyword {
            $(
                #[doc = concat!("`", $name, "`: [`", stringify!($first), "`](Dialect::", stringify!($first),
                    ") to [`", stringify!($last), "`](Dialect::", stringify!($last), "), vocabulary [`",
                    stringify!($vocabulary), "`](Vocabulary::", stringify!($vocabulary), ").")]
                $variant,
            )*
            /// Not a keyword of the dialect: an annotation.
            Unknown,
        }

        impl Keyword {
            /// The keyword of that name in any dialect.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// The keyword as schemas spell it; empty for [`Unknown`](Self::Unknown).
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Unknown => "",
                }
            }

            /// The first and the last dialect that has it, and its vocabulary.
            ///
            /// ```
            /// use toolgate_syntax::{Dialect, Keyword, Vocabulary};
            ///
            /// let home = (Dialect::Draft6, Dialect::Draft202012, Vocabulary::Validation);
            /// assert_eq!(Keyword::Const.home(), home);
            /// ```
            pub fn home(self) -> (Dialect, Dialect, Vocabulary) {
                match self {
                    $(Self::$variant => (Dialect::$first, Dialect::$last, Vocabulary::$vocabulary),)*
                    Self::Unknown => (Dialect::Draft4, Dialect::Draft202012, Vocabulary::Core),
                }
            }
        }
    };
}

keywords! {
    OldId "id" Draft4 Draft4 Core;
    Id "$id" Draft6 Draft202012 Core;
    Schema "$schema" Draft4 Draft202012 Core;
    Ref "$ref" Draft4 Draft202012 Core;
    Anchor "$anchor" Draft201909 Draft202012 Core;
    RecursiveRef "$recursiveRef" Draft201909 Draft201909 Core;
    RecursiveAnchor "$recursiveAnchor" Draft201909 Draft201909 Core;
    DynamicRef "$dynamicRef" Draft202012 Draft202012 Core;
    DynamicAnchor "$dynamicAnchor" Draft202012 Draft202012 Core;
    Vocabulary "$vocabulary" Draft201909 Draft202012 Core;
    Comment "$comment" Draft7 Draft202012 Core;
    Defs "$defs" Draft201909 Draft202012 Core;
    Definitions "definitions" Draft4 Draft202012 Core;
    Type "type" Draft4 Draft202012 Validation;
    Enum "enum" Draft4 Draft202012 Validation;
    Const "const" Draft6 Draft202012 Validation;
    MultipleOf "multipleOf" Draft4 Draft202012 Validation;
    Maximum "maximum" Draft4 Draft202012 Validation;
    ExclusiveMaximum "exclusiveMaximum" Draft4 Draft202012 Validation;
    Minimum "minimum" Draft4 Draft202012 Validation;
    ExclusiveMinimum "exclusiveMinimum" Draft4 Draft202012 Validation;
    MaxLength "maxLength" Draft4 Draft202012 Validation;
    MinLength "minLength" Draft4 Draft202012 Validation;
    Pattern "pattern" Draft4 Draft202012 Validation;
    MaxItems "maxItems" Draft4 Draft202012 Validation;
    MinItems "minItems" Draft4 Draft202012 Validation;
    UniqueItems "uniqueItems" Draft4 Draft202012 Validation;
    MaxContains "maxContains" Draft201909 Draft202012 Validation;
    MinContains "minContains" Draft201909 Draft202012 Validation;
    MaxProperties "maxProperties" Draft4 Draft202012 Validation;
    MinProperties "minProperties" Draft4 Draft202012 Validation;
    Required "required" Draft4 Draft202012 Validation;
    DependentRequired "dependentRequired" Draft201909 Draft202012 Validation;
    // Left out of the newer metaschemas' keywords but kept for compatibility.
    Dependencies "dependencies" Draft4 Draft202012 Applicator;
    DependentSchemas "dependentSchemas" Draft201909 Draft202012 Applicator;
    PrefixItems "prefixItems" Draft202012 Draft202012 Applicator;
    Items "items" Draft4 Draft202012 Applicator;
    AdditionalItems "additionalItems" Draft4 Draft201909 Applicator;
    Contains "contains" Draft6 Draft202012 Applicator;
    Properties "properties" Draft4 Draft202012 Applicator;
    PatternProperties "patternProperties" Draft4 Draft202012 Applicator;
    AdditionalProperties "additionalProperties" Draft4 Draft202012 Applicator;
    PropertyNames "propertyNames" Draft6 Draft202012 Applicator;
    AllOf "allOf" Draft4 Draft202012 Applicator;
    AnyOf "anyOf" Draft4 Draft202012 Applicator;
    OneOf "oneOf" Draft4 Draft202012 Applicator;
    Not "not" Draft4 Draft202012 Applicator;
    If "if" Draft7 Draft202012 Applicator;
    Then "then" Draft7 Draft202012 Applicator;
    Else "else" Draft7 Draft202012 Applicator;
    UnevaluatedItems "unevaluatedItems" Draft201909 Draft202012 Unevaluated;
    UnevaluatedProperties "unevaluatedProperties" Draft201909 Draft202012 Unevaluated;
    Format "format" Draft4 Draft202012 FormatAnnotation;
    ContentEncoding "contentEncoding" Draft7 Draft202012 Content;
    ContentMediaType "contentMediaType" Draft7 Draft202012 Content;
    ContentSchema "contentSchema" Draft201909 Draft202012 Content;
    Title "title" Draft4 Draft202012 MetaData;
    Description "description" Draft4 Draft202012 MetaData;
    Default "default" Draft4 Draft202012 MetaData;
    Examples "examples" Draft6 Draft202012 MetaData;
    Deprecated "deprecated" Draft201909 Draft202012 MetaData;
    ReadOnly "readOnly" Draft7 Draft202012 MetaData;
    WriteOnly "writeOnly" Draft7 Draft202012 MetaData;
}
