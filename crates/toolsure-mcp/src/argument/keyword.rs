//! Reads the value of one field of a property's schema.

use toolsure_json::{Kind, Node as _, View};
use toolsure_pattern::Pattern;

use super::error::{SchemaError, SchemaErrorKind};
use super::field::{ArgumentType, Choices, string_form};
use super::read::{Reading, TYPE, limit};

impl Reading<'_> {
    pub(super) fn kind(&mut self, schema: View<'_>) -> Option<ArgumentType> {
        let value = schema.member(TYPE)?;
        let known = (value.kind() == Kind::String)
            .then(|| ArgumentType::from_name(value.string(), self.extensions))
            .flatten();
        if known.is_none() {
            self.pass_over(
                value,
                if self.extensions {
                    "one of string, integer, float, number, boolean, enum, array, object"
                } else {
                    "one of string, integer, float, number, boolean, enum, array"
                },
            );
        }
        known
    }

    pub(super) fn choices(&mut self, schema: View<'_>) -> Result<Option<Choices>, SchemaError> {
        let Some(list) = schema.member("enum") else {
            return Ok(None);
        };
        if list.kind() != Kind::Array || list.is_empty() {
            self.pass_over(list, "an array of values");
            return Ok(None);
        }
        if list.len() > self.limits.enum_members {
            return Err(limit(list, "enum members", self.limits.enum_members));
        }
        let forms: Option<Vec<String>> = list.items().map(string_form).collect();
        if forms.is_none() {
            self.pass_over(list, "strings, numbers, booleans or null in `enum`");
        }
        Ok(forms.map(Choices::new))
    }

    pub(super) fn pattern(&mut self, schema: View<'_>) -> Result<Option<Pattern>, SchemaError> {
        let Some(value) = schema.member("pattern") else {
            return Ok(None);
        };
        if value.kind() != Kind::String {
            self.pass_over(value, "a string");
            return Ok(None);
        }
        let pattern = match Pattern::new(value.string(), &self.limits.pattern) {
            Ok(pattern) => pattern,
            Err(error) => {
                self.tell_unenforced(value, || SchemaErrorKind::Pattern(error));
                return Ok(None);
            }
        };
        self.patterns_size = self.patterns_size.saturating_add(pattern.size());
        if self.patterns_size > self.limits.patterns_size {
            let allowed = self.limits.patterns_size;
            return Err(limit(value, "compiled bytes of patterns", allowed));
        }
        Ok(Some(pattern))
    }

    pub(super) fn flag(&mut self, schema: View<'_>, name: &str) -> bool {
        schema.member(name).is_some_and(|value| {
            if value.kind() != Kind::Boolean {
                self.pass_over(value, "a boolean");
            }
            value.kind() == Kind::Boolean && value.boolean()
        })
    }

    /// A count; values beyond 64 bits count as the largest.
    pub(super) fn count(&mut self, schema: View<'_>, name: &str) -> Option<u64> {
        let value = schema.member(name)?;
        let number = value.number();
        if value.kind() != Kind::Number || !number.is_integer() || number.is_negative() {
            self.pass_over(value, "an integer of at least 0");
            return None;
        }
        Some(number.as_u64().unwrap_or(u64::MAX))
    }

    pub(super) fn number(&mut self, schema: View<'_>, name: &str) -> Option<String> {
        let value = schema.member(name)?;
        if value.kind() != Kind::Number {
            self.pass_over(value, "a number");
            return None;
        }
        Some(value.number().to_string())
    }
}
