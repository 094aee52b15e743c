//! The table of rules: a stable code, a name, a severity, when it is on, and how it is checked.

use super::finding::Severity::{self, Error, Note, Warning};
use super::out::Out;
use super::profile::{PROFILES, Subset};
use super::rules::{
    Listing, admission, budget, defaults_and_examples, dialect, keywords, logic, noise, pattern,
    prose, provider, size, text, tool_object, types,
};
use super::tool::{Subschema, Tool};
use Check::{Each, Engine, One, Text, Whole};

/// One rule. Codes and names never change their meaning.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// The code, from `TG001`.
    pub code: &'static str,
    /// The name, such as `not-a-tool`.
    pub name: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What it requires, why, an example and the fix: a page of Markdown.
    pub page: &'static str,
    /// Whether it is on unless a profile turns it off; otherwise a profile or the operator turns it on.
    pub on_by_default: bool,
    pub(super) check: Check,
}

/// The rule with this code or name, ignoring case.
#[must_use]
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES
        .iter()
        .find(|rule| rule.code.eq_ignore_ascii_case(code) || rule.name.eq_ignore_ascii_case(code))
}

impl Rule {
    /// What the rule requires, in a sentence or two: the first paragraph of its page.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.page.split("\n\n").nth(2).unwrap_or_default()
    }

    /// The readers that the rule matters to, each once, with their limits and sources; none for a rule that
    /// matters to all.
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

/// How a rule is checked.
#[derive(Debug)]
pub(super) enum Check {
    /// By the parser, or by another rule that reports it.
    Text,
    /// By the compiler.
    Engine(fn(&Tool<'_>, &mut Out<'_>)),
    One(fn(&Tool<'_>, &mut Out<'_>)),
    Each(for<'a> fn(&Tool<'a>, &Subschema<'a>, &mut Out<'_>)),
    Whole(fn(&Listing, &mut Out<'_>)),
}

macro_rules! rule {
    ($code:literal $name:literal $severity:ident $on:ident, $check:expr) => {
        Rule {
            code: $code,
            name: $name,
            severity: $severity,
            page: include_str!(concat!("../../rules/", $code, ".md")),
            on_by_default: $on,
            check: $check,
        }
    };
}

const DEFAULT: bool = true;
const ASKED: bool = false;

/// All rules, ordered by code.
pub static RULES: [Rule; 103] = [
    rule!("TG001" "not-a-tool" Error DEFAULT, One(tool_object::is_tool)),
    rule!("TG002" "tool-name" Warning DEFAULT, One(tool_object::name)),
    rule!("TG003" "duplicate-name" Error DEFAULT, Whole(tool_object::duplicate_names)),
    rule!("TG004" "duplicate-key" Error DEFAULT, Text),
    rule!("TG005" "misspelt-member" Warning DEFAULT, One(tool_object::members)),
    rule!("TG006" "no-description" Warning DEFAULT, One(tool_object::described)),
    rule!("TG007" "parameter-no-description" Warning DEFAULT, One(tool_object::parameters_described)),
    rule!("TG008" "nested-no-description" Note ASKED, Each(tool_object::nested_described)),
    rule!("TG009" "contradictory-hints" Warning DEFAULT, One(tool_object::hints)),
    rule!("TG010" "hint-type" Warning DEFAULT, One(tool_object::hint_types)),
    rule!("TG011" "unknown-hint" Note ASKED, One(tool_object::unknown_hints)),
    rule!("TG012" "no-annotations" Note ASKED, One(tool_object::annotated)),
    rule!("TG013" "header-annotation" Error DEFAULT, One(tool_object::headers)),
    rule!("TG014" "listing-size" Warning DEFAULT, Whole(size::listing)),
    rule!("TG015" "tool-size" Warning DEFAULT, One(size::tool)),
    rule!("TG016" "no-input-schema" Error DEFAULT, One(admission::schemas)),
    rule!("TG017" "root-type" Error DEFAULT, One(admission::root_type)),
    rule!("TG020" "unsupported-dialect" Error DEFAULT, Text),
    rule!("TG021" "dialect-mismatch" Warning DEFAULT, Each(dialect::mismatch)),
    rule!("TG022" "draft4-bound" Error DEFAULT, Text),
    rule!("TG023" "tuple-items" Error DEFAULT, Text),
    rule!("TG024" "external-ref" Error DEFAULT, Text),
    rule!("TG025" "unresolved-ref" Error DEFAULT, Text),
    rule!("TG026" "cyclic-ref" Error DEFAULT, Text),
    rule!("TG027" "invalid-schema" Error DEFAULT, Engine(admission::compile)),
    rule!("TG028" "schema-limit" Error DEFAULT, Text),
    rule!("TG029" "invalid-pattern" Error DEFAULT, Text),
    rule!("TG030" "ref-siblings" Warning DEFAULT, Each(dialect::ref_siblings)),
    rule!("TG032" "misspelt-keyword" Error DEFAULT, Each(keywords::misspelt)),
    rule!("TG033" "nullable" Warning DEFAULT, Each(keywords::nullable)),
    rule!("TG034" "unknown-keyword" Note DEFAULT, Each(keywords::unknown)),
    rule!("TG035" "extension-keyword" Note ASKED, Each(keywords::extension)),
    rule!("TG036" "inapplicable-keyword" Warning DEFAULT, Each(keywords::inapplicable)),
    rule!("TG040" "empty-range" Error DEFAULT, Each(logic::ranges)),
    rule!("TG041" "empty-enum" Error DEFAULT, Each(logic::empty_enum)),
    rule!("TG042" "enum-type" Warning DEFAULT, Each(logic::enum_types)),
    rule!("TG043" "duplicate-member" Warning DEFAULT, Each(logic::duplicate_members)),
    rule!("TG044" "required-forbidden" Error DEFAULT, Each(logic::required_forbidden)),
    rule!("TG045" "required-undeclared" Warning DEFAULT, Each(logic::required_undeclared)),
    rule!("TG046" "default-invalid" Warning DEFAULT, One(defaults_and_examples::defaults)),
    rule!("TG047" "example-invalid" Warning DEFAULT, One(defaults_and_examples::examples)),
    rule!("TG048" "default-on-required" Note DEFAULT, Each(logic::default_on_required)),
    rule!("TG049" "anyof-accepts-all" Note DEFAULT, Each(logic::accepts_all)),
    rule!("TG050" "duplicate-branch" Warning DEFAULT, Each(logic::duplicate_branches)),
    rule!("TG051" "unused-definition" Note ASKED, One(logic::unused)),
    rule!("TG053" "pattern-matches-nothing" Error DEFAULT, Each(pattern::never)),
    rule!("TG054" "pattern-matches-all" Warning DEFAULT, Each(pattern::always)),
    rule!("TG055" "pattern-unanchored" Note DEFAULT, Each(pattern::unanchored)),
    rule!("TG056" "pattern-double-escaped" Warning DEFAULT, Each(pattern::double_escape)),
    rule!("TG057" "pattern-not-ecma" Warning DEFAULT, Each(pattern::not_ecma)),
    rule!("TG058" "unknown-format" Note DEFAULT, Each(pattern::unknown_format)),
    rule!("TG059" "misspelt-format" Warning DEFAULT, Each(pattern::misspelt_format)),
    rule!("TG060" "format-and-pattern" Note ASKED, Each(pattern::format_and_pattern)),
    rule!("TG061" "untyped-property" Note DEFAULT, Each(types::untyped)),
    rule!("TG062" "opaque-object" Note DEFAULT, Each(types::opaque)),
    rule!("TG063" "array-without-items" Warning DEFAULT, Each(types::no_items)),
    rule!("TG064" "integer-as-number" Note DEFAULT, Each(types::integer_as_number)),
    rule!("TG065" "default-in-prose" Note DEFAULT, Each(prose::default)),
    rule!("TG066" "enum-in-prose" Note DEFAULT, Each(prose::values)),
    rule!("TG067" "range-in-prose" Note DEFAULT, Each(prose::range)),
    rule!("TG068" "date-in-prose" Note DEFAULT, Each(prose::date)),
    rule!("TG069" "list-in-string" Note DEFAULT, Each(prose::list)),
    rule!("TG070" "json-in-string" Note DEFAULT, Each(prose::json)),
    rule!("TG071" "required-empty" Note ASKED, Each(noise::required_empty)),
    rule!("TG072" "title-noise" Note ASKED, One(noise::titles)),
    rule!("TG073" "safe-integer-bounds" Note ASKED, Each(noise::safe_integers)),
    rule!("TG074" "property-names-noise" Note ASKED, Each(noise::property_names)),
    rule!("TG075" "single-enum" Note ASKED, Each(noise::single_enum)),
    rule!("TG076" "single-branch" Note ASKED, Each(noise::single_branch)),
    rule!("TG077" "open-root" Note ASKED, Each(noise::open_root)),
    rule!("TG080" "root-choice" Warning DEFAULT, Each(provider::root_choice)),
    rule!("TG081" "provider-name" Warning ASKED, One(budget::name)),
    rule!("TG082" "property-name" Warning DEFAULT, Each(provider::property_names)),
    rule!("TG083" "description-length" Warning ASKED, One(budget::description)),
    rule!("TG084" "ref-siblings-openai" Warning ASKED, Each(provider::ref_siblings)),
    rule!("TG085" "type-array" Warning ASKED, Each(provider::type_array)),
    rule!("TG086" "optional-as-null" Note ASKED, Each(provider::optional_null)),
    rule!("TG087" "openai-keyword" Warning ASKED, Each(provider::openai_keywords)),
    rule!("TG088" "openai-closed" Note ASKED, Each(provider::openai_closed)),
    rule!("TG089" "anthropic-keyword" Warning ASKED, Each(provider::anthropic_keywords)),
    rule!("TG090" "recursive-schema" Warning ASKED, Each(provider::recursive)),
    rule!("TG091" "boolean-property" Warning DEFAULT, Each(provider::boolean_property)),
    rule!("TG092" "output-root" Warning DEFAULT, Each(provider::output_root)),
    rule!("TG093" "lookaround" Warning ASKED, Each(pattern::lookaround)),
    rule!("TG094" "openai-size" Warning ASKED, One(budget::schema)),
    rule!("TG095" "tool-count" Warning ASKED, Whole(budget::tools)),
    rule!("TG096" "combined-name" Warning ASKED, One(budget::combined_name)),
    rule!("TG097" "description-cut" Warning ASKED, One(budget::description)),
    rule!("TG098" "provider-format" Warning ASKED, Each(provider::formats)),
    rule!("TG099" "gemini-keyword" Warning ASKED, Each(provider::gemini_keywords)),
    rule!("TG100" "gemini-shape" Warning ASKED, Each(provider::gemini_shapes)),
    rule!("TG101" "anthropic-closed" Warning ASKED, Each(provider::anthropic_closed)),
    rule!("TG102" "strict-budget" Warning ASKED, Whole(budget::strict)),
    rule!("TG103" "llama-keyword" Note ASKED, Each(provider::llama_keywords)),
    rule!("TG104" "llama-pattern" Warning ASKED, Each(provider::llama_pattern)),
    rule!("TG110" "hidden-unicode" Warning DEFAULT, One(text::hidden)),
    rule!("TG111" "model-instruction" Warning DEFAULT, One(text::orders)),
    rule!("TG112" "backtracking-pattern" Warning DEFAULT, Each(pattern::backtracking)),
    rule!("TG113" "combinatorial-schema" Warning DEFAULT, Text),
    rule!("TG114" "const-outside-enum" Error DEFAULT, Each(logic::const_outside_enum)),
    rule!("TG115" "overlapping-one-of" Warning DEFAULT, Each(logic::overlapping)),
    rule!("TG116" "repeated-subschema" Note ASKED, One(size::repeated)),
    rule!("TG117" "first-sentence" Note ASKED, One(text::first_sentence)),
];
