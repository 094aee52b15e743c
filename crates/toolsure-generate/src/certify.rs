//! Asks the engine about instances.

use std::collections::{HashMap, HashSet};

use toolsure_json::{Node as _, OwnedDocument, ReadLimits, View};
use toolsure_schema::{Compiler, Finding, OutputFormat, Schema, Verdict, Workspace};
use toolsure_syntax::model::{Dangling, Model, SubschemaId};

/// The only fault of an instance; if that is a union, then with the faults in its branches.
pub(crate) struct OnlyFault(Vec<Finding>);

impl OnlyFault {
    /// The finding about the keyword at this location, if it is the fault, or the only one in its branch of a union
    /// that is.
    pub(crate) fn about(&self, wanted: &str) -> Option<&Finding> {
        let mut all: Vec<&Finding> = self.0.iter().collect();
        for _ in 0..=self.0.len() {
            let outer = Self::outer(all.iter().copied());
            let [only] = outer[..] else {
                return None;
            };
            if is_at(only, wanted) {
                return Some(only);
            }
            all.retain(|one| is_inside(one, only));
            let found = all.iter().find(|one| is_at(one, wanted))?;
            let branch = branch(found, only);
            all.retain(|one| self::branch(one, only) == branch);
        }
        None
    }

    /// The keyword that fails, of those that are not in a branch of another.
    pub(crate) fn keyword(&self) -> &'static str {
        let outer = Self::outer(self.0.iter());
        outer.first().map_or("", |one| one.keyword())
    }

    /// The findings that are not in a branch of another.
    fn outer<'f>(all: impl Iterator<Item = &'f Finding> + Clone) -> Vec<&'f Finding> {
        let known: HashSet<&str> = all.clone().map(Finding::keyword_location).collect();
        let is_detail = |one: &Finding| {
            let location = one.keyword_location();
            let mut ends = location.match_indices('/').map(|(end, _)| end);
            ends.any(|end| {
                location
                    .get(..end)
                    .is_some_and(|above| known.contains(above))
            })
        };
        all.filter(|one| !is_detail(one)).collect()
    }
}

/// Whether a finding is in a branch of another.
fn is_inside(inner: &Finding, outer: &Finding) -> bool {
    let inner = inner
        .keyword_location()
        .strip_prefix(outer.keyword_location());
    inner.is_some_and(|rest| rest.starts_with('/'))
}

/// The number of the branch that a finding is in.
fn branch<'d>(detail: &'d Finding, union: &Finding) -> Option<&'d str> {
    let rest = detail
        .keyword_location()
        .strip_prefix(union.keyword_location())?;
    rest.split('/').nth(1)
}

/// Whether a finding is about the keyword at a location, or a part of it. The three keywords about `contains` are one.
fn is_at(finding: &Finding, wanted: &str) -> bool {
    let found = match finding.source().document {
        "" => finding.source().pointer.to_owned(),
        uri => format!("{uri}#{}", finding.source().pointer),
    };
    let plain = |at: &str| {
        let ends = ["/minContains", "/maxContains"];
        let end = ends.iter().find_map(|end| at.strip_suffix(end));
        end.map_or(at.to_owned(), |start| format!("{start}/contains"))
    };
    let (found, wanted) = (plain(&found), plain(wanted));
    let rest = found.strip_prefix(&wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A compiled schema and a budget.
pub(crate) struct Certifier<'s> {
    schema: &'s Schema,
    workspace: Workspace,
    fuel: u64,
    fuel_of_one: u64,
}

impl<'s> Certifier<'s> {
    pub(crate) fn new(schema: &'s Schema, compiler: &Compiler, fuel: u64) -> Self {
        Self {
            schema,
            workspace: Workspace::new(),
            fuel,
            fuel_of_one: compiler.bounds().fuel,
        }
    }

    /// Whether nothing can be asked any more.
    pub(crate) fn is_used_up(&self) -> bool {
        self.fuel == 0
    }

    /// Whether the engine accepts an instance.
    pub(crate) fn accepts(&mut self, text: &str) -> bool {
        let mut workspace = self.workspace();
        let verdict = self.schema.check(&mut workspace, text.as_bytes());
        self.keep(workspace);
        verdict == Ok(Verdict::Valid)
    }

    /// What the engine refuses an instance for, if that is one thing: what stands below a union that fails is its detail.
    pub(crate) fn only_fault(&mut self, text: &str) -> Option<OnlyFault> {
        if self.accepts(text) {
            return None;
        }
        let mut workspace = self.workspace();
        let report = self.schema.explain(&mut workspace, text.as_bytes());
        self.keep(workspace);
        let report = report.ok()?;
        if report.verdict != Verdict::Invalid || !report.complete {
            return None;
        }
        let fault = OnlyFault(report.findings);
        (OnlyFault::outer(fault.0.iter()).len() == 1).then_some(fault)
    }

    /// The locations of the subschemas that match some value of a valid instance.
    pub(crate) fn matched(&mut self, text: &str) -> Vec<String> {
        let mut workspace = self.workspace();
        let output = self
            .schema
            .output(&mut workspace, text.as_bytes(), OutputFormat::List);
        self.keep(workspace);
        let Ok(output) = output else {
            return Vec::new();
        };
        let Ok(document) = OwnedDocument::read(output, &UNBOUNDED) else {
            return Vec::new();
        };
        let details = document.document().root().member("details");
        let is_valid = |unit: &View<'_>| unit.member("valid").is_some_and(View::boolean);
        let units = details.into_iter().flat_map(View::items).filter(is_valid);
        let location = |unit: View<'_>| Some(unit.member("schemaLocation")?.string().to_owned());
        units.filter_map(location).collect()
    }

    fn workspace(&mut self) -> Workspace {
        let fuel = self.fuel.min(self.fuel_of_one);
        std::mem::take(&mut self.workspace).fuel(fuel)
    }

    fn keep(&mut self, workspace: Workspace) {
        let used = workspace.fuel_used().saturating_add(PRICE_OF_ONE);
        self.fuel = self.fuel.saturating_sub(used);
        self.workspace = workspace;
    }
}

/// The subschemas by the locations that the engine gives them.
pub(crate) fn by_location(model: &Model) -> Result<HashMap<String, SubschemaId>, Dangling> {
    let mut all = HashMap::new();
    for number in 0..model.subs.len() {
        let id = SubschemaId::new(number);
        let sub = model.sub(id)?;
        let resource = model.resources.get(sub.resource.index()).ok_or(Dangling)?;
        let root = model.pointer(model.sub(resource.root)?)?;
        let pointer = model.pointer(sub)?;
        let own = pointer.strip_prefix(root.as_str()).unwrap_or(&pointer);
        all.insert(format!("{}#{}", resource.uri, escaped(own)), id);
    }
    Ok(all)
}

/// A JSON pointer as a URI fragment.
fn escaped(pointer: &str) -> String {
    let mut out = String::new();
    for byte in pointer.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte);
        match is_plain {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Fuel for what an evaluation costs beside its own.
const PRICE_OF_ONE: u64 = 100;
/// Our own output.
const UNBOUNDED: ReadLimits = ReadLimits {
    bytes: usize::MAX,
    depth: usize::MAX,
    nodes: usize::MAX,
    digits: usize::MAX,
    duplicate_keys: toolsure_json::DuplicateKeys::KeepLast,
};
