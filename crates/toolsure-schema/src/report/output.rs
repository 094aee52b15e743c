//! The standard output formats: flag, basic, detailed and verbose of 2019-09
//! and 2020-12 (core, section 12), list and hierarchical of the newer output
//! specification ("v1").

use toolsure_json::Node;

use super::format::OutputFormat;
use super::json::Writer;
use super::tree::{Tree, Unit};
use crate::execute::Scratch;
use crate::explain::Evaluation;
use crate::schema::instance::{Instance, Question};
use crate::schema::{Schema, Verdict, Workspace};

impl Schema {
    /// The result of a check in a standard output format, as JSON text.
    ///
    /// The nested formats nest less than 128 levels deep, which most JSON parsers accept: deeper
    /// units are listed side by side, each with its own locations. The only exception is the value
    /// of an annotation that is itself 124 levels deep.
    ///
    /// The output has at most 10,000 subschemas and keywords, and some megabytes of text. If a
    /// limit cut it short, it has `"complete": false` at its root, beside the standard members; an
    /// undecided check is written as not valid, with the reason as `"error"`.
    ///
    /// ```
    /// use toolsure_schema::{OutputFormat, Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"type": "integer"}"#)?;
    /// let output = schema.output(&mut Workspace::new(), br#""12""#, OutputFormat::Flag)?;
    /// assert_eq!(output, r#"{"valid":false}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Only for JSON text: it is malformed, or exceeds the limits of
    /// [`Limits::instance`](crate::Limits::instance).
    pub fn output<I: Instance>(
        &self,
        workspace: &mut Workspace,
        instance: I,
        format: OutputFormat,
    ) -> I::Answer<String> {
        instance.ask(self, workspace, format)
    }

    fn written<'i, N: Node<'i>>(
        &self,
        workspace: &mut Workspace,
        instance: N,
        format: OutputFormat,
    ) -> String {
        let (verdict, tree, complete) = match (format, self.plain_with_annotations()) {
            (OutputFormat::Flag, _) | (_, Err(_)) => {
                (self.check_node(workspace, instance), None, true)
            }
            (_, Ok(program)) => {
                let allowance = self.allowance(workspace);
                let scratch = Scratch::default();
                let mut evaluation = Evaluation::new(program, instance, allowance, scratch);
                let decided = evaluation.decide();
                let (verdict, decided) = self.verdict(workspace, instance, decided);
                let mut tree = Tree::new(program.model());
                let reported = evaluation.report(&mut tree);
                (verdict, Some(tree), reported && decided)
            }
        };
        let mut json = Writer::new();
        json.open('{');
        json.name("valid");
        json.boolean(verdict.is_valid());
        if !complete {
            json.name("complete");
            json.boolean(false);
        }
        if let Verdict::Undecided(why) = verdict {
            json.name("error");
            json.string(&why.to_string());
        }
        if let Some(tree) = tree {
            let output = Output {
                children: tree.children(),
                tree: &tree,
                valid: verdict.is_valid(),
                undecided: matches!(verdict, Verdict::Undecided(_)),
            };
            match format {
                OutputFormat::Flag => {}
                OutputFormat::Basic => output.basic(&mut json),
                OutputFormat::Detailed => output.detailed(&mut json),
                OutputFormat::Verbose => output.verbose(&mut json),
                OutputFormat::List => output.list(&mut json),
                OutputFormat::Hierarchical => output.hierarchical(&mut json),
            }
        }
        json.close('}');
        json.finish()
    }
}

impl Question for OutputFormat {
    type Answer = String;

    fn of_node<'i, N: Node<'i>>(
        self,
        schema: &Schema,
        workspace: &mut Workspace,
        node: N,
    ) -> String {
        schema.written(workspace, node, self)
    }
}

struct Output<'t, 'o> {
    tree: &'t Tree<'o>,
    children: Vec<Vec<usize>>,
    valid: bool,
    undecided: bool,
}

/// The open lists of a nested output, outermost first.
struct Open {
    lists: Vec<std::vec::IntoIter<usize>>,
    /// Maximum number of nested lists.
    most: usize,
}

impl Open {
    /// Each list nests an array and an object; the root, the object with a unit's annotations and
    /// an annotation's own value also nest.
    fn new(units: &[Unit]) -> Self {
        let values = units.iter().filter_map(|unit| unit.annotation.as_deref());
        let deepest = values.map(levels).max().unwrap_or(0);
        Self {
            lists: Vec::new(),
            most: (LEVELS.saturating_sub(2 + deepest) / 2).clamp(1, LISTS),
        }
    }

    /// The units listed under a unit: its children or, if the output would otherwise nest too
    /// deeply to be parsed again, all its descendants; nothing is listed under those.
    fn below(&self, unit: usize, children: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
        if self.lists.len() >= self.most {
            return Vec::new();
        }
        let own = children(unit);
        if self.lists.len() + 1 < self.most {
            return own;
        }
        let mut all = Vec::new();
        let mut waiting: Vec<usize> = own.into_iter().rev().collect();
        while let Some(unit) = waiting.pop() {
            all.push(unit);
            waiting.extend(children(unit).into_iter().rev());
        }
        all
    }

    fn push(&mut self, list: Vec<usize>) {
        if !list.is_empty() {
            self.lists.push(list.into_iter());
        }
    }

    /// The next unit of the innermost list, or `Some(None)` at its end; `None` if no list is open.
    fn next(&mut self) -> Option<Option<usize>> {
        Some(self.lists.last_mut()?.next())
    }

    /// Ends the innermost list, and the unit that contains it unless that is the root.
    fn close(&mut self, json: &mut Writer) {
        self.lists.pop();
        json.close(']');
        if !self.lists.is_empty() {
            json.close('}');
        }
    }
}

impl Output<'_, '_> {
    /// The members of the root, and a flat list of the other units.
    fn basic(&self, json: &mut Writer) {
        let Some(root) = self.tree.units.first() else {
            return;
        };
        places(root, json);
        self.own_error(root, json);
        json.name(self.list_name());
        json.open('[');
        for unit in self.tree.units.iter().skip(1) {
            if json.len() > TEXT_BYTES {
                break;
            }
            let says = match self.valid {
                // Annotations under a failing subschema are dropped.
                true => unit.annotation.is_some() && unit.valid && self.holds(unit),
                false => !unit.valid,
            };
            // A keyword that only applies subschemas adds nothing to what they say, and a subschema
            // adds nothing to what its keywords say.
            if says {
                json.open('{');
                self.unit(unit, json);
                json.close('}');
            }
        }
        json.close(']');
    }

    /// Whether all subschemas that enclose a unit hold.
    fn holds(&self, unit: &Unit) -> bool {
        let mut parent = unit.parent;
        while let Some(above) = parent.and_then(|at| self.tree.units.get(at)) {
            if !above.valid {
                return false;
            }
            parent = above.parent;
        }
        true
    }

    fn unit(&self, unit: &Unit, json: &mut Writer) {
        json.name("valid");
        json.boolean(unit.valid);
        places(unit, json);
        match (&unit.error, &unit.annotation) {
            (Some(error), _) => {
                json.name("error");
                json.string(error);
            }
            (None, Some(annotation)) if unit.valid => {
                json.name("annotation");
                json.raw(annotation);
            }
            _ if !unit.valid => {
                json.name("error");
                json.string(INNER_ERROR);
            }
            _ => {}
        }
    }

    fn own_error(&self, unit: &Unit, json: &mut Writer) {
        if self.valid || self.undecided {
            return;
        }
        json.name("error");
        json.string(unit.error.as_deref().unwrap_or(INNER_ERROR));
    }

    fn list_name(&self) -> &'static str {
        if self.valid { "annotations" } else { "errors" }
    }

    /// The tree without units that say nothing, and without units that have one child and say
    /// nothing themselves.
    fn detailed(&self, json: &mut Writer) {
        let units = &self.tree.units;
        // For each unit, the unit that is listed in its place: itself, its only child, or none.
        let mut stands: Vec<Option<usize>> = vec![None; units.len()];
        let mut kept: Vec<Vec<usize>> = vec![Vec::new(); units.len()];
        for (index, unit) in units.iter().enumerate().rev() {
            if unit.valid != self.valid {
                continue;
            }
            let inner = self.children.get(index).into_iter().flatten();
            let inner: Vec<usize> = inner
                .filter_map(|child| stands.get(*child).copied().flatten())
                .collect();
            let says = unit.error.is_some() || unit.annotation.is_some();
            let stand = match *inner {
                [] if says => Some(index),
                [] => None,
                [only] if !says => Some(only),
                _ => Some(index),
            };
            if let (Some(slot), Some(list)) = (stands.get_mut(index), kept.get_mut(index)) {
                *slot = stand;
                *list = inner;
            }
        }
        let Some(root) = units.first() else { return };
        let top = stands.first().copied().flatten().unwrap_or(0);
        let unit = units.get(top).unwrap_or(root);
        self.nested(top, unit, &kept, json);
    }

    fn verbose(&self, json: &mut Writer) {
        if let Some(root) = self.tree.units.first() {
            self.nested(0, root, &self.children, json);
        }
    }

    /// Writes the members of a unit (except `valid`) and of its descendants. It does not recurse:
    /// the open lists are in a vector.
    fn nested(&self, top: usize, unit: &Unit, children: &[Vec<usize>], json: &mut Writer) {
        let list = |at: usize| children.get(at).cloned().unwrap_or_default();
        let mut open = Open::new(&self.tree.units);
        let begin = |unit: &Unit, json: &mut Writer, inner: bool, is_leaf: bool| {
            if inner {
                json.name("valid");
                json.boolean(unit.valid);
            }
            places(unit, json);
            if let Some(error) = &unit.error {
                json.name("error");
                json.string(error);
            }
            if let (Some(annotation), true) = (&unit.annotation, unit.valid) {
                json.name("annotation");
                json.raw(annotation);
            }
            if is_leaf {
                if !unit.valid && unit.error.is_none() && (inner || !self.undecided) {
                    json.name("error");
                    json.string(INNER_ERROR);
                }
                return;
            }
            json.name(if unit.valid { "annotations" } else { "errors" });
            json.open('[');
        };
        let below = open.below(top, list);
        begin(unit, json, false, below.is_empty());
        open.push(below);
        while let Some(next) = open.next() {
            let found = next.and_then(|child| Some((child, self.tree.units.get(child)?)));
            match found.filter(|_| json.len() <= TEXT_BYTES) {
                Some((child, unit)) => {
                    json.open('{');
                    let below = open.below(child, list);
                    begin(unit, json, true, below.is_empty());
                    if below.is_empty() {
                        json.close('}');
                    }
                    open.push(below);
                }
                None => open.close(json),
            }
        }
    }

    /// v1: the subschemas, flat.
    fn list(&self, json: &mut Writer) {
        json.name("details");
        json.open('[');
        for (index, unit) in self.tree.units.iter().enumerate() {
            if unit.keyword.is_none() && json.len() <= TEXT_BYTES {
                json.open('{');
                json.name("valid");
                json.boolean(unit.valid);
                self.node(index, unit, json);
                json.close('}');
            }
        }
        json.close(']');
    }

    /// v1: the subschemas, nested.
    fn hierarchical(&self, json: &mut Writer) {
        let Some(root) = self.tree.units.first() else {
            return;
        };
        let inner = |at: usize| {
            let keywords = self.children.get(at).into_iter().flatten();
            let mut found = Vec::new();
            for keyword in keywords {
                found.extend(self.children.get(*keyword).into_iter().flatten().copied());
            }
            found
        };
        self.node(0, root, json);
        let mut open = Open::new(&self.tree.units);
        let first = open.below(0, inner);
        if !first.is_empty() {
            json.name("details");
            json.open('[');
        }
        open.push(first);
        while let Some(next) = open.next() {
            let found = next.and_then(|at| Some((at, self.tree.units.get(at)?)));
            match found.filter(|_| json.len() <= TEXT_BYTES) {
                Some((at, unit)) => {
                    json.open('{');
                    json.name("valid");
                    json.boolean(unit.valid);
                    self.node(at, unit, json);
                    let below = open.below(at, inner);
                    if below.is_empty() {
                        json.close('}');
                    } else {
                        json.name("details");
                        json.open('[');
                    }
                    open.push(below);
                }
                None => open.close(json),
            }
        }
    }

    /// v1: a subschema's locations, with the annotations and errors of its keywords.
    fn node(&self, index: usize, unit: &Unit, json: &mut Writer) {
        json.name("evaluationPath");
        json.string(&unit.path);
        json.name("schemaLocation");
        json.string(&unit.absolute);
        json.name("instanceLocation");
        json.string(&unit.instance);
        let keywords: Vec<&Unit> = self
            .children
            .get(index)
            .into_iter()
            .flatten()
            .filter_map(|at| self.tree.units.get(*at))
            .collect();
        if keywords.iter().any(|unit| unit.annotation.is_some()) {
            json.name(if unit.valid {
                "annotations"
            } else {
                "droppedAnnotations"
            });
            json.open('{');
            for keyword in &keywords {
                if let (Some(name), Some(value)) = (&keyword.keyword, &keyword.annotation) {
                    json.name(name);
                    json.raw(value);
                }
            }
            json.close('}');
        }
        if unit.valid || (unit.error.is_none() && keywords.iter().all(|unit| unit.error.is_none()))
        {
            return;
        }
        json.name("errors");
        json.open('{');
        if let Some(error) = &unit.error {
            // A `false` schema has no keyword to name.
            json.name("");
            json.string(error);
        }
        for keyword in &keywords {
            if let (Some(name), Some(error)) = (&keyword.keyword, &keyword.error) {
                json.name(name);
                json.string(error);
            }
        }
        json.close('}');
    }
}

fn places(unit: &Unit, json: &mut Writer) {
    json.name("keywordLocation");
    json.string(&unit.path);
    json.name("absoluteKeywordLocation");
    json.string(&unit.absolute);
    json.name("instanceLocation");
    json.string(&unit.instance);
}

/// The maximum depth of nested arrays and objects in a JSON text.
fn levels(json: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => {
                open += 1;
                most = most.max(open);
            }
            b']' | b'}' if !is_text => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// Maximum depth of nested arrays and objects: less than the 128 that most JSON parsers accept.
const LEVELS: usize = 127;
/// Maximum number of nested lists, if no annotation needs the room.
const LISTS: usize = 60;
/// The error of a unit that fails only through its descendants.
const INNER_ERROR: &str = "a subschema does not hold";
/// No further unit begins after this many bytes of text.
const TEXT_BYTES: usize = 16 << 20;
