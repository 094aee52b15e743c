//! The table of profiles: who reads a listing, which rules apply to it, with which limits, and the source
//! of each fact.
//!
//! [`PROFILES`] is composed of [`Subset`]s; a subset holds the facts about one reader with their source and
//! the month in which it was read. Rules ask the table for limits, keywords and formats, so a fact that
//! changes is changed only here.

use std::fmt;

use super::rule::Rule;
use Keywords::{All, Only, Without};
use Limit::{
    CombinedName, Depth, Description, EnumMembers, EnumText, Name, OptionalParameters, Properties,
    StrictTools, Text, Tools, UnionParameters,
};

macro_rules! table {
    (
        subsets { $($subset:ident $reader:literal on $on:literal off $off:literal limits [$($limit:expr),*]
            keywords $keywords:expr, formats $formats:expr, source $date:literal $source:literal;)+ }
        profiles { $($name:literal = [$($part:ident)+] $about:literal;)+ }
    ) => {
        $(const $subset: Subset = Subset {
            reader: $reader,
            codes: $on,
            off: $off,
            limits: &[$($limit),*],
            keywords: $keywords,
            formats: $formats,
            source: $source,
            date: $date,
        };)+

        /// All profiles.
        pub static PROFILES: &[Profile] = &[$(Profile {
            name: $name,
            about: $about,
            subsets: &[$($part),+],
        }),+];
    };
}

table! {
    subsets {
        OPENAI "OpenAI" on "TL063 TL080 TL081 TL095" off "" limits [Name(64), Tools(128)] keywords All, formats None,
            source "2026-02" "platform.openai.com/docs/api-reference/chat/create";
        OPENAI_STRICT "OpenAI's strict mode" on "TL084 TL087 TL088 TL093 TL094 TL098" off "TL065"
            limits [Properties(5_000), Depth(10), EnumMembers(1_000), EnumText(15_000), Text(120_000)]
            keywords Without(OPENAI_STRICT_LACKS), formats Some(OPENAI_FORMATS),
            source "2026-05" "platform.openai.com/docs/guides/structured-outputs; cyanheads/git-mcp-server#47";
        ANTHROPIC "Anthropic" on "TL080 TL081 TL082" off "" limits [Name(128)] keywords All, formats None,
            source "2026-09" "platform.claude.com/docs/en/agents-and-tools/tool-use; anthropics/claude-code#40075";
        ANTHROPIC_STRICT "Anthropic's strict mode" on "TL089 TL090 TL093 TL098 TL101 TL102" off "TL067"
            limits [StrictTools(20), OptionalParameters(24), UnionParameters(16)]
            keywords Without(ANTHROPIC_STRICT_LACKS), formats Some(ANTHROPIC_FORMATS),
            source "2026-09" "platform.claude.com/docs/en/build-with-claude/structured-outputs; anthropics/anthropic-sdk-python#1185";
        GEMINI "Gemini" on "TL063 TL081 TL085 TL093 TL098 TL099 TL100" off "TL033 TL034 TL068" limits [Name(64)]
            keywords Only(GEMINI_TAKES), formats Some(GEMINI_FORMATS),
            source "2026-09" "ai.google.dev/api/caching (Schema, that of `parameters`); pizza-bot-app/pizza-bot#62; hideya/langchain-mcp-tools-ts#36";
        VSCODE "VS Code" on "TL063 TL095" off "" limits [Tools(128)] keywords All, formats None,
            source "2026-07" "microsoft/vscode-copilot-release#13065; microsoft/vscode#284536";
        CURSOR "Cursor" on "TL095 TL096" off "" limits [Tools(40), CombinedName(58)] keywords All, formats None,
            source "2026-02" "docs.cursor.com/context/model-context-protocol; Snowflake-Labs/mcp#77 (80 tools in later versions); ComposioHQ/composio#2788";
        CLAUDE_CODE "Claude Code" on "TL096 TL097" off "" limits [Description(2_048), CombinedName(121)] keywords All, formats None,
            source "2026-08" "anthropics/claude-code#87650; names are `mcp__SERVER__TOOL`, at most the 128 characters of Anthropic";
        LLAMA_CPP "llama.cpp" on "TL103 TL104" off "" limits [] keywords Without(LLAMA_CPP_LACKS), formats Some(LLAMA_CPP_FORMATS),
            source "2026-09" "ggml-org/llama.cpp/grammars/README.md";
        LEGACY "clients of 2025" on "TL083 TL085 TL086 TL091 TL092" off "" limits [Description(1_024)] keywords All, formats None,
            source "2025-11" "MCP 2025-11-25, server/tools; getsentry/sentry-mcp#106 and run-llama/llama_index#18784 (descriptions, until May 2025)";
        STYLE "any reader" on "TL008 TL011 TL012 TL035 TL051 TL060 TL071 TL072 TL073 TL074 TL075 TL076 TL077 TL085 TL086 TL093 TL116 TL117" off ""
            limits [] keywords All, formats None, source "2026-11" "the listings of 266 published servers";
    }
    profiles {
        "openai" = [OPENAI] "OpenAI's function calling";
        "openai-strict" = [OPENAI OPENAI_STRICT] "OpenAI's function calling in strict mode";
        "anthropic" = [ANTHROPIC] "Anthropic's tool use";
        "anthropic-strict" = [ANTHROPIC ANTHROPIC_STRICT] "Anthropic's tool use in strict mode";
        "gemini" = [GEMINI] "Gemini's function declarations";
        "vscode" = [VSCODE] "VS Code with Copilot";
        "cursor" = [CURSOR] "Cursor";
        "claude-code" = [CLAUDE_CODE ANTHROPIC] "Claude Code";
        "llama-cpp" = [LLAMA_CPP] "llama.cpp's grammars";
        "clients" = [OPENAI ANTHROPIC VSCODE CURSOR CLAUDE_CODE] "Problems in any current client";
        "legacy" = [LEGACY] "Clients and SDKs of 2025 and earlier";
        "strict" = [STYLE] "Whatever could be clearer or shorter";
    }
}

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

/// A reader or a purpose that rules can be turned on for; see [`PROFILES`].
///
/// ```
/// use toolsure_analysis::lint::{Linter, profile};
///
/// let gemini = profile("gemini").unwrap();
/// assert!(gemini.rules().any(|rule| rule.name == "gemini-keyword"));
/// let tool = r#"{"name": "t", "inputSchema": {"type": "object",
///     "properties": {"n": {"type": "integer", "exclusiveMinimum": 0}}}}"#;
/// let report = Linter::only(gemini).lint([tool]);
/// assert_eq!(report.findings[0].rule.code, "TL099");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Profile {
    /// The name on the command line, such as `openai-strict`.
    pub name: &'static str,
    /// Who the reader is, in a few words.
    pub about: &'static str,
    /// The subsets that it consists of.
    pub subsets: &'static [Subset],
}

/// The rules and facts of one reader.
///
/// ```
/// use toolsure_analysis::lint::{Limit, profile};
///
/// let gemini = profile("gemini").unwrap().subsets.first().unwrap();
/// assert!(gemini.has("TL099") && gemini.turns_off("TL033"));
/// let longest = gemini.limit(|limit| match limit {
///     Limit::Name(most) => Some(most),
///     _ => None,
/// });
/// assert_eq!(longest, Some(64));
/// assert!(gemini.keywords.has("minimum") && !gemini.keywords.has("exclusiveMinimum"));
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Subset {
    /// The reader as messages name it.
    pub reader: &'static str,
    /// The codes of the rules that matter to the reader, on by default or not, separated by spaces.
    pub codes: &'static str,
    /// The codes of the rules that it turns off because the reader rejects their advice, separated by
    /// spaces.
    pub off: &'static str,
    /// The reader's limits.
    pub limits: &'static [Limit],
    /// The keywords that the reader accepts and enforces in an input schema.
    pub keywords: Keywords,
    /// The values of `format` that the reader accepts and enforces; `None` if any.
    pub formats: Option<&'static [&'static str]>,
    /// The sources: pages, or issues of public repositories as `OWNER/NAME#NUMBER`, separated by `; `.
    pub source: &'static str,
    /// The year and month of the newest source.
    pub date: &'static str,
}

/// The keywords that a reader supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a list names what is in or what is out, or there is none"
)]
pub enum Keywords {
    /// All keywords.
    All,
    /// All keywords except these.
    Without(&'static [&'static str]),
    /// Only these keywords.
    Only(&'static [&'static str]),
}

/// A limit of a reader. Lengths of strings are in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The maximum length of a tool's name.
    Name(usize),
    /// The maximum length of the names of a server and a tool together.
    CombinedName(usize),
    /// The number of tools of all servers together.
    Tools(usize),
    /// The maximum length of a tool's description.
    Description(usize),
    /// The number of properties of a schema.
    Properties(usize),
    /// The number of levels of nested properties of a schema.
    Depth(usize),
    /// The number of members of all `enum`s of a schema.
    EnumMembers(usize),
    /// The length of all strings of one `enum` that has more than 250 members.
    EnumText(usize),
    /// The length of all names of properties and definitions, and of all `enum` and `const` values, of a
    /// schema.
    Text(usize),
    /// The number of tools in a request in strict mode.
    StrictTools(usize),
    /// The number of parameters of all tools in a request that are not required.
    OptionalParameters(usize),
    /// The number of parameters of all tools in a request that have an `anyOf` or several types.
    UnionParameters(usize),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name(most) => write!(f, "names of {most} characters"),
            CombinedName(most) => write!(f, "{most} characters for server and tool"),
            Tools(most) => write!(f, "{most} tools"),
            Description(most) => write!(f, "descriptions of {most} characters"),
            Properties(most) => write!(f, "{most} properties"),
            Depth(most) => write!(f, "{most} levels of properties"),
            EnumMembers(most) => write!(f, "{most} enum members"),
            EnumText(most) => write!(f, "{most} characters in an enum of over 250 members"),
            Text(most) => write!(f, "{most} characters of names and values"),
            StrictTools(most) => write!(f, "{most} strict tools"),
            OptionalParameters(most) => write!(f, "{most} optional parameters"),
            UnionParameters(most) => write!(f, "{most} parameters of several types"),
        }
    }
}

/// The profile with this name, ignoring case.
///
/// ```
/// use toolsure_analysis::lint::profile;
///
/// assert_eq!(profile("OpenAI-Strict").map(|profile| profile.name), Some("openai-strict"));
/// assert!(profile("nobody").is_none());
/// ```
#[must_use]
pub fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES
        .iter()
        .find(|profile| profile.name.eq_ignore_ascii_case(name))
}

impl Profile {
    /// Whether a rule is one of [`rules`](Self::rules).
    ///
    /// ```
    /// use toolsure_analysis::lint::{profile, rule};
    ///
    /// let gemini = profile("gemini").unwrap();
    /// assert!(gemini.has(rule("gemini-keyword").unwrap()));
    /// assert!(!gemini.has(rule("duplicate-key").unwrap()));
    /// ```
    #[must_use]
    pub fn has(&self, rule: &Rule) -> bool {
        self.subsets.iter().any(|subset| subset.has(rule.code))
    }
}

impl Rule {
    /// The readers that the rule matters to, each once, with their limits and sources; none for a rule that
    /// matters to all.
    ///
    /// ```
    /// use toolsure_analysis::lint::rule;
    ///
    /// assert!(rule("gemini-keyword").unwrap().readers().any(|subset| subset.reader == "Gemini"));
    /// assert_eq!(rule("duplicate-key").unwrap().readers().count(), 0);
    /// ```
    pub fn readers(&self) -> impl Iterator<Item = &'static Subset> {
        let mut seen: Vec<&str> = Vec::new();
        let all = PROFILES.iter().flat_map(|profile| profile.subsets);
        let own: Vec<&'static Subset> = all.filter(|subset| subset.has(self.code)).collect();
        own.into_iter().filter(move |subset| {
            let new = !seen.contains(&subset.reader);
            seen.push(subset.reader);
            new
        })
    }
}

impl Subset {
    /// Whether the rule with this code matters to the reader.
    #[must_use]
    pub fn has(&self, code: &str) -> bool {
        self.codes.split(' ').any(|one| one == code)
    }

    /// Whether the rule with this code is off for the reader.
    #[must_use]
    pub fn turns_off(&self, code: &str) -> bool {
        self.off.split(' ').any(|one| one == code)
    }

    /// The first limit of a kind: `subset.limit(|limit| match limit { Limit::Name(most) => Some(most), _ => None })`.
    pub fn limit(&self, kind: impl Fn(Limit) -> Option<usize>) -> Option<usize> {
        self.limits.iter().copied().find_map(kind)
    }
}

impl Keywords {
    /// Whether a keyword is in the set.
    #[must_use]
    pub fn has(self, keyword: &str) -> bool {
        match self {
            Self::All => true,
            Self::Without(lacks) => !lacks.contains(&keyword),
            Self::Only(takes) => takes.contains(&keyword),
        }
    }
}
