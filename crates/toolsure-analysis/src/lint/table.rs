//! The table of rules, with the check of each.

use super::check::Check::{self, Each, Engine, One, Page, Text, Whole};
use super::profile::Profile;
use super::rule::Rule;
use super::rules::{
    admission, budget, defaults_and_examples, dialect, keywords, logic, members, noise, pattern,
    prose, provider, size, text, tool_object, types,
};
use super::severity::Severity::{Error, Note, Warning};
use crate::readers::{Consequence, Fact, Keywords, Limit, Part, Reader, Shape};

/// The rule with this code or name, ignoring case.
///
/// ```
/// use toolsure_analysis::lint::rule;
///
/// assert_eq!(rule("tl004").map(|rule| rule.name), Some("duplicate-key"));
/// assert_eq!(rule("duplicate-key").map(|rule| rule.code), Some("TL004"));
/// assert!(rule("TL000").is_none());
///
/// // Rules about one provider have become rules about all readers with such a fact.
/// assert_eq!(rule("TL099").map(|rule| rule.code), Some("TL087"));
/// assert_eq!(rule("gemini-keyword").map(|rule| rule.code), Some("TL087"));
/// ```
#[must_use]
pub fn rule(code: &str) -> Option<&'static Rule> {
    let is = |word: &str| word.eq_ignore_ascii_case(code);
    let renamed = RENAMED.iter().find(|(old, _)| old.split(' ').any(is));
    let code = renamed.map_or(code, |(_, new)| new);
    RULES
        .iter()
        .find(|rule| rule.code.eq_ignore_ascii_case(code) || rule.name.eq_ignore_ascii_case(code))
}

/// Codes and names until November 2026, when a rule was about one reader, and the rule that took them over.
const RENAMED: [(&str, &str); 9] = [
    ("hint-type", "TL010"),
    ("TL097 description-cut", "TL083"),
    ("ref-siblings-openai", "TL084"),
    (
        "TL099 TL103 openai-keyword gemini-keyword llama-keyword",
        "TL087",
    ),
    ("TL101 openai-closed anthropic-closed", "TL088"),
    ("anthropic-keyword", "TL089"),
    ("TL104 lookaround llama-pattern", "TL093"),
    ("openai-size", "TL094"),
    ("gemini-shape", "TL100"),
];

/// Whether a reader has keywords of its own, so that others than those of JSON Schema are no mistake.
fn has_own_keywords(reader: &'static Reader) -> bool {
    let only = |fact: &Fact| matches!(fact, Fact::Keywords(Keywords::Only(_))).then_some(());
    reader.pick(only).next().is_some()
}

impl Profile {
    /// The rules that its readers care about, including those that are on by default, ordered by code.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        RULES.iter().filter(|rule| self.has(rule))
    }
}

macro_rules! table {
    ($($code:literal $name:literal $severity:ident $on:ident, $check:expr
        $(, breaks($breaks:pat))? $(, costs $costs:ident)? $(, unless $refused:expr)?;)+) => {
        /// All rules, ordered by code.
        pub static RULES: [Rule; COUNT] = [$(Rule {
            code: $code,
            name: $name,
            severity: $severity,
            page: include_str!(concat!("../../rules/", $code, ".md")),
            on_by_default: matches!($on, On::Default),
            costs: [$(Some(Consequence::$costs),)? None][0],
            is_style: matches!($on, On::Style),
            breaks: |_fact| false$( || matches!(_fact, $breaks))?,
            advice_refused: |_reader| false$( || $refused(_reader))?,
        }),+];

        /// The number of rules.
        pub(super) const COUNT: usize = [$($code),+].len();

        /// The check of each rule.
        pub(super) static CHECKS: [Check; COUNT] = [$($check),+];
    };
}

/// When a rule is on.
enum On {
    /// Unless a profile turns it off.
    Default,
    /// With the profile `strict`, and those of readers that it is about.
    Style,
    /// With the profiles of readers that it is about.
    Asked,
}
use On::{Asked as ASKED, Default as DEFAULT, Style as STYLE};

table! {
    "TL001" "not-a-tool" Error DEFAULT, One(tool_object::is_tool), costs ToolLost;
    "TL002" "tool-name" Warning DEFAULT, One(tool_object::name);
    "TL003" "duplicate-name" Error DEFAULT, Whole(tool_object::duplicate_names);
    "TL004" "duplicate-key" Error DEFAULT, Text, costs ToolLost;
    "TL005" "misspelt-member" Warning DEFAULT, One(tool_object::members);
    "TL006" "no-description" Warning DEFAULT, One(tool_object::described);
    "TL007" "parameter-no-description" Warning DEFAULT, Whole(tool_object::parameters_described);
    "TL008" "nested-no-description" Note STYLE, Each(tool_object::nested_described);
    "TL009" "contradictory-hints" Warning DEFAULT, One(tool_object::hints);
    "TL010" "malformed-member" Error DEFAULT, One(members::of_tool), breaks(Fact::Member(Shape::Tool | Shape::ToolAnnotations, ..));
    "TL011" "unknown-hint" Note STYLE, One(tool_object::unknown_hints);
    "TL012" "no-annotations" Note STYLE, One(tool_object::annotated);
    "TL013" "header-annotation" Error DEFAULT, One(tool_object::headers);
    "TL014" "listing-size" Warning DEFAULT, Whole(size::listing);
    "TL015" "tool-size" Warning DEFAULT, One(size::tool);
    "TL016" "no-input-schema" Error DEFAULT, One(admission::schemas), costs ToolLost;
    "TL017" "root-type" Error DEFAULT, One(admission::root_type), costs ToolLost;
    "TL018" "argument-schema" Warning DEFAULT, One(admission::argument_schema);
    "TL020" "unsupported-dialect" Error DEFAULT, Text, costs ToolLost;
    "TL021" "dialect-mismatch" Warning DEFAULT, Each(dialect::mismatch);
    "TL022" "draft4-bound" Error DEFAULT, Text, costs ToolLost;
    "TL023" "tuple-items" Error DEFAULT, Text, costs ToolLost;
    "TL024" "external-ref" Error DEFAULT, Text, costs ToolLost;
    "TL025" "unresolved-ref" Error DEFAULT, Text, costs ToolLost;
    "TL026" "cyclic-ref" Error DEFAULT, Text, costs ToolLost;
    "TL027" "invalid-schema" Error DEFAULT, Engine(admission::compile), costs ToolLost;
    "TL028" "schema-limit" Error DEFAULT, Text, costs ToolLost;
    "TL029" "invalid-pattern" Error DEFAULT, Text, costs ToolLost;
    "TL030" "ref-siblings" Warning DEFAULT, Each(dialect::ref_siblings);
    "TL032" "misspelt-keyword" Error DEFAULT, Each(keywords::misspelt);
    "TL033" "nullable" Warning DEFAULT, Each(keywords::nullable), unless |reader: &'static Reader| reader.has(Fact::Nullable);
    "TL034" "unknown-keyword" Note DEFAULT, Each(keywords::unknown), unless |reader: &'static Reader| has_own_keywords(reader);
    "TL035" "extension-keyword" Note STYLE, Each(keywords::extension);
    "TL036" "inapplicable-keyword" Warning DEFAULT, Each(keywords::inapplicable);
    "TL040" "empty-range" Error DEFAULT, Each(logic::ranges);
    "TL041" "empty-enum" Error DEFAULT, Each(logic::empty_enum);
    "TL042" "enum-type" Warning DEFAULT, Each(logic::enum_types);
    "TL043" "duplicate-member" Warning DEFAULT, Each(logic::duplicate_members);
    "TL044" "required-forbidden" Error DEFAULT, Each(logic::required_forbidden);
    "TL045" "required-undeclared" Warning DEFAULT, Each(logic::required_undeclared);
    "TL046" "default-invalid" Warning DEFAULT, One(defaults_and_examples::defaults);
    "TL047" "example-invalid" Warning DEFAULT, One(defaults_and_examples::examples);
    "TL048" "default-on-required" Note DEFAULT, Each(logic::default_on_required);
    "TL049" "anyof-accepts-all" Note DEFAULT, Each(logic::accepts_all);
    "TL050" "duplicate-branch" Warning DEFAULT, Each(logic::duplicate_branches);
    "TL051" "unused-definition" Note STYLE, One(logic::unused);
    "TL053" "pattern-matches-nothing" Error DEFAULT, Each(pattern::never);
    "TL054" "pattern-matches-all" Warning DEFAULT, Each(pattern::always);
    "TL055" "pattern-unanchored" Note DEFAULT, Each(pattern::unanchored);
    "TL056" "pattern-double-escaped" Warning DEFAULT, Each(pattern::double_escape);
    "TL057" "pattern-not-ecma" Warning DEFAULT, Each(pattern::not_ecma);
    "TL058" "unknown-format" Note DEFAULT, Each(pattern::unknown_format);
    "TL059" "misspelt-format" Warning DEFAULT, Each(pattern::misspelt_format);
    "TL060" "format-and-pattern" Note STYLE, Each(pattern::format_and_pattern);
    "TL061" "untyped-property" Note DEFAULT, Each(types::untyped);
    "TL062" "opaque-object" Note DEFAULT, Each(types::opaque);
    "TL063" "array-without-items" Error DEFAULT, Each(types::no_items), breaks(Fact::ArrayItems);
    "TL064" "integer-as-number" Note DEFAULT, Each(types::integer_as_number);
    "TL065" "default-in-prose" Note DEFAULT, Each(prose::default), unless |reader: &'static Reader| !reader.takes_keyword("default");
    "TL066" "enum-in-prose" Note DEFAULT, Each(prose::values);
    "TL067" "range-in-prose" Note DEFAULT, Each(prose::range), unless |reader: &'static Reader| !reader.takes_keyword("minimum");
    "TL068" "date-in-prose" Note DEFAULT, Each(prose::date), unless |reader: &'static Reader| !reader.takes_format("date");
    "TL069" "list-in-string" Note DEFAULT, Each(prose::list);
    "TL070" "json-in-string" Note DEFAULT, Each(prose::json);
    "TL071" "required-empty" Note STYLE, Each(noise::required_empty);
    "TL072" "title-noise" Note STYLE, One(noise::titles);
    "TL073" "safe-integer-bounds" Note STYLE, Each(noise::safe_integers);
    "TL074" "property-names-noise" Note STYLE, Each(noise::property_names);
    "TL075" "single-enum" Note STYLE, Each(noise::single_enum);
    "TL076" "single-branch" Note STYLE, Each(noise::single_branch);
    "TL077" "open-root" Note STYLE, Each(noise::open_root);
    "TL080" "root-choice" Error DEFAULT, Each(provider::root_choice), breaks(Fact::RootWithout(_));
    "TL081" "provider-name" Error ASKED, One(budget::name), breaks(Fact::ToolName(_));
    "TL082" "property-name" Error DEFAULT, Each(provider::property_names), breaks(Fact::PropertyNames);
    "TL083" "description-length" Error ASKED, One(budget::description), breaks(Fact::Limit(Limit::Description(_)));
    "TL084" "provider-reference" Error ASKED, Each(provider::references), breaks(Fact::NoReferenceSiblings | Fact::ReferencesBelow(_));
    "TL085" "type-array" Error STYLE, Each(provider::type_array), breaks(Fact::OneType);
    "TL086" "optional-as-null" Note STYLE, Each(provider::optional_null), breaks(Fact::NoOptionalNull);
    "TL087" "provider-keyword" Error ASKED, Each(provider::keywords), breaks(Fact::Keywords(_));
    "TL088" "closed-object" Error ASKED, Each(provider::closed), breaks(Fact::Closed | Fact::AllRequired);
    "TL089" "provider-value" Error ASKED, Each(provider::values), breaks(Fact::EnumStrings | Fact::EnumScalars | Fact::NoNumberBounds | Fact::Limit(Limit::MinItems(_) | Limit::Repetitions(_)));
    "TL090" "recursive-schema" Error ASKED, Each(provider::recursive), breaks(Fact::NoRecursion);
    "TL091" "boolean-property" Error DEFAULT, Each(provider::boolean_property), breaks(Fact::NoBooleanProperties);
    "TL092" "output-root" Error DEFAULT, Each(provider::output_root), breaks(Fact::OutputObject);
    "TL093" "provider-pattern" Error ASKED, Each(pattern::provider), breaks(Fact::Patterns(Part::Input, _));
    "TL094" "schema-budget" Error ASKED, One(budget::schema), breaks(Fact::Limit(Limit::Properties(_) | Limit::Depth(_) | Limit::EnumMembers(_) | Limit::EnumText(_) | Limit::Text(_)));
    "TL095" "tool-count" Error ASKED, Whole(budget::tools), breaks(Fact::Limit(Limit::Tools(_)));
    "TL096" "combined-name" Error ASKED, One(budget::combined_name), breaks(Fact::Limit(Limit::CombinedName(_)));
    "TL098" "provider-format" Error ASKED, Each(provider::formats), breaks(Fact::Formats(_));
    "TL100" "provider-shape" Error ASKED, Each(provider::shapes), breaks(Fact::Typed | Fact::BareUnions | Fact::UnionsNotCombined | Fact::UnionTypesInBranches | Fact::NoUnionItems);
    "TL102" "strict-budget" Error ASKED, Whole(budget::strict), breaks(Fact::Limit(Limit::StrictTools(_) | Limit::OptionalParameters(_) | Limit::UnionParameters(_)));
    "TL105" "root-without-properties" Error DEFAULT, Each(provider::root_properties), breaks(Fact::RootProperties);
    "TL106" "tuple" Error DEFAULT, Each(types::tuples), breaks(Fact::TupleItems | Fact::NoItemsArray);
    "TL107" "read-as-another-dialect" Error ASKED, Each(dialect::read_as), breaks(Fact::ReadsAs(..) | Fact::Declares(..));
    "TL108" "directory-member" Error ASKED, One(tool_object::required_members), breaks(Fact::ToolMember(_));
    "TL109" "name-characters" Error DEFAULT, One(text::name_characters), costs ToolLost;
    "TL110" "hidden-unicode" Warning DEFAULT, One(text::hidden);
    "TL111" "model-instruction" Warning DEFAULT, One(text::orders);
    "TL112" "backtracking-pattern" Warning DEFAULT, Each(pattern::backtracking);
    "TL113" "combinatorial-schema" Warning DEFAULT, Text;
    "TL114" "const-outside-enum" Error DEFAULT, Each(logic::const_outside_enum);
    "TL115" "overlapping-one-of" Warning DEFAULT, Each(logic::overlapping);
    "TL116" "repeated-subschema" Note STYLE, One(size::repeated);
    "TL117" "first-sentence" Note STYLE, One(text::first_sentence);
    "TL118" "malformed-page" Error DEFAULT, Page(members::of_page), breaks(Fact::Member(Shape::Page | Shape::CachedPage, ..));
    "TL119" "malformed-entry" Error DEFAULT, Page(members::of_entries), breaks(Fact::Member(Shape::Entry, ..));
    "TL120" "differs-in-case" Error DEFAULT, One(members::case);
}
