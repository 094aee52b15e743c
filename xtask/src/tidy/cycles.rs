//! Checks that no files of a crate, or of another package here, import each other in a cycle.
//!
//! A file imports another one if its code has a path to a name that the other one defines. A path
//! is followed through re-exports to the file with the definition. Names that a file only hands on
//! (`pub use`) are no imports of it, and neither are methods: an `impl` may be in any file. `super` in a
//! module that stands inside a file is read as if it stood in the file itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

use super::layers::{Imports, Layers, cycle, list, modules};
use super::source;

/// Checks each crate and each of [`OTHERS`].
pub(crate) fn check(workspace: &Path, layers: &Layers, tally: &mut Tally) -> Result<(), String> {
    for name in &layers.crates {
        let mut imports = imports(&workspace.join("crates").join(name))?;
        for (import, reason) in layers.file_cycles.get(name).into_iter().flatten() {
            let known = import.split_once(" -> ").is_some_and(|(file, other)| {
                let names = imports.get_mut(file);
                names.is_some_and(|names| names.remove(other))
            });
            if !known || reason.is_empty() {
                tally.fail(format!(
                    "layers.toml: `{name}`: `{import}` is not an import, or has no reason"
                ));
            }
        }
        tally.record(without_cycle(name, &imports));
    }
    for name in OTHERS {
        tally.record(without_cycle(name, &imports(&workspace.join(name))?));
    }
    Ok(())
}

fn without_cycle(name: &str, imports: &Imports) -> Result<(), String> {
    match cycle(imports) {
        None => Ok(()),
        Some(cycle) => Err(format!(
            "`{name}`: files import each other: {}",
            cycle.join(" -> ")
        )),
    }
}

/// What each file of a crate, or of one of [`OTHERS`], imports, one line per file.
pub(crate) fn listing(workspace: &Path, name: &str) -> Result<String, String> {
    let folder = match OTHERS.contains(&name) {
        true => workspace.join(name),
        false => workspace.join("crates").join(name),
    };
    Ok(list(imports(&folder)?))
}

/// For each file of a package, the files that it imports.
fn imports(package: &Path) -> Result<Imports, String> {
    let sources = package.join("src");
    let mut found = Imports::new();
    for (root, other) in [("lib.rs", "main.rs"), ("main.rs", "lib.rs")] {
        if sources.join(root).is_file() {
            for (file, names) in imports_without(&sources, other)? {
                found.entry(file).or_default().extend(names);
            }
        }
    }
    Ok(found)
}

/// The imports in the library or the program of a package: without the root of the other, `left_out`.
fn imports_without(sources: &Path, left_out: &str) -> Result<Imports, String> {
    let mut files = BTreeMap::new();
    for path in place::files(sources, "rs")? {
        let inside = path.strip_prefix(sources).unwrap_or(&path);
        let module = modules(inside);
        if inside == Path::new(left_out) || module.iter().any(|name| name == "tests") {
            continue;
        }
        let text = place::text(&path)?;
        let code: TokenStream = source::code_part(&text)
            .parse()
            .map_err(|e| format!("{}: {e}", path.display()))?;
        let shown = inside.with_extension("").display().to_string();
        files.insert(module, File::new(shown, code));
    }
    let crate_files = Files(files);
    let imports = crate_files.0.iter().map(|(module, file)| {
        let names = file.paths.iter().filter_map(|path| {
            let other = crate_files.definition(module, path, 0)?;
            (other != file.name).then(|| other.to_owned())
        });
        (file.name.clone(), names.collect())
    });
    Ok(imports.collect())
}

/// A path as it is written, `["super", "plan", "Op"]`.
type Names = Vec<String>;

/// What tidy knows of a file.
#[derive(Debug)]
struct File {
    name: String,
    /// The paths in its code: those outside `use`, and those that it uses without handing them on.
    paths: BTreeSet<Names>,
    /// For each name that a `use` brings into the file, its path.
    brought: BTreeMap<String, Names>,
}

impl File {
    fn new(name: String, code: TokenStream) -> Self {
        let mut uses = Vec::new();
        let mut paths = BTreeSet::new();
        let mut words = BTreeSet::new();
        read(code, &mut uses, &mut paths, &mut words);
        let mut brought = BTreeMap::new();
        for Use {
            path,
            alias,
            public,
        } in uses
        {
            let last = alias.or_else(|| path.last().cloned()).unwrap_or_default();
            // A name that is handed on is imported only if the code has it, too.
            if !public || words.contains(&last) {
                paths.insert(path.clone());
            }
            brought.insert(last, path);
        }
        Self {
            name,
            paths,
            brought,
        }
    }
}

/// A name that a `use` brings into a file.
#[derive(Debug)]
struct Use {
    path: Names,
    alias: Option<String>,
    public: bool,
}

/// The files of a crate by their modules.
#[derive(Debug)]
struct Files(BTreeMap<Names, File>);

impl Files {
    /// The file that defines what `path` means in `module`, if it is of this crate.
    fn definition(&self, module: &[String], path: &[String], depth: usize) -> Option<&str> {
        let (first, mut rest) = path.split_first()?;
        let mut here = module.to_vec();
        match first.as_str() {
            "crate" => here.clear(),
            "self" => {}
            "super" => {
                here.pop()?;
                while let Some((name, after)) = rest.split_first()
                    && name == "super"
                {
                    here.pop()?;
                    rest = after;
                }
            }
            name => {
                here.push(name.to_owned());
                if !self.0.contains_key(&here) {
                    return None;
                }
            }
        }
        for name in rest {
            let mut inner = here.clone();
            inner.push(name.clone());
            if self.0.contains_key(&inner) {
                here = inner;
                continue;
            }
            let brought = self.0.get(&here)?.brought.get(name);
            // why: re-exports that lead to each other must not be followed for ever.
            if let Some(path) = brought
                && depth < 8
                && let Some(file) = self.definition(&here, path, depth + 1)
            {
                return Some(file);
            }
            break;
        }
        self.0.get(&here).map(|file| file.name.as_str())
    }
}

/// Reads the `use` items, the other paths, and the other words of `code`.
fn read(
    code: TokenStream,
    uses: &mut Vec<Use>,
    paths: &mut BTreeSet<Names>,
    words: &mut BTreeSet<String>,
) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let mut at = 0;
    let mut public = false;
    let mut after_path = false;
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Ident(name) if name == "use" => {
                let end = (at..tokens.len())
                    .find(|at| is_punctuation(tokens.get(*at), ';'))
                    .unwrap_or(tokens.len());
                let tree = tokens.get(at + 1..end).unwrap_or_default();
                read_use(tree, &mut Vec::new(), public, uses);
                at = end;
                public = false;
                after_path = false;
            }
            // Declares a module, and uses nothing of the same name.
            TokenTree::Ident(name) if name == "mod" => {
                at += 1;
                public = false;
                after_path = false;
            }
            TokenTree::Ident(name) => {
                if name == "pub" {
                    public = true;
                } else if name != "crate" && name != "super" && name != "in" {
                    public = false;
                }
                let (path, end) = path_at(&tokens, at);
                words.extend(path.first().cloned());
                if path.len() > 1 && !after_path {
                    paths.insert(path);
                }
                at = end;
                after_path = false;
                continue;
            }
            TokenTree::Group(group) => {
                // `pub(crate)`: the parentheses are part of the visibility.
                if !(public && group.delimiter() == Delimiter::Parenthesis) {
                    public = false;
                    read(group.stream(), uses, paths, words);
                }
                after_path = false;
            }
            TokenTree::Punct(mark) => {
                after_path = mark.as_char() == ':' && is_punctuation(tokens.get(at + 1), ':')
                    || after_path && mark.as_char() == ':';
                public = false;
            }
            TokenTree::Literal(_) => {
                public = false;
                after_path = false;
            }
        }
        at += 1;
    }
}

/// The path that begins at `at`, and where it ends.
fn path_at(tokens: &[TokenTree], at: usize) -> (Names, usize) {
    let mut path = Vec::new();
    let mut end = at;
    while let Some(TokenTree::Ident(name)) = tokens.get(end) {
        path.push(name.to_string());
        end += 1;
        let next_is_name = matches!(tokens.get(end + 2), Some(TokenTree::Ident(_)));
        if !(is_double_colon(tokens, end) && next_is_name) {
            break;
        }
        end += 2;
    }
    (path, end)
}

/// Reads one tree of a `use`, below `before`.
fn read_use(tree: &[TokenTree], before: &mut Names, public: bool, uses: &mut Vec<Use>) {
    for branch in tree.split(|token| is_punctuation(Some(token), ',')) {
        let length = before.len();
        let mut alias = None;
        let mut at = 0;
        let mut ended = false;
        while let Some(token) = branch.get(at) {
            match token {
                TokenTree::Ident(name) if name == "as" => {
                    alias = branch.get(at + 1).map(ToString::to_string);
                    break;
                }
                TokenTree::Ident(name) if name == "self" && length < before.len() => {}
                TokenTree::Ident(name) => before.push(name.to_string()),
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    read_use(&inner, before, public, uses);
                    ended = true;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            at += 1;
        }
        if !ended && !branch.is_empty() {
            uses.push(Use {
                path: before.clone(),
                alias,
                public,
            });
        }
        before.truncate(length);
    }
}

fn is_double_colon(tokens: &[TokenTree], at: usize) -> bool {
    is_punctuation(tokens.get(at), ':') && is_punctuation(tokens.get(at + 1), ':')
}

fn is_punctuation(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == mark)
}

/// The folders of the packages that are no crates of `layers.toml`. None may have a cycle.
const OTHERS: [&str; 6] = [
    "bench",
    "bindings/js",
    "bindings/python",
    "fuzz",
    "testkit",
    "xtask",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn imports_of(list: &[(&str, &str)]) -> BTreeMap<String, BTreeSet<String>> {
        let files = Files(
            list.iter()
                .map(|(name, code)| {
                    let module = modules(Path::new(name));
                    (module, File::new((*name).to_owned(), code.parse().unwrap()))
                })
                .collect(),
        );
        let found = files.0.iter().map(|(module, file)| {
            let names = file.paths.iter();
            let names = names.filter_map(|path| files.definition(module, path, 0));
            let names = names.filter(|name| *name != file.name);
            (file.name.clone(), names.map(str::to_owned).collect())
        });
        found.collect()
    }

    #[test]
    fn names_are_followed_to_their_definition() {
        let found = imports_of(&[
            ("lib.rs", "mod plan; mod run;"),
            (
                "plan/mod.rs",
                "mod names; mod object; pub(crate) use names::{NameTable, Row as Line, names}; \
                 pub(crate) use object::Slot; pub(crate) struct Plan { slot: Slot }",
            ),
            (
                "plan/names.rs",
                "pub(crate) struct NameTable; pub(crate) struct Row;",
            ),
            (
                "plan/object.rs",
                "use super::NameTable; pub(crate) struct Slot;",
            ),
            (
                "run.rs",
                "fn run() { let x = crate::plan::Line::new(); std::fs::read(x) }",
            ),
        ]);
        let of = |name: &str| -> Vec<&str> { found[name].iter().map(String::as_str).collect() };
        // `NameTable` is handed on, `Slot` is used, too.
        assert_eq!(of("plan/mod.rs"), ["plan/object.rs"]);
        assert_eq!(of("plan/object.rs"), ["plan/names.rs"]);
        assert_eq!(of("run.rs"), ["plan/names.rs"]);
        assert_eq!(cycle(&found), None);
    }

    #[test]
    fn a_cycle_of_files_is_found() {
        let found = imports_of(&[
            ("plan/mod.rs", "mod names; mod slots;"),
            (
                "plan/names.rs",
                "use super::slots::{self, Name}; struct Table;",
            ),
            ("plan/slots.rs", "fn f() -> super::names::Table { }"),
        ]);
        let cycle = cycle(&found).unwrap();
        assert_eq!(cycle, ["plan/names.rs", "plan/slots.rs", "plan/names.rs"]);
    }
}
