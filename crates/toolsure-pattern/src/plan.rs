//! How a pattern is matched: by scans, automata, conjunctions of them, or by
//! backtracking.

use std::collections::VecDeque;
use std::sync::OnceLock;

use crate::ast::{Assertion, Ast, Node, NodeId};
use crate::backtrack::{self, Machine};
use crate::dfa::Dfa;
use crate::fuel::{CALL, spend, spend_pass};
use crate::linear::{self, Program};
use crate::pool::Pool;
use crate::recognise::Recogniser;
use crate::threads::Threads;
use toolsure_json::int::{to_length, to_u32, to_u64};

/// A way of matching.
#[derive(Debug)]
pub(crate) enum Plan {
    /// One scan.
    Scan(Recogniser),
    /// An automaton for a sequence of nodes.
    Linear(Linear),
    /// Matches if the other does not.
    Not(Box<Plan>),
    /// Matches if all match.
    All(Vec<Plan>),
    /// Matches if one matches.
    Any(Vec<Plan>),
    /// Backtracking over the whole pattern.
    Backtrack(Backtrack),
}

/// Nodes matched in linear time; the engine is built on first use.
#[derive(Debug)]
pub(crate) struct Linear {
    sequence: Vec<NodeId>,
    /// The most steps of building a table.
    work: u32,
    /// The inner `None` means that the nodes contradict the plan. Boxed, since most patterns have
    /// no engine.
    engine: OnceLock<Option<Box<Engine>>>,
}

#[derive(Debug)]
enum Engine {
    Table(Dfa),
    Threads {
        program: Program,
        pool: Pool<Threads>,
    },
}

/// The backtracker; its program is built on first use.
#[derive(Debug)]
pub(crate) struct Backtrack {
    root: NodeId,
    /// The inner `None` means that the tree contradicts itself.
    engine: OnceLock<Option<Box<BacktrackEngine>>>,
}

type BacktrackEngine = (backtrack::Program, Pool<Machine>);

/// The plan of a pattern and the memory it will hold, in bytes.
pub(crate) fn plan(ast: &Ast, root: NodeId) -> (Plan, usize) {
    let facts = ast.facts(root);
    let plan = if facts.irregular {
        None
    } else if facts.looks {
        let mut budget = MAX_PARTS;
        split(ast, &[root], None, &mut budget)
    } else {
        Some(leaf(ast, vec![root]))
    };
    let mut plan = plan.unwrap_or_else(|| {
        Plan::Backtrack(Backtrack {
            root,
            engine: OnceLock::new(),
        })
    });
    plan.share(ast, 1);
    let size = plan.size(ast);
    (plan, size)
}

impl Plan {
    /// Whether the pattern matches; `None` if the fuel ran out, or the compiled pattern contradicts
    /// itself, which also leaves no fuel.
    pub(crate) fn matches(&self, ast: &Ast, haystack: &str, fuel: &mut u64) -> Option<bool> {
        match self {
            Self::Scan(recogniser) => {
                spend_pass(fuel, haystack, SCAN_BYTES)?;
                spend(fuel, recogniser.surcharge())?;
                Some(recogniser.matches(haystack))
            }
            Self::Linear(linear) => linear.matches(ast, haystack, fuel),
            Self::Not(plan) => plan.matches(ast, haystack, fuel).map(|found| !found),
            Self::All(plans) => {
                for plan in plans {
                    if !plan.matches(ast, haystack, fuel)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Self::Any(plans) => {
                for plan in plans {
                    if plan.matches(ast, haystack, fuel)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
            Self::Backtrack(backtrack) => {
                let engine = backtrack.engine.get_or_init(|| {
                    let program = backtrack::compile(ast, backtrack.root)?;
                    Some(Box::new((program, Pool::new())))
                });
                let Some((program, pool)) = engine.as_deref() else {
                    *fuel = 0;
                    return None;
                };
                spend(fuel, CALL)?;
                let mut machine = pool.take(|| Machine::new(program));
                let found = machine.run(ast, program, haystack, fuel);
                machine.trim();
                pool.give(machine);
                found
            }
        }
    }

    /// Sets how long building tables may take: this is one of `count` plans that share the time.
    pub(crate) fn share(&mut self, ast: &Ast, count: usize) {
        let count = self.tables().saturating_mul(count).max(1);
        self.allow(ast, MAX_WORK.min(SHARED_WORK / count));
    }

    /// How many tables it may have.
    fn tables(&self) -> usize {
        match self {
            Self::Scan(_) | Self::Backtrack(_) => 0,
            Self::Linear(_) => 1,
            Self::Not(plan) => plan.tables(),
            Self::All(plans) | Self::Any(plans) => plans.iter().map(Self::tables).sum(),
        }
    }

    fn allow(&mut self, ast: &Ast, work: usize) {
        match self {
            Self::Scan(_) | Self::Backtrack(_) => {}
            Self::Linear(linear) => {
                linear.work = to_u32(work.max(linear.size(ast) / BYTES_PER_WORK));
            }
            Self::Not(plan) => plan.allow(ast, work),
            Self::All(plans) | Self::Any(plans) => {
                for plan in plans {
                    plan.allow(ast, work);
                }
            }
        }
    }

    /// The memory that the plan will hold once its engines are built.
    fn size(&self, ast: &Ast) -> usize {
        match self {
            Self::Scan(recogniser) => recogniser.size(),
            Self::Linear(linear) => linear.size(ast),
            Self::Not(plan) => plan.size(ast),
            Self::All(plans) | Self::Any(plans) => plans
                .iter()
                .fold(0, |sum, plan| plan.size(ast).saturating_add(sum)),
            Self::Backtrack(_) => ast.len().saturating_mul(BACKTRACK_BYTES),
        }
    }
}

impl Linear {
    /// The memory that it will hold once the engine is built, in bytes.
    fn size(&self, ast: &Ast) -> usize {
        let costs = self.sequence.iter().map(|id| ast.facts(*id).cost);
        let cost = costs.fold(1, u64::saturating_add);
        let table = cost.saturating_mul(to_u64(TABLE_PER_OP) * 2);
        to_length(cost.saturating_mul(OP_BYTES))
            .saturating_add(to_length(table).min(crate::dfa::MAX_TABLE * 2))
    }

    fn matches(&self, ast: &Ast, haystack: &str, fuel: &mut u64) -> Option<bool> {
        let engine = self.engine.get_or_init(|| {
            let program = linear::compile(ast, &self.sequence)?;
            let entries = program.code.len() * TABLE_PER_OP;
            let table = Dfa::build(ast, &program, entries, self.work.into());
            Some(Box::new(table.map_or_else(
                || Engine::Threads {
                    program,
                    pool: Pool::new(),
                },
                Engine::Table,
            )))
        });
        match engine.as_deref() {
            None => {
                *fuel = 0;
                None
            }
            Some(Engine::Table(dfa)) => {
                spend_pass(fuel, haystack, TABLE_BYTES)?;
                let found = dfa.matches(haystack);
                if found.is_none() {
                    *fuel = 0;
                }
                found
            }
            Some(Engine::Threads { program, pool }) => {
                spend(fuel, CALL)?;
                let mut threads = pool.take(|| Threads::new(program));
                let found = threads.run(ast, program, haystack, fuel);
                pool.give(threads);
                found
            }
        }
    }
}

/// The plan of a sequence without lookarounds or other irregular parts.
fn leaf(ast: &Ast, sequence: Vec<NodeId>) -> Plan {
    match Recogniser::of(ast, &sequence) {
        Some(recogniser) => Plan::Scan(recogniser),
        None => Plan::Linear(Linear {
            sequence,
            work: 0,
            engine: OnceLock::new(),
        }),
    }
}

/// Splits lookaheads off the start of a sequence and lookbehinds off its end.
///
/// A lookaround there is a separate condition on the whole input, because its position is fixed:
/// `start` is the `^` node that applies, if any. `None` if a lookaround is elsewhere. Recursion
/// follows the nesting of lookarounds and alternatives, which the parser has limited.
fn split(
    ast: &Ast,
    sequence: &[NodeId],
    mut start: Option<NodeId>,
    budget: &mut usize,
) -> Option<Plan> {
    *budget = budget.checked_sub(1)?;
    let mut rest: VecDeque<NodeId> = sequence.iter().copied().collect();
    let mut conditions = Vec::new();
    while let Some(id) = rest.pop_front() {
        match ast.node(id) {
            Node::Assert(Assertion::Start) => start = Some(id),
            Node::Empty => {}
            Node::Capture { child, .. } => rest.push_front(child),
            Node::Concat(list) => {
                for child in ast.children(list).iter().rev() {
                    rest.push_front(*child);
                }
            }
            Node::Look {
                behind: false,
                negative,
                child,
            } if start.is_some() => {
                let inner = split(ast, &[child], start, budget)?;
                conditions.push(sign(inner, negative));
            }
            Node::Alternate(list) if ast.facts(id).looks => {
                let mut any = Vec::new();
                for child in ast.children(list) {
                    let mut sequence = vec![*child];
                    sequence.extend(&rest);
                    any.push(split(ast, &sequence, start, budget)?);
                }
                return Some(all(Plan::Any(any), conditions));
            }
            _ => {
                rest.push_front(id);
                break;
            }
        }
    }
    let mut end = None;
    while let Some(id) = rest.pop_back() {
        match (ast.node(id), end) {
            (Node::Assert(Assertion::End), _) => end = Some(id),
            (Node::Empty, _) => {}
            (Node::Capture { child, .. }, _) => rest.push_back(child),
            (Node::Concat(list), _) => rest.extend(ast.children(list)),
            (
                Node::Look {
                    behind: true,
                    negative,
                    child,
                },
                Some(end),
            ) => {
                let inner = split(ast, &[child, end], None, budget)?;
                conditions.push(sign(inner, negative));
            }
            _ => {
                rest.push_back(id);
                break;
            }
        }
    }
    if rest.iter().any(|id| ast.facts(*id).looks) {
        return None;
    }
    let mut sequence: Vec<NodeId> = start.into_iter().collect();
    sequence.extend(rest);
    sequence.extend(end);
    Some(all(leaf(ast, sequence), conditions))
}

fn sign(plan: Plan, negative: bool) -> Plan {
    if negative {
        Plan::Not(Box::new(plan))
    } else {
        plan
    }
}

/// Matches if the body and all conditions do. The body goes first: it decides most often and is the
/// cheapest.
fn all(body: Plan, mut conditions: Vec<Plan>) -> Plan {
    if conditions.is_empty() {
        return body;
    }
    conditions.insert(0, body);
    Plan::All(conditions)
}

/// Bytes that a scan reads for one unit.
const SCAN_BYTES: usize = 8;
/// Bytes that a table reads for one unit.
const TABLE_BYTES: usize = 4;
/// Table entries allowed for each instruction of the program, so that small patterns have a small
/// size.
const TABLE_PER_OP: usize = 256;
/// The most steps of building a table, of 20 to 30 ns each: about 2 ms.
const MAX_WORK: usize = 75_000;
/// The most steps for all patterns that are used together, besides those that their size pays for.
const SHARED_WORK: usize = 600_000;
/// The bytes of a pattern's size for each step that it may take however many others there are, so
/// that a limit on the size of all patterns also bounds the time. Most published patterns need at
/// most one step for 20 bytes, long alternatives without `^` one for two bytes.
const BYTES_PER_WORK: usize = 8;
/// An instruction of a linear program with its share of the scratch memory.
const OP_BYTES: u64 = 32;
/// The bytes of a node's instructions for the backtracker: at most four of 32 bytes.
const BACKTRACK_BYTES: usize = 128;
/// The most parts that lookarounds may split a pattern into.
const MAX_PARTS: usize = 64;

#[cfg(test)]
mod tests;
