//! How a comparison reports what it finds.

use toolsure_syntax::model::TypeSet;

use super::facts::type_names;
use super::only::Only;
use super::reason::Reason;
use super::subset::{Comparison, MOST_REASONS};

impl<'a> Comparison<'a> {
    /// Reports that a limit was reached. Always `false`.
    pub(super) fn too_large(&mut self) -> bool {
        self.say(false, "too large to compare".to_owned())
    }

    /// Reports why not. Always `false`.
    pub(super) fn say(&mut self, sure: bool, message: String) -> bool {
        if self.quiet == 0 && self.reasons.len() < MOST_REASONS {
            // The rules are sure of nothing while there are patterns that may match but were not tried.
            let used_up =
                self.left.lookup.patterns_used_up() || self.right.lookup.patterns_used_up();
            let reason = Reason {
                place: self.place.clone(),
                message,
                member: None,
                sure: sure && self.sure && !used_up,
                keyword: self.keyword,
                only: self.only.clone(),
                union_at: self.union_at,
            };
            let reported = self
                .reasons
                .iter()
                .any(|one| one.message == reason.message && one.place == reason.place);
            if !reported {
                self.reasons.push(reason);
            }
        }
        false
    }

    /// Reports a new bound that refuses only integers that a double does not hold exactly.
    pub(super) fn say_of_safe_integers(&mut self, message: &str) {
        let reason = Reason {
            place: self.place.clone(),
            message: format!("{message}: the integers that a double holds exactly"),
            member: None,
            sure: true,
            keyword: self.keyword,
            only: None,
            union_at: self.union_at,
        };
        let mut known = self.safe_bounds.iter();
        let is_known = known.any(|one| one.place == reason.place && one.message == reason.message);
        if !is_known && self.safe_bounds.len() < MOST_REASONS {
            self.safe_bounds.push(reason);
        }
    }

    /// Runs a comparison of what this keyword of the right side refuses.
    pub(super) fn about<T>(
        &mut self,
        keyword: &'static str,
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.keyword.replace(keyword);
        let answer = run(self);
        self.keyword = before;
        answer
    }

    /// Reports that values of these types may no longer be here, or may now. Types that several branches of
    /// a union have lost are one reason. Always `false`.
    pub(super) fn say_types(&mut self, types: TypeSet) -> bool {
        let here = |one: &Reason<'_>| one.place == self.place && one.keyword == self.keyword;
        let known = self
            .reasons
            .iter()
            .position(|one| here(one) && one.is_of_types());
        let known = known.filter(|_| self.quiet == 0);
        let before = known.map(|at| self.reasons.remove(at));
        let types = match before.as_ref().and_then(|one| one.only.as_ref()) {
            Some(Only::Types(others)) => types.union(*others),
            _ => types,
        };
        let names = type_names(types);
        let count = self.reasons.len();
        self.say_only(
            Only::Types(types),
            &format!("may no longer be of type {names}"),
            &format!("may now also be of type {names}"),
        );
        if let (Some(reason), Some(before)) = (self.reasons.get_mut(count), before) {
            reason.sure |= before.sure;
        }
        false
    }

    /// Reports it from the new schema's point of view, of some of the values here; the rules are sure.
    pub(super) fn say_only(&mut self, only: Only<'a>, narrowed: &str, widened: &str) -> bool {
        let before = self.only.replace(only);
        self.say_both(true, narrowed, widened);
        self.only = before;
        false
    }

    /// Reports it from the new schema's point of view.
    pub(super) fn say_both(&mut self, sure: bool, narrowed: &str, widened: &str) -> bool {
        let message = if self.forward { narrowed } else { widened };
        self.say(sure, message.to_owned())
    }

    /// Reports it of a property of the object here; the rules are sure.
    pub(super) fn say_of(&mut self, name: &str, narrowed: &str, widened: &str) -> bool {
        let next = self.reasons.len();
        self.say_both(true, narrowed, widened);
        if let Some(reason) = self.reasons.get_mut(next) {
            reason.member = Some(name.to_owned());
        }
        false
    }
}
