//! What the protocol's schema requires of the members of results, of pages, and of what stands in
//! them: one table for all protocol versions, as that of tools.

use super::allowed_members::{AllowedMembers, Form, ICON};

/// The members of the `_meta` of a result. Readers reject a result for one that they know.
const META: AllowedMembers = AllowedMembers {
    optional: &[
        ("progressToken", Form::Token),
        (
            "io.modelcontextprotocol/related-task",
            Form::Object(&RELATED_TASK),
        ),
        (
            "io.modelcontextprotocol/serverInfo",
            Form::Object(&IMPLEMENTATION),
        ),
    ],
    required: &[],
};

const RELATED_TASK: AllowedMembers = AllowedMembers {
    optional: &[],
    required: &[("taskId", Form::Text)],
};

const IMPLEMENTATION: AllowedMembers = AllowedMembers {
    optional: &[
        ("title", Form::Text),
        ("description", Form::Text),
        ("websiteUrl", Form::Text),
        ("icons", Form::Objects(&ICON)),
    ],
    required: &[("name", Form::Text), ("version", Form::Text)],
};

const ANY_META: (&str, Form) = ("_meta", Form::Object(&AllowedMembers::ANY));
const RESULT_META: (&str, Form) = ("_meta", Form::Object(&META));

/// The members of every result.
pub const RESULT: AllowedMembers = AllowedMembers {
    optional: &[RESULT_META, ("resultType", Form::Text)],
    required: &[],
};

/// The `annotations` of a block or a resource.
const ANNOTATIONS: (&str, Form) = ("annotations", Form::Object(&AUDIENCE));
const AUDIENCE: AllowedMembers = AllowedMembers {
    optional: &[
        ("audience", Form::All(&Form::OneOf(ROLES))),
        ("priority", Form::Fraction),
        ("lastModified", Form::Time),
    ],
    required: &[],
};
const ROLES: &[&str] = &["user", "assistant"];

/// The content blocks of a tool's result, by their type.
pub const BLOCKS: &[(&str, Form)] = &[
    ("text", Form::Object(&TEXT)),
    ("image", Form::Object(&IMAGE)),
    ("audio", Form::Object(&AUDIO)),
    ("resource_link", Form::Object(&LINK)),
    ("resource", Form::Object(&EMBEDDED)),
];

/// A content block of any type.
pub const BLOCK: Form = Form::AnyOf(&[
    Form::Object(&TEXT),
    Form::Object(&IMAGE),
    Form::Object(&AUDIO),
    Form::Object(&LINK),
    Form::Object(&EMBEDDED),
]);

const TEXT: AllowedMembers = AllowedMembers {
    optional: &[ANNOTATIONS, ANY_META],
    required: &[("type", Form::OneOf(&["text"])), ("text", Form::Text)],
};

const IMAGE: AllowedMembers = AllowedMembers {
    optional: &[ANNOTATIONS, ANY_META],
    required: &[
        ("type", Form::OneOf(&["image"])),
        ("data", Form::Base64),
        ("mimeType", Form::Text),
    ],
};

const AUDIO: AllowedMembers = AllowedMembers {
    optional: &[ANNOTATIONS, ANY_META],
    required: &[
        ("type", Form::OneOf(&["audio"])),
        ("data", Form::Base64),
        ("mimeType", Form::Text),
    ],
};

const LINK: AllowedMembers = AllowedMembers {
    optional: RESOURCE.optional,
    required: &[
        ("type", Form::OneOf(&["resource_link"])),
        ("uri", Form::Text),
        ("name", Form::Text),
    ],
};

const EMBEDDED: AllowedMembers = AllowedMembers {
    optional: &[ANNOTATIONS, ANY_META],
    required: &[("type", Form::OneOf(&["resource"])), ("resource", CONTENTS)],
};

/// The contents of a resource.
const CONTENTS: Form = Form::AnyOf(&[
    Form::Object(&AllowedMembers {
        optional: &[("mimeType", Form::Text), ANY_META],
        required: &[("uri", Form::Text), ("text", Form::Text)],
    }),
    Form::Object(&AllowedMembers {
        optional: &[("mimeType", Form::Text), ANY_META],
        required: &[("uri", Form::Text), ("blob", Form::Base64)],
    }),
]);

/// The members of every page of a list.
pub const PAGE: AllowedMembers = AllowedMembers {
    optional: &[
        ("nextCursor", Form::Text),
        RESULT_META,
        ("resultType", COMPLETE),
        ("ttlMs", Form::Count),
        ("cacheScope", SCOPE),
    ],
    required: &[],
};

/// The members that every page of a list has in versions with cached lists (since 2026-07-28).
pub const CACHED_PAGE: AllowedMembers = AllowedMembers {
    optional: PAGE.optional,
    required: &[
        ("resultType", COMPLETE),
        ("ttlMs", Form::Count),
        ("cacheScope", SCOPE),
    ],
};
/// Methods that list have no other results (2026-07-28, basic/patterns/mrtr).
const COMPLETE: Form = Form::OneOf(&["complete"]);
const SCOPE: Form = Form::OneOf(&["private", "public"]);

/// A result with a list.
#[derive(Debug)]
#[non_exhaustive]
pub struct ListResult {
    /// The method that asks for it.
    pub method: &'static str,
    /// The member that is the list.
    pub member: &'static str,
    /// The form of its entries.
    pub entry: Form,
    /// The other members of the result.
    pub members: &'static AllowedMembers,
}

const fn list(
    method: &'static str,
    member: &'static str,
    entry: Form,
    members: &'static AllowedMembers,
) -> ListResult {
    ListResult {
        method,
        member,
        entry,
        members,
    }
}

/// The results with lists, except that of tools, by the method that asks for them.
///
/// ```
/// use toolsure_analysis::tool::LISTS;
///
/// let prompts = LISTS.iter().find(|list| list.method == "prompts/list").unwrap();
/// assert_eq!(prompts.member, "prompts");
/// assert!(prompts.members.is_optional("nextCursor"));
/// ```
pub const LISTS: &[ListResult] = &[
    list("prompts/list", "prompts", Form::Object(&PROMPT), &PAGE),
    list(
        "resources/list",
        "resources",
        Form::Object(&RESOURCE),
        &PAGE,
    ),
    list(
        "resources/templates/list",
        "resourceTemplates",
        Form::Object(&TEMPLATE),
        &PAGE,
    ),
    list("skills/list", "skills", Form::Object(&SKILL), &PAGE),
    list(
        "prompts/get",
        "messages",
        Form::Object(&MESSAGE),
        &GOT_PROMPT,
    ),
    list("resources/read", "contents", CONTENTS, &READ_RESOURCE),
];

const READ_RESOURCE: AllowedMembers = AllowedMembers {
    optional: &[
        RESULT_META,
        ("resultType", Form::Text),
        ("ttlMs", Form::Count),
        ("cacheScope", SCOPE),
    ],
    required: &[],
};

const GOT_PROMPT: AllowedMembers = AllowedMembers {
    optional: &[
        ("description", Form::Text),
        RESULT_META,
        ("resultType", Form::Text),
    ],
    required: &[],
};

const PROMPT: AllowedMembers = AllowedMembers {
    optional: &[
        ("title", Form::Text),
        ("description", Form::Text),
        ("arguments", Form::Objects(&PROMPT_ARGUMENT)),
        ("icons", Form::Objects(&ICON)),
        ANY_META,
    ],
    required: &[("name", Form::Text)],
};

const PROMPT_ARGUMENT: AllowedMembers = AllowedMembers {
    optional: &[
        ("title", Form::Text),
        ("description", Form::Text),
        ("required", Form::Boolean),
    ],
    required: &[("name", Form::Text)],
};

const RESOURCE: AllowedMembers = AllowedMembers {
    optional: &[
        ("title", Form::Text),
        ("description", Form::Text),
        ("mimeType", Form::Text),
        ("size", Form::Count),
        ("icons", Form::Objects(&ICON)),
        ANNOTATIONS,
        ANY_META,
    ],
    required: &[("uri", Form::Text), ("name", Form::Text)],
};

const TEMPLATE: AllowedMembers = AllowedMembers {
    optional: &[
        ("title", Form::Text),
        ("description", Form::Text),
        ("mimeType", Form::Text),
        ("icons", Form::Objects(&ICON)),
        ANNOTATIONS,
        ANY_META,
    ],
    required: &[("uriTemplate", Form::Text), ("name", Form::Text)],
};

/// The entry of a skill (SEP-2640). Clients must reject one whose manifest is not complete, so no part
/// of a manifest is left out.
const SKILL: AllowedMembers = AllowedMembers {
    optional: &[ANY_META],
    required: &[
        ("uri", Form::Text),
        ("frontmatter", Form::Object(&AllowedMembers::ANY)),
        (
            "resources",
            Form::AnyOf(&[
                Form::All(&Form::Object(&SKILL_FILE)),
                Form::OneOf(&["dynamic"]),
            ]),
        ),
    ],
};

const SKILL_FILE: AllowedMembers = AllowedMembers {
    optional: &[],
    required: &[
        ("uri", Form::Text),
        ("digest", Form::Text),
        ("size", Form::Count),
    ],
};

const MESSAGE: AllowedMembers = AllowedMembers {
    optional: &[],
    required: &[("role", Form::OneOf(ROLES)), ("content", BLOCK)],
};
