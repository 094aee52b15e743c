//! The table of rules, with the check of each.

use super::check::Check::{self, Each, Engine, One, Text, Whole};
use super::profile::Profile;
use super::rule::{COUNT, Rule};
use super::rules::{
    admission, budget, defaults_and_examples, dialect, keywords, logic, noise, pattern, prose,
    provider, size, text, tool_object, types,
};
use super::severity::Severity::{Error, Note, Warning};

/// The rule with this code or name, ignoring case.
///
/// ```
/// use toolsure_analysis::lint::rule;
///
/// assert_eq!(rule("tl004").map(|rule| rule.name), Some("duplicate-key"));
/// assert_eq!(rule("duplicate-key").map(|rule| rule.code), Some("TL004"));
/// assert!(rule("TL000").is_none());
/// ```
#[must_use]
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES
        .iter()
        .find(|rule| rule.code.eq_ignore_ascii_case(code) || rule.name.eq_ignore_ascii_case(code))
}

impl Profile {
    /// The rules that its readers care about, including those that are on by default, ordered by code.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        RULES.iter().filter(|rule| self.has(rule))
    }
}

macro_rules! table {
    ($($code:literal $name:literal $severity:ident $on:ident, $check:expr;)+) => {
        /// All rules, ordered by code.
        pub static RULES: [Rule; COUNT] = [$(Rule {
            code: $code,
            name: $name,
            severity: $severity,
            page: include_str!(concat!("../../rules/", $code, ".md")),
            on_by_default: $on,
        }),+];

        /// The check of each rule.
        pub(super) static CHECKS: [Check; COUNT] = [$($check),+];
    };
}

const DEFAULT: bool = true;
const ASKED: bool = false;

table! {
    "TL001" "not-a-tool" Error DEFAULT, One(tool_object::is_tool);
    "TL002" "tool-name" Warning DEFAULT, One(tool_object::name);
    "TL003" "duplicate-name" Error DEFAULT, Whole(tool_object::duplicate_names);
    "TL004" "duplicate-key" Error DEFAULT, Text;
    "TL005" "misspelt-member" Warning DEFAULT, One(tool_object::members);
    "TL006" "no-description" Warning DEFAULT, One(tool_object::described);
    "TL007" "parameter-no-description" Warning DEFAULT, One(tool_object::parameters_described);
    "TL008" "nested-no-description" Note ASKED, Each(tool_object::nested_described);
    "TL009" "contradictory-hints" Warning DEFAULT, One(tool_object::hints);
    "TL010" "hint-type" Warning DEFAULT, One(tool_object::hint_types);
    "TL011" "unknown-hint" Note ASKED, One(tool_object::unknown_hints);
    "TL012" "no-annotations" Note ASKED, One(tool_object::annotated);
    "TL013" "header-annotation" Error DEFAULT, One(tool_object::headers);
    "TL014" "listing-size" Warning DEFAULT, Whole(size::listing);
    "TL015" "tool-size" Warning DEFAULT, One(size::tool);
    "TL016" "no-input-schema" Error DEFAULT, One(admission::schemas);
    "TL017" "root-type" Error DEFAULT, One(admission::root_type);
    "TL018" "argument-schema" Warning DEFAULT, One(admission::argument_schema);
    "TL020" "unsupported-dialect" Error DEFAULT, Text;
    "TL021" "dialect-mismatch" Warning DEFAULT, Each(dialect::mismatch);
    "TL022" "draft4-bound" Error DEFAULT, Text;
    "TL023" "tuple-items" Error DEFAULT, Text;
    "TL024" "external-ref" Error DEFAULT, Text;
    "TL025" "unresolved-ref" Error DEFAULT, Text;
    "TL026" "cyclic-ref" Error DEFAULT, Text;
    "TL027" "invalid-schema" Error DEFAULT, Engine(admission::compile);
    "TL028" "schema-limit" Error DEFAULT, Text;
    "TL029" "invalid-pattern" Error DEFAULT, Text;
    "TL030" "ref-siblings" Warning DEFAULT, Each(dialect::ref_siblings);
    "TL032" "misspelt-keyword" Error DEFAULT, Each(keywords::misspelt);
    "TL033" "nullable" Warning DEFAULT, Each(keywords::nullable);
    "TL034" "unknown-keyword" Note DEFAULT, Each(keywords::unknown);
    "TL035" "extension-keyword" Note ASKED, Each(keywords::extension);
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
    "TL051" "unused-definition" Note ASKED, One(logic::unused);
    "TL053" "pattern-matches-nothing" Error DEFAULT, Each(pattern::never);
    "TL054" "pattern-matches-all" Warning DEFAULT, Each(pattern::always);
    "TL055" "pattern-unanchored" Note DEFAULT, Each(pattern::unanchored);
    "TL056" "pattern-double-escaped" Warning DEFAULT, Each(pattern::double_escape);
    "TL057" "pattern-not-ecma" Warning DEFAULT, Each(pattern::not_ecma);
    "TL058" "unknown-format" Note DEFAULT, Each(pattern::unknown_format);
    "TL059" "misspelt-format" Warning DEFAULT, Each(pattern::misspelt_format);
    "TL060" "format-and-pattern" Note ASKED, Each(pattern::format_and_pattern);
    "TL061" "untyped-property" Note DEFAULT, Each(types::untyped);
    "TL062" "opaque-object" Note DEFAULT, Each(types::opaque);
    "TL063" "array-without-items" Warning DEFAULT, Each(types::no_items);
    "TL064" "integer-as-number" Note DEFAULT, Each(types::integer_as_number);
    "TL065" "default-in-prose" Note DEFAULT, Each(prose::default);
    "TL066" "enum-in-prose" Note DEFAULT, Each(prose::values);
    "TL067" "range-in-prose" Note DEFAULT, Each(prose::range);
    "TL068" "date-in-prose" Note DEFAULT, Each(prose::date);
    "TL069" "list-in-string" Note DEFAULT, Each(prose::list);
    "TL070" "json-in-string" Note DEFAULT, Each(prose::json);
    "TL071" "required-empty" Note ASKED, Each(noise::required_empty);
    "TL072" "title-noise" Note ASKED, One(noise::titles);
    "TL073" "safe-integer-bounds" Note ASKED, Each(noise::safe_integers);
    "TL074" "property-names-noise" Note ASKED, Each(noise::property_names);
    "TL075" "single-enum" Note ASKED, Each(noise::single_enum);
    "TL076" "single-branch" Note ASKED, Each(noise::single_branch);
    "TL077" "open-root" Note ASKED, Each(noise::open_root);
    "TL080" "root-choice" Warning DEFAULT, Each(provider::root_choice);
    "TL081" "provider-name" Warning ASKED, One(budget::name);
    "TL082" "property-name" Warning DEFAULT, Each(provider::property_names);
    "TL083" "description-length" Warning ASKED, One(budget::description);
    "TL084" "ref-siblings-openai" Warning ASKED, Each(provider::ref_siblings);
    "TL085" "type-array" Warning ASKED, Each(provider::type_array);
    "TL086" "optional-as-null" Note ASKED, Each(provider::optional_null);
    "TL087" "openai-keyword" Warning ASKED, Each(provider::openai_keywords);
    "TL088" "openai-closed" Note ASKED, Each(provider::openai_closed);
    "TL089" "anthropic-keyword" Warning ASKED, Each(provider::anthropic_keywords);
    "TL090" "recursive-schema" Warning ASKED, Each(provider::recursive);
    "TL091" "boolean-property" Warning DEFAULT, Each(provider::boolean_property);
    "TL092" "output-root" Warning DEFAULT, Each(provider::output_root);
    "TL093" "lookaround" Warning ASKED, Each(pattern::lookaround);
    "TL094" "openai-size" Warning ASKED, One(budget::schema);
    "TL095" "tool-count" Warning ASKED, Whole(budget::tools);
    "TL096" "combined-name" Warning ASKED, One(budget::combined_name);
    "TL097" "description-cut" Warning ASKED, One(budget::description);
    "TL098" "provider-format" Warning ASKED, Each(provider::formats);
    "TL099" "gemini-keyword" Warning ASKED, Each(provider::gemini_keywords);
    "TL100" "gemini-shape" Warning ASKED, Each(provider::gemini_shapes);
    "TL101" "anthropic-closed" Warning ASKED, Each(provider::anthropic_closed);
    "TL102" "strict-budget" Warning ASKED, Whole(budget::strict);
    "TL103" "llama-keyword" Note ASKED, Each(provider::llama_keywords);
    "TL104" "llama-pattern" Warning ASKED, Each(provider::llama_pattern);
    "TL110" "hidden-unicode" Warning DEFAULT, One(text::hidden);
    "TL111" "model-instruction" Warning DEFAULT, One(text::orders);
    "TL112" "backtracking-pattern" Warning DEFAULT, Each(pattern::backtracking);
    "TL113" "combinatorial-schema" Warning DEFAULT, Text;
    "TL114" "const-outside-enum" Error DEFAULT, Each(logic::const_outside_enum);
    "TL115" "overlapping-one-of" Warning DEFAULT, Each(logic::overlapping);
    "TL116" "repeated-subschema" Note ASKED, One(size::repeated);
    "TL117" "first-sentence" Note ASKED, One(text::first_sentence);
}
