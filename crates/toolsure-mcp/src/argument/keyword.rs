//! Reads the value of one field of a property's schema.

use toolsure_json::{Kind, Node as _, View};
use toolsure_pattern::Pattern;

use super::error::{SchemaError, SchemaErrorKind};
use super::field::{ArgumentType, Choices, string_form};
use super::read::{Reading, TYPE, limit, pointer};

impl Reading<'_> {
    pub(super) fn kind(&mut self, schema: View<'_>) -> Result<Option<ArgumentType>, SchemaError> {
        let Some(value) = schema.member(TYPE) else {
            return Ok(None);
        };
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
            )?;
        }
        Ok(known)
    }

    pub(super) fn choices(&mut self, schema: View<'_>) -> Result<Option<Choices>, SchemaError> {
        let Some(list) = schema.member("enum") else {
            return Ok(None);
        };
        if list.kind() != Kind::Array || list.is_empty() {
            return self.pass_over(list, "an array of values").map(|()| None);
        }
        if list.len() > self.limits.enum_members {
            return Err(limit(list, "enum members", self.limits.enum_members));
        }
        let forms: Option<Vec<String>> = list.items().map(string_form).collect();
        match forms {
            Some(forms) => Ok(Some(Choices::new(forms))),
            None => self
                .pass_over(list, "strings, numbers, booleans or null in `enum`")
                .map(|()| None),
        }
    }

    pub(super) fn pattern(&mut self, schema: View<'_>) -> Result<Option<Pattern>, SchemaError> {
        let Some(value) = schema.member("pattern") else {
            return Ok(None);
        };
        if value.kind() != Kind::String {
            return self.pass_over(value, "a string").map(|()| None);
        }
        let pattern = Pattern::new(value.string(), &self.limits.pattern)
            .map_err(|error| SchemaError::new(pointer(value), SchemaErrorKind::Pattern(error)))?;
        self.patterns_size = self.patterns_size.saturating_add(pattern.size());
        if self.patterns_size > self.limits.patterns_size {
            let allowed = self.limits.patterns_size;
            return Err(limit(value, "compiled bytes of patterns", allowed));
        }
        Ok(Some(pattern))
    }

    pub(super) fn flag(&mut self, schema: View<'_>, name: &str) -> Result<bool, SchemaError> {
        match schema.member(name) {
            Some(value) if value.kind() == Kind::Boolean => Ok(value.boolean()),
            Some(value) => self.pass_over(value, "a boolean").map(|()| false),
            None => Ok(false),
        }
    }

    /// A count; values beyond 64 bits count as the largest.
    pub(super) fn count(
        &mut self,
        schema: View<'_>,
        name: &str,
    ) -> Result<Option<u64>, SchemaError> {
        let Some(value) = schema.member(name) else {
            return Ok(None);
        };
        let number = value.number();
        if value.kind() != Kind::Number || !number.is_integer() || number.is_negative() {
            return self
                .pass_over(value, "an integer of at least 0")
                .map(|()| None);
        }
        Ok(Some(number.as_u64().unwrap_or(u64::MAX)))
    }

    pub(super) fn number(
        &mut self,
        schema: View<'_>,
        name: &str,
    ) -> Result<Option<String>, SchemaError> {
        match schema.member(name) {
            Some(value) if value.kind() == Kind::Number => Ok(Some(value.number().to_string())),
            Some(value) => self.pass_over(value, "a number").map(|()| None),
            None => Ok(None),
        }
    }
}
