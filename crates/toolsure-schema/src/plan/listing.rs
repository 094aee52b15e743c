//! Prints a plan as a stable listing, so that the compiler's tests read like assembly.

use std::fmt;

use super::leaf::Operand;
use super::{EnumPlan, Leaf, NodeIx, NumberLiteral, Op, Plan, Run};
use crate::int::to_usize;

impl fmt::Display for Plan {
    /// Writes one paragraph for each node that the root reaches, in index order: its types, then
    /// its operations by run.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "root {}", self.root)?;
        for (index, node) in (0..).map(NodeIx::new).zip(&self.nodes) {
            write!(f, "{index}")?;
            if node.types.is_empty() {
                write!(f, " nothing")?;
            } else if !node.types.is_all() {
                write!(f, " {}", node.types.names().join("|"))?;
            }
            if node.traits.memo {
                write!(f, " memo")?;
            }
            writeln!(f)?;
            for run in Run::ALL.into_iter().filter(|run| node.has(run.bit())) {
                for op in self.run(node, run) {
                    write!(f, "    ")?;
                    self.op(f, op)?;
                    writeln!(f)?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for NodeIx {
    /// Writes 0 if it accepts everything, 1 if it accepts nothing, the types if it only asks for
    /// types, and otherwise its index counted from 2.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.types() {
            Some(types) if types.is_empty() => f.write_str("1"),
            Some(types) if types.is_all() => f.write_str("0"),
            Some(types) => f.write_str(&types.names().join("|")),
            None => write!(f, "{}", self.index() + 2),
        }
    }
}

impl Plan {
    fn op(&self, f: &mut fmt::Formatter<'_>, op: &Op) -> fmt::Result {
        match op {
            Op::Leaf(leaf) => self.leaf(f, *leaf),
            Op::Array(index) => match self.arrays.get(to_usize(*index)) {
                Some(array) => array.list(f),
                None => Ok(()),
            },
            Op::Object(index) => match self.objects.get(to_usize(*index)) {
                Some(object) => object.list(&self.patterns, f),
                None => Ok(()),
            },
            Op::Apply(target) => write!(f, "apply {}", target),
            Op::AllOf(index) => write!(f, "all of {}", self.union(*index)),
            Op::AnyOf(index) => write!(f, "any of {}", self.union(*index)),
            Op::OneOf(index) => write!(f, "one of {}", self.union(*index)),
            Op::Not(target) => write!(f, "not {}", target),
            Op::If(index) => match self.conditions.get(to_usize(*index)) {
                Some(c) => write!(f, "if {} then {} else {}", c.test, c.then, c.otherwise),
                None => Ok(()),
            },
            Op::UnevaluatedItems(target) => write!(f, "unevaluated items {}", target),
            Op::UnevaluatedProperties(target) => {
                write!(f, "unevaluated properties {}", target)
            }
        }
    }

    fn leaf(&self, f: &mut fmt::Formatter<'_>, leaf: Leaf) -> fmt::Result {
        let (name, operand) = leaf.listed();
        f.write_str(name)?;
        match operand {
            Operand::Enum(index) => match self.enums.get(to_usize(index)) {
                Some(members) => members.list(self, f),
                None => Ok(()),
            },
            Operand::Text("") => Ok(()),
            Operand::Text(text) => write!(f, " {text}"),
            Operand::Length(count) => write!(f, " {}", count.get()),
            Operand::Literal(index) => {
                let literal = self.literal_at(index);
                write!(f, " {}", literal.map_or("", |view| view.raw()))
            }
            Operand::Number(index) => match self.numbers.get(to_usize(index)) {
                Some(NumberLiteral::Integer(integer)) => write!(f, " {integer}"),
                Some(NumberLiteral::Other(literal)) => {
                    let literal = self.literal(*literal);
                    write!(f, " {}", literal.map_or("", |view| view.raw()))
                }
                None => Ok(()),
            },
            Operand::Pattern(id) => {
                let pattern = self.patterns.get(id.index());
                write!(f, " {}", pattern.map_or("", |pattern| pattern.as_str()))
            }
        }
    }

    fn union(&self, index: u32) -> String {
        let branches = self.branches(index).iter();
        let mut text = branches
            .map(|branch| branch.to_string())
            .collect::<Vec<_>>()
            .join(" ");
        let union = self.unions.get(to_usize(index));
        if let Some(select) = union.and_then(|union| union.select.as_ref()) {
            if let Some(key) = &select.key {
                text.push_str(&format!(" by {:?}", key.name.name(0)));
            }
            if let Some(names) = &select.names {
                let names: Vec<&str> = names.table.names().collect();
                text.push_str(&format!(" by names {names:?}"));
            }
        }
        text
    }
}

impl EnumPlan {
    fn list(&self, plan: &Plan, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (there, text) in [
            (self.null, " null"),
            (self.no, " false"),
            (self.yes, " true"),
        ] {
            if there {
                f.write_str(text)?;
            }
        }
        for integer in &self.integers {
            write!(f, " {integer}")?;
        }
        for literal in self
            .numbers
            .iter()
            .chain(self.compound.iter().map(|(_, l)| l))
        {
            write!(
                f,
                " {}",
                plan.literal(*literal).map_or("", |view| view.raw())
            )?;
        }
        for name in self.strings.names() {
            write!(f, " {name:?}")?;
        }
        Ok(())
    }
}
