//! Rewrites a schema until the result is sound: a place that is not is written in another way, then as JSON
//! text; if that does not help, the tool is left out.

use std::collections::{HashMap, HashSet};

use toolsure_json::pointer;
use toolsure_syntax::Dialect;

use super::abilities::Abilities;
use super::budget::{check, drop_large_enums};
use super::encode::{Encoder, without_nullable};
use super::limits::{Limits, Spent};
use super::report::Refusal;
use super::rewrite::{At, Forced, Log, Rewriter};
use super::sound::{dead, findings, mixed};
use super::tree::Json;
use crate::lint::Linter;

/// What is rewritten, and for whom.
pub(super) struct Attempts<'a> {
    pub(super) abilities: &'a Abilities,
    pub(super) limits: &'a Limits,
    /// The rules of the profile, if it has any.
    pub(super) linter: Option<&'a Linter>,
    /// Whether calls may have members that no keyword names.
    pub(super) open: bool,
    /// The schema's place in the tool.
    pub(super) pointer: &'a str,
    /// Whether the schema names its dialect.
    pub(super) declares: bool,
}

/// A rewritten schema.
pub(super) struct Written {
    /// In plain JSON Schema, with marks.
    pub(super) tree: Json,
    /// As it is published.
    pub(super) published: Json,
    /// The steps, and what is known of the mapping of values.
    pub(super) log: Log,
    /// Whether no rewriting step takes values away, and whether none adds values.
    pub(super) keeps_all: bool,
    pub(super) adds_none: bool,
}

/// A place that is not sound.
struct Wrong {
    place: String,
    why: String,
    /// Whether the schema may still be published as it is.
    stays: bool,
}

impl Attempts<'_> {
    /// Rewrites a schema whose references are settled.
    pub(super) fn rewrite(
        &self,
        original: &Json,
        log: &Log,
        spent: &mut Spent,
    ) -> Result<Written, Refusal> {
        let mut forced = Forced::default();
        let mut was_dead = None;
        let mut left_out = String::new();
        for _ in 0..ATTEMPTS {
            let mut visited = HashSet::new();
            let mut written = self.once(original, log.clone(), spent, &forced, &mut visited)?;
            check(self.abilities, &mut written.published)?;
            let size = written.published.size();
            spent.work.pay(size, PER_CHECK)?;
            let was_dead = was_dead.get_or_insert_with(|| dead(original).into_iter().collect());
            let wrong = self.wrong(&mut written, was_dead);
            let Some(first) = wrong.first() else {
                return Ok(written);
            };
            left_out = format!("{}: {}", first.place, first.why);
            let forces = self.force(&wrong, &visited, &mut forced);
            if !forces && wrong.iter().all(|one| one.stays) {
                written.log.keeps_all = false;
                written.log.adds_none = false;
                return Ok(written);
            }
            if !forces {
                break;
            }
        }
        Err(Refusal::Unsound(left_out))
    }

    fn once(
        &self,
        original: &Json,
        mut log: Log,
        spent: &mut Spent,
        forced: &Forced,
        visited: &mut HashSet<String>,
    ) -> Result<Written, Refusal> {
        let (abilities, limits, pointer) = (self.abilities, self.limits, self.pointer);
        let mut tree = original.clone();
        let mut rewriter = Rewriter::new(abilities, limits, original, &mut log, spent, pointer);
        rewriter.forced = forced.clone();
        rewriter.schema(&mut tree, At::Root)?;
        *visited = rewriter.visited;
        drop_large_enums(abilities, limits, &mut tree, &mut log, pointer);
        // Notes up to here are about the rewrite; later ones are about the mapping of values.
        let (keeps_all, adds_none) = (log.keeps_all, log.adds_none);
        (log.keeps_all, log.adds_none) = (true, true);
        spent.work.pay(tree.size(), PER_CHECK)?;
        let mut encoder = Encoder {
            abilities,
            limits,
            open: self.open,
            log: &mut log,
            pointer: pointer.to_owned(),
        };
        let mut published = encoder.encode(&tree, true);
        if let Json::Object(members) = &mut published
            && self.declares
            && abilities.takes("$schema")
        {
            let uri = Json::text(Dialect::Draft202012.uri());
            members.list.insert(0, ("$schema".to_owned(), uri));
        }
        Ok(Written {
            tree,
            published,
            log,
            keeps_all,
            adds_none,
        })
    }

    /// The places that are not sound, the worst first.
    fn wrong(&self, written: &mut Written, was_dead: &HashSet<String>) -> Vec<Wrong> {
        let mut wrong = Vec::new();
        let renamed = match &written.published {
            Json::Object(root) => root.coding.renamed.as_slice(),
            _ => &[],
        };
        let renamed: HashMap<String, String> = renamed
            .iter()
            .map(|one| (property(&one.published), property(&one.original)))
            .collect();
        let original = |place: &str| {
            let mut slashes = place.match_indices('/').map(|(at, _)| at);
            let end = slashes.nth(2).unwrap_or(place.len());
            let (start, rest) = place.split_at(end);
            let start = renamed.get(start).map_or(start, String::as_str);
            format!("{start}{rest}")
        };
        let mut found = |place: &str, why: &str, stays: bool| {
            wrong.push(Wrong {
                place: format!("{}{place}", self.pointer),
                why: why.to_owned(),
                stays,
            });
        };
        let dead = match self.abilities.nullable {
            true => dead(&without_nullable(&written.published)),
            false => dead(&written.published),
        };
        let was = |place: &String| outwards(place).any(|one| was_dead.contains(one));
        let dead: Vec<String> = dead.iter().map(|place| original(place)).collect();
        for place in dead.iter().filter(|place| !was(place)) {
            found(place, "no value would match", false);
        }
        if let Some(linter) = self.linter {
            for (place, why) in findings(linter, &written.published.write()) {
                found(&original(&place), &why, false);
            }
        }
        for place in mixed(&mut written.tree) {
            let why = "keywords beside a value in another form are about the original one";
            found(&place, why, true);
        }
        wrong
    }

    /// Wants another form of the nearest properties around the places; `false` if there is none.
    fn force(&self, wrong: &[Wrong], visited: &HashSet<String>, forced: &mut Forced) -> bool {
        let mut done = HashSet::new();
        for one in wrong {
            let mut outwards = outwards(&one.place);
            let nearest = outwards.find(|at| visited.contains(*at));
            if let Some(keyword) = nearest.and_then(|at| in_words(at, &one.place))
                && forced.words.insert(keyword.to_owned())
            {
                done.insert(keyword);
                continue;
            }
            if nearest.is_some_and(|at| forced.bare.insert(at.to_owned())) {
                done.extend(nearest);
                continue;
            }
            let mut all = nearest.into_iter().chain(outwards);
            let known = |at: &&str| {
                *at != self.pointer && visited.contains(*at) && !forced.texts.contains(*at)
            };
            let next = all.find(|at| done.contains(at) || known(at));
            if let Some(at) = next.filter(|at| done.insert(at)) {
                forced.texts.insert(at.to_owned());
            }
        }
        !done.is_empty()
    }
}

/// The pointer, and those of the places around it.
fn outwards(place: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(place), |at| {
        at.rfind('/').and_then(|end| at.get(..end))
    })
}

/// The place of the first keyword, below the nearest place with a form of its own, that may become words.
fn in_words<'p>(nearest: &str, place: &'p str) -> Option<&'p str> {
    let mut end = nearest.len();
    let mut rest = place.get(end..)?.split('/').skip(1);
    loop {
        let token = rest.next()?;
        end += 1 + token.len();
        match token {
            "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "propertyNames"
            | "dependentSchemas"
            | "patternProperties"
            | "unevaluatedProperties"
            | "unevaluatedItems" => {
                return place.get(..end);
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => end += 1 + rest.next()?.len(),
            "items" | "additionalProperties" => {}
            _ => return None,
        }
    }
}

/// The place of a property of the root.
fn property(name: &str) -> String {
    let mut place = "/properties".to_owned();
    pointer::push(&mut place, name);
    place
}

/// How often a schema is rewritten.
const ATTEMPTS: usize = 5;
/// The work to write, read, compile and lint a value.
const PER_CHECK: u64 = 20;
