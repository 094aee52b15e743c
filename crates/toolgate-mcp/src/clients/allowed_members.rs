//! What the protocol's schema requires of the members of a tool and of a page.
//!
//! One table for all protocol versions: clients read listings of every version
//! with the types of the newest version that they know, so a member that a later
//! version defines must be valid in listings of earlier versions too.

use toolgate_json::{Key as _, Kind, Node as _, View};

use crate::message::Edits;

/// What a member must be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    Text,
    Boolean,
    /// An integer that is not negative.
    Count,
    OneOf(&'static [&'static str]),
    Texts,
    Object(&'static Members),
    Objects(&'static Members),
}

/// The members of an object that must have a given form.
#[derive(Debug)]
pub(super) struct Members {
    optional: &'static [(&'static str, Form)],
    required: &'static [(&'static str, Form)],
}

/// A member that is left out.
#[derive(Debug)]
pub(super) struct LeftOut {
    /// Its path from the tool or the page, with `.` between names.
    pub(super) path: String,
    pub(super) expected: &'static str,
}

impl Form {
    fn expected(self) -> &'static str {
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

    fn admits(self, value: View<'_>) -> bool {
        match self {
            Self::Text => value.kind() == Kind::String,
            Self::Boolean => value.kind() == Kind::Boolean,
            Self::Count => {
                let number = value.raw().parse::<f64>();
                value.kind() == Kind::Number
                    && number.is_ok_and(|number| number >= 0.0 && number.fract() == 0.0)
            }
            Self::OneOf(words) => value.kind() == Kind::String && words.contains(&value.string()),
            Self::Texts => {
                value.kind() == Kind::Array && value.items().all(|item| item.kind() == Kind::String)
            }
            Self::Object(_) => value.kind() == Kind::Object,
            Self::Objects(_) => value.kind() == Kind::Array,
        }
    }
}

impl Members {
    /// Leaves out members with invalid values, also nested ones, and the members in `gone`.
    pub(super) fn clean(
        &self,
        object: View<'_>,
        path: &str,
        mut gone: Vec<&'static str>,
        edits: &mut Edits,
        left_out: &mut Vec<LeftOut>,
    ) {
        for (key, value) in object.members() {
            let mut forms = self.optional.iter().chain(self.required);
            if gone.contains(&key.text()) {
                continue;
            }
            let Some((name, form)) = forms.find(|(name, _)| *name == key.text()) else {
                continue;
            };
            let path = join(path, name);
            if !form.admits(value) {
                gone.push(*name);
                let expected = form.expected();
                left_out.push(LeftOut { path, expected });
                continue;
            }
            match form {
                Form::Object(members) => members.clean(value, &path, Vec::new(), edits, left_out),
                Form::Objects(members) => members.clean_each(value, &path, edits, left_out),
                _ => {}
            }
        }
        if !gone.is_empty() {
            let is_gone = |_, value: View<'_>| {
                value
                    .name()
                    .is_some_and(|name| gone.contains(&name.string()))
            };
            edits.reshape(object, is_gone, &[]);
        }
    }

    /// The same for each object of an array; elements that lack required members are left out.
    fn clean_each(
        &self,
        array: View<'_>,
        path: &str,
        edits: &mut Edits,
        left_out: &mut Vec<LeftOut>,
    ) {
        let mut gone = Vec::new();
        for (index, item) in array.items().enumerate() {
            let path = format!("{path}[{index}]");
            let mut required = self.required.iter();
            let whole = item.kind() == Kind::Object
                && required
                    .all(|(name, form)| item.member(name).is_some_and(|value| form.admits(value)));
            if whole {
                self.clean(item, &path, Vec::new(), edits, left_out);
            } else {
                gone.push(index);
                let expected = "an object with all required members";
                left_out.push(LeftOut { path, expected });
            }
        }
        if !gone.is_empty() {
            edits.reshape(array, |index, _| gone.contains(&index), &[]);
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// The members of a tool, except `name` and `inputSchema`: an object without them is not a tool.
pub(super) const TOOL: Members = Members {
    optional: &[
        ("title", Form::Text),
        ("description", Form::Text),
        ("annotations", Form::Object(&ANNOTATIONS)),
        ("icons", Form::Objects(&ICON)),
        ("execution", Form::Object(&EXECUTION)),
        ("_meta", Form::Object(&ANY)),
        ("outputSchema", Form::Object(&SCHEMA)),
    ],
    required: &[],
};

/// The members of a schema's root.
pub(super) const SCHEMA: Members = Members {
    optional: &[("$schema", Form::Text)],
    required: &[],
};

/// The members of a page of tools.
pub(super) const PAGE: Members = Members {
    optional: &[
        ("nextCursor", Form::Text),
        ("_meta", Form::Object(&ANY)),
        ("resultType", Form::Text),
        ("ttlMs", Form::Count),
        ("cacheScope", Form::OneOf(&["private", "public"])),
    ],
    required: &[],
};

const ANY: Members = Members {
    optional: &[],
    required: &[],
};

const ANNOTATIONS: Members = Members {
    optional: &[
        ("title", Form::Text),
        ("readOnlyHint", Form::Boolean),
        ("destructiveHint", Form::Boolean),
        ("idempotentHint", Form::Boolean),
        ("openWorldHint", Form::Boolean),
    ],
    required: &[],
};

const EXECUTION: Members = Members {
    optional: &[(
        "taskSupport",
        Form::OneOf(&["forbidden", "optional", "required"]),
    )],
    required: &[],
};

const ICON: Members = Members {
    optional: &[
        ("mimeType", Form::Text),
        ("sizes", Form::Texts),
        ("theme", Form::OneOf(&["light", "dark"])),
    ],
    required: &[("src", Form::Text)],
};
