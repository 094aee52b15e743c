//! Definitions that nothing refers to: which of a tool's subschemas are in them.

use foldhash::HashMap;
use toolsure_syntax::reference::Target;

use super::tool::{Subschema, Tool};

impl Tool<'_> {
    /// Moves the definitions that nothing refers to, and all in them, out of the subschemas: no reader
    /// applies them, so no rule but that on unused definitions looks at them.
    pub(super) fn set_unused_aside(&mut self) {
        let defines = |sub: &Subschema<'_>| matches!(sub.keyword, "$defs" | "definitions");
        // What a `$dynamicRef` leads to depends on the evaluation.
        let dynamic = ["$dynamicRef", "$dynamicAnchor", "$recursiveRef"];
        if !self.subs.iter().any(defines)
            || (self.subs.iter()).any(|sub| dynamic.iter().any(|keyword| sub.has(keyword)))
        {
            return;
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.subs.len()];
        let mut by_id = HashMap::default();
        for (index, sub) in self.subs.iter().enumerate() {
            by_id.insert(sub.view.id(), index);
            if let Some(list) = sub.parent.and_then(|parent| children.get_mut(parent)) {
                list.push(index);
            }
        }
        let roots = self.subs.iter().enumerate();
        let mut waiting: Vec<usize> = roots
            .filter(|(_, sub)| sub.is_root())
            .map(|(index, _)| index)
            .collect();
        let mut used = vec![false; self.subs.len()];
        while let Some(index) = waiting.pop() {
            let (Some(sub), Some(used)) = (self.subs.get(index), used.get_mut(index)) else {
                continue;
            };
            if std::mem::replace(used, true) {
                continue;
            }
            let below = children.get(index).into_iter().flatten().copied();
            waiting.extend(below.filter(|at| self.subs.get(*at).is_some_and(|sub| !defines(sub))));
            let target = self.references().target(sub).and_then(Target::schema);
            // A reference may lead into a definition, or to a value that is not walked.
            let mut at = target;
            while let Some(view) = at {
                if let Some(index) = by_id.get(&view.id()) {
                    waiting.push(*index);
                    break;
                }
                at = view.parent();
            }
        }
        // Parents come before their children, and those of used ones may be unused definitions around them.
        let mut kept = vec![None; self.subs.len()];
        let mut subs = Vec::with_capacity(self.subs.len());
        let mut unused = Vec::new();
        let needed = {
            let mut needed = used;
            for index in (0..self.subs.len()).rev() {
                let parent = self.subs.get(index).and_then(|sub| sub.parent);
                if needed.get(index) == Some(&true)
                    && let Some(needed) = parent.and_then(|parent| needed.get_mut(parent))
                {
                    *needed = true;
                }
            }
            needed
        };
        for (index, mut sub) in std::mem::take(&mut self.subs).into_iter().enumerate() {
            let parent = sub.parent;
            sub.parent = parent.and_then(|parent| kept.get(parent).copied().flatten());
            if needed.get(index) == Some(&true) {
                if let Some(kept) = kept.get_mut(index) {
                    *kept = Some(subs.len());
                }
                subs.push(sub);
            } else if parent.is_some() && sub.parent.is_some() && defines(&sub) {
                unused.push(sub);
            }
        }
        self.subs = subs;
        self.unused = unused;
    }
}
