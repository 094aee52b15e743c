//! Whether each lookbehind looks back over a fixed number of characters, which Python's `re` requires.

use crate::Pattern;
use crate::ast::{Ast, Node};
use toolsure_json::int::to_usize;

impl Pattern {
    /// Whether a lookbehind may match texts of different lengths, so that engines without such lookbehinds,
    /// such as Python's `re`, refuse the pattern. A reference to a group that is not closed counts as varying.
    ///
    /// ```
    /// use toolsure_pattern::{Limits, Pattern};
    ///
    /// let varies = |text| Pattern::new(text, &Limits::default()).map(|pattern| pattern.has_varying_lookbehind());
    /// assert!(!varies("(?<=ab|cd)e")?);
    /// assert!(varies("(?<!a+)e")?);
    /// # Ok::<(), toolsure_pattern::PatternError>(())
    /// ```
    #[must_use]
    pub fn has_varying_lookbehind(&self) -> bool {
        has_varying_lookbehind(&self.ast)
    }
}

fn has_varying_lookbehind(ast: &Ast) -> bool {
    // The number of characters that each node matches; `None` if it varies. Children precede parents.
    let mut widths: Vec<Option<u64>> = Vec::with_capacity(ast.len());
    let mut groups: Vec<Option<u64>> = vec![None; to_usize(ast.captures)];
    for node in ast.nodes() {
        let width_of = |id: crate::ast::NodeId| widths.get(to_usize(id.0)).copied().flatten();
        let width = match node {
            Node::Empty | Node::Assert(_) => Some(0),
            Node::Char(_) | Node::Class(_) => Some(1),
            Node::Look {
                behind: true,
                child,
                ..
            } if width_of(child).is_none() => return true,
            Node::Look { .. } => Some(0),
            Node::Capture { index, child } => {
                let width = width_of(child);
                if let Some(group) = groups.get_mut(to_usize(index)) {
                    *group = width;
                }
                width
            }
            Node::BackReference { target, .. } => same(
                ast.target(target)
                    .iter()
                    .map(|index| groups.get(to_usize(*index)).copied().flatten()),
            ),
            Node::Concat(list) => ast
                .children(list)
                .iter()
                .try_fold(0_u64, |sum, child| sum.checked_add(width_of(*child)?)),
            Node::Alternate(list) => same(ast.children(list).iter().map(|child| width_of(*child))),
            Node::Repeat {
                child, min, max, ..
            } => width_of(child)
                .filter(|width| *width == 0 || min == max)
                .and_then(|width| width.checked_mul(u64::from(min))),
        };
        widths.push(width);
    }
    false
}

/// The width that all of them have.
fn same(mut widths: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let first = widths.next().flatten()?;
    widths.all(|width| width == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Pattern};

    /// Each row is what Python 3.11 says: "look-behind requires fixed-width pattern".
    #[test]
    fn lookbehinds_vary_as_python_says() {
        for (text, expected) in [
            ("(?<=a)b", false),
            ("(?<=ab|cd)e", false),
            ("(?<=a|bc)e", true),
            ("(?<!a+)b", true),
            ("(?<!a{3})b", false),
            ("(?<!a{2,3})b", true),
            ("(?<=(?:)*)b", false),
            (r"(?<=^\b[a-z]{2}(?=x+))b", false),
            (r"(ab)(?<=\1c)d", false),
            (r"(a+)(?<=\1c)d", true),
            ("(?<=a(?<!b*)c)d", true),
            ("(?<=a?|)d", true),
        ] {
            let pattern = Pattern::new(text, &Limits::default()).unwrap();
            assert_eq!(pattern.has_varying_lookbehind(), expected, "{text}");
        }
    }
}
