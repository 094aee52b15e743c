//! Prints a plan as a stable listing, so that the compiler's tests read like assembly.

use std::fmt;

use super::{NodeIx, NumberLiteral, Op, Plan, Run};
use crate::int::to_usize;

impl fmt::Display for Plan {
    /// One paragraph per node that the root reaches, in the order of their
    /// indexes: its type, then its operations by run.
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
    /// 0 for what accepts everything, 1 for what accepts nothing, the types of what asks
    /// for nothing else, and for all others their place, counted from 2.
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
            Op::Const(index) => {
                write!(
                    f,
                    "const {}",
                    self.literal_at(*index).map_or("", |view| view.raw())
                )
            }
            Op::Enum(index) => self.enumeration(f, *index),
            Op::Minimum { number, exclusive } => {
                write!(
                    f,
                    "{} {}",
                    if *exclusive { ">" } else { ">=" },
                    self.number(*number)
                )
            }
            Op::Maximum { number, exclusive } => {
                write!(
                    f,
                    "{} {}",
                    if *exclusive { "<" } else { "<=" },
                    self.number(*number)
                )
            }
            Op::MultipleOf(number) => write!(f, "multiple of {}", self.number(*number)),
            Op::NumberFormat(format) => write!(f, "format {}", format.name()),
            Op::MinLength(count) => write!(f, "length >= {}", count.get()),
            Op::MaxLength(count) => write!(f, "length <= {}", count.get()),
            Op::Pattern(id) => {
                let text = self
                    .patterns
                    .get(id.index())
                    .map_or("", |pattern| pattern.as_str());
                write!(f, "pattern {text}")
            }
            Op::Format(format) => write!(f, "format {}", format.name()),
            Op::Content { base64, json } => {
                write!(f, "content")?;
                if *base64 {
                    write!(f, " base64")?;
                }
                if *json {
                    write!(f, " json")?;
                }
                Ok(())
            }
            Op::Array(index) => self.array(f, *index),
            Op::Object(index) => self.object(f, *index),
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

    fn number(&self, index: u32) -> String {
        match self.numbers.get(to_usize(index)) {
            Some(NumberLiteral::Integer(integer)) => integer.to_string(),
            Some(NumberLiteral::Other(literal)) => self
                .literal(*literal)
                .map_or(String::new(), |view| view.raw().to_owned()),
            None => String::new(),
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
            text.push_str(&format!(" by {:?}", select.name.name(0)));
        }
        text
    }

    fn enumeration(&self, f: &mut fmt::Formatter<'_>, index: u32) -> fmt::Result {
        write!(f, "enum")?;
        let Some(members) = self.enums.get(to_usize(index)) else {
            return Ok(());
        };
        for (there, text) in [
            (members.null, " null"),
            (members.no, " false"),
            (members.yes, " true"),
        ] {
            if there {
                f.write_str(text)?;
            }
        }
        for integer in &members.integers {
            write!(f, " {integer}")?;
        }
        for literal in members
            .numbers
            .iter()
            .chain(members.compound.iter().map(|(_, l)| l))
        {
            write!(
                f,
                " {}",
                self.literal(*literal).map_or("", |view| view.raw())
            )?;
        }
        for name in members.strings.names() {
            write!(f, " {name:?}")?;
        }
        Ok(())
    }

    fn array(&self, f: &mut fmt::Formatter<'_>, index: u32) -> fmt::Result {
        write!(f, "array")?;
        let Some(array) = self.arrays.get(to_usize(index)) else {
            return Ok(());
        };
        bounds(f, array.min, array.max)?;
        for (position, item) in array.prefix.iter().enumerate() {
            write!(f, "; [{position}] {}", item.node)?;
        }
        if let Some(rest) = array.rest {
            write!(f, "; rest {}", rest.node)?;
        }
        if let Some(contains) = array.contains {
            write!(f, "; contains {}", contains.schema)?;
            bounds(f, contains.min, contains.max)?;
        }
        if array.unique {
            write!(f, "; unique")?;
        }
        Ok(())
    }

    fn object(&self, f: &mut fmt::Formatter<'_>, index: u32) -> fmt::Result {
        write!(f, "object")?;
        let Some(object) = self.objects.get(to_usize(index)) else {
            return Ok(());
        };
        bounds(f, object.min, object.max)?;
        let name = |slot: u32| object.names.name(to_usize(slot));
        let mut slots: Vec<_> = object.names.data().zip(object.names.names()).collect();
        slots.sort_by_key(|(slot, _)| slot.order);
        for (slot, name) in slots {
            write!(f, "; {name:?}")?;
            if slot.required {
                write!(f, " required")?;
            }
            if slot.declared {
                write!(f, " {}", slot.target.node)?;
            }
        }
        for (pattern, target) in &object.patterns {
            let text = self
                .patterns
                .get(pattern.index())
                .map_or("", |pattern| pattern.as_str());
            write!(f, "; /{text}/ {}", target.node)?;
        }
        if let Some(rest) = object.additional {
            write!(f, "; rest {}", rest.node)?;
        }
        if let Some(schema) = object.property_names {
            write!(f, "; names {}", schema)?;
        }
        for dependent in &object.dependents {
            write!(f, "; with {:?}", name(dependent.trigger))?;
            for required in &dependent.required {
                write!(f, " {:?}", name(*required))?;
            }
            if let Some(schema) = dependent.schema {
                write!(f, " {}", schema)?;
            }
        }
        Ok(())
    }
}

fn bounds(f: &mut fmt::Formatter<'_>, min: usize, max: usize) -> fmt::Result {
    if min > 0 {
        write!(f, " >= {min}")?;
    }
    if max < usize::MAX {
        write!(f, " <= {max}")?;
    }
    Ok(())
}
