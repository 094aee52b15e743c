//! The table of keywords: the dialects, the vocabulary, the instance types and the value type of
//! each.

use toolsure_json::Kind;

use super::{Dialect, Vocabulary};

macro_rules! keywords {
    ($($variant:ident $name:literal $first:ident $last:ident $vocabulary:ident $applies_to:ident $value:ident;)*) => {
        /// A keyword of some dialect.
        ///
        /// ```
        /// use toolsure_syntax::Keyword;
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
            /// Not a keyword of the dialect, so an annotation.
            Unknown,
        }

        impl Keyword {
            /// The keyword with that name in any dialect.
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

            /// Every keyword of every dialect.
            ///
            /// ```
            /// use toolsure_syntax::{Dialect, Keyword};
            ///
            /// let added = Keyword::ALL.iter().filter(|keyword| keyword.home().0 == Dialect::Draft7);
            /// assert_eq!(added.filter(|keyword| keyword.home().1 == Dialect::Draft7).count(), 0);
            /// assert!(!Keyword::ALL.contains(&Keyword::Unknown));
            /// ```
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The instances that it applies to. It accepts all others.
            ///
            /// ```
            /// use toolsure_syntax::{AppliesTo, Keyword};
            ///
            /// assert_eq!(Keyword::MinLength.applies_to(), AppliesTo::Strings);
            /// assert_eq!(Keyword::AnyOf.applies_to(), AppliesTo::Any);
            /// ```
            #[must_use]
            pub fn applies_to(self) -> AppliesTo {
                match self {
                    $(Self::$variant => AppliesTo::$applies_to,)*
                    Self::Unknown => AppliesTo::Any,
                }
            }

            /// What its value must be.
            ///
            /// ```
            /// use toolsure_syntax::{Keyword, ValueShape};
            ///
            /// assert_eq!(Keyword::Properties.value(), ValueShape::SchemaMap);
            /// assert_eq!(Keyword::Required.value(), ValueShape::List);
            /// ```
            #[must_use]
            #[inline]
            pub fn value(self) -> ValueShape {
                match self {
                    $(Self::$variant => ValueShape::$value,)*
                    Self::Unknown => ValueShape::Anything,
                }
            }

            /// The first and the last dialect that have it, and its vocabulary.
            ///
            /// ```
            /// use toolsure_syntax::{Dialect, Keyword, Vocabulary};
            ///
            /// let home = (Dialect::Draft6, Dialect::Draft202012, Vocabulary::Validation);
            /// assert_eq!(Keyword::Const.home(), home);
            /// ```
            #[inline]
            pub fn home(self) -> (Dialect, Dialect, Vocabulary) {
                match self {
                    $(Self::$variant => (Dialect::$first, Dialect::$last, Vocabulary::$vocabulary),)*
                    Self::Unknown => (Dialect::Draft4, Dialect::Draft202012, Vocabulary::Core),
                }
            }
        }
    };
}

/// How a keyword holds subschemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "code that walks schemas must handle every way in which they are held"
)]
pub enum SubschemaLayout {
    /// The value is a schema, or an array of schemas.
    Schemas,
    /// The value is an object whose values are schemas.
    Map,
}

/// The instances that a keyword applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the groups follow the types of JSON, which are fixed"
)]
pub enum AppliesTo {
    /// Instances of every type; or no instances, as for an annotation.
    Any,
    /// Numbers.
    Numbers,
    /// Strings.
    Strings,
    /// Arrays.
    Arrays,
    /// Objects.
    Objects,
}

impl AppliesTo {
    /// The names in `type` for these instances; empty for [`Any`](Self::Any).
    ///
    /// ```
    /// assert_eq!(toolsure_syntax::AppliesTo::Numbers.types(), ["number", "integer"]);
    /// ```
    #[must_use]
    pub fn types(self) -> &'static [&'static str] {
        match self {
            Self::Any => &[],
            Self::Numbers => &["number", "integer"],
            Self::Strings => &["string"],
            Self::Arrays => &["array"],
            Self::Objects => &["object"],
        }
    }
}

/// What the value of a keyword must be, in any dialect that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueShape {
    /// Any value.
    Anything,
    /// A string.
    Text,
    /// A boolean.
    Flag,
    /// A number.
    Number,
    /// A number, or a boolean (draft 4).
    NumberOrFlag,
    /// A string or an array of strings.
    NameOrNames,
    /// An array of values that are not schemas.
    List,
    /// An object whose values are not schemas.
    Object,
    /// A schema.
    Schema,
    /// An array of schemas.
    Schemas,
    /// A schema, or an array of schemas.
    SchemaOrSchemas,
    /// An object whose values are schemas. For `dependencies`, they may also be arrays of names.
    SchemaMap,
}

impl ValueShape {
    /// Whether a value of this kind can have this shape.
    ///
    /// ```
    /// use toolsure_json::Kind;
    /// use toolsure_syntax::Keyword;
    ///
    /// assert!(Keyword::Not.value().fits(Kind::Boolean));
    /// assert!(!Keyword::Not.value().fits(Kind::Array));
    /// ```
    #[must_use]
    pub fn fits(self, kind: Kind) -> bool {
        match self {
            Self::Anything => true,
            Self::Text => kind == Kind::String,
            Self::Flag => kind == Kind::Boolean,
            Self::Number => kind == Kind::Number,
            Self::NumberOrFlag => matches!(kind, Kind::Number | Kind::Boolean),
            Self::NameOrNames => matches!(kind, Kind::String | Kind::Array),
            Self::List | Self::Schemas => kind == Kind::Array,
            Self::Object | Self::SchemaMap => kind == Kind::Object,
            Self::Schema => matches!(kind, Kind::Object | Kind::Boolean),
            Self::SchemaOrSchemas => matches!(kind, Kind::Object | Kind::Boolean | Kind::Array),
        }
    }
}

impl Keyword {
    /// Whether a dialect has it. `dependencies` is in all of them, because validators still support
    /// it after 2019-09 split it (see [`is_legacy_in`](Self::is_legacy_in)).
    ///
    /// ```
    /// use toolsure_syntax::{Dialect, Keyword};
    ///
    /// assert!(Keyword::Dependencies.is_in(Dialect::Draft202012));
    /// assert!(!Keyword::PrefixItems.is_in(Dialect::Draft7));
    /// ```
    #[must_use]
    pub fn is_in(self, dialect: Dialect) -> bool {
        let (first, last, _) = self.home();
        first <= dialect && dialect <= last
    }

    /// Whether a dialect keeps it only for older schemas: `definitions` and `dependencies` since
    /// 2019-09 (core, appendix "ChangeLog").
    ///
    /// ```
    /// use toolsure_syntax::{Dialect, Keyword};
    ///
    /// assert!(Keyword::Dependencies.is_legacy_in(Dialect::Draft201909));
    /// assert!(!Keyword::Dependencies.is_legacy_in(Dialect::Draft7));
    /// ```
    #[must_use]
    pub fn is_legacy_in(self, dialect: Dialect) -> bool {
        matches!(self, Self::Definitions | Self::Dependencies) && dialect > Dialect::Draft7
    }

    /// Whether it applies its subschemas, or what it refers to, to the instance itself ("in place"),
    /// not to members, items or names.
    ///
    /// ```
    /// use toolsure_syntax::Keyword;
    ///
    /// assert!(Keyword::Ref.is_in_place() && Keyword::DependentSchemas.is_in_place());
    /// assert!(!Keyword::Items.is_in_place() && !Keyword::Defs.is_in_place());
    /// ```
    #[must_use]
    #[inline]
    pub fn is_in_place(self) -> bool {
        matches!(
            self,
            Self::Ref
                | Self::RecursiveRef
                | Self::DynamicRef
                | Self::Dependencies
                | Self::DependentSchemas
                | Self::AllOf
                | Self::AnyOf
                | Self::OneOf
                | Self::Not
                | Self::If
                | Self::Then
                | Self::Else
        )
    }

    /// Whether the annotations of its subschemas, or of what it refers to, are also annotations of the
    /// schema that has it (what they evaluate, for example): so for every keyword
    /// [in place](Self::is_in_place), except `not`.
    ///
    /// ```
    /// use toolsure_syntax::Keyword;
    ///
    /// assert!(Keyword::If.passes_annotations_on() && Keyword::Ref.passes_annotations_on());
    /// assert!(!Keyword::Not.passes_annotations_on() && !Keyword::Items.passes_annotations_on());
    /// ```
    #[must_use]
    pub fn passes_annotations_on(self) -> bool {
        self.is_in_place() && self != Self::Not
    }

    /// Whether it can reject an instance, itself or through the subschemas that it applies.
    /// Identifiers, definitions, comments and annotations cannot. `format`, `contentEncoding` and
    /// `contentMediaType` can: [`Options`](crate::Options) decide whether they do.
    ///
    /// ```
    /// use toolsure_syntax::Keyword;
    ///
    /// assert!(Keyword::MinLength.can_reject() && Keyword::Ref.can_reject());
    /// assert!(Keyword::Format.can_reject() && Keyword::ContentEncoding.can_reject());
    /// for keyword in [Keyword::Id, Keyword::Defs, Keyword::Comment, Keyword::Title, Keyword::Unknown] {
    ///     assert!(!keyword.can_reject());
    /// }
    /// ```
    #[must_use]
    #[inline]
    pub fn can_reject(self) -> bool {
        let (_, _, vocabulary) = self.home();
        match vocabulary {
            Vocabulary::Core => self.is_in_place(),
            Vocabulary::MetaData => false,
            Vocabulary::Content => self != Self::ContentSchema,
            Vocabulary::Applicator
            | Vocabulary::Unevaluated
            | Vocabulary::Validation
            | Vocabulary::FormatAnnotation
            | Vocabulary::FormatAssertion => true,
        }
    }

    /// How it holds subschemas, if it does.
    ///
    /// ```
    /// use toolsure_syntax::Keyword;
    /// use toolsure_syntax::positions::SubschemaLayout;
    ///
    /// assert_eq!(Keyword::AllOf.layout(), Some(SubschemaLayout::Schemas));
    /// assert_eq!(Keyword::Properties.layout(), Some(SubschemaLayout::Map));
    /// assert_eq!(Keyword::Enum.layout(), None);
    /// ```
    #[must_use]
    #[inline]
    pub fn layout(self) -> Option<SubschemaLayout> {
        match self.value() {
            ValueShape::Schema | ValueShape::Schemas | ValueShape::SchemaOrSchemas => {
                Some(SubschemaLayout::Schemas)
            }
            ValueShape::SchemaMap => Some(SubschemaLayout::Map),
            _ => None,
        }
    }
}

keywords! {
    OldId "id" Draft4 Draft4 Core Any Text;
    Id "$id" Draft6 Draft202012 Core Any Text;
    Schema "$schema" Draft4 Draft202012 Core Any Text;
    Ref "$ref" Draft4 Draft202012 Core Any Text;
    Anchor "$anchor" Draft201909 Draft202012 Core Any Text;
    RecursiveRef "$recursiveRef" Draft201909 Draft201909 Core Any Text;
    RecursiveAnchor "$recursiveAnchor" Draft201909 Draft201909 Core Any Flag;
    DynamicRef "$dynamicRef" Draft202012 Draft202012 Core Any Text;
    DynamicAnchor "$dynamicAnchor" Draft202012 Draft202012 Core Any Text;
    Vocabulary "$vocabulary" Draft201909 Draft202012 Core Any Object;
    Comment "$comment" Draft7 Draft202012 Core Any Text;
    Defs "$defs" Draft201909 Draft202012 Core Any SchemaMap;
    Definitions "definitions" Draft4 Draft202012 Core Any SchemaMap;
    Type "type" Draft4 Draft202012 Validation Any NameOrNames;
    Enum "enum" Draft4 Draft202012 Validation Any List;
    Const "const" Draft6 Draft202012 Validation Any Anything;
    MultipleOf "multipleOf" Draft4 Draft202012 Validation Numbers Number;
    Maximum "maximum" Draft4 Draft202012 Validation Numbers Number;
    ExclusiveMaximum "exclusiveMaximum" Draft4 Draft202012 Validation Numbers NumberOrFlag;
    Minimum "minimum" Draft4 Draft202012 Validation Numbers Number;
    ExclusiveMinimum "exclusiveMinimum" Draft4 Draft202012 Validation Numbers NumberOrFlag;
    MaxLength "maxLength" Draft4 Draft202012 Validation Strings Number;
    MinLength "minLength" Draft4 Draft202012 Validation Strings Number;
    Pattern "pattern" Draft4 Draft202012 Validation Strings Text;
    MaxItems "maxItems" Draft4 Draft202012 Validation Arrays Number;
    MinItems "minItems" Draft4 Draft202012 Validation Arrays Number;
    UniqueItems "uniqueItems" Draft4 Draft202012 Validation Arrays Flag;
    MaxContains "maxContains" Draft201909 Draft202012 Validation Arrays Number;
    MinContains "minContains" Draft201909 Draft202012 Validation Arrays Number;
    MaxProperties "maxProperties" Draft4 Draft202012 Validation Objects Number;
    MinProperties "minProperties" Draft4 Draft202012 Validation Objects Number;
    Required "required" Draft4 Draft202012 Validation Objects List;
    DependentRequired "dependentRequired" Draft201909 Draft202012 Validation Objects Object;
    // Not in the newer metaschemas' list of keywords, but kept for compatibility.
    Dependencies "dependencies" Draft4 Draft202012 Applicator Objects SchemaMap;
    DependentSchemas "dependentSchemas" Draft201909 Draft202012 Applicator Objects SchemaMap;
    PrefixItems "prefixItems" Draft202012 Draft202012 Applicator Arrays Schemas;
    Items "items" Draft4 Draft202012 Applicator Arrays SchemaOrSchemas;
    AdditionalItems "additionalItems" Draft4 Draft201909 Applicator Arrays Schema;
    Contains "contains" Draft6 Draft202012 Applicator Arrays Schema;
    Properties "properties" Draft4 Draft202012 Applicator Objects SchemaMap;
    PatternProperties "patternProperties" Draft4 Draft202012 Applicator Objects SchemaMap;
    AdditionalProperties "additionalProperties" Draft4 Draft202012 Applicator Objects Schema;
    PropertyNames "propertyNames" Draft6 Draft202012 Applicator Objects Schema;
    AllOf "allOf" Draft4 Draft202012 Applicator Any Schemas;
    AnyOf "anyOf" Draft4 Draft202012 Applicator Any Schemas;
    OneOf "oneOf" Draft4 Draft202012 Applicator Any Schemas;
    Not "not" Draft4 Draft202012 Applicator Any Schema;
    If "if" Draft7 Draft202012 Applicator Any Schema;
    Then "then" Draft7 Draft202012 Applicator Any Schema;
    Else "else" Draft7 Draft202012 Applicator Any Schema;
    UnevaluatedItems "unevaluatedItems" Draft201909 Draft202012 Unevaluated Arrays Schema;
    UnevaluatedProperties "unevaluatedProperties" Draft201909 Draft202012 Unevaluated Objects Schema;
    Format "format" Draft4 Draft202012 FormatAnnotation Any Text;
    ContentEncoding "contentEncoding" Draft7 Draft202012 Content Strings Text;
    ContentMediaType "contentMediaType" Draft7 Draft202012 Content Strings Text;
    ContentSchema "contentSchema" Draft201909 Draft202012 Content Strings Schema;
    Title "title" Draft4 Draft202012 MetaData Any Text;
    Description "description" Draft4 Draft202012 MetaData Any Text;
    Default "default" Draft4 Draft202012 MetaData Any Anything;
    Examples "examples" Draft6 Draft202012 MetaData Any List;
    Deprecated "deprecated" Draft201909 Draft202012 MetaData Any Flag;
    ReadOnly "readOnly" Draft7 Draft202012 MetaData Any Flag;
    WriteOnly "writeOnly" Draft7 Draft202012 MetaData Any Flag;
}
