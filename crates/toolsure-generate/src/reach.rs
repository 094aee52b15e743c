//! The subschemas that an evaluation reaches from the root, and the shortest path to each.

use std::collections::{HashMap, HashSet, VecDeque};

use toolsure_syntax::Keyword;
use toolsure_syntax::model::{
    Dangling, Dependency, Entry, Form, Model, PatternId, Shape, SubschemaId,
};

/// One application of a subschema by another.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) from: SubschemaId,
    pub(crate) keyword: Keyword,
    pub(crate) kind: EdgeKind,
    pub(crate) to: SubschemaId,
}

/// Which value the subschema is applied to, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EdgeKind {
    /// The same value, always: `$ref`, `allOf`.
    Same,
    /// The same value, if this branch is taken: `anyOf`, `oneOf`.
    Branch(usize),
    /// The same value, if the condition holds (`then`, and `if` itself) or not (`else`).
    Condition(bool),
    /// The same object, if it has this member.
    Dependent(String),
    /// The member with this name.
    Member(String),
    /// A member whose name matches.
    Matching(PatternId),
    /// A member that is not declared.
    OtherMember,
    /// The name of a member.
    Name,
    /// The item with this index.
    Item(usize),
    /// An item after those with a schema of their own.
    OtherItem,
    /// Some item: `contains`.
    Contained,
}

impl EdgeKind {
    /// Whether the value is the same on both sides.
    pub(crate) fn is_in_place(&self) -> bool {
        matches!(
            self,
            Self::Same | Self::Branch(_) | Self::Condition(_) | Self::Dependent(_)
        )
    }

    /// Whether the edge leads to an item.
    pub(crate) fn is_item(&self) -> bool {
        matches!(self, Self::Item(_) | Self::OtherItem | Self::Contained)
    }
}

/// All edges between subschemas that are reached.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) edges: Vec<Edge>,
    /// For each subschema, by number: the edge that reaches it first.
    first: Vec<Option<usize>>,
    /// In the order in which they are reached.
    pub(crate) subs: Vec<SubschemaId>,
    /// For each subschema, by number: its declared members.
    members: HashMap<usize, HashMap<String, SubschemaId>>,
    /// For each subschema: those that apply it in place.
    in_place: HashMap<SubschemaId, Vec<SubschemaId>>,
}

impl Reach {
    pub(crate) fn of(model: &Model) -> Result<Self, Dangling> {
        let mut reach = Self {
            edges: Vec::new(),
            first: vec![None; model.subs.len()],
            subs: vec![model.root],
            members: HashMap::new(),
            in_place: HashMap::new(),
        };
        let mut is_known = vec![false; model.subs.len()];
        if let Some(root) = is_known.get_mut(model.root.index()) {
            *root = true;
        }
        let mut todo = VecDeque::from([model.root]);
        while let Some(from) = todo.pop_front() {
            let sub = model.sub(from)?;
            let entries = model.entries(sub)?;
            for entry in entries {
                each_edge(model, from, entry, entries, |edge| {
                    let to = edge.to.index();
                    if let EdgeKind::Member(name) = &edge.kind {
                        let own = reach.members.entry(from.index()).or_default();
                        own.insert(name.clone(), edge.to);
                    }
                    if edge.kind.is_in_place() {
                        reach.in_place.entry(edge.to).or_default().push(from);
                    }
                    if let Some(known) = is_known.get_mut(to)
                        && !*known
                    {
                        *known = true;
                        if let Some(first) = reach.first.get_mut(to) {
                            *first = Some(reach.edges.len());
                        }
                        reach.subs.push(edge.to);
                        todo.push_back(edge.to);
                    }
                    if reach.edges.len() < MOST_EDGES {
                        reach.edges.push(edge);
                    }
                })?;
            }
        }
        Ok(reach)
    }

    /// What a subschema declares for a member.
    pub(crate) fn member(&self, sub: SubschemaId, name: &str) -> Option<SubschemaId> {
        self.members.get(&sub.index())?.get(name).copied()
    }

    /// The subschemas that declare a member, or apply one in place that does; and the work of finding them, in subschemas
    /// that are looked at.
    pub(crate) fn declaring(&self, name: &str) -> (HashSet<SubschemaId>, usize) {
        let has = |(_, members): &(&usize, &HashMap<_, _>)| members.contains_key(name);
        let own = self.members.iter().filter(has);
        let mut todo: Vec<SubschemaId> = own.map(|(sub, _)| SubschemaId::new(*sub)).collect();
        let mut found: HashSet<SubschemaId> = todo.iter().copied().collect();
        let mut work = self.members.len();
        while let Some(sub) = todo.pop() {
            let users = self.in_place.get(&sub).map_or(&[][..], Vec::as_slice);
            work = work.saturating_add(users.len());
            todo.extend(users.iter().filter(|user| found.insert(**user)));
        }
        (found, work)
    }

    /// The shortest path to a subschema.
    pub(crate) fn path_to(&self, sub: SubschemaId) -> Vec<&Edge> {
        let mut path = Vec::new();
        let mut at = sub;
        while let Some(edge) = self.edge_to(at) {
            path.push(edge);
            at = edge.from;
        }
        path.reverse();
        path
    }

    /// The edge that reaches a subschema first; `None` for the root.
    pub(crate) fn edge_to(&self, sub: SubschemaId) -> Option<&Edge> {
        let first = self.first.get(sub.index()).copied().flatten()?;
        self.edges.get(first)
    }

    /// Whether the edge reaches its subschema first.
    pub(crate) fn is_first(&self, number: usize) -> bool {
        let to = self.edges.get(number).map(|edge| edge.to.index());
        let first = to.and_then(|to| self.first.get(to).copied().flatten());
        first == Some(number)
    }
}

/// Calls `meet` for each edge of a keyword.
fn each_edge(
    model: &Model,
    from: SubschemaId,
    entry: &Entry,
    entries: &[Entry],
    mut meet: impl FnMut(Edge),
) -> Result<(), Dangling> {
    let keyword = entry.keyword;
    if !entry.applies() {
        return Ok(());
    }
    let mut add = |kind: EdgeKind, to: SubschemaId| {
        meet(Edge {
            from,
            keyword,
            kind,
            to,
        });
    };
    match (&entry.form, keyword) {
        (Form::Reference(id), _) => add(EdgeKind::Same, model.target(*id)?.initial()),
        (Form::One(one), _) => {
            let has_if = Entry::find(entries, Keyword::If).is_some();
            let kind = match keyword {
                // What `not` applies must fail; it leads to no value.
                Keyword::Not => return Ok(()),
                Keyword::If => EdgeKind::Condition(true),
                Keyword::Then if has_if => EdgeKind::Condition(true),
                Keyword::Else if has_if => EdgeKind::Condition(false),
                Keyword::Then | Keyword::Else => return Ok(()),
                Keyword::AdditionalProperties | Keyword::UnevaluatedProperties => {
                    EdgeKind::OtherMember
                }
                Keyword::PropertyNames => EdgeKind::Name,
                Keyword::Items | Keyword::AdditionalItems | Keyword::UnevaluatedItems => {
                    EdgeKind::OtherItem
                }
                Keyword::Contains => EdgeKind::Contained,
                _ => return Ok(()),
            };
            add(kind, *one);
        }
        (Form::List(list), _) => {
            for (index, one) in list.iter().enumerate() {
                let kind = match keyword {
                    Keyword::AllOf => EdgeKind::Same,
                    Keyword::AnyOf | Keyword::OneOf => EdgeKind::Branch(index),
                    _ => EdgeKind::Item(index),
                };
                add(kind, *one);
            }
        }
        (Form::Map(map), Keyword::Properties | Keyword::DependentSchemas) => {
            for (name, one) in map {
                let name = text_of(model, from, *name)?;
                let kind = match keyword {
                    Keyword::Properties => EdgeKind::Member(name),
                    _ => EdgeKind::Dependent(name),
                };
                add(kind, *one);
            }
        }
        (Form::Patterns(patterns), _) => {
            for (_, pattern, one) in patterns {
                add(EdgeKind::Matching(*pattern), *one);
            }
        }
        (Form::Dependencies(all), _) => {
            for (name, dependency) in all {
                if let Dependency::Schema(one) = dependency {
                    add(EdgeKind::Dependent(text_of(model, from, *name)?), *one);
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// The text of a name in the document of a subschema.
pub(crate) fn text_of(
    model: &Model,
    sub: SubschemaId,
    node: toolsure_json::NodeId,
) -> Result<String, Dangling> {
    use toolsure_json::Node as _;
    let doc = model.sub(sub)?.doc;
    let view = model.view(doc, node).ok_or(Dangling)?;
    Ok(view.string().to_owned())
}

/// Whether a subschema is `false`.
pub(crate) fn is_never(model: &Model, sub: SubschemaId) -> bool {
    model
        .sub(sub)
        .is_ok_and(|sub| matches!(sub.shape, Shape::Always(false)))
}

/// Edges that are kept; a schema with more is covered in part.
pub(crate) const MOST_EDGES: usize = 50_000;
