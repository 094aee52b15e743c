//! Which subschemas an evaluation can reach.

use super::{Dangling, Dependency, Entry, Form, Model, ReferenceTarget, ScopeName, SubschemaId};
use crate::dialect::Keyword;

impl Model {
    /// Calls `meet` for each subschema that a keyword applies to anything; for a dynamic reference,
    /// with its target if nothing else is bound. Definitions apply nothing.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default()
    ///     .parse(br#"{"anyOf": [true, {}], "$defs": {"a": {}}}"#)?;
    /// let mut applied = 0;
    /// for entry in model.entries(model.sub(model.root)?)? {
    ///     model.each_applied(entry, |_| applied += 1)?;
    /// }
    /// assert_eq!(applied, 2);
    /// # Ok::<(), toolsure_syntax::CompileError>(())
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

    /// The name that a keyword looks up in the dynamic scope, if it is a dynamic reference.
    pub(crate) fn looked_up(&self, entry: &Entry) -> Result<Option<ScopeName>, Dangling> {
        let Form::Reference(reference) = &entry.form else {
            return Ok(None);
        };
        Ok(match self.target(*reference)? {
            ReferenceTarget::Dynamic { name, .. } => Some(name),
            ReferenceTarget::Static(_) => None,
        })
    }

    /// The subschemas to which each name of the dynamic scope may be bound: any resource may be in it.
    pub(crate) fn bound(&self) -> impl Iterator<Item = (ScopeName, SubschemaId)> {
        let scopes = self.resources.iter().map(|resource| &resource.scope);
        scopes.flatten().copied()
    }

    /// Whether some evaluation may apply each of [`Model::subs`], whatever the instance: whether
    /// keywords and references lead to it from the root. Definitions do not count.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default()
    ///     .parse(br##"{"$ref": "#/$defs/a", "$defs": {"a": {}, "b": {}}}"##)?;
    /// assert_eq!(model.reached()?, [true, true, false]);
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The tables of the model contradict each other.
    pub fn reached(&self) -> Result<Vec<bool>, Dangling> {
        let mut reached = vec![false; self.subs.len()];
        let mut waiting = vec![self.root];
        let mut bound = vec![Vec::new(); self.scope_names];
        for (name, sub) in self.bound() {
            bound.get_mut(name.index()).ok_or(Dangling)?.push(sub);
        }
        while let Some(id) = waiting.pop() {
            let mark = reached.get_mut(id.index()).ok_or(Dangling)?;
            if std::mem::replace(mark, true) {
                continue;
            }
            for entry in self.entries(self.sub(id)?)? {
                self.each_applied(entry, |next| waiting.push(next))?;
                if let Some(name) = self.looked_up(entry)? {
                    // The other references to the name need not add them again.
                    waiting.append(bound.get_mut(name.index()).ok_or(Dangling)?);
                }
            }
        }
        Ok(reached)
    }
}

impl Entry {
    /// Whether a keyword constrains the instance; definitions and annotations do not.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default().parse(br#"{"title": "a", "minimum": 1}"#)?;
    /// let applies = model.entries.iter().map(|entry| entry.applies());
    /// assert_eq!(applies.collect::<Vec<_>>(), [false, true]);
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    #[must_use]
    pub fn applies(&self) -> bool {
        !matches!(
            self.keyword,
            Keyword::Defs | Keyword::Definitions | Keyword::ContentSchema
        ) && !matches!(self.form, Form::Annotation)
    }
}
