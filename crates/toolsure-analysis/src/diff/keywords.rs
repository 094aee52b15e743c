//! Which keywords the rules compare, and which only hold if both sides have the same value.

use std::sync::LazyLock;

use toolsure_json::View;
use toolsure_syntax::model::TypeSet;
use toolsure_syntax::{AppliesTo, Keyword};

use super::facts::Facts;
use super::subset::Comparison;

impl<'a> Comparison<'a> {
    /// The keywords of a node that no rule compares.
    pub(super) fn without_rule(
        &mut self,
        facts: &Facts<'a>,
        types: TypeSet,
        node: View<'a>,
    ) -> bool {
        let mut holds = true;
        for keyword in WITHOUT_RULE.iter() {
            if types.intersects(types_of(*keyword)) {
                holds &= self.verbatim(facts, node, keyword.name());
            }
        }
        holds
    }
}

impl Facts<'_> {
    /// Whether a keyword that no rule compares may reject some values.
    pub(super) fn has_keyword_without_rule(&self) -> bool {
        let mut keywords = WITHOUT_RULE.iter();
        keywords.any(|keyword| !self.all(keyword.name()).is_empty())
    }
}

/// The keywords that apply to the values of one type and that a list of such values is compared with, as
/// they stand.
pub(super) fn of_listed_values(to: AppliesTo) -> impl Iterator<Item = &'static str> + Clone {
    let keywords = Keyword::ALL.iter().filter(move |keyword| {
        keyword.applies_to() == to
            && keyword.can_reject()
            && !matches!(
                keyword,
                Keyword::UnevaluatedItems | Keyword::UnevaluatedProperties
            )
    });
    keywords.map(|keyword| keyword.name())
}

/// The types of the instances that a keyword applies to.
fn types_of(keyword: Keyword) -> TypeSet {
    let names = keyword.applies_to().types();
    if names.is_empty() {
        return TypeSet::ALL;
    }
    let types = names.iter().filter_map(|name| TypeSet::from_name(name));
    types.fold(TypeSet::NONE, TypeSet::union)
}

/// Whether a rule compares the values of a keyword. A keyword that is not here is compared verbatim.
fn has_rule(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        // `facts`
        K::Ref | K::RecursiveRef | K::DynamicRef | K::AllOf
        // `leaf`
        | K::Type | K::Enum | K::Const | K::MultipleOf | K::Maximum | K::ExclusiveMaximum
        | K::Minimum | K::ExclusiveMinimum | K::MaxLength | K::MinLength | K::Pattern | K::Format
        | K::ContentEncoding | K::ContentMediaType
        // `arrays`
        | K::MaxItems | K::MinItems | K::UniqueItems | K::MaxContains | K::MinContains
        | K::PrefixItems | K::Items | K::AdditionalItems | K::Contains | K::UnevaluatedItems
        // `objects`
        | K::MaxProperties | K::MinProperties | K::Required | K::DependentRequired
        | K::Dependencies | K::DependentSchemas | K::Properties | K::PatternProperties
        | K::AdditionalProperties | K::PropertyNames | K::UnevaluatedProperties
        // `subset`
        | K::AnyOf | K::OneOf | K::Not | K::If | K::Then | K::Else
    )
}

static WITHOUT_RULE: LazyLock<Vec<Keyword>> = LazyLock::new(|| {
    let keywords = Keyword::ALL.iter().copied();
    keywords
        .filter(|keyword| keyword.can_reject() && !has_rule(*keyword))
        .collect()
});
