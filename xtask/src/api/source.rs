//! The sources of one crate: its modules, their items, and the resolution of paths.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use syn::spanned::Spanned as _;
use syn::{Attribute, Item, UseTree};
use toolsure_testkit::place;

use super::expand::expand;

/// A crate's modules, the root first.
pub(crate) struct Sources {
    pub(crate) modules: Vec<Module>,
}

/// One module.
pub(crate) struct Module {
    /// The folder where its child modules are, also if there are none.
    pub(crate) folder: PathBuf,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    pub(crate) items: Vec<Item>,
    text: Rc<str>,
}

/// The target of a path inside the crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    Module(usize),
    /// The module and the index among its items.
    Item(usize, usize),
}

/// One name that a `use` imports.
pub(super) struct Import {
    pub(super) path: Vec<String>,
    /// The local name; `*` for a glob.
    pub(super) name: String,
}

impl Sources {
    /// Reads the library in a crate's folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, String> {
        let mut sources = Self {
            modules: Vec::new(),
        };
        let folder = folder.join("src");
        let text: Rc<str> = place::text(&folder.join("lib.rs"))?.into();
        let items = parse(&folder.join("lib.rs"), &text)?;
        sources.add(None, items, text, &folder)?;
        Ok(sources)
    }

    /// Adds a module whose child modules are files in `folder`.
    fn add(
        &mut self,
        parent: Option<usize>,
        items: Vec<Item>,
        text: Rc<str>,
        folder: &Path,
    ) -> Result<usize, String> {
        let own = self.modules.len();
        self.modules.push(Module {
            folder: folder.to_path_buf(),
            parent,
            children: BTreeMap::new(),
            items: Vec::new(),
            text: Rc::clone(&text),
        });
        let (items, made) = expanded(items, own)?;
        let mut children = BTreeMap::new();
        for (name, text) in made {
            let text: Rc<str> = text.into();
            let items = parse(folder, &text)?;
            let child = self.add(Some(own), items, text, folder)?;
            children.insert(name, child);
        }
        for item in &items {
            let Item::Mod(module) = item else { continue };
            if is_test(&module.attrs) {
                continue;
            }
            let name = module.ident.to_string();
            let inner = folder.join(&name);
            let child = match &module.content {
                Some((_, items)) => self.add(Some(own), items.clone(), Rc::clone(&text), &inner)?,
                None => {
                    let beside = folder.join(format!("{name}.rs"));
                    let file = if beside.is_file() {
                        beside
                    } else {
                        inner.join("mod.rs")
                    };
                    let text: Rc<str> = place::text(&file)?.into();
                    let items = parse(&file, &text)?;
                    self.add(Some(own), items, text, &inner)?
                }
            };
            children.insert(name, child);
        }
        if let Some(module) = self.modules.get_mut(own) {
            module.children = children;
            module.items = items;
        }
        Ok(own)
    }

    /// Resolves a path in a module; `None` if it leads out of the crate.
    pub(super) fn resolve(&self, module: usize, path: &[String]) -> Option<Target> {
        self.resolve_within(module, path, 0)
    }

    fn resolve_within(&self, module: usize, path: &[String], depth: usize) -> Option<Target> {
        if depth > ALIASES {
            return None;
        }
        let (first, rest) = path.split_first()?;
        let mut found = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(module),
            "super" => Target::Module(self.modules.get(module)?.parent?),
            name => self.lookup(module, name, depth)?,
        };
        for name in rest {
            let Target::Module(inside) = found else {
                return None;
            };
            found = match name.as_str() {
                "self" => found,
                "super" => Target::Module(self.modules.get(inside)?.parent?),
                name => self.lookup(inside, name, depth)?,
            };
        }
        Some(found)
    }

    /// Resolves a name directly inside a module.
    fn lookup(&self, at: usize, name: &str, depth: usize) -> Option<Target> {
        let module = self.modules.get(at)?;
        if let Some(child) = module.children.get(name) {
            return Some(Target::Module(*child));
        }
        let named = |item: &Item| name_of(item).is_some_and(|own| own == name);
        if let Some(place) = module.items.iter().position(named) {
            return Some(Target::Item(at, place));
        }
        let imports = module.items.iter().filter_map(|item| match item {
            Item::Use(one) => Some(imports(&one.tree)),
            _ => None,
        });
        for import in imports.flatten() {
            if import.name == name {
                return self.resolve_within(at, &import.path, depth + 1);
            }
            if import.name == "*"
                && let Some(Target::Module(inside)) =
                    self.resolve_within(at, &import.path, depth + 1)
                && inside != at
                && let Some(found) = self.lookup(inside, name, depth + 1)
            {
                return Some(found);
            }
        }
        None
    }

    /// The source text of a part of a module, on one line.
    pub(super) fn text(&self, module: usize, part: &dyn quote::ToTokens) -> String {
        let tokens = part.to_token_stream();
        if tokens.is_empty() {
            return String::new();
        }
        let range = tokens.span().byte_range();
        let text = self.modules.get(module).and_then(|one| one.text.get(range));
        one_line(text.unwrap_or_default())
    }
}

/// The names that a `use` imports.
pub(super) fn imports(tree: &UseTree) -> Vec<Import> {
    let mut found = Vec::new();
    let mut waiting = vec![(tree, Vec::new())];
    while let Some((tree, before)) = waiting.pop() {
        let with = |name: &syn::Ident| {
            let mut path: Vec<String> = before.clone();
            path.push(name.to_string());
            path
        };
        match tree {
            UseTree::Path(path) => waiting.push((&path.tree, with(&path.ident))),
            UseTree::Group(group) => {
                waiting.extend(group.items.iter().map(|one| (one, before.clone())));
            }
            UseTree::Name(name) if name.ident == "self" => {
                if let Some(last) = before.last() {
                    let name = last.clone();
                    found.push(Import { path: before, name });
                }
            }
            UseTree::Name(name) => found.push(Import {
                path: with(&name.ident),
                name: name.ident.to_string(),
            }),
            UseTree::Rename(rename) => found.push(Import {
                path: with(&rename.ident),
                name: rename.rename.to_string(),
            }),
            UseTree::Glob(_) => found.push(Import {
                path: before,
                name: "*".to_owned(),
            }),
        }
    }
    found
}

/// The name that an item defines; `None` for modules and imports.
pub(crate) fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Whether something is compiled for tests only.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let meta = quote::ToTokens::to_token_stream(&attribute.meta).to_string();
        attribute.path().is_ident("cfg") && meta.contains("test") && !meta.contains("not")
    })
}

/// Modules that macros create: their names and texts.
type Made = Vec<(String, String)>;

/// The items of a module, with each call of a macro that the module defines replaced by an import
/// from a new module. Also the names of these modules, and the texts that the macro produces.
fn expanded(items: Vec<Item>, module: usize) -> Result<(Vec<Item>, Made), String> {
    let mut rules = BTreeMap::new();
    let (mut kept, mut made) = (Vec::new(), Vec::new());
    for item in items {
        let Item::Macro(one) = &item else {
            kept.push(item);
            continue;
        };
        if let Some(name) = &one.ident {
            rules.insert(name.to_string(), one.mac.tokens.clone());
            continue;
        }
        let called = one.mac.path.get_ident().map(ToString::to_string);
        let rules = called.and_then(|name| rules.get(&name));
        let Some(tokens) = rules.and_then(|rules| expand(rules, &one.mac.tokens)) else {
            kept.push(item);
            continue;
        };
        let name = format!("expanded_{module}_{}", made.len());
        let import = syn::parse_str(&format!("pub use self::{name}::*;"));
        kept.push(import.map_err(|error| error.to_string())?);
        made.push((name, tokens.to_string()));
    }
    Ok((kept, made))
}

fn parse(path: &Path, text: &str) -> Result<Vec<Item>, String> {
    let file = syn::parse_file(text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(file.items)
}

/// Source text on one line, without what rustfmt adds where it breaks lines, and without the spaces
/// between the tokens of an expanded macro.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut line = words.join(" ");
    for (broken, whole) in [
        ("( ", "("),
        (", )", ")"),
        (" )", ")"),
        ("< ", "<"),
        (", >", ">"),
        ("[ ", "["),
        (" ]", "]"),
        (" (", "("),
        ("->(", "-> ("),
        ("=(", "= ("),
        (",(", ", ("),
        (":(", ": ("),
        (" :", ":"),
        (" ,", ","),
        (" ;", ";"),
        (" <", "<"),
        (" >", ">"),
        ("& ", "&"),
        (":: ", "::"),
    ] {
        line = line.replace(broken, whole);
    }
    line
}

/// The maximum number of imports that a name may go through.
const ALIASES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_lines_are_joined() {
        let text = "fn check<I: Instance>(\n    &self,\n    instance: I,\n) -> bool";
        assert_eq!(
            one_line(text),
            "fn check<I: Instance>(&self, instance: I) -> bool"
        );
    }

    #[test]
    fn every_name_of_an_import_is_found() {
        let one: syn::ItemUse = syn::parse_str("use a::{self, b as c, d::*};").unwrap();
        let mut names: Vec<String> = imports(&one.tree)
            .into_iter()
            .map(|import| format!("{} = {}", import.name, import.path.join("::")))
            .collect();
        names.sort();
        assert_eq!(names, ["* = a::d", "a = a", "c = a::b"]);
    }
}
