//! Remarks on the tools of a page, of which a bounded number is kept.

use std::sync::Arc;

use crate::fault::Act;
use crate::lock::Digest;
use crate::record::Filter;

/// A finding about a tool.
#[derive(Debug)]
pub(crate) struct Remark {
    pub(crate) filter: Filter,
    pub(crate) act: Act,
    pub(crate) tool: Option<Arc<str>>,
    pub(crate) detail: String,
    /// The digest of the tool's definition, if it was compared with a lock.
    pub(crate) digest: Option<Digest>,
    /// Whether the reader gets something different from what the server sent: the tool, or its bad part,
    /// was left out or rewritten.
    pub(crate) left_out: bool,
    /// How many more tools have the same remark, above [`Remarks::MOST_OF_A_KIND`].
    pub(crate) more: u64,
}

/// The remarks on the tools of a page. A page may list any number of bad tools. For each kind of
/// remark the first ones are kept and the rest are counted, so that one kind never hides another.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    kept: Vec<Remark>,
    /// The number of remarks of each kind, kept or not. There are few kinds.
    of_kind: Vec<(Kind, u64)>,
}

/// The kind of a remark, independent of its tool: the filter, the act, and whether something was left
/// out.
type Kind = (Filter, Act, bool);

impl Remarks {
    /// The maximum number of tools that are named for each kind of remark.
    pub(crate) const MOST_OF_A_KIND: u64 = 256;

    /// Appends the remarks of another collection.
    pub(super) fn append(&mut self, other: Self) {
        for remark in other.kept {
            let Remark {
                filter,
                act,
                left_out,
                tool,
                detail,
                digest,
                ..
            } = remark;
            self.push_with(filter, act, left_out, digest, || (tool, detail));
        }
        for (kind, number) in other.of_kind {
            let dropped = number.saturating_sub(Self::MOST_OF_A_KIND);
            if let Some((_, own)) = self.of_kind.iter_mut().find(|(known, _)| *known == kind) {
                *own = own.saturating_add(dropped);
            }
        }
    }

    /// Keeps a remark, or only counts it. The tool and the detail are computed only if it is kept.
    pub(crate) fn push(
        &mut self,
        filter: Filter,
        act: Act,
        left_out: bool,
        describe: impl FnOnce() -> (Option<Arc<str>>, String),
    ) {
        self.push_with(filter, act, left_out, None, describe);
    }

    /// The same with the digest of the tool's definition.
    pub(crate) fn push_with(
        &mut self,
        filter: Filter,
        act: Act,
        left_out: bool,
        digest: Option<Digest>,
        describe: impl FnOnce() -> (Option<Arc<str>>, String),
    ) {
        let kind = (filter, act, left_out);
        let number = match self.of_kind.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, number)) => {
                *number = number.saturating_add(1);
                *number
            }
            None => {
                self.of_kind.push((kind, 1));
                1
            }
        };
        if number > Self::MOST_OF_A_KIND {
            return;
        }
        let (tool, detail) = describe();
        self.kept.push(Remark {
            filter,
            act,
            tool,
            detail,
            digest,
            left_out,
            more: 0,
        });
    }

    /// The remarks to record: the kept ones, and one for each kind that counts the rest.
    pub(crate) fn finish(self) -> impl Iterator<Item = Remark> {
        let over = self.of_kind.into_iter();
        let over = over.filter(|(_, number)| *number > Self::MOST_OF_A_KIND);
        let rest = over.map(|((filter, act, left_out), number)| Remark {
            filter,
            act,
            tool: None,
            detail: String::new(),
            digest: None,
            left_out,
            more: number.saturating_sub(Self::MOST_OF_A_KIND),
        });
        self.kept.into_iter().chain(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_of_a_kind_are_kept_up_to_the_bound_and_counted_beyond() {
        for over in [0, 1, 7] {
            let mut remarks = Remarks::default();
            for number in 0..Remarks::MOST_OF_A_KIND + over {
                let tool = Arc::from(number.to_string());
                remarks.push(Filter::Admission, Act::ServerListedBadTool, true, || {
                    (Some(tool), "a reason".to_owned())
                });
            }
            // The limit applies to each kind.
            remarks.push(Filter::Drift, Act::ServerRemovedTool, false, || {
                (None, String::new())
            });
            let all: Vec<Remark> = remarks.finish().collect();
            let named = all.iter().filter(|remark| remark.tool.is_some()).count();
            assert_eq!(u64::try_from(named), Ok(Remarks::MOST_OF_A_KIND));
            let more: Vec<u64> = all.iter().map(|remark| remark.more).collect();
            assert_eq!(more.iter().sum::<u64>(), over);
            assert_eq!(
                more.iter().filter(|more| **more > 0).count(),
                usize::from(over > 0)
            );
            assert!(all.iter().any(|remark| remark.filter == Filter::Drift));
        }
    }
}
