//! The result of a comparison.

use toolsure_generate::Step;

use super::only::Only;

/// Why a schema is not known to accept all values of the other.
#[derive(Debug, Clone)]
pub(super) struct Reason<'a> {
    /// The location in the values.
    pub(super) place: Vec<Step>,
    pub(super) message: String,
    /// The property, of the object at the location, that it is about.
    pub(super) member: Option<String>,
    /// Whether the rules are sure that there is such a value, provided that the left schema has any values.
    pub(super) sure: bool,
    /// The keyword that refuses such a value; `None` if it may be any.
    pub(super) keyword: Option<&'static str>,
    /// The values that are refused, if others at the location may be refused for another reason.
    pub(super) only: Option<Only<'a>>,
    /// How many steps lead to the outermost union of the right side that it is inside of.
    pub(super) union_at: Option<usize>,
}

impl Reason<'_> {
    /// Whether it is about all values of some types.
    pub(super) fn is_of_types(&self) -> bool {
        matches!(self.only, Some(Only::Types(_)))
    }

    /// The location that an instance has to vary at: that of the property, or of the value.
    pub(super) fn focus(&self) -> Vec<Step> {
        let member = self.member.iter().map(|name| Step::Name(name.clone()));
        self.place.iter().cloned().chain(member).collect()
    }
}

/// The result of a comparison.
pub(super) struct Compared<'a> {
    /// What the left side accepts and the right one does not.
    pub(super) reasons: Vec<Reason<'a>>,
    /// New bounds of integers that refuse only what a double does not hold exactly.
    pub(super) bounds: Vec<Reason<'a>>,
}
