//! How a tool differs from its approved definition.

use std::sync::atomic::{AtomicUsize, Ordering};

use toolsure_analysis::diff::{Differ, Limits, Report, new_texts};
use toolsure_mcp::contract::ToolContract;
use toolsure_schema::Compiler;

use super::{Approved, ChangeClass, Digest, LEGACY, Lock};

/// A tool that has an approved definition, compared with it.
#[derive(Debug)]
pub(crate) struct Compared {
    /// How it differs: the classes, sorted and each once, with what changed first in it and how much more.
    /// Empty if it does not.
    pub(crate) changes: Vec<(ChangeClass, String, usize)>,
    /// Whether somebody looked at this definition and did not approve it.
    pub(crate) is_rejected: bool,
    /// Whether all that differs is in `_meta`, which guards of other processes do not know.
    pub(crate) is_pinned: bool,
    /// The digest of the definition as it was listed, if it differs.
    pub(crate) digest: Option<Digest>,
}

impl Lock {
    /// Compares a tool with its approved definition. `left` bounds how many tools are compared by what
    /// changed: one that is not counts as narrower.
    pub(crate) fn compare(
        &self,
        tool: &ToolContract,
        compiler: &Compiler,
        left: &AtomicUsize,
    ) -> Compared {
        let (name, text) = (tool.name(), tool.listed_text());
        let compare = |approved| self.compare_with(approved, (name, text), text, compiler, left);
        let legacy = self.entries.get(&format!("{LEGACY}{name}"));
        // For older protocol versions a server may list another definition, which was approved as well.
        match (self.tools.get(name).map(compare), legacy) {
            (Some(found), Some(legacy)) if !found.changes.is_empty() => {
                let other = compare(legacy);
                match other.changes.len() < found.changes.len() {
                    true => other,
                    false => found,
                }
            }
            (Some(found), _) => found,
            (None, Some(legacy)) => compare(legacy),
            (None, None) => self.added(name, text),
        }
    }

    /// The same for an entry of another list or the instructions, by its name among those of tools. `text` is the entry as a tool,
    /// and `listed` the entry itself.
    pub(crate) fn compare_entry(
        &self,
        (name, text): (&str, &str),
        listed: &str,
        compiler: &Compiler,
        left: &AtomicUsize,
    ) -> Compared {
        match self.entries.get(name) {
            Some(approved) => self.compare_with(approved, (name, text), listed, compiler, left),
            None => self.added(name, listed),
        }
    }

    fn compare_with(
        &self,
        approved: &Approved,
        (name, text): (&str, &str),
        listed: &str,
        compiler: &Compiler,
        left: &AtomicUsize,
    ) -> Compared {
        let Ok(now) = self.approved(name, text) else {
            return Compared::unread();
        };
        if now.whole == approved.whole {
            return Compared {
                changes: Vec::new(),
                is_rejected: false,
                is_pinned: true,
                digest: None,
            };
        }
        let one_less = |left: usize| left.checked_sub(1);
        let may_compare = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        let changes = match may_compare {
            Ok(_) => changes(&approved.text, &now.text, compiler),
            Err(_) => {
                let why = "not compared, because very many changed";
                vec![(ChangeClass::Narrower, why.to_owned(), 0)]
            }
        };
        let digest = Digest::of_definition(listed);
        Compared {
            changes,
            is_rejected: self.is_rejected(name, digest),
            is_pinned: now.pin == approved.pin,
            digest,
        }
    }

    /// A definition of a name of which the lock has none.
    fn added(&self, name: &str, listed: &str) -> Compared {
        let digest = Digest::of_definition(listed);
        Compared {
            is_rejected: self.is_rejected(name, digest),
            digest,
            ..Compared::added()
        }
    }

    /// Whether somebody looked at this definition and did not approve it.
    fn is_rejected(&self, name: &str, digest: Option<Digest>) -> bool {
        let has = |name: &str| {
            let found = self.rejected.get(name).zip(digest);
            found.is_some_and(|(rejected, digest)| rejected.contains(&digest))
        };
        !self.rejected.is_empty() && (has(name) || has(&format!("{LEGACY}{name}")))
    }
}

impl Compared {
    /// A definition that cannot be read.
    pub(crate) fn unread() -> Self {
        Self {
            changes: vec![(ChangeClass::Narrower, "it cannot be read".to_owned(), 0)],
            is_rejected: false,
            is_pinned: false,
            digest: None,
        }
    }

    /// One that was not there.
    pub(crate) fn added() -> Self {
        Self {
            changes: vec![(ChangeClass::New, String::new(), 0)],
            is_rejected: false,
            is_pinned: false,
            digest: None,
        }
    }
}

fn changes(old: &str, new: &str, compiler: &Compiler) -> Vec<(ChangeClass, String, usize)> {
    let differ = Differ::new().limits(LIMITS).compiler(compiler.clone());
    let report = differ.diff([old], [new]);
    let mut found: Vec<(ChangeClass, String, usize)> = Vec::new();
    let mut tell = |class: ChangeClass, what: String| match found
        .iter_mut()
        .find(|(known, ..)| *known == class)
    {
        Some((.., more)) => *more = more.saturating_add(1),
        None => found.push((class, what, 0)),
    };
    let changes = || report.tools.iter().flat_map(|tool| &tool.changes);
    for change in changes() {
        tell(ChangeClass::of_change(change), change.subject());
    }
    if changes().count() >= Report::CHANGES {
        tell(
            ChangeClass::Narrower,
            "so many changes that some are not compared".to_owned(),
        );
    }
    let has_words = changes().any(|change| ChangeClass::of_change(change) == ChangeClass::Words);
    if !has_words && !new_texts(old, new).is_empty() {
        tell(
            ChangeClass::Words,
            "a text in a place that has no meaning for validation".to_owned(),
        );
    }
    if found.is_empty() {
        // What the comparison does not know is not nothing.
        found.push((
            ChangeClass::Other,
            "a part that is not compared".to_owned(),
            0,
        ));
    }
    found.sort_by_key(|(class, ..)| *class);
    found
}

/// What comparing one tool may cost, some milliseconds: a server's list waits for it.
pub const LIMITS: Limits = Limits {
    pairs: 1_000,
    instances: 20,
    fuel: 200_000,
};
/// How many changed tools of one page are compared by what changed.
pub(crate) const COMPARED: usize = 200;
