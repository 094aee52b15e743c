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
/// use toolgate_analysis::lint::rule;
///
/// assert_eq!(rule("tg004").map(|rule| rule.name), Some("duplicate-key"));
/// assert_eq!(rule("duplicate-key").map(|rule| rule.code), Some("TG004"));
/// assert!(rule("TG000").is_none());
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
        pub static RULES: [Rule; 103] = [$(Rule {
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
    "TG001" "not-a-tool" Error DEFAULT, One(tool_object::is_tool);
    "TG002" "tool-name" Warning DEFAULT, One(tool_object::name);
    "TG003" "duplicate-name" Error DEFAULT, Whole(tool_object::duplicate_names);
    "TG004" "duplicate-key" Error DEFAULT, Text;
    "TG005" "misspelt-member" Warning DEFAULT, One(tool_object::members);
    "TG006" "no-description" Warning DEFAULT, One(tool_object::described);
    "TG007" "parameter-no-description" Warning DEFAULT, One(tool_object::parameters_described);
    "TG008" "nested-no-description" Note ASKED, Each(tool_object::nested_described);
    "TG009" "contradictory-hints" Warning DEFAULT, One(tool_object::hints);
    "TG010" "hint-type" Warning DEFAULT, One(tool_object::hint_types);
    "TG011" "unknown-hint" Note ASKED, One(tool_object::unknown_hints);
    "TG012" "no-annotations" Note ASKED, One(tool_object::annotated);
    "TG013" "header-annotation" Error DEFAULT, One(tool_object::headers);
    "TG014" "listing-size" Warning DEFAULT, Whole(size::listing);
    "TG015" "tool-size" Warning DEFAULT, One(size::tool);
    "TG016" "no-input-schema" Error DEFAULT, One(admission::schemas);
    "TG017" "root-type" Error DEFAULT, One(admission::root_type);
    "TG020" "unsupported-dialect" Error DEFAULT, Text;
    "TG021" "dialect-mismatch" Warning DEFAULT, Each(dialect::mismatch);
    "TG022" "draft4-bound" Error DEFAULT, Text;
    "TG023" "tuple-items" Error DEFAULT, Text;
    "TG024" "external-ref" Error DEFAULT, Text;
    "TG025" "unresolved-ref" Error DEFAULT, Text;
    "TG026" "cyclic-ref" Error DEFAULT, Text;
    "TG027" "invalid-schema" Error DEFAULT, Engine(admission::compile);
    "TG028" "schema-limit" Error DEFAULT, Text;
    "TG029" "invalid-pattern" Error DEFAULT, Text;
    "TG030" "ref-siblings" Warning DEFAULT, Each(dialect::ref_siblings);
    "TG032" "misspelt-keyword" Error DEFAULT, Each(keywords::misspelt);
    "TG033" "nullable" Warning DEFAULT, Each(keywords::nullable);
    "TG034" "unknown-keyword" Note DEFAULT, Each(keywords::unknown);
    "TG035" "extension-keyword" Note ASKED, Each(keywords::extension);
    "TG036" "inapplicable-keyword" Warning DEFAULT, Each(keywords::inapplicable);
    "TG040" "empty-range" Error DEFAULT, Each(logic::ranges);
    "TG041" "empty-enum" Error DEFAULT, Each(logic::empty_enum);
    "TG042" "enum-type" Warning DEFAULT, Each(logic::enum_types);
    "TG043" "duplicate-member" Warning DEFAULT, Each(logic::duplicate_members);
    "TG044" "required-forbidden" Error DEFAULT, Each(logic::required_forbidden);
    "TG045" "required-undeclared" Warning DEFAULT, Each(logic::required_undeclared);
    "TG046" "default-invalid" Warning DEFAULT, One(defaults_and_examples::defaults);
    "TG047" "example-invalid" Warning DEFAULT, One(defaults_and_examples::examples);
    "TG048" "default-on-required" Note DEFAULT, Each(logic::default_on_required);
    "TG049" "anyof-accepts-all" Note DEFAULT, Each(logic::accepts_all);
    "TG050" "duplicate-branch" Warning DEFAULT, Each(logic::duplicate_branches);
    "TG051" "unused-definition" Note ASKED, One(logic::unused);
    "TG053" "pattern-matches-nothing" Error DEFAULT, Each(pattern::never);
    "TG054" "pattern-matches-all" Warning DEFAULT, Each(pattern::always);
    "TG055" "pattern-unanchored" Note DEFAULT, Each(pattern::unanchored);
    "TG056" "pattern-double-escaped" Warning DEFAULT, Each(pattern::double_escape);
    "TG057" "pattern-not-ecma" Warning DEFAULT, Each(pattern::not_ecma);
    "TG058" "unknown-format" Note DEFAULT, Each(pattern::unknown_format);
    "TG059" "misspelt-format" Warning DEFAULT, Each(pattern::misspelt_format);
    "TG060" "format-and-pattern" Note ASKED, Each(pattern::format_and_pattern);
    "TG061" "untyped-property" Note DEFAULT, Each(types::untyped);
    "TG062" "opaque-object" Note DEFAULT, Each(types::opaque);
    "TG063" "array-without-items" Warning DEFAULT, Each(types::no_items);
    "TG064" "integer-as-number" Note DEFAULT, Each(types::integer_as_number);
    "TG065" "default-in-prose" Note DEFAULT, Each(prose::default);
    "TG066" "enum-in-prose" Note DEFAULT, Each(prose::values);
    "TG067" "range-in-prose" Note DEFAULT, Each(prose::range);
    "TG068" "date-in-prose" Note DEFAULT, Each(prose::date);
    "TG069" "list-in-string" Note DEFAULT, Each(prose::list);
    "TG070" "json-in-string" Note DEFAULT, Each(prose::json);
    "TG071" "required-empty" Note ASKED, Each(noise::required_empty);
    "TG072" "title-noise" Note ASKED, One(noise::titles);
    "TG073" "safe-integer-bounds" Note ASKED, Each(noise::safe_integers);
    "TG074" "property-names-noise" Note ASKED, Each(noise::property_names);
    "TG075" "single-enum" Note ASKED, Each(noise::single_enum);
    "TG076" "single-branch" Note ASKED, Each(noise::single_branch);
    "TG077" "open-root" Note ASKED, Each(noise::open_root);
    "TG080" "root-choice" Warning DEFAULT, Each(provider::root_choice);
    "TG081" "provider-name" Warning ASKED, One(budget::name);
    "TG082" "property-name" Warning DEFAULT, Each(provider::property_names);
    "TG083" "description-length" Warning ASKED, One(budget::description);
    "TG084" "ref-siblings-openai" Warning ASKED, Each(provider::ref_siblings);
    "TG085" "type-array" Warning ASKED, Each(provider::type_array);
    "TG086" "optional-as-null" Note ASKED, Each(provider::optional_null);
    "TG087" "openai-keyword" Warning ASKED, Each(provider::openai_keywords);
    "TG088" "openai-closed" Note ASKED, Each(provider::openai_closed);
    "TG089" "anthropic-keyword" Warning ASKED, Each(provider::anthropic_keywords);
    "TG090" "recursive-schema" Warning ASKED, Each(provider::recursive);
    "TG091" "boolean-property" Warning DEFAULT, Each(provider::boolean_property);
    "TG092" "output-root" Warning DEFAULT, Each(provider::output_root);
    "TG093" "lookaround" Warning ASKED, Each(pattern::lookaround);
    "TG094" "openai-size" Warning ASKED, One(budget::schema);
    "TG095" "tool-count" Warning ASKED, Whole(budget::tools);
    "TG096" "combined-name" Warning ASKED, One(budget::combined_name);
    "TG097" "description-cut" Warning ASKED, One(budget::description);
    "TG098" "provider-format" Warning ASKED, Each(provider::formats);
    "TG099" "gemini-keyword" Warning ASKED, Each(provider::gemini_keywords);
    "TG100" "gemini-shape" Warning ASKED, Each(provider::gemini_shapes);
    "TG101" "anthropic-closed" Warning ASKED, Each(provider::anthropic_closed);
    "TG102" "strict-budget" Warning ASKED, Whole(budget::strict);
    "TG103" "llama-keyword" Note ASKED, Each(provider::llama_keywords);
    "TG104" "llama-pattern" Warning ASKED, Each(provider::llama_pattern);
    "TG110" "hidden-unicode" Warning DEFAULT, One(text::hidden);
    "TG111" "model-instruction" Warning DEFAULT, One(text::orders);
    "TG112" "backtracking-pattern" Warning DEFAULT, Each(pattern::backtracking);
    "TG113" "combinatorial-schema" Warning DEFAULT, Text;
    "TG114" "const-outside-enum" Error DEFAULT, Each(logic::const_outside_enum);
    "TG115" "overlapping-one-of" Warning DEFAULT, Each(logic::overlapping);
    "TG116" "repeated-subschema" Note ASKED, One(size::repeated);
    "TG117" "first-sentence" Note ASKED, One(text::first_sentence);
}
