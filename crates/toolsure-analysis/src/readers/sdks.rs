//! Libraries of which clients are made, as their clients read listings and results.

use toolsure_syntax::Dialect;

use super::fact::Fact::{
    ChecksErrors, Member, NoBooleanProperties, NoOptionalNull, OneType, OutputObject, Patterns,
    ReadsAs,
};
use super::fact::{Fact, Limit, Part, Shape, State};
use super::pattern::{PatternLanguage, PatternRule};
use super::reader::{Kind, Reader, facts};

pub(super) const ROWS: &[Reader] = &[
    Reader {
        name: "typescript-sdk",
        shown: "the TypeScript SDK",
        kind: Kind::Sdk,
        versions: "1.32.2 and 2.4.0",
        is_current: true,
        about: "Clients with the TypeScript SDK, 1 or 2",
        parents: &[],
        own: facts! {
            Tried "2026-11" "1.32.2 and 2.4.0; inspector#987; mcp-js#117" {
                ListLost: Member(Shape::Tool, OPTIONAL_OF_TOOLS, State::Null),
                    Member(Shape::Tool, OPTIONAL_OF_TOOLS, State::OtherType),
                    Member(Shape::Tool, &["icons"], State::OutOfRange),
                    Member(Shape::ToolAnnotations, HINTS, State::Null),
                    Member(Shape::ToolAnnotations, HINTS, State::OtherType);
            }
            Tried "2026-11" "1.32.2 and 2.4.0; HiThink Financial-API#40; neuro-san#1341" {
                Hang: Member(Shape::Page, &["_meta"], State::Null),
                    Member(Shape::Page, &["_meta"], State::OtherType);
                ListLost: Member(Shape::Page, &["nextCursor"], State::Null),
                    Member(Shape::Page, &["nextCursor"], State::OtherType);
            }
            Public "2026-11" "HiThink Financial-API#40; neuro-san#1341" {
                ListLost: Member(Shape::Page, LISTS, State::Missing),
                    Member(Shape::Page, LISTS, State::Null),
                    Member(Shape::Page, LISTS, State::OtherType),
                    Member(Shape::Entry, REQUIRED_OF_ENTRIES, State::Missing),
                    Member(Shape::Entry, ALL_OF_ENTRIES, State::Null),
                    Member(Shape::Entry, ALL_OF_ENTRIES, State::OtherType),
                    Member(Shape::Entry, &["arguments", "icons", "annotations"], State::OutOfRange);
            }
            Tried "2026-11" "1.32.2 and 2.4.0; data-api-builder#3599; jupyter-mcp-server#184; kotlin-sdk#581" {
                Hang: Member(Shape::Result, &["_meta"], State::Null);
                ResultLost: Member(Shape::Block, &["annotations", "_meta"], State::Null),
                    Member(Shape::BlockAnnotations, &["audience", "priority", "lastModified"], State::OutOfRange),
                    Member(Shape::ResourceLink, LINKS, State::Null),
                    Member(Shape::ResourceLink, &["size"], State::OtherType),
                    Member(Shape::EmbeddedResource, &["mimeType"], State::Null);
            }
        },
    },
    Reader {
        name: "typescript-sdk-1",
        shown: "the TypeScript SDK 1",
        kind: Kind::Sdk,
        versions: "1.32.2",
        is_current: true,
        about: "Clients with the TypeScript SDK 1",
        parents: &["typescript-sdk"],
        own: facts! {
            Tried "2026-11" "1.32.2" {
                ListLost: OutputObject, NoBooleanProperties;
            }
            Tried "2026-11" "1.32.2, ajv's draft-07 class; agent-bundle#563; agent-bundle#580" {
                ResultLost: ReadsAs(Part::Output, Dialect::Draft7);
                ListLost: Patterns(Part::Output, PatternRule::new(PatternLanguage::EcmaUnicode));
            }
            Tried "2026-11" "1.32.2; repomix#833; tailscale-mcp#101; mcp-ts-core#241" {
                ResultLost: ChecksErrors;
            }
        },
    },
    Reader {
        name: "typescript-sdk-2",
        shown: "the TypeScript SDK 2",
        kind: Kind::Sdk,
        versions: "2.4.0",
        is_current: true,
        about: "Clients with the TypeScript SDK 2",
        parents: &["typescript-sdk"],
        own: facts! {
            Tried "2026-11" "2.4.0; Memoh#1306; claude-ai-mcp#859; claude-code#88128; agento#555" {
                ResultLost: Member(Shape::Result, &["resultType"], State::Missing);
                ListLost: Member(Shape::CachedPage, OF_CACHED_PAGES, State::Missing),
                    Member(Shape::CachedPage, OF_CACHED_PAGES, State::Null),
                    Member(Shape::CachedPage, OF_CACHED_PAGES, State::OtherType),
                    Member(Shape::CachedPage, OF_CACHED_PAGES, State::OutOfRange);
            }
        },
    },
    Reader {
        name: "python-sdk",
        shown: "the Python SDK",
        kind: Kind::Sdk,
        versions: "2.3.0",
        is_current: true,
        about: "Clients with the Python SDK",
        parents: &[],
        own: facts! {
            Tried "2026-11" "2.3.0" {
                ListLost: Member(Shape::Tool, OPTIONAL_OF_TOOLS, State::OtherType),
                    Member(Shape::Tool, &["icons", "outputSchema"], State::OutOfRange),
                    // It reads `"false"` as a boolean and `true` as a number.
                    Member(Shape::ToolAnnotations, &["title"], State::OtherType),
                    Member(Shape::Page, &["nextCursor", "_meta"], State::OtherType),
                    Member(Shape::CachedPage, OF_CACHED_PAGES, State::Missing),
                    Member(Shape::CachedPage, OF_CACHED_PAGES, State::Null),
                    Member(Shape::CachedPage, &["cacheScope", "resultType"], State::OtherType),
                    Member(Shape::CachedPage, &["ttlMs", "cacheScope"], State::OutOfRange);
                ResultLost: Member(Shape::Result, &["content", "resultType"], State::Missing),
                    Member(Shape::Result, &["content", "isError", "resultType"], State::Null),
                    Member(Shape::Result, &["content", "resultType", "_meta"], State::OtherType),
                    Member(Shape::Block, &["annotations", "_meta"], State::OtherType),
                    Member(Shape::BlockAnnotations, &["audience", "lastModified"], State::OtherType),
                    Member(Shape::BlockAnnotations, &["audience", "priority"], State::OutOfRange),
                    Member(Shape::ResourceLink, TEXTS_OF_LINKS, State::OtherType),
                    Member(Shape::ResourceLink, &["name", "uri"], State::Missing),
                    Member(Shape::EmbeddedResource, &["mimeType"], State::OtherType),
                    Patterns(Part::Output, PatternRule::new(PatternLanguage::Python));
            }
        },
    },
    Reader {
        name: "fastmcp",
        shown: "fastmcp",
        kind: Kind::Sdk,
        versions: "4.2.3",
        is_current: true,
        about: "Clients with fastmcp",
        parents: &["python-sdk"],
        own: &[],
    },
    Reader {
        name: "rmcp",
        shown: "rmcp",
        kind: Kind::Sdk,
        versions: "3.9.0",
        is_current: true,
        about: "Clients with the Rust SDK",
        parents: &[],
        own: facts! {
            // It reads an array as an object with its members.
            Tried "2026-11" "3.9.0; codex#41280" {
                ResultLost: Member(Shape::Result, &["content", "isError", "resultType"], State::OtherType),
                    Member(Shape::BlockAnnotations, &["audience", "priority", "lastModified"], State::OtherType),
                    Member(Shape::BlockAnnotations, &["audience"], State::OutOfRange),
                    Member(Shape::ResourceLink, &["name", "uri"], State::Missing),
                    Member(Shape::ResourceLink, &["title", "description", "mimeType", "size", "icons"], State::OtherType),
                    Member(Shape::ResourceLink, &["size", "icons"], State::OutOfRange),
                    Member(Shape::ResourceLink, &["size"], State::OtherSpelling),
                    Member(Shape::EmbeddedResource, &["mimeType"], State::OtherType);
            }
            Tried "2026-11" "3.9.0; codex#41437; hermes-agent#94992; envoyproxy/ai-gateway#2665" {
                ListLost: Member(Shape::Tool, &["title", "description", "icons"], State::OtherType),
                    Member(Shape::Tool, &["icons"], State::OutOfRange),
                    Member(Shape::ToolAnnotations, HINTS, State::OtherType),
                    Member(Shape::Page, &["nextCursor"], State::OtherType),
                    Member(Shape::CachedPage, OF_CACHED_PAGES, State::OtherType),
                    Member(Shape::CachedPage, &["cacheScope", "ttlMs"], State::OutOfRange),
                    Member(Shape::CachedPage, &["ttlMs"], State::OtherSpelling);
            }
        },
    },
    Reader {
        name: "go-sdk",
        shown: "clients in Go",
        kind: Kind::Sdk,
        versions: "of 2026",
        is_current: true,
        about: "Clients with the Go SDK and mcp-go",
        parents: &[],
        own: facts! {
            Public "2026-11" "picoclaw#2460; picoclaw#2579; mcpproxy-go#427" {
                Style: Member(Shape::Call, &["arguments"], State::Null);
            }
        },
    },
    Reader {
        name: "legacy",
        shown: "clients of 2025",
        kind: Kind::Sdk,
        versions: "2025 and earlier",
        is_current: false,
        about: "Clients and SDKs of 2025 and earlier",
        parents: &[],
        own: facts! {
            Documented "2025-11" "MCP 2025-11-25, server/tools and schema" {
                ListLost: OutputObject, NoBooleanProperties;
                MeaningLost: OneType;
                Style: NoOptionalNull;
            }
            Public "2025-11" "getsentry/sentry-mcp#106 and run-llama/llama_index#18784 (until May 2025)" {
                RequestRefused: Fact::Limit(Limit::Description(1_024));
            }
        },
    },
];

/// The optional members of a tool.
const OPTIONAL_OF_TOOLS: &[&str] = &[
    "title",
    "description",
    "icons",
    "outputSchema",
    "annotations",
    "execution",
    "_meta",
];
const HINTS: &[&str] = &[
    "title",
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
];
/// The members that are lists.
const LISTS: &[&str] = &["prompts", "resources", "resourceTemplates"];
const OF_CACHED_PAGES: &[&str] = &["ttlMs", "cacheScope", "resultType"];
const REQUIRED_OF_ENTRIES: &[&str] = &["name", "uri", "uriTemplate"];
/// The members of prompts, resources and templates of resources.
const ALL_OF_ENTRIES: &[&str] = &[
    "name",
    "uri",
    "uriTemplate",
    "prompts",
    "resources",
    "resourceTemplates",
    "title",
    "description",
    "arguments",
    "mimeType",
    "size",
    "icons",
    "annotations",
    "_meta",
];
/// The optional members of a resource link that are not numbers.
const TEXTS_OF_LINKS: &[&str] = &[
    "title",
    "description",
    "mimeType",
    "icons",
    "annotations",
    "_meta",
];
/// The optional members of a resource link.
const LINKS: &[&str] = &[
    "title",
    "description",
    "mimeType",
    "size",
    "icons",
    "annotations",
    "_meta",
];
