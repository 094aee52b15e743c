//! Decodes the keywords that hold subschemas, and handles values that are not schemas.

use toolsure_json::{Key as _, Kind, Node as _, View};

use super::ModelBuilder;
use super::reader::Reader;
use super::value::Checked;
use crate::dialect::{Dialect, Keyword};
use crate::error::{CompileError, CompileErrorKind};
use crate::model::{Form, PatternId, SubschemaId};
use crate::options::{Strictness, Warning};
use crate::part::NeededPart;
use crate::positions::SubschemaLayout;

impl ModelBuilder<'_> {
    pub(super) fn map(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        if value.kind() != Kind::Object {
            return self.wrong(r, value, "an object of schemas");
        }
        let mut found = Vec::with_capacity(value.len());
        let part = self.again.and_then(|again| again.part);
        for (key, value) in value.members() {
            let omitted_from = part.filter(|part| match r.keyword {
                Keyword::Properties => !part.has(key.hash()),
                keyword => matches!(keyword, Keyword::Defs | Keyword::Definitions),
            });
            let id = match omitted_from {
                Some(part) => self.omitted_child(r, value, part)?,
                None => self.child(r, value)?,
            };
            found.push((key.view().id(), id));
        }
        Ok(Some(Form::Map(found.into())))
    }

    pub(super) fn patterns(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        if value.kind() != Kind::Object {
            return self.wrong(r, value, "an object of schemas");
        }
        let mut found = Vec::with_capacity(value.len());
        for (key, value) in value.members() {
            let name = value.name().unwrap_or(value);
            let Some(pattern) = self.known_pattern(r, name, key.text())? else {
                continue;
            };
            found.push((key.view().id(), pattern, self.child(r, value)?));
        }
        Ok(Some(Form::Patterns(found.into())))
    }

    pub(super) fn list(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        if value.kind() != Kind::Array || value.is_empty() {
            return self.wrong(r, value, "a non-empty array of schemas");
        }
        let mut found = Vec::with_capacity(value.len());
        for value in value.items() {
            found.push(self.child(r, value)?);
        }
        Ok(Some(Form::List(found.into())))
    }

    pub(super) fn one(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        if self.lacks_patterns(r) {
            return Ok(None);
        }
        Ok(Some(Form::One(self.child(r, value)?)))
    }

    /// The compiled pattern; `None` if it is invalid and parsing is lenient.
    pub(super) fn known_pattern(
        &mut self,
        r: &Reader<'_>,
        value: View<'_>,
        text: &str,
    ) -> Result<Option<PatternId>, CompileError> {
        match self.pattern(r.sub, value, text) {
            Ok(id) => Ok(Some(id)),
            Err(error)
                if self.options.strictness == Strictness::Lenient
                    && matches!(error.kind(), CompileErrorKind::Pattern { .. }) =>
            {
                self.warnings.push(Warning::new(error));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether a keyword applies to the properties that its siblings do not match, and a pattern
    /// that selects some of those was left out.
    fn lacks_patterns(&mut self, r: &Reader<'_>) -> bool {
        let rest = matches!(
            r.keyword,
            Keyword::AdditionalProperties | Keyword::UnevaluatedProperties
        );
        let Some(patterns) = r.view.member(Keyword::PatternProperties.name()) else {
            return false;
        };
        rest && self.options.strictness == Strictness::Lenient
            && patterns.members().any(|(key, value)| {
                let name = value.name().unwrap_or(value);
                self.pattern(r.sub, name, key.text()).is_err()
            })
    }

    /// Adds a subschema of the one that is being decoded.
    pub(super) fn child(
        &mut self,
        r: &Reader<'_>,
        value: View<'_>,
    ) -> Result<SubschemaId, CompileError> {
        let everywhere = r.sub.rules.dialect > Dialect::Draft4
            || matches!(
                r.keyword,
                Keyword::AdditionalItems | Keyword::AdditionalProperties
            );
        if value.kind() == Kind::Boolean && !everywhere {
            self.refuse(r.sub, value, r.name, "a schema object (draft 4)", None)?;
        }
        if !is_schema(value) {
            // What the keyword must be, of which this is a part or the whole.
            let is_element = value.parent().is_some_and(|it| it.kind() == Kind::Array);
            let expected = match r.keyword.layout() {
                Some(SubschemaLayout::Map) => "an object of schemas, which are objects or booleans",
                _ if is_element => "an array of schemas, which are objects or booleans",
                _ => "a schema: an object or a boolean",
            };
            self.refuse(r.sub, value, r.name, expected, None)?;
        }
        self.child_at(r, value)
    }

    /// Adds one that is not decoded, unless a reference leads to it.
    fn omitted_child(
        &mut self,
        r: &Reader<'_>,
        value: View<'_>,
        part: &NeededPart,
    ) -> Result<SubschemaId, CompileError> {
        if let Some(id) = self.stand_in {
            return Ok(id);
        }
        let id = self.child_at(r, value)?;
        self.omitted.resize(id.index(), false);
        self.omitted.push(true);
        self.stand_in = Some(id).filter(|_| !part.refers);
        Ok(id)
    }

    fn child_at(&mut self, r: &Reader<'_>, value: View<'_>) -> Result<SubschemaId, CompileError> {
        self.push(
            r.sub.doc,
            value.id(),
            r.sub.resource,
            r.sub.rules,
            r.depth + 1,
        )
    }
}

fn is_schema(value: View<'_>) -> bool {
    matches!(value.kind(), Kind::Boolean | Kind::Object)
}
