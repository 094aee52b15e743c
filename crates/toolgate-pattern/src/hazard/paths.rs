//! How many paths an automaton has for one text.

use std::collections::HashSet;

use super::Hazard;
use super::automaton::Automaton;

/// The time of a search that tries the paths one by one.
pub(super) fn hazard(automaton: &Automaton) -> Hazard {
    let components = Components::of(automaton);
    let mut work = WORK;
    for component in &components.members {
        if components.is_cyclic(automaton, component)
            && doubles(automaton, &components, component, &mut work)
        {
            return Hazard::Exponential;
        }
    }
    // Along each way through the automaton: the degree, and the logarithm of the
    // number of paths that do not depend on the length of the text.
    let count = components.members.len();
    let mut degree = vec![0_u32; count];
    let mut bits = vec![0_u32; count];
    // `members` is in order: edges lead from later components to earlier ones.
    for to in (0..count).rev() {
        let Some(target) = components.members.get(to) else {
            continue;
        };
        let reaching = components.reaching(automaton, to);
        let (mut most, mut chosen) = (0, 0);
        for (from, source) in components.members.iter().enumerate().skip(to + 1) {
            if !reaching.get(from).copied().unwrap_or(false) {
                continue;
            }
            let so_far = degree.get(from).copied().unwrap_or(0);
            let mut bits_so_far = bits.get(from).copied().unwrap_or(0);
            let both =
                components.is_cyclic(automaton, source) && components.is_cyclic(automaton, target);
            let mut more = 0;
            if both && shares(automaton, &components, source, target, &mut work) {
                match turns(automaton, source).min(turns(automaton, target)) {
                    turns if turns <= BOUNDED => bits_so_far += log(turns),
                    _ => more = 1,
                }
            }
            most = most.max(so_far.saturating_add(more));
            chosen = chosen.max(bits_so_far);
        }
        let own = target.iter().map(|state| choices(automaton, *state)).max();
        if let (Some(degree), Some(bits)) = (degree.get_mut(to), bits.get_mut(to)) {
            *degree = most;
            *bits = chosen.saturating_add(log(own.unwrap_or(1)));
        }
    }
    if bits.iter().any(|bits| *bits > BITS) {
        return Hazard::Exponential;
    }
    match degree.into_iter().max() {
        None | Some(0) => Hazard::None,
        Some(degree) => Hazard::Polynomial(degree.saturating_add(1)),
    }
}

/// How often a component turns at most.
fn turns(automaton: &Automaton, component: &[usize]) -> u32 {
    let turns =
        component.iter().map(
            |state| match automaton.turns.get(*state).copied().unwrap_or(0) {
                0 => u32::MAX,
                turns => turns,
            },
        );
    turns.max().unwrap_or(u32::MAX)
}

/// Among how many next states one symbol can leave the choice.
fn choices(automaton: &Automaton, state: usize) -> u32 {
    let next = edges(automaton, state);
    let mut most = 1;
    for (one, _) in next {
        let overlapping = next
            .iter()
            .filter(|(other, _)| meets(symbols(automaton, *one), symbols(automaton, *other), None));
        let ways = overlapping.map(|(_, ways)| u32::from(*ways)).sum::<u32>();
        most = most.max(ways);
    }
    most
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
) -> bool {
    let Some(own) = component
        .first()
        .and_then(|state| components.component_of(*state))
    else {
        return false;
    };
    let within = |state: usize| components.component_of(state) == Some(own);
    for &state in component {
        for (next, ways) in edges(automaton, state) {
            if *ways > 1 && within(*next) {
                return true;
            }
        }
    }
    if component.len() < 2 {
        return false;
    }
    let mut seen: HashSet<(usize, usize)> =
        component.iter().map(|state| (*state, *state)).collect();
    let mut waiting: Vec<(usize, usize)> = seen.iter().copied().collect();
    while let Some((one, other)) = waiting.pop() {
        for (left, _) in edges(automaton, one) {
            for (right, _) in edges(automaton, other) {
                if *work == 0 {
                    return true;
                }
                *work -= 1;
                if !within(*left)
                    || !within(*right)
                    || !meets(symbols(automaton, *left), symbols(automaton, *right), None)
                {
                    continue;
                }
                if left == right {
                    if one != other {
                        return true;
                    }
                    continue;
                }
                if seen.insert((*left, *right)) {
                    waiting.push((*left, *right));
                }
            }
        }
    }
    false
}

/// Whether one text leads from a state of a component back to it, from there to a state of
/// another component, and from that back to itself.
fn shares(
    automaton: &Automaton,
    components: &Components,
    before: &[usize],
    after: &[usize],
    work: &mut usize,
) -> bool {
    let component = |states: &[usize]| {
        states
            .first()
            .and_then(|state| components.component_of(*state))
    };
    let (first, last) = (component(before), component(after));
    for &source in before {
        for &target in after {
            let mut seen = HashSet::new();
            let mut waiting = vec![(source, source, target)];
            while let Some((one, two, three)) = waiting.pop() {
                for (one, _) in edges(automaton, one) {
                    if components.component_of(*one) != first {
                        continue;
                    }
                    for (three, _) in edges(automaton, three) {
                        if components.component_of(*three) != last {
                            continue;
                        }
                        let (a, c) = (symbols(automaton, *one), symbols(automaton, *three));
                        for (two, _) in edges(automaton, two) {
                            if *work == 0 {
                                return true;
                            }
                            *work -= 1;
                            if !meets(a, c, Some(symbols(automaton, *two))) {
                                continue;
                            }
                            if (*one, *two, *three) == (source, target, target) {
                                return true;
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
    false
}

fn edges(automaton: &Automaton, state: usize) -> &[(usize, u8)] {
    automaton.next.get(state).map_or(&[], Vec::as_slice)
}

fn symbols(automaton: &Automaton, state: usize) -> &[u64] {
    automaton.symbols.get(state).map_or(&[], Vec::as_slice)
}

/// Whether a symbol is in all sets.
fn meets(one: &[u64], two: &[u64], three: Option<&[u64]>) -> bool {
    one.iter().zip(two).enumerate().any(|(index, (one, two))| {
        let three = three.map_or(u64::MAX, |three| three.get(index).copied().unwrap_or(0));
        one & two & three != 0
    })
}

/// The strongly connected components of an automaton, in reverse topological order.
struct Components {
    members: Vec<Vec<usize>>,
    of: Vec<usize>,
}

impl Components {
    /// Tarjan's algorithm, without recursion.
    fn of(automaton: &Automaton) -> Self {
        let count = automaton.next.len();
        let mut index = vec![usize::MAX; count];
        let mut low = vec![0; count];
        let mut on_stack = vec![false; count];
        let (mut stack, mut next_index) = (Vec::new(), 0);
        let mut out = Self {
            members: Vec::new(),
            of: vec![usize::MAX; count],
        };
        let get = |list: &[usize], at: usize| list.get(at).copied().unwrap_or(usize::MAX);
        let set = |list: &mut [usize], at: usize, value: usize| {
            if let Some(slot) = list.get_mut(at) {
                *slot = value;
            }
        };
        for root in 0..count {
            if get(&index, root) != usize::MAX {
                continue;
            }
            let mut calls = vec![(root, 0)];
            while let Some((state, at)) = calls.pop() {
                if at == 0 {
                    set(&mut index, state, next_index);
                    set(&mut low, state, next_index);
                    next_index += 1;
                    stack.push(state);
                    if let Some(is) = on_stack.get_mut(state) {
                        *is = true;
                    }
                }
                if let Some((next, _)) = edges(automaton, state).get(at) {
                    calls.push((state, at + 1));
                    if get(&index, *next) == usize::MAX {
                        calls.push((*next, 0));
                    } else if on_stack.get(*next).copied().unwrap_or(false) {
                        let least = get(&low, state).min(get(&index, *next));
                        set(&mut low, state, least);
                    }
                    continue;
                }
                if get(&low, state) == get(&index, state) {
                    let mut members = Vec::new();
                    while let Some(member) = stack.pop() {
                        if let Some(is) = on_stack.get_mut(member) {
                            *is = false;
                        }
                        set(&mut out.of, member, out.members.len());
                        members.push(member);
                        if member == state {
                            break;
                        }
                    }
                    out.members.push(members);
                }
                if let Some((parent, _)) = calls.last() {
                    let least = get(&low, *parent).min(get(&low, state));
                    set(&mut low, *parent, least);
                }
            }
        }
        out
    }

    fn component_of(&self, state: usize) -> Option<usize> {
        self.of.get(state).copied()
    }

    fn is_cyclic(&self, automaton: &Automaton, component: &[usize]) -> bool {
        component.len() > 1
            || component.first().is_some_and(|state| {
                edges(automaton, *state)
                    .iter()
                    .any(|(next, _)| next == state)
            })
    }

    /// Which components lead to `target`.
    fn reaching(&self, automaton: &Automaton, target: usize) -> Vec<bool> {
        let mut reaching = vec![false; self.members.len()];
        if let Some(is) = reaching.get_mut(target) {
            *is = true;
        }
        for (component, members) in self.members.iter().enumerate().skip(target + 1) {
            let mut next = members.iter().flat_map(|state| edges(automaton, *state));
            let leads = next.any(|(next, _)| {
                let component = self
                    .component_of(*next)
                    .and_then(|component| reaching.get(component));
                component.copied().unwrap_or(false)
            });
            if let Some(is) = reaching.get_mut(component) {
                *is = leads;
            }
        }
        reaching
    }
}

/// Steps that a pattern may take to look through; what is not decided then is taken
/// for the worst.
const WORK: usize = 1_000_000;
/// Turns of a loop up to which it counts as a constant.
const BOUNDED: u32 = 64;
/// The logarithm of the paths that do not depend on the length of the text.
const BITS: u32 = 16;
