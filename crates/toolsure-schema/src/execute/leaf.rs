//! Keywords that inspect one value and none of its children.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use toolsure_json::{Kind, Node, Number, View, pay_for_number};

use super::{Answer, Machine, NO, YES, internal_error, run_dry};
use crate::format::content;
use crate::int::{to_usize, units};
use crate::plan::{EnumPlan, Leaf, NumberLiteral, Op, PlanNode};
use crate::price;

impl<'i, N: Node<'i>> Machine<'_, '_, N> {
    /// Evaluates the operations of a leaf on a value of an admitted type.
    #[inline(never)]
    pub(super) fn leaf(&mut self, node: &PlanNode, value: N, kind: Kind) -> Answer {
        let Some(ops) = self.plan.value_ops(node) else {
            return internal_error();
        };
        if ops.len() >= price::CHEAP_PER_UNIT {
            self.spend(units(ops.len() / price::CHEAP_PER_UNIT))?;
        }
        for op in ops {
            let Op::Leaf(leaf) = op else {
                return internal_error();
            };
            if !self.value_op(leaf, value, kind)? {
                return NO;
            }
        }
        YES
    }

    /// Evaluates one operation that inspects the value alone.
    #[inline(always)]
    pub(super) fn value_op(&mut self, leaf: &Leaf, value: N, kind: Kind) -> Answer {
        let plan = self.plan;
        match *leaf {
            Leaf::Const(index) => match plan.literal_at(index) {
                Some(literal) => self.equals(literal, value, kind),
                None => internal_error(),
            },
            Leaf::Enum(index) => match plan.enums.get(to_usize(index)) {
                Some(members) => self.is_member(members, value, kind),
                None => internal_error(),
            },
            Leaf::Minimum { .. }
            | Leaf::Maximum { .. }
            | Leaf::MultipleOf(_)
            | Leaf::NumberFormat(_) => match kind {
                Kind::Number => {
                    pay_for_number(value, self)?;
                    self.number(leaf, value.number())
                }
                _ => YES,
            },
            Leaf::MinLength(_)
            | Leaf::MaxLength(_)
            | Leaf::Pattern(_)
            | Leaf::Format(_)
            | Leaf::Content { .. } => match kind {
                Kind::String => self.text(leaf, value),
                _ => YES,
            },
        }
    }

    fn equals(&mut self, literal: View<'_>, value: N, kind: Kind) -> Answer {
        if literal.kind() != kind {
            return NO;
        }
        match kind {
            Kind::Null => YES,
            Kind::Boolean => ControlFlow::Continue(literal.boolean() == value.boolean()),
            Kind::String => {
                let (expected, found) = (literal.string(), value.string());
                if expected.len() != found.len() {
                    return NO;
                }
                self.spend_text(found)?;
                ControlFlow::Continue(expected == found)
            }
            Kind::Number => {
                pay_for_number(value, self)?;
                let found = value.number();
                self.spend_number(found)?;
                self.spend_literal(literal)?;
                ControlFlow::Continue(found.compare(&literal.number()) == Ordering::Equal)
            }
            Kind::Array | Kind::Object => toolsure_json::equal(literal, value, self),
        }
    }

    fn is_member(&mut self, members: &EnumPlan, value: N, kind: Kind) -> Answer {
        let there = match kind {
            Kind::Null => members.null,
            Kind::Boolean if value.boolean() => members.yes,
            Kind::Boolean => members.no,
            Kind::String => {
                let text = value.string();
                self.spend_text(text)?;
                let text = text.as_bytes();
                members.strings.find(text, |ends| ends.hash(text)).is_some()
            }
            Kind::Number => {
                pay_for_number(value, self)?;
                let number = value.number();
                self.spend_number(number)?;
                match number.as_i64() {
                    Some(integer) => members.integers.binary_search(&integer).is_ok(),
                    None => {
                        self.spend(members.number_price)?;
                        let plan = self.plan;
                        let mut lost = false;
                        let place = members.numbers.binary_search_by(|literal| {
                            let view = plan.literal(*literal);
                            lost |= view.is_none();
                            view.map_or(Ordering::Less, |view| view.number().compare(&number))
                        });
                        if lost {
                            return internal_error();
                        }
                        place.is_ok()
                    }
                }
            }
            Kind::Array | Kind::Object => {
                if members.compound.is_empty() {
                    return NO;
                }
                // Without this, every level of a recursive schema would hash all levels below it.
                let most = members.most_values;
                if toolsure_json::count_values(value, most, self)? > most {
                    return NO;
                }
                let hash = toolsure_json::hash_value(value, self)?;
                let first = members.compound.partition_point(|(known, _)| *known < hash);
                for (known, literal) in members.compound.iter().skip(first) {
                    if *known != hash {
                        break;
                    }
                    let Some(literal) = self.plan.literal(*literal) else {
                        return internal_error();
                    };
                    if toolsure_json::equal(literal, value, self)? {
                        return YES;
                    }
                }
                false
            }
        };
        ControlFlow::Continue(there)
    }

    /// A keyword about numbers.
    #[inline(always)]
    fn number(&mut self, leaf: &Leaf, found: Number<'_>) -> Answer {
        let matched = match *leaf {
            Leaf::Minimum { number, exclusive } => {
                let order = self.against(number, found)?;
                order == Ordering::Greater || (order == Ordering::Equal && !exclusive)
            }
            Leaf::Maximum { number, exclusive } => {
                let order = self.against(number, found)?;
                order == Ordering::Less || (order == Ordering::Equal && !exclusive)
            }
            Leaf::MultipleOf(number) => self.multiple(number, found)?,
            Leaf::NumberFormat(format) => {
                self.spend(price::number_format(format, found))?;
                format.accepts(found)
            }
            Leaf::Const(_)
            | Leaf::Enum(_)
            | Leaf::MinLength(_)
            | Leaf::MaxLength(_)
            | Leaf::Pattern(_)
            | Leaf::Format(_)
            | Leaf::Content { .. } => return internal_error(),
        };
        ControlFlow::Continue(matched)
    }

    /// Compares a number with a bound.
    #[inline]
    fn against(&mut self, number: u32, found: Number<'_>) -> ControlFlow<super::Stop, Ordering> {
        let Some(bound) = self.plan.numbers.get(to_usize(number)) else {
            return internal_error();
        };
        if let (Some(found), NumberLiteral::Integer(bound)) = (found.as_i64(), bound) {
            return ControlFlow::Continue(found.cmp(bound));
        }
        self.against_number(bound, found)
    }

    /// Compares a number with a bound if at least one of them is not a machine integer.
    #[inline(never)]
    fn against_number(
        &mut self,
        bound: &NumberLiteral,
        found: Number<'_>,
    ) -> ControlFlow<super::Stop, Ordering> {
        self.spend_number(found)?;
        let plan = self.plan;
        let literal = match *bound {
            NumberLiteral::Integer(bound) => {
                return ControlFlow::Continue(found.compare(&Number::from_i64(bound)));
            }
            NumberLiteral::Other(literal) => literal,
        };
        let Some(literal) = plan.literal(literal) else {
            return internal_error();
        };
        self.spend_literal(literal)?;
        ControlFlow::Continue(found.compare(&literal.number()))
    }

    #[inline(never)]
    fn multiple(&mut self, number: u32, found: Number<'_>) -> Answer {
        let plan = self.plan;
        let Some(divisor) = plan.numbers.get(to_usize(number)) else {
            return internal_error();
        };
        let divisor = match *divisor {
            NumberLiteral::Integer(divisor) => match found.as_i64() {
                Some(found) => {
                    return match found.checked_rem(divisor) {
                        Some(rest) => ControlFlow::Continue(rest == 0),
                        None => internal_error(),
                    };
                }
                None => Number::from_i64(divisor),
            },
            NumberLiteral::Other(literal) => match plan.literal(literal) {
                Some(view) => view.number(),
                None => return internal_error(),
            },
        };
        if divisor.as_i64() == Some(0) {
            return internal_error();
        }
        self.spend(price::division(found, divisor))?;
        ControlFlow::Continue(found.is_multiple_of(divisor))
    }

    /// Pays for reading a number in the schema.
    fn spend_literal(&mut self, literal: View<'_>) -> ControlFlow<super::Stop> {
        self.spend(price::literal(literal))
    }

    /// Pays for reading the digits of a number that is not a machine integer.
    fn spend_number(&mut self, number: Number<'_>) -> ControlFlow<super::Stop> {
        self.spend(price::number(number))
    }

    /// A keyword about strings.
    #[inline(never)]
    fn text(&mut self, leaf: &Leaf, value: N) -> Answer {
        let text = value.string();
        let matched = match *leaf {
            Leaf::MinLength(least) => {
                let least = least.get();
                // A code point has at most four bytes, so most answers need no counting.
                let bytes = units(text.len());
                if bytes < least {
                    false
                } else if bytes / 4 >= least {
                    true
                } else {
                    self.spend_text(text)?;
                    units(text.chars().count()) >= least
                }
            }
            Leaf::MaxLength(most) => {
                let most = most.get();
                let bytes = units(text.len());
                if bytes <= most {
                    true
                } else if bytes.div_ceil(4) > most {
                    false
                } else {
                    self.spend_text(text)?;
                    units(text.chars().count()) <= most
                }
            }
            Leaf::Pattern(pattern) => return self.matches(pattern, text),
            Leaf::Format(format) => {
                self.spend(price::format(format, text))?;
                format.accepts(text)
            }
            Leaf::Content { base64, json } => {
                self.spend(price::content(text))?;
                content::accepts(text, base64, json)
            }
            Leaf::Const(_)
            | Leaf::Enum(_)
            | Leaf::Minimum { .. }
            | Leaf::Maximum { .. }
            | Leaf::MultipleOf(_)
            | Leaf::NumberFormat(_) => return internal_error(),
        };
        ControlFlow::Continue(matched)
    }

    /// Whether a pattern matches somewhere in a string.
    pub(super) fn matches(&mut self, pattern: crate::model::PatternId, text: &str) -> Answer {
        let Some(pattern) = self.plan.patterns.get(pattern.index()) else {
            return internal_error();
        };
        match pattern.matches(text, &mut self.fuel) {
            Some(matched) => ControlFlow::Continue(matched),
            None => run_dry(&mut self.fuel).map_continue(|()| false),
        }
    }
}
