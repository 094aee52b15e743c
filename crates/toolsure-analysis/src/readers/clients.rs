//! Programs that people use with MCP servers, and the catalogues that admit servers.

use toolsure_syntax::Dialect;

use super::fact::Fact::{
    ArrayItems, Declares, Patterns, RootProperties, RootWithout, ToolMember, ToolName, TupleItems,
};
use super::fact::{Fact, Limit, NameRule, Part};
use super::pattern::{PatternLanguage, PatternRule};
use super::reader::{Kind, Reader, facts};

pub(super) const ROWS: &[Reader] = &[
    Reader {
        name: "claude-code",
        shown: "Claude Code",
        kind: Kind::Client,
        versions: "since August 2026",
        is_current: true,
        about: "Claude Code",
        parents: &["typescript-sdk-2", "anthropic"],
        own: facts! {
            Public "2026-08" "anthropics/claude-code#87650" {
                MeaningLost: Fact::Limit(Limit::Description(2_048));
            }
            // `mcp__SERVER__TOOL`, at most the 128 characters of Anthropic.
            Documented "2026-09" "platform.claude.com/docs/en/agents-and-tools/tool-use (names are `mcp__SERVER__TOOL`)" {
                RequestRefused: Fact::Limit(Limit::CombinedName(121));
            }
            Tried "2026-11" "TypeScript client 2.0.0-beta.1, .3 and .5; claude-code#86142; claude-code#88882; claude-code#90549; mongodb-mcp-server#1427" {
                ToolLost: Declares(Part::Output, Dialect::Draft202012);
            }
            Public "2026-11" "claude-code#95504; claude-code#88049; adcp#6682" {
                ToolLost: RootWithout(ROOT_APPLICATORS);
            }
        },
    },
    Reader {
        name: "claude-desktop",
        shown: "Claude Desktop",
        kind: Kind::Client,
        versions: "since August 2026",
        is_current: true,
        about: "Claude Desktop and claude.ai",
        parents: &["typescript-sdk-2", "anthropic"],
        own: facts! {
            Tried "2026-11" "TypeScript client 2.0.0-beta.1, .3 and .5; claude-code#86142; anki-mcp-server#53; mcp-freescout#73" {
                ToolLost: Declares(Part::Output, Dialect::Draft202012);
            }
        },
    },
    Reader {
        name: "cursor",
        shown: "Cursor",
        kind: Kind::Client,
        versions: "since September 2025",
        is_current: true,
        about: "Cursor",
        parents: &["typescript-sdk-1"],
        own: facts! {
            Documented "2026-11" "docs.cursor.com/context/model-context-protocol; Snowflake-Labs/mcp#77" {
                MeaningLost: Fact::Limit(Limit::Tools(80));
            }
            Public "2026-02" "ComposioHQ/composio#2788" {
                ToolLost: Fact::Limit(Limit::CombinedName(58));
            }
        },
    },
    Reader {
        name: "vscode",
        shown: "VS Code",
        kind: Kind::Client,
        versions: "Copilot of 2026",
        is_current: true,
        about: "VS Code with Copilot",
        parents: &[],
        own: facts! {
            Public "2026-07" "microsoft/vscode-copilot-release#13065; microsoft/vscode#284536" {
                RequestRefused: ArrayItems;
                MeaningLost: Fact::Limit(Limit::Tools(128));
            }
            Public "2026-11" "vscode#294055; vscode#299035; copilot-cli#1825" {
                RequestRefused: TupleItems, RootProperties;
            }
            Public "2026-11" "smartbear-mcp#491; vercel/ai#16021 (requests reach OpenAI)" {
                RequestRefused: Patterns(Part::Input, PatternRule::new(PatternLanguage::Python).without_lookaround());
            }
        },
    },
    Reader {
        name: "copilot-cli",
        shown: "Copilot CLI",
        kind: Kind::Client,
        versions: "of 2026",
        is_current: true,
        about: "GitHub Copilot CLI",
        parents: &[],
        own: facts! {
            Public "2026-11" "copilot-cli#1825; mcp-server-docker#40" {
                RequestRefused: RootProperties, ArrayItems, TupleItems;
            }
        },
    },
    Reader {
        name: "codex",
        shown: "Codex",
        kind: Kind::Client,
        versions: "with rmcp 3.1.3",
        is_current: true,
        about: "OpenAI's Codex",
        parents: &["rmcp"],
        own: &[],
    },
    Reader {
        name: "gemini-cli",
        shown: "Gemini CLI",
        kind: Kind::Client,
        versions: "of 2026",
        is_current: true,
        about: "Gemini CLI",
        parents: &[],
        own: facts! {
            Public "2026-11" "gemini-cli#19083; gemini-cli#2966" {
                RequestRefused: Fact::Limit(Limit::Tools(512)),
                    ToolName(NameRule { longest: 64, letter_first: true, others: "_.:-" });
            }
        },
    },
    Reader {
        name: "antigravity",
        shown: "Antigravity",
        kind: Kind::Client,
        versions: "of 2026",
        is_current: true,
        about: "Google's Antigravity",
        parents: &[],
        own: facts! {
            // `mcp_SERVER_TOOL` has at most 64 characters.
            Public "2026-11" "ha-mcp#420; elementor-mcp#37; cocos-mcp-server#11" {
                ServerRefused: Fact::Limit(Limit::Tools(100));
                ToolLost: Fact::Limit(Limit::CombinedName(59));
            }
        },
    },
    Reader {
        name: "claude-directory",
        shown: "the Claude Connectors Directory",
        kind: Kind::Directory,
        versions: "also reviews of ChatGPT apps",
        is_current: true,
        about: "The requirements of connector directories and app reviews",
        parents: &[],
        own: facts! {
            Public "2026-11" "jobseek#1064; kody#2324; compiler-explorer#8697; MCPJam#4120; MCPJam#4229" {
                ServerRefused: ToolMember(&["title"]), ToolMember(&["description"]),
                    ToolMember(&["readOnlyHint", "destructiveHint"]),
                    ToolName(NameRule { longest: 64, letter_first: false, others: "_.-" });
            }
        },
    },
];

/// What Claude Code does not take at the root: a union, a conjunction, a condition.
const ROOT_APPLICATORS: &[&str] = &[
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "dependentRequired",
    "dependentSchemas",
];
