//! The APIs of model providers, and programs that serve models.

use toolsure_syntax::Dialect;

use super::fact::Fact::{
    AllRequired, ArrayItems, BareUnions, Closed, EnumScalars, EnumStrings, Formats, NoItemsArray,
    NoNumberBounds, NoRecursion, NoReferenceSiblings, NoUnionItems, Nullable, OneType, Patterns,
    PropertyNames, ReadsAs, ReferencesBelow, RootProperties, RootWithout, ToolName, TupleItems,
    Typed, UnionTypesInBranches, UnionsNotCombined,
};
use super::fact::{Fact, Keywords, Limit, NameRule, Part};
use super::pattern::{PatternLanguage, PatternRule};
use super::reader::{Kind, Reader, facts};

/// The providers to which most clients send requests.
pub(crate) const COMMON_PROVIDERS: &[&str] = &["openai", "anthropic"];

pub(super) const ROWS: &[Reader] = &[
    Reader {
        name: "openai",
        shown: "OpenAI",
        kind: Kind::Provider,
        versions: "Chat Completions and Responses, also of Azure",
        is_current: true,
        about: "OpenAI's function calling",
        parents: &[],
        own: facts! {
            Documented "2026-02" "platform.openai.com/docs/api-reference/chat/create" {
                RequestRefused: ToolName(PLAIN_64), Fact::Limit(Limit::Tools(128)), ArrayItems,
                    RootWithout(&["anyOf", "oneOf", "allOf", "not", "enum"]);
            }
            Public "2026-11" "smartbear-mcp#491; Dokploy/mcp#45; google-calendar-mcp#183; vercel/ai#16021; cline#14013; kilocode#12111; opencode#30553; langfuse#14770; litellm#40485" {
                RequestRefused: Patterns(Part::Input, PatternRule::new(PatternLanguage::Python).without_lookaround());
            }
            Public "2026-11" "playwright-mcp#1191; langchain-mcp-adapters#137; mcphost#88; xiaohongshu-mcp#677" {
                RequestRefused: RootProperties;
            }
            Public "2026-11" "fastcore#798; mcp-server-docker#25; hermes-agent#25846" {
                RequestRefused: TupleItems;
            }
        },
    },
    Reader {
        name: "openai-strict",
        shown: "OpenAI's strict mode",
        kind: Kind::Provider,
        versions: "`strict: true`",
        is_current: true,
        about: "OpenAI's function calling in strict mode",
        parents: &["openai"],
        own: facts! {
            Documented "2026-05" "platform.openai.com/docs/guides/structured-outputs; cyanheads/git-mcp-server#47" {
                RequestRefused: Fact::Limit(Limit::Properties(5_000)), Fact::Limit(Limit::Depth(10)),
                    Fact::Limit(Limit::EnumMembers(1_000)), Fact::Limit(Limit::EnumText(15_000)), Fact::Limit(Limit::Text(120_000)),
                    Fact::Keywords(Keywords::Without(OPENAI_STRICT_LACKS)), Formats(OPENAI_FORMATS), NoReferenceSiblings,
                    Closed, AllRequired, Patterns(Part::Input, PatternRule::new(PatternLanguage::Python).linear());
            }
        },
    },
    Reader {
        name: "anthropic",
        shown: "Anthropic",
        kind: Kind::Provider,
        versions: "Messages",
        is_current: true,
        about: "Anthropic's tool use",
        parents: &[],
        own: facts! {
            Documented "2026-09" "platform.claude.com/docs/en/agents-and-tools/tool-use; anthropics/claude-code#40075" {
                RequestRefused: ToolName(PLAIN_128), PropertyNames, RootWithout(&["anyOf", "oneOf", "allOf"]);
            }
            Public "2026-11" "hyperdx#2925; Dokploy/mcp#74; Dokploy/mcp#76; opencode#2082" {
                RequestRefused: ReadsAs(Part::Input, Dialect::Draft202012);
            }
        },
    },
    Reader {
        name: "anthropic-strict",
        shown: "Anthropic's strict mode",
        kind: Kind::Provider,
        versions: "`strict: true`",
        is_current: true,
        about: "Anthropic's tool use in strict mode",
        parents: &["anthropic"],
        own: facts! {
            Documented "2026-09" "platform.claude.com/docs/en/build-with-claude/structured-outputs; anthropics/anthropic-sdk-python#1185" {
                RequestRefused: Fact::Limit(Limit::StrictTools(20)), Fact::Limit(Limit::OptionalParameters(24)),
                    Fact::Limit(Limit::UnionParameters(16)), Fact::Limit(Limit::MinItems(1)), EnumScalars,
                    Fact::Keywords(Keywords::Without(ANTHROPIC_STRICT_LACKS)), Formats(ANTHROPIC_FORMATS), NoRecursion, Closed,
                    Patterns(Part::Input, PatternRule::new(PatternLanguage::EcmaUnicode).linear());
            }
        },
    },
    Reader {
        name: "gemini",
        shown: "Gemini",
        kind: Kind::Provider,
        versions: "`parameters` of a function declaration",
        is_current: true,
        about: "Gemini's function declarations",
        parents: &[],
        own: facts! {
            Documented "2026-09" "ai.google.dev/api/caching (Schema, that of `parameters`); pizza-bot-app/pizza-bot#62; hideya/langchain-mcp-tools-ts#36" {
                RequestRefused: Fact::Keywords(Keywords::Only(GEMINI_TAKES)), Formats(GEMINI_FORMATS), ArrayItems, OneType,
                    Nullable, NoUnionItems, BareUnions, Typed, EnumStrings,
                    Patterns(Part::Input, PatternRule::new(PatternLanguage::Re2).linear());
            }
            Public "2026-11" "cherry-studio#4087; cherry-studio#4088; void#961; DesktopCommanderMCP#79; gemini-cli#19083" {
                RequestRefused: ToolName(NameRule { longest: 64, letter_first: true, others: "_.:-" }),
                    Fact::Limit(Limit::Tools(512));
            }
        },
    },
    Reader {
        name: "kimi",
        shown: "Kimi",
        kind: Kind::Provider,
        versions: "Moonshot's API",
        is_current: true,
        about: "Moonshot's Kimi",
        parents: &[],
        own: facts! {
            Public "2026-11" "kimi-code#2661; kimi-code#792; kimi-cli#1595; kimi-cli#2061; GitNexus#2703; opencode#37496" {
                RequestRefused: UnionTypesInBranches, Typed, NoReferenceSiblings, ReferencesBelow("#/$defs/");
            }
        },
    },
    Reader {
        name: "xai",
        shown: "xAI",
        kind: Kind::Provider,
        versions: "Chat Completions",
        is_current: true,
        about: "xAI's Grok",
        parents: &[],
        own: facts! {
            Public "2026-11" "hermes-agent#20976" {
                RequestRefused: NoItemsArray;
            }
        },
    },
    Reader {
        name: "llama-cpp",
        shown: "llama.cpp",
        kind: Kind::Provider,
        versions: "grammars of 2026",
        is_current: true,
        about: "llama.cpp's grammars",
        parents: &[],
        own: facts! {
            Documented "2026-09" "ggml-org/llama.cpp/grammars/README.md" {
                MeaningLost: Fact::Keywords(Keywords::Without(LLAMA_CPP_LACKS)), Formats(LLAMA_CPP_FORMATS), UnionsNotCombined,
                    NoNumberBounds;
                RequestRefused: Patterns(Part::Input, PatternRule::new(PatternLanguage::Grammar).linear());
            }
            Public "2026-11" "llama.cpp#25746; llama.cpp#25923; llama.cpp#27087; llama.cpp#23902; firecrawl#4512; producer-pal#1074" {
                RequestRefused: Fact::Limit(Limit::Repetitions(2_000));
            }
        },
    },
    Reader {
        name: "lm-studio",
        shown: "LM Studio",
        kind: Kind::Provider,
        versions: "of 2026, with llama.cpp",
        is_current: true,
        about: "LM Studio",
        parents: &["llama-cpp"],
        own: facts! {
            Public "2026-11" "playwright-mcp#1191; mcphost#88; crawl4ai#2207" {
                RequestRefused: RootProperties;
            }
        },
    },
];

const PLAIN_64: NameRule = NameRule {
    longest: 64,
    letter_first: false,
    others: "_-",
};
const PLAIN_128: NameRule = NameRule {
    longest: 128,
    ..PLAIN_64
};
const OPENAI_STRICT_LACKS: &[&str] = &[
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "minProperties",
    "maxProperties",
    "prefixItems",
    "unevaluatedItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "default",
];
const OPENAI_FORMATS: &[&str] = &[
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];
const ANTHROPIC_STRICT_LACKS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "prefixItems",
    "unevaluatedItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
];
const ANTHROPIC_FORMATS: &[&str] = &[
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
];
const GEMINI_TAKES: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "propertyOrdering",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "anyOf",
    "default",
    "example",
];
const GEMINI_FORMATS: &[&str] = &["enum", "date-time", "float", "double", "int32", "int64"];
const LLAMA_CPP_LACKS: &[&str] = &[
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependentRequired",
    "patternProperties",
    "propertyNames",
    "prefixItems",
    "contains",
    "minContains",
    "maxContains",
    "uniqueItems",
    "multipleOf",
];
const LLAMA_CPP_FORMATS: &[&str] = &["date-time", "time", "date", "uuid"];
