//! Numbers that readers with doubles cannot hold.

use super::View;
use crate::tape::Tag;

impl<'a> View<'a> {
    /// The first number in this value, or this number, that a double cannot hold: readers that keep
    /// numbers as doubles (RFC 8259, section 6), such as `JSON.parse`, read infinity instead.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    ///
    /// let text = OwnedDocument::read(r#"{"a": 1e308, "b": [-1e309]}"#, &ReadLimits::default())?;
    /// let found = text.document().root().beyond_double();
    /// assert_eq!(found.map(|number| number.raw()), Some("-1e309"));
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn beyond_double(self) -> Option<View<'a>> {
        if !self.document.tape.has_long_numbers {
            return None;
        }
        let inside = (self.own..self.after()).filter_map(|own| self.document.at(own));
        let mut numbers = inside.filter(|view| view.slot.tag == Tag::Number);
        numbers.find(|number| !number.raw().parse().is_ok_and(f64::is_finite))
    }
}
