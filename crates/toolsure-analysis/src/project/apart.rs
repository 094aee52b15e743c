//! Whether no two schemas can hold together.

use std::collections::HashSet;

use toolsure_syntax::model::TypeSet;

use super::tree::{Json, Members};

/// Whether no value can match two of the schemas: by type, or by the value of a member that both require.
pub(super) fn apart(branches: &[Json]) -> bool {
    let all: Option<Vec<&Members>> = branches.iter().map(Json::as_object).collect();
    let Some(all) = all.filter(|all| all.len() <= MOST_BRANCHES) else {
        return false;
    };
    all.iter().enumerate().all(|(at, one)| {
        all.iter().skip(at + 1).all(|other| {
            let types = one.types().intersection(other.types());
            types.is_empty()
                || types == TypeSet::OBJECT && tagged(one, other)
                || values_apart(one, other)
        })
    })
}

fn tagged(one: &Members, other: &Members) -> bool {
    let required = |of: &Members| -> HashSet<String> {
        let names = of.get("required").into_iter().flat_map(Json::texts);
        names.map(str::to_owned).collect()
    };
    let (in_one, in_other) = (required(one), required(other));
    one.map("properties").iter().any(|(name, schema)| {
        let mut others = other.map("properties").iter();
        in_one.contains(name)
            && in_other.contains(name)
            && others.any(|(own, other)| {
                own == name
                    && matches!((schema.as_object(), other.as_object()), (Some(a), Some(b)) if values_apart(a, b))
            })
    })
}

/// Whether two schemas list values and have no listed value in common.
fn values_apart(one: &Members, other: &Members) -> bool {
    fn values(of: &Members) -> Option<Vec<&Json>> {
        if let Some(value) = of.get("const") {
            return Some(vec![value]);
        }
        Some(of.get("enum")?.items().iter().collect())
    }
    match (values(one), values(other)) {
        (Some(a), Some(b)) if a.len().saturating_mul(b.len()) <= MOST_PAIRS => {
            !a.iter().any(|a| b.iter().any(|b| a.equals(b)))
        }
        _ => false,
    }
}

/// Pairs of values that are compared.
const MOST_PAIRS: usize = 10_000;
/// Branches that are compared.
pub(super) const MOST_BRANCHES: usize = 64;
