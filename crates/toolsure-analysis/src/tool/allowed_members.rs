//! What the protocol's schema requires of the members of a tool.
//!
//! One table for all protocol versions: clients read listings of every version with the types of
//! the newest version that they know, so a member that a later version defines must be valid in
//! listings of earlier versions too.

use toolsure_json::{Kind, Node as _, View};

/// What a member must be.
///
/// ```
/// use toolsure_analysis::tool::Form;
/// use toolsure_json::{Kind, OwnedDocument, ReadLimits};
///
/// let form = Form::OneOf(&["light", "dark"]);
/// assert_eq!(form.kind(), Kind::String);
/// assert_eq!(form.expected(), "one of the values that the protocol names");
/// let blue = OwnedDocument::read(r#""blue""#, &ReadLimits::default())?;
/// assert!(!form.admits(blue.document().root()));
/// assert!(Form::Text.admits(blue.document().root()));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Form {
    /// A string.
    Text,
    /// A boolean.
    Boolean,
    /// An integer that is not negative.
    Count,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// An array of strings.
    Texts,
    /// An object with these members.
    Object(&'static AllowedMembers),
    /// An array of objects with these members.
    Objects(&'static AllowedMembers),
}

impl Form {
    /// What the member must be, in words.
    #[must_use]
    pub fn expected(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Boolean => "a boolean",
            Self::Count => "a non-negative integer",
            Self::OneOf(_) => "one of the values that the protocol names",
            Self::Texts => "an array of strings",
            Self::Object(_) => "an object",
            Self::Objects(_) => "an array",
        }
    }

    /// The kind of value that the member must be.
    #[must_use]
    #[inline]
    pub fn kind(self) -> Kind {
        match self {
            Self::Text | Self::OneOf(_) => Kind::String,
            Self::Boolean => Kind::Boolean,
            Self::Count => Kind::Number,
            Self::Texts | Self::Objects(_) => Kind::Array,
            Self::Object(_) => Kind::Object,
        }
    }

    /// Whether a value has this form. Does not look at the members of objects.
    #[must_use]
    pub fn admits(self, value: View<'_>) -> bool {
        let fits = match self {
            Self::Count => {
                let number = value.raw().parse::<f64>();
                number.is_ok_and(|number| number >= 0.0 && number.fract() == 0.0)
            }
            Self::OneOf(words) => words.contains(&value.string()),
            Self::Texts => value.items().all(|item| item.kind() == Kind::String),
            Self::Text | Self::Boolean | Self::Object(_) | Self::Objects(_) => true,
        };
        value.kind() == self.kind() && fits
    }
}

/// The members of an object that must have a given form. It may have others of any form.
///
/// ```
/// use toolsure_analysis::tool::{ANNOTATIONS, TOOL};
///
/// assert_eq!(TOOL.get("inputSchema").map(|(_, form)| form.expected()), Some("an object"));
/// assert_eq!(ANNOTATIONS.get("readOnlyHint").map(|(_, form)| form.expected()), Some("a boolean"));
/// assert!(TOOL.get("parameters").is_none());
/// assert_eq!(TOOL.names().count(), 9);
/// ```
#[derive(Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "tables of other objects of the protocol are constants in other crates"
)]
pub struct AllowedMembers {
    /// The members that may be missing.
    pub optional: &'static [(&'static str, Form)],
    /// The members that must be there.
    pub required: &'static [(&'static str, Form)],
}

impl AllowedMembers {
    /// No member must have a given form.
    pub const ANY: Self = Self {
        optional: &[],
        required: &[],
    };

    /// The name and the form of a member; `None` for one that may have any form.
    #[must_use]
    #[inline]
    pub fn get(&self, name: &str) -> Option<(&'static str, Form)> {
        let find = |members: &[(&'static str, Form)]| {
            let mut members = members.iter();
            members.find(|(member, _)| *member == name).copied()
        };
        find(self.required).or_else(|| find(self.optional))
    }

    /// The names of all members.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let members = self.required.iter().chain(self.optional);
        members.map(|(name, _)| *name)
    }
}

/// The members of a tool.
pub const TOOL: AllowedMembers = AllowedMembers {
    optional: &[
        ("title", Form::Text),
        ("description", Form::Text),
        ("annotations", Form::Object(&ANNOTATIONS)),
        ("icons", Form::Objects(&ICON)),
        ("execution", Form::Object(&EXECUTION)),
        ("_meta", Form::Object(&AllowedMembers::ANY)),
        ("outputSchema", Form::Object(&SCHEMA)),
    ],
    required: &[("name", Form::Text), ("inputSchema", Form::Object(&SCHEMA))],
};

/// The members of a schema's root.
pub const SCHEMA: AllowedMembers = AllowedMembers {
    optional: &[("$schema", Form::Text)],
    required: &[],
};

/// The members of a tool's `annotations`.
pub const ANNOTATIONS: AllowedMembers = AllowedMembers {
    optional: &[
        ("title", Form::Text),
        ("readOnlyHint", Form::Boolean),
        ("destructiveHint", Form::Boolean),
        ("idempotentHint", Form::Boolean),
        ("openWorldHint", Form::Boolean),
    ],
    required: &[],
};

const EXECUTION: AllowedMembers = AllowedMembers {
    optional: &[(
        "taskSupport",
        Form::OneOf(&["forbidden", "optional", "required"]),
    )],
    required: &[],
};

const ICON: AllowedMembers = AllowedMembers {
    optional: &[
        ("mimeType", Form::Text),
        ("sizes", Form::Texts),
        ("theme", Form::OneOf(&["light", "dark"])),
    ],
    required: &[("src", Form::Text)],
};
