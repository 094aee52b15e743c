//! Lowers keywords that apply other subschemas to the instance itself: references, `allOf`,
//! `anyOf`, `oneOf`, `not` and `if`.

use super::builder::NodeBuilder;
use super::lowering::Lowering;
use super::scope::ScopeId;
use crate::dialect::Keyword;
use crate::error::CompileError;
use crate::int::to_u32;
use crate::model::{Entry, Form};
use crate::plan::{Condition, NodeIx, Op, Run, Union};

impl Lowering<'_> {
    /// Adds the operation of a keyword that applies other subschemas to the instance itself.
    /// Returns whether it is such a keyword.
    pub(super) fn in_place(
        &mut self,
        beside: &[Entry],
        scope: ScopeId,
        entry: &Entry,
        builder: &mut NodeBuilder,
    ) -> Result<bool, CompileError> {
        match (&entry.form, entry.keyword) {
            (Form::Reference(target), _) => {
                let target = self.scopes.follow(scope, self.model.target(*target)?)?;
                let target = self.child(target, scope)?;
                builder.push(Run::Any, Op::Apply(target));
            }
            (Form::List(list), Keyword::AllOf) if !self.plain => {
                for one in list {
                    let target = self.child(*one, scope)?;
                    if target != NodeIx::TRUE {
                        builder.push(Run::Any, Op::Apply(target));
                    }
                }
            }
            (Form::List(list), Keyword::AllOf | Keyword::AnyOf | Keyword::OneOf) => {
                let mut branches = Vec::with_capacity(list.len());
                for one in list {
                    branches.push(self.child(*one, scope)?);
                }
                let union = to_u32(self.plan.unions.len());
                self.plan.unions.push(Union {
                    branches: branches.into(),
                    select: None,
                });
                let op = match entry.keyword {
                    Keyword::AllOf => Op::AllOf(union),
                    Keyword::AnyOf => Op::AnyOf(union),
                    _ => Op::OneOf(union),
                };
                builder.push(Run::Any, op);
            }
            (Form::One(one), Keyword::Not) => {
                let target = self.child(*one, scope)?;
                builder.push(Run::Any, Op::Not(target));
            }
            (Form::One(_), Keyword::If | Keyword::Then | Keyword::Else)
                if self.plain || entry.keyword == Keyword::If =>
            {
                let plain = self.plain;
                let mut operand = |keyword| match Entry::find(beside, keyword) {
                    // In the plain program each keyword has only its own operand.
                    _ if plain && keyword != Keyword::If && keyword != entry.keyword => {
                        Ok(NodeIx::TRUE)
                    }
                    Some(Entry {
                        form: Form::One(one),
                        ..
                    }) => self.child(*one, scope),
                    _ => Ok(NodeIx::TRUE),
                };
                let (then, otherwise) = (operand(Keyword::Then)?, operand(Keyword::Else)?);
                let test = operand(Keyword::If)?;
                let condition = to_u32(self.plan.conditions.len());
                self.plan.conditions.push(Condition {
                    test,
                    then,
                    otherwise,
                });
                builder.push(Run::Any, Op::If(condition));
            }
            // Handled together with `if`.
            (Form::One(_), Keyword::Then | Keyword::Else) => {}
            _ => return Ok(false),
        }
        Ok(true)
    }
}
