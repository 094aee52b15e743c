//! What can be wrong with an instance: one kind for each way a keyword fails.

use toolgate_json::Kind;

/// Why a keyword does not hold, with what it expected and what it found.
///
/// Texts taken from the schema or the instance are cut to a few dozen
/// characters; values are JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
    /// `type`: the value has another type.
    Type {
        /// The names of the allowed types.
        expected: Vec<&'static str>,
        /// The value.
        found: Found,
    },
    /// `const`: the value is another.
    Const {
        /// The one allowed value.
        expected: String,
        /// The value.
        found: Found,
    },
    /// `enum`: the value is not a member.
    Enum {
        /// The first members.
        expected: Vec<String>,
        /// How many members there are beyond these.
        more: usize,
        /// The member that was probably meant.
        closest: Option<String>,
        /// The value.
        found: Found,
    },
    /// `minimum`, `exclusiveMinimum`: the number is too small.
    Minimum {
        /// The bound.
        limit: String,
        /// Whether the bound itself is too small.
        exclusive: bool,
        /// The value.
        found: Found,
    },
    /// `maximum`, `exclusiveMaximum`: the number is too large.
    Maximum {
        /// The bound.
        limit: String,
        /// Whether the bound itself is too large.
        exclusive: bool,
        /// The value.
        found: Found,
    },
    /// `multipleOf`: the number is no multiple.
    MultipleOf {
        /// The divisor.
        divisor: String,
        /// The value.
        found: Found,
    },
    /// `minLength`: the string has too few characters.
    MinLength {
        /// The least count of characters.
        least: u64,
        /// The count found.
        count: usize,
        /// The value.
        found: Found,
    },
    /// `maxLength`: the string has too many characters.
    MaxLength {
        /// The greatest count of characters.
        most: u64,
        /// The count found.
        count: usize,
        /// The value.
        found: Found,
    },
    /// `pattern`: the regular expression matches nowhere.
    Pattern {
        /// The regular expression.
        pattern: String,
        /// The value.
        found: Found,
    },
    /// `format`: the value does not have the format.
    Format {
        /// The format's name.
        format: &'static str,
        /// The value.
        found: Found,
    },
    /// `contentEncoding`, `contentMediaType`, where they assert.
    Content {
        /// The encoding or media type.
        expected: &'static str,
        /// The value.
        found: Found,
    },
    /// `minItems`: the array is too short.
    MinItems {
        /// The least count of items.
        least: u64,
        /// The count found.
        count: usize,
    },
    /// `maxItems`: the array is too long.
    MaxItems {
        /// The greatest count of items.
        most: u64,
        /// The count found.
        count: usize,
    },
    /// `uniqueItems`: two items are equal.
    UniqueItems {
        /// The index of the first of them.
        first: usize,
        /// The index of the second.
        second: usize,
    },
    /// `contains`: no item matches.
    Contains,
    /// `minContains`: too few items match `contains`.
    MinContains {
        /// The least count of matching items.
        least: u64,
        /// The count found.
        count: usize,
    },
    /// `maxContains`: too many items match `contains`.
    MaxContains {
        /// The greatest count of matching items.
        most: u64,
    },
    /// `minProperties`: the object has too few members.
    MinProperties {
        /// The least count of members.
        least: u64,
        /// The count found.
        count: usize,
    },
    /// `maxProperties`: the object has too many members.
    MaxProperties {
        /// The greatest count of members.
        most: u64,
        /// The count found.
        count: usize,
    },
    /// `required`: members are missing.
    Required {
        /// The first missing names.
        missing: Vec<String>,
        /// How many names are missing beyond these.
        more: usize,
    },
    /// `dependentRequired`, `dependencies`: members that another one needs are missing.
    DependentRequired {
        /// The member that needs them.
        present: String,
        /// The first missing names.
        missing: Vec<String>,
        /// How many names are missing beyond these.
        more: usize,
    },
    /// `additionalProperties` or `unevaluatedProperties` allows no such member.
    UnexpectedProperty {
        /// The member's name.
        name: String,
        /// The declared name that was probably meant.
        closest: Option<String>,
    },
    /// `properties` or `patternProperties` forbids the member.
    ForbiddenProperty {
        /// The member's name.
        name: String,
    },
    /// `items`, `additionalItems`, `unevaluatedItems` allow no such item.
    UnexpectedItem {
        /// The item's index.
        index: usize,
    },
    /// `propertyNames` allows no name at all.
    ForbiddenName,
    /// `anyOf`: no branch matches.
    AnyOf(Branches),
    /// `oneOf`: no branch matches.
    OneOf(Branches),
    /// `oneOf`: more than one branch matches.
    OneOfMany {
        /// The indexes of the first two branches that match.
        matched: [usize; 2],
    },
    /// `not`: the value matches what it must not match.
    Not {
        /// The value.
        found: Found,
    },
    /// A `false` schema, which nothing matches.
    Never {
        /// The value.
        found: Found,
    },
}

/// The branches of an `anyOf` or `oneOf` of which none matches.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Branches {
    /// How many there are.
    pub count: usize,
    /// The indexes of those that the value most plausibly meant, judged by
    /// constant properties first and types second; equals stand together.
    pub plausible: Vec<usize>,
    /// The constant property that tells the branches apart, if there is one
    /// and the value's matches none of them.
    pub tag: Option<Tag>,
}

/// A property whose constant value tells the branches of a union apart.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tag {
    /// Its name.
    pub property: String,
    /// The first values that branches expect.
    pub expected: Vec<String>,
    /// How many they expect beyond these.
    pub more: usize,
    /// The one that was probably meant.
    pub closest: Option<String>,
    /// The value.
    pub found: Found,
}

/// A value that was found in the instance.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// Its type.
    pub kind: Kind,
    /// Its JSON text, cut.
    pub text: String,
}
