//! How many paths an automaton has for one text.

use std::collections::HashSet;

use super::automaton::Automaton;
use super::time::Hazard;

/// The time of a search that tries the paths one by one; `None` if it is not decided within bounds,
/// or a state or component is not in this automaton.
pub(super) fn hazard(automaton: &Automaton) -> Option<Hazard> {
    let components = Components::of(automaton)?;
    let mut work = WORK;
    for component in &components.members {
        if components.is_cyclic(automaton, component)?
            && doubles(automaton, &components, component, &mut work)?
        {
            return Some(Hazard::Exponential);
        }
    }
    // Along each path through the automaton: the degree, and the logarithm of the number of paths
    // that does not depend on the length of the text.
    let count = components.members.len();
    let mut degree = vec![0_u32; count];
    let mut bits = vec![0_u32; count];
    // `members` is in order: edges lead from later components to earlier ones.
    for (to, target) in components.members.iter().enumerate().rev() {
        let reaching = components.reaching(automaton, to)?;
        let (mut most, mut chosen) = (0, 0);
        for (from, source) in components.members.iter().enumerate().skip(to + 1) {
            if !*reaching.get(from)? {
                continue;
            }
            let mut bits_so_far = *bits.get(from)?;
            let both = components.is_cyclic(automaton, source)?
                && components.is_cyclic(automaton, target)?;
            let mut more = 0;
            if both && shares(automaton, &components, source, target, &mut work)? {
                match turns(automaton, source)?.min(turns(automaton, target)?) {
                    turns if turns <= BOUNDED => bits_so_far += log(turns),
                    _ => more = 1,
                }
            }
            most = most.max(degree.get(from)?.saturating_add(more));
            chosen = chosen.max(bits_so_far);
        }
        let mut own = 1;
        for state in target {
            own = own.max(choices(automaton, *state)?);
        }
        *degree.get_mut(to)? = most;
        *bits.get_mut(to)? = chosen.saturating_add(log(own));
    }
    if bits.iter().any(|bits| *bits > BITS) {
        return Some(Hazard::Exponential);
    }
    Some(match degree.into_iter().max()? {
        0 => Hazard::None,
        degree => Hazard::Polynomial(degree.saturating_add(1)),
    })
}

/// The most iterations of a component.
fn turns(automaton: &Automaton, component: &[usize]) -> Option<u32> {
    let mut most = 0;
    for state in component {
        most = most.max(match automaton.turns.get(*state)? {
            0 => u32::MAX,
            turns => *turns,
        });
    }
    Some(most)
}

/// The most next states that one symbol leaves to choose from.
fn choices(automaton: &Automaton, state: usize) -> Option<u32> {
    let next = edges(automaton, state)?;
    let mut most = 1;
    for (one, _) in next {
        let mut all = 0_u32;
        for (other, ways) in next {
            if meets(symbols(automaton, *one)?, symbols(automaton, *other)?, None) {
                all = all.saturating_add(u32::from(*ways));
            }
        }
        most = most.max(all);
    }
    Some(most)
}

fn log(count: u32) -> u32 {
    u32::BITS - count.max(1).saturating_sub(1).leading_zeros()
}

/// Whether a component has two paths over one text from a state back to itself.
fn doubles(
    automaton: &Automaton,
    components: &Components,
    component: &[usize],
    work: &mut usize,
) -> Option<bool> {
    let own = components.component_of(*component.first()?)?;
    for &state in component {
        for (next, ways) in edges(automaton, state)? {
            if *ways > 1 && components.component_of(*next)? == own {
                return Some(true);
            }
        }
    }
    if component.len() < 2 {
        return Some(false);
    }
    let mut seen: HashSet<(usize, usize)> =
        component.iter().map(|state| (*state, *state)).collect();
    let mut waiting: Vec<(usize, usize)> = seen.iter().copied().collect();
    while let Some((one, other)) = waiting.pop() {
        for (left, _) in edges(automaton, one)? {
            for (right, _) in edges(automaton, other)? {
                *work = work.checked_sub(1)?;
                if components.component_of(*left)? != own
                    || components.component_of(*right)? != own
                    || !meets(
                        symbols(automaton, *left)?,
                        symbols(automaton, *right)?,
                        None,
                    )
                {
                    continue;
                }
                if left == right {
                    if one != other {
                        return Some(true);
                    }
                    continue;
                }
                if seen.insert((*left, *right)) {
                    waiting.push((*left, *right));
                }
            }
        }
    }
    Some(false)
}

/// Whether one text leads from a state of a component back to it, from there to a state of another
/// component, and from that back to itself; `true` if finding out takes too long.
fn shares(
    automaton: &Automaton,
    components: &Components,
    before: &[usize],
    after: &[usize],
    work: &mut usize,
) -> Option<bool> {
    let first = components.component_of(*before.first()?)?;
    let last = components.component_of(*after.first()?)?;
    for &source in before {
        for &target in after {
            let mut seen = HashSet::new();
            let mut waiting = vec![(source, source, target)];
            while let Some((one, two, three)) = waiting.pop() {
                for (one, _) in edges(automaton, one)? {
                    if components.component_of(*one)? != first {
                        continue;
                    }
                    for (three, _) in edges(automaton, three)? {
                        if components.component_of(*three)? != last {
                            continue;
                        }
                        let (a, c) = (symbols(automaton, *one)?, symbols(automaton, *three)?);
                        for (two, _) in edges(automaton, two)? {
                            let Some(left) = work.checked_sub(1) else {
                                return Some(true);
                            };
                            *work = left;
                            if !meets(a, c, Some(symbols(automaton, *two)?)) {
                                continue;
                            }
                            if (*one, *two, *three) == (source, target, target) {
                                return Some(true);
                            }
                            if seen.insert((*one, *two, *three)) {
                                waiting.push((*one, *two, *three));
                            }
                        }
                    }
                }
            }
        }
    }
    Some(false)
}

fn edges(automaton: &Automaton, state: usize) -> Option<&[(usize, u8)]> {
    automaton.next.get(state).map(Vec::as_slice)
}

fn symbols(automaton: &Automaton, state: usize) -> Option<&[u64]> {
    automaton.symbols.get(state).map(Vec::as_slice)
}

/// Whether the sets have a symbol in common. Sets of one automaton have the same length.
fn meets(one: &[u64], two: &[u64], three: Option<&[u64]>) -> bool {
    let common = one.iter().zip(two).map(|(one, two)| one & two);
    match three {
        None => common.into_iter().any(|word| word != 0),
        Some(three) => common.zip(three).any(|(word, three)| word & three != 0),
    }
}

/// The strongly connected components of an automaton, in reverse topological order.
struct Components {
    members: Vec<Vec<usize>>,
    of: Vec<usize>,
}

impl Components {
    /// Tarjan's algorithm, without recursion.
    fn of(automaton: &Automaton) -> Option<Self> {
        let count = automaton.next.len();
        let mut index = vec![usize::MAX; count];
        let mut low = vec![0; count];
        let mut on_stack = vec![false; count];
        let (mut stack, mut next_index) = (Vec::new(), 0);
        let mut out = Self {
            members: Vec::new(),
            of: vec![usize::MAX; count],
        };
        for root in 0..count {
            if *index.get(root)? != usize::MAX {
                continue;
            }
            let mut calls = vec![(root, 0)];
            while let Some((state, at)) = calls.pop() {
                if at == 0 {
                    *index.get_mut(state)? = next_index;
                    *low.get_mut(state)? = next_index;
                    next_index += 1;
                    stack.push(state);
                    *on_stack.get_mut(state)? = true;
                }
                if let Some((next, _)) = edges(automaton, state)?.get(at) {
                    calls.push((state, at + 1));
                    if *index.get(*next)? == usize::MAX {
                        calls.push((*next, 0));
                    } else if *on_stack.get(*next)? {
                        let least = *index.get(*next)?;
                        let low = low.get_mut(state)?;
                        *low = least.min(*low);
                    }
                    continue;
                }
                let least = *low.get(state)?;
                if least == *index.get(state)? {
                    let mut members = Vec::new();
                    while let Some(member) = stack.pop() {
                        *on_stack.get_mut(member)? = false;
                        *out.of.get_mut(member)? = out.members.len();
                        members.push(member);
                        if member == state {
                            break;
                        }
                    }
                    out.members.push(members);
                }
                if let Some((parent, _)) = calls.last() {
                    let low = low.get_mut(*parent)?;
                    *low = least.min(*low);
                }
            }
        }
        Some(out)
    }

    fn component_of(&self, state: usize) -> Option<usize> {
        self.of.get(state).copied()
    }

    fn is_cyclic(&self, automaton: &Automaton, component: &[usize]) -> Option<bool> {
        if component.len() > 1 {
            return Some(true);
        }
        let state = *component.first()?;
        Some(
            edges(automaton, state)?
                .iter()
                .any(|(next, _)| *next == state),
        )
    }

    /// Which components lead to `target`.
    fn reaching(&self, automaton: &Automaton, target: usize) -> Option<Vec<bool>> {
        let mut reaching = vec![false; self.members.len()];
        *reaching.get_mut(target)? = true;
        for (component, members) in self.members.iter().enumerate().skip(target + 1) {
            let mut leads = false;
            for state in members {
                for (next, _) in edges(automaton, *state)? {
                    leads |= *reaching.get(self.component_of(*next)?)?;
                }
            }
            *reaching.get_mut(component)? = leads;
        }
        Some(reaching)
    }
}

/// The most steps for analysing a pattern; whatever is not decided then is assumed to be the worst.
const WORK: usize = 1_000_000;
/// A loop with at most this many iterations counts as a constant.
const BOUNDED: u32 = 64;
/// The logarithm of the most paths that do not depend on the length of the text.
const BITS: u32 = 16;
