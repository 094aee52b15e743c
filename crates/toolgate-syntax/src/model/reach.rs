//! Which subschemas an evaluation can reach.

use super::{Dangling, Dependency, Entry, Form, Model, ReferenceTarget, SubschemaId};
use crate::dialect::Keyword;

impl Model {
    /// Calls `meet` for each subschema that a keyword applies to anything; for a dynamic reference,
    /// with its target if nothing else is bound. Definitions apply nothing.
    ///
    /// ```
    /// let model = toolgate_syntax::Parser::default()
    ///     .parse(br#"{"anyOf": [true, {}], "$defs": {"a": {}}}"#)?;
    /// let mut applied = 0;
    /// for entry in model.entries(model.sub(model.root)?)? {
    ///     model.each_applied(entry, |_| applied += 1)?;
    /// }
    /// assert_eq!(applied, 2);
    /// # Ok::<(), toolgate_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The keyword belongs to another model.
    pub fn each_applied(
        &self,
        entry: &Entry,
        mut meet: impl FnMut(SubschemaId),
    ) -> Result<(), Dangling> {
        match &entry.form {
            _ if !entry.applies() => {}
            Form::One(one) => meet(*one),
            Form::List(list) => list.iter().copied().for_each(meet),
            Form::Map(map) => map.iter().for_each(|(_, one)| meet(*one)),
            Form::Patterns(patterns) => patterns.iter().for_each(|(_, _, one)| meet(*one)),
            Form::Dependencies(map) => {
                for (_, dependency) in map {
                    if let Dependency::Schema(one) = dependency {
                        meet(*one);
                    }
                }
            }
            Form::Reference(reference) => meet(self.target(*reference)?.initial()),
            Form::Annotation
            | Form::Literal
            | Form::Bound { .. }
            | Form::Count(_)
            | Form::Flag(_)
            | Form::Types(_)
            | Form::Pattern(_)
            | Form::Format(_)
            | Form::Content(_) => {}
        }
        Ok(())
    }

    /// As [`each_applied`](Self::each_applied), with all targets that a dynamic reference may have.
    pub(crate) fn each_applied_in_any_scope(
        &self,
        entry: &Entry,
        mut meet: impl FnMut(SubschemaId),
    ) -> Result<(), Dangling> {
        self.each_applied(entry, &mut meet)?;
        if let Form::Reference(reference) = &entry.form
            && let ReferenceTarget::Dynamic { name, .. } = self.target(*reference)?
        {
            // Any resource may be in the dynamic scope.
            let bound = self.resources.iter().flat_map(|resource| &resource.scope);
            let bound = bound.filter(|(other, _)| *other == name);
            bound.for_each(|(_, sub)| meet(*sub));
        }
        Ok(())
    }

    /// Whether some evaluation may apply each of [`Model::subs`], whatever the instance: whether
    /// keywords and references lead to it from the root. Definitions do not count.
    ///
    /// ```
    /// let model = toolgate_syntax::Parser::default()
    ///     .parse(br##"{"$ref": "#/$defs/a", "$defs": {"a": {}, "b": {}}}"##)?;
    /// assert_eq!(model.reached()?, [true, true, false]);
    /// # Ok::<(), toolgate_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The tables of the model contradict each other.
    pub fn reached(&self) -> Result<Vec<bool>, Dangling> {
        let mut reached = vec![false; self.subs.len()];
        let mut waiting = vec![self.root];
        while let Some(id) = waiting.pop() {
            let mark = reached.get_mut(id.index()).ok_or(Dangling)?;
            if std::mem::replace(mark, true) {
                continue;
            }
            for entry in self.entries(self.sub(id)?)? {
                self.each_applied_in_any_scope(entry, |next| waiting.push(next))?;
            }
        }
        Ok(reached)
    }
}

impl Entry {
    /// Whether a keyword constrains the instance; definitions and annotations do not.
    ///
    /// ```
    /// let model = toolgate_syntax::Parser::default().parse(br#"{"title": "a", "minimum": 1}"#)?;
    /// let applies = model.entries.iter().map(|entry| entry.applies());
    /// assert_eq!(applies.collect::<Vec<_>>(), [false, true]);
    /// # Ok::<(), toolgate_syntax::CompileError>(())
    /// ```
    #[must_use]
    pub fn applies(&self) -> bool {
        !matches!(
            self.keyword,
            Keyword::Defs | Keyword::Definitions | Keyword::ContentSchema
        ) && !matches!(self.form, Form::Annotation)
    }
}
