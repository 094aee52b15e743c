//! The backtracker: matches patterns that no automaton can, in bounded memory and time.
//!
//! It follows ECMA-262, section 22.2.2, on an explicit stack and pays one unit
//! of fuel for every instruction.

use std::ops::Range;

use crate::ast::{Ast, Node};
use crate::conditions::{Conditions, is_single, neighbour, refer_folded};
use crate::fuel::spend;
pub(crate) use crate::instructions::{Instruction, Op, Program, compile};
use toolsure_json::int::{to_u64, to_usize};

/// The scratch memory of one run; reusable with the same program.
#[derive(Debug)]
pub(crate) struct Machine {
    stack: Vec<Entry>,
    /// The heights of the stack at the start of each active lookaround.
    looks: Vec<usize>,
    /// Start and end of each capture; [`UNSET`] if it is not set.
    slots: Vec<usize>,
    loops: Vec<Loop>,
    conditions: Conditions,
}

/// The state of a counted loop.
#[derive(Clone, Copy, Debug, Default)]
struct Loop {
    rounds: u32,
    /// Where the iteration began.
    start: usize,
}

/// An entry that backtracking returns to or undoes.
#[derive(Clone, Copy, Debug)]
enum Entry {
    /// Continue there.
    Branch { to: u32, at: usize },
    /// A capture was overwritten; `old` is its previous value.
    Slot { slot: u32, old: usize },
    /// The state of a loop changed; `old` is its previous state.
    Loop { index: u32, old: Loop },
    /// A run of single characters ends at `at` and may give back down to `least`.
    Run { run: u32, at: usize, least: usize },
    /// A lookaround began.
    Look { look: u32, at: usize },
}

/// Where a thread of execution is.
#[derive(Clone, Copy, Debug)]
struct Place {
    code: u32,
    at: usize,
}

/// What an instruction led to.
enum Step {
    Go(Place),
    Fail,
    Match,
}

impl Machine {
    /// Scratch memory for a program.
    pub(crate) fn new(program: &Program) -> Self {
        Self {
            stack: Vec::new(),
            looks: Vec::new(),
            slots: vec![UNSET; to_usize(program.slots)],
            loops: vec![Loop::default(); to_usize(program.loops)],
            conditions: Conditions::new(),
        }
    }

    /// Whether the pattern matches anywhere; `None` if fuel or stack ran out.
    pub(crate) fn run(
        &mut self,
        ast: &Ast,
        program: &Program,
        haystack: &str,
        fuel: &mut u64,
    ) -> Option<bool> {
        // A failed attempt resets everything: the stack undoes it.
        self.slots.fill(UNSET);
        spend(fuel, to_u64(self.slots.len() / 16))?;
        let mut from = 0;
        loop {
            if self.run_at(ast, program, haystack, from, fuel)? {
                return Some(true);
            }
            if program.anchored {
                return Some(false);
            }
            match haystack.get(from..).and_then(|rest| rest.chars().next()) {
                Some(c) => from += c.len_utf8(),
                None => return Some(false),
            }
        }
    }

    /// Frees a stack that one haystack has made large.
    pub(crate) fn trim(&mut self) {
        self.stack.clear();
        self.stack.shrink_to(KEPT_STACK);
    }

    fn run_at(
        &mut self,
        ast: &Ast,
        program: &Program,
        haystack: &str,
        at: usize,
        fuel: &mut u64,
    ) -> Option<bool> {
        self.stack.clear();
        self.looks.clear();
        let mut place = Place {
            code: program.start,
            at,
        };
        loop {
            spend(fuel, 1)?;
            if self.stack.len() > MAX_STACK {
                *fuel = 0;
                return None;
            }
            let instruction = program.code.get(to_usize(place.code));
            let step = instruction.and_then(|instruction| {
                match self.step(ast, program, instruction, place, haystack, fuel)? {
                    Step::Fail => self.back(program, haystack),
                    step => Some(step),
                }
            });
            let Some(step) = step else {
                // The fuel is spent, or the program contradicts itself: neither gives a result.
                *fuel = 0;
                return None;
            };
            match step {
                Step::Go(next) => place = next,
                Step::Match => return Some(true),
                Step::Fail => return Some(false),
            }
        }
    }

    fn step(
        &mut self,
        ast: &Ast,
        program: &Program,
        instruction: &Instruction,
        place: Place,
        haystack: &str,
        fuel: &mut u64,
    ) -> Option<Step> {
        let next = Place {
            code: instruction.next,
            at: place.at,
        };
        Some(match instruction.op {
            Op::Match => Step::Match,
            Op::Single { what, back } => match neighbour(haystack, place.at, back) {
                Some((c, at)) if is_single(ast, what, c)? => Step::Go(Place { at, ..next }),
                Some(_) | None => Step::Fail,
            },
            Op::Run {
                what,
                min,
                max,
                back,
            } => {
                let bounds = min..max;
                match self.take_run(ast, what, bounds, back, place, haystack, fuel)? {
                    Some(at) => Step::Go(Place { at, ..next }),
                    None => Step::Fail,
                }
            }
            Op::Assert(assertion) => {
                if self.conditions.meet(assertion, haystack, place.at) {
                    Step::Go(next)
                } else {
                    Step::Fail
                }
            }
            Op::Split { other } => {
                self.stack.push(Entry::Branch {
                    to: other,
                    at: place.at,
                });
                Step::Go(next)
            }
            Op::Save { slot } => {
                self.save(slot, place.at)?;
                Step::Go(next)
            }
            Op::LoopInit { index } => {
                self.set_loop(index, Loop::default())?;
                Step::Go(next)
            }
            Op::LoopHead {
                index,
                min,
                max,
                greedy,
                exit,
            } => {
                let rounds = self.loop_at(index)?.rounds;
                let leave = Place { code: exit, ..next };
                if rounds < min {
                    Step::Go(next)
                } else if rounds >= max {
                    Step::Go(leave)
                } else {
                    let (first, second) = if greedy { (next, leave) } else { (leave, next) };
                    self.stack.push(Entry::Branch {
                        to: second.code,
                        at: place.at,
                    });
                    Step::Go(first)
                }
            }
            Op::LoopBody { index, captures } => {
                let now = self.loop_at(index)?;
                self.set_loop(
                    index,
                    Loop {
                        start: place.at,
                        ..now
                    },
                )?;
                spend(fuel, u64::from(captures.1 - captures.0))?;
                for slot in captures.0 * 2..captures.1 * 2 {
                    self.save(slot, UNSET)?;
                }
                Step::Go(next)
            }
            Op::LoopEnd { index, min } => {
                let now = self.loop_at(index)?;
                if now.start == place.at && now.rounds >= min {
                    // An iteration beyond the minimum that matched nothing fails.
                    return Some(Step::Fail);
                }
                // It is compared only with `min` and a finite `max`; both fit.
                let rounds = now.rounds.saturating_add(1);
                self.set_loop(index, Loop { rounds, ..now })?;
                Step::Go(next)
            }
            Op::BackReference { target, fold, back } => {
                match self.refer(ast, target, fold, back, haystack, place.at, fuel)? {
                    Some(at) => Step::Go(Place { at, ..next }),
                    None => Step::Fail,
                }
            }
            Op::Look { .. } => {
                self.looks.push(self.stack.len());
                self.stack.push(Entry::Look {
                    look: place.code,
                    at: place.at,
                });
                Step::Go(next)
            }
            Op::LookEnd => self.end_look(program, fuel)?,
        })
    }

    /// The body of the innermost lookaround has matched.
    fn end_look(&mut self, program: &Program, fuel: &mut u64) -> Option<Step> {
        let height = self.looks.pop()?;
        let &Entry::Look { look, at } = self.stack.get(height)? else {
            return None;
        };
        spend(fuel, to_u64(self.stack.len() - height) / 4)?;
        let Some(Instruction {
            op: Op::Look { negative, after },
            ..
        }) = program.code.get(to_usize(look))
        else {
            return None;
        };
        if *negative {
            while self.stack.len() > height {
                if let Some(entry) = self.stack.pop() {
                    self.undo(entry)?;
                }
            }
            return Some(Step::Fail);
        }
        // The body cannot be re-entered, but its captures must be undone with the rest.
        let mut kept = height;
        for index in height..self.stack.len() {
            if let Some(&entry) = self.stack.get(index)
                && matches!(entry, Entry::Slot { .. } | Entry::Loop { .. })
                && let Some(slot) = self.stack.get_mut(kept)
            {
                *slot = entry;
                kept += 1;
            }
        }
        self.stack.truncate(kept);
        Some(Step::Go(Place { code: *after, at }))
    }

    /// Returns to the last choice; fails if there is none left.
    fn back(&mut self, program: &Program, haystack: &str) -> Option<Step> {
        while let Some(entry) = self.stack.pop() {
            match entry {
                Entry::Branch { to, at } => return Some(Step::Go(Place { code: to, at })),
                Entry::Slot { .. } | Entry::Loop { .. } => self.undo(entry)?,
                Entry::Run { run, at, least } => {
                    let instruction = program.code.get(to_usize(run))?;
                    let Op::Run { back, .. } = instruction.op else {
                        return None;
                    };
                    let (_, at) = neighbour(haystack, at, !back)?;
                    if at != least {
                        self.stack.push(Entry::Run { run, at, least });
                    }
                    return Some(Step::Go(Place {
                        code: instruction.next,
                        at,
                    }));
                }
                Entry::Look { look, at } => {
                    self.looks.pop();
                    let Op::Look { negative, after } = program.code.get(to_usize(look))?.op else {
                        return None;
                    };
                    if negative {
                        return Some(Step::Go(Place { code: after, at }));
                    }
                }
            }
        }
        Some(Step::Fail)
    }

    // These five return `None` if the program names a slot or loop that does not exist.

    fn undo(&mut self, entry: Entry) -> Option<()> {
        match entry {
            Entry::Slot { slot, old } => *self.slots.get_mut(to_usize(slot))? = old,
            Entry::Loop { index, old } => *self.loops.get_mut(to_usize(index))? = old,
            Entry::Look { .. } | Entry::Branch { .. } | Entry::Run { .. } => {}
        }
        Some(())
    }

    fn slot(&self, slot: u32) -> Option<usize> {
        self.slots.get(to_usize(slot)).copied()
    }

    fn save(&mut self, slot: u32, at: usize) -> Option<()> {
        let value = self.slots.get_mut(to_usize(slot))?;
        if *value != at {
            self.stack.push(Entry::Slot { slot, old: *value });
            *value = at;
        }
        Some(())
    }

    fn loop_at(&self, index: u32) -> Option<Loop> {
        self.loops.get(to_usize(index)).copied()
    }

    fn set_loop(&mut self, index: u32, new: Loop) -> Option<()> {
        let value = self.loops.get_mut(to_usize(index))?;
        self.stack.push(Entry::Loop { index, old: *value });
        *value = new;
        Some(())
    }

    /// Consumes as many single characters as allowed; returns where that ends.
    #[expect(
        clippy::too_many_arguments,
        reason = "the operands of one instruction and the state it acts on"
    )]
    fn take_run(
        &mut self,
        ast: &Ast,
        what: Node,
        bounds: Range<u32>,
        back: bool,
        place: Place,
        haystack: &str,
        fuel: &mut u64,
    ) -> Option<Option<usize>> {
        let (mut at, mut least) = (place.at, place.at);
        let mut taken = 0_u32;
        while taken < bounds.end
            && let Some((c, next)) = neighbour(haystack, at, back)
            && is_single(ast, what, c)?
        {
            at = next;
            taken = taken.saturating_add(1);
            if taken == bounds.start {
                least = at;
            }
            if taken.is_multiple_of(2) {
                spend(fuel, 1)?;
            }
        }
        if taken < bounds.start {
            return Some(None);
        }
        if at != least {
            self.stack.push(Entry::Run {
                run: place.code,
                at,
                least,
            });
        }
        Some(Some(at))
    }

    /// Consumes the text that a group captured; returns where that ends, or `None` if it is not
    /// there.
    #[expect(
        clippy::too_many_arguments,
        reason = "the operands of one instruction and the state it acts on"
    )]
    fn refer(
        &self,
        ast: &Ast,
        target: u32,
        fold: bool,
        back: bool,
        haystack: &str,
        at: usize,
        fuel: &mut u64,
    ) -> Option<Option<usize>> {
        let mut captured = "";
        for group in ast.target(target) {
            let (start, end) = (self.slot(group * 2)?, self.slot(group * 2 + 1)?);
            if start != UNSET && end != UNSET {
                captured = haystack.get(start..end)?;
            }
        }
        let bytes_per_unit = if fold { 1 } else { 16 };
        spend(fuel, to_u64(captured.len() / bytes_per_unit))?;
        if fold {
            return refer_folded(captured, back, haystack, at);
        }
        Some(if back {
            let head = haystack.get(..at)?;
            head.ends_with(captured).then(|| at - captured.len())
        } else {
            let rest = haystack.get(at..)?;
            rest.starts_with(captured).then(|| at + captured.len())
        })
    }
}

/// The position of a capture that is not set.
const UNSET: usize = usize::MAX;
/// The most entries on the stack: 8 MiB of 32 bytes each.
const MAX_STACK: usize = 1 << 18;
/// The entries that a machine keeps between matches.
const KEPT_STACK: usize = 1 << 10;
