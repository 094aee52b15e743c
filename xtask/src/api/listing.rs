//! The public items of a library, one per line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use quote::ToTokens;
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, ItemTrait, TraitItem, Type, Visibility};

use super::source::{Import, Sources, Target, imports, is_test, name_of};

/// The list of a crate, sorted.
pub(super) fn of(folder: &Path) -> Result<String, String> {
    let sources = Sources::read(folder)?;
    let mut list = List {
        impls: impls(&sources),
        sources: &sources,
        lines: BTreeSet::new(),
        done: BTreeSet::new(),
    };
    list.module(0, "");
    Ok(list.lines.iter().map(|line| format!("{line}\n")).collect())
}

/// The impls of each type of the crate, each by its module and its index there.
pub(crate) type Impls = BTreeMap<Target, Vec<(usize, usize)>>;

pub(crate) fn impls(sources: &Sources) -> Impls {
    let mut found = Impls::new();
    for (at, module) in sources.modules.iter().enumerate() {
        for (place, item) in module.items.iter().enumerate() {
            let Item::Impl(item) = item else { continue };
            let of = type_path(&item.self_ty).and_then(|path| sources.resolve(at, &path));
            if let Some(of) = of.filter(|_| !is_test(&item.attrs)) {
                found.entry(of).or_default().push((at, place));
            }
        }
    }
    found
}

/// The path of a type, without references and arguments.
fn type_path(of: &Type) -> Option<Vec<String>> {
    match of {
        Type::Path(path) => {
            let segments = path.path.segments.iter();
            Some(segments.map(|one| one.ident.to_string()).collect())
        }
        Type::Reference(to) => type_path(&to.elem),
        _ => None,
    }
}

struct List<'s> {
    sources: &'s Sources,
    impls: Impls,
    lines: BTreeSet<String>,
    /// The modules that were listed, each with the name it was listed under.
    done: BTreeSet<(usize, String)>,
}

impl List<'_> {
    /// Lists the public items of a module, with the module's public name as a prefix.
    fn module(&mut self, at: usize, name: &str) {
        let sources = self.sources;
        let Some(module) = sources.modules.get(at) else {
            return;
        };
        if !self.done.insert((at, name.to_owned())) {
            return;
        }
        for (place, item) in module.items.iter().enumerate() {
            match item {
                Item::Macro(call) if call.ident.is_none() && !is_hidden(&call.attrs) => {
                    let tokens = without_docs(&call.mac.tokens.to_string());
                    let called = call.mac.path.to_token_stream();
                    self.line(&call.attrs, format!("{name}{called}! {{{tokens}}}"));
                }
                Item::Use(one) if is_public(&one.vis) && !is_hidden(&one.attrs) => {
                    for import in imports(&one.tree) {
                        self.import(at, name, &one.attrs, &import);
                    }
                }
                Item::Mod(one) if is_public(&one.vis) && !is_hidden(&one.attrs) => {
                    let child = sources.resolve(at, &[one.ident.to_string()]);
                    if let Some(Target::Module(child)) = child {
                        let name = format!("{name}{}", one.ident);
                        self.line(&one.attrs, format!("mod {name}"));
                        self.module(child, &format!("{name}::"));
                    }
                }
                item if is_shown(item) => {
                    if let Some(own) = name_of(item) {
                        self.item((at, place), &format!("{name}{own}"));
                    }
                }
                _ => {}
            }
        }
    }

    /// Lists what a `pub use` exports.
    fn import(&mut self, at: usize, name: &str, attributes: &[Attribute], import: &Import) {
        let shown = format!("{name}{}", import.name);
        match self.sources.resolve(at, &import.path) {
            Some(Target::Module(inside)) if import.name == "*" => self.module(inside, name),
            Some(Target::Module(inside)) => self.module(inside, &format!("{shown}::")),
            Some(Target::Item(inside, place)) => self.item((inside, place), &shown),
            None => {
                let path = import.path.join("::");
                self.line(attributes, format!("use {shown} = {path}"));
            }
        }
    }

    /// Lists an item and everything in it.
    fn item(&mut self, (at, place): (usize, usize), name: &str) {
        let sources = self.sources;
        let Some(item) = sources.modules.get(at).and_then(|one| one.items.get(place)) else {
            return;
        };
        match item {
            Item::Struct(item) => {
                let generics = sources.text(at, &item.generics);
                let head = format!("struct {name}{generics}");
                self.line(&item.attrs, format!("{head}{}", traits(&item.attrs)));
                self.fields(at, name, &item.fields, true);
            }
            Item::Enum(item) => {
                let generics = sources.text(at, &item.generics);
                let head = format!("enum {name}{generics}");
                self.line(&item.attrs, format!("{head}{}", traits(&item.attrs)));
                for variant in item.variants.iter().filter(|one| !is_hidden(&one.attrs)) {
                    let name = format!("{name}::{}", variant.ident);
                    self.line(&variant.attrs, format!("variant {name}"));
                    self.fields(at, &name, &variant.fields, false);
                }
            }
            Item::Fn(item) => {
                let text = sources.text(at, &item.sig);
                self.line(&item.attrs, renamed(&text, "fn ", name));
            }
            Item::Const(item) => {
                let of = sources.text(at, &item.ty);
                self.line(&item.attrs, format!("const {name}: {of}"));
            }
            Item::Static(item) => {
                let of = sources.text(at, &item.ty);
                self.line(&item.attrs, format!("static {name}: {of}"));
            }
            Item::Type(item) => {
                let of = sources.text(at, &item.ty);
                let generics = sources.text(at, &item.generics);
                self.line(&item.attrs, format!("type {name}{generics} = {of}"));
            }
            Item::Trait(item) => self.a_trait(at, name, item),
            _ => {}
        }
        for (inside, place) in self
            .impls
            .get(&Target::Item(at, place))
            .cloned()
            .into_iter()
            .flatten()
        {
            let module = sources.modules.get(inside);
            if let Some(Item::Impl(one)) = module.and_then(|one| one.items.get(place)) {
                self.an_impl(inside, name, one);
            }
        }
    }

    fn fields(&mut self, at: usize, name: &str, fields: &Fields, only_public: bool) {
        for (place, field) in fields.iter().enumerate() {
            if (only_public && !is_public(&field.vis)) || is_hidden(&field.attrs) {
                continue;
            }
            let of = self.sources.text(at, &field.ty);
            let own = field.ident.as_ref().map(ToString::to_string);
            let own = own.unwrap_or_else(|| place.to_string());
            self.line(&field.attrs, format!("field {name}.{own}: {of}"));
        }
    }

    fn a_trait(&mut self, at: usize, name: &str, item: &ItemTrait) {
        let sources = self.sources;
        let generics = sources.text(at, &item.generics);
        let above = sources.text(at, &item.supertraits);
        let colon = if above.is_empty() { "" } else { ": " };
        self.line(&item.attrs, format!("trait {name}{generics}{colon}{above}"));
        for one in &item.items {
            let (attributes, text) = match one {
                TraitItem::Fn(one) => {
                    let provided = if one.default.is_some() {
                        " (provided)"
                    } else {
                        ""
                    };
                    (
                        &one.attrs,
                        format!("{}{provided}", sources.text(at, &one.sig)),
                    )
                }
                TraitItem::Type(one) => {
                    let generics = sources.text(at, &one.generics);
                    (&one.attrs, format!("type {}{generics}", one.ident))
                }
                TraitItem::Const(one) => (
                    &one.attrs,
                    format!("const {}: {}", one.ident, sources.text(at, &one.ty)),
                ),
                _ => continue,
            };
            if !is_hidden(attributes) {
                self.line(attributes, format!("in {name}: {text}"));
            }
        }
    }

    fn an_impl(&mut self, at: usize, name: &str, item: &ItemImpl) {
        let sources = self.sources;
        if let Some((path, _)) = &item.trait_ {
            let path = sources.text(at, path);
            let of = sources.text(at, &item.self_ty);
            // A trait that only this crate can name means nothing to users.
            if !path.contains("sealed") {
                self.line(&item.attrs, format!("impl {path} for {of} ({name})"));
            }
            return;
        }
        for one in &item.items {
            let (attributes, text) = match one {
                ImplItem::Fn(one) if is_public(&one.vis) => {
                    (&one.attrs, sources.text(at, &one.sig))
                }
                ImplItem::Const(one) if is_public(&one.vis) => (
                    &one.attrs,
                    format!("const {}: {}", one.ident, sources.text(at, &one.ty)),
                ),
                _ => continue,
            };
            if !is_hidden(attributes) && !is_test(attributes) {
                let mut attributes = attributes.clone();
                attributes.extend(item.attrs.iter().cloned());
                self.line(&attributes, format!("in {name}: {text}"));
            }
        }
    }

    fn line(&mut self, attributes: &[Attribute], text: String) {
        let notes = notes(attributes);
        self.lines.insert(format!("{text}{notes}"));
    }
}

/// Notes from attributes: `cfg` conditions, and `non_exhaustive`.
fn notes(attributes: &[Attribute]) -> String {
    let mut notes = String::new();
    for attribute in attributes {
        let meta = attribute.meta.to_token_stream().to_string();
        if attribute.path().is_ident("cfg") {
            notes.push_str(&format!(" #[{}]", meta.replace(" (", "(")));
        } else if attribute.path().is_ident("non_exhaustive") {
            notes.push_str(" #[non_exhaustive]");
        }
    }
    notes
}

/// The traits that a type derives.
fn traits(attributes: &[Attribute]) -> String {
    let mut derived = BTreeSet::new();
    for attribute in attributes
        .iter()
        .filter(|one| one.path().is_ident("derive"))
    {
        // A derive is a list of paths; anything else does not compile.
        let _ = attribute.parse_nested_meta(|meta| {
            derived.insert(meta.path.to_token_stream().to_string().replace(' ', ""));
            Ok(())
        });
    }
    if derived.is_empty() {
        return String::new();
    }
    let derived: Vec<String> = derived.into_iter().collect();
    format!(": {}", derived.join(" + "))
}

/// A signature with the full name of the item.
fn renamed(text: &str, word: &str, name: &str) -> String {
    match text.split_once(word) {
        Some((before, rest)) => {
            let rest = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            format!("{before}{word}{name}{rest}")
        }
        None => text.to_owned(),
    }
}

/// The tokens of a macro call, without doc comments.
fn without_docs(tokens: &str) -> String {
    let mut kept = String::new();
    let mut rest = tokens;
    while let Some((before, after)) = rest.split_once("#[doc") {
        kept.push_str(before);
        rest = after.split_once("\"]").map_or("", |(_, rest)| rest);
    }
    kept.push_str(rest);
    kept.lines()
        .filter(|line| !line.trim_start().starts_with("///"))
        .flat_map(str::split_whitespace)
        .collect::<Vec<_>>()
        .join(" ")
}

fn is_shown(item: &Item) -> bool {
    let (vis, attributes) = match item {
        Item::Const(item) => (&item.vis, &item.attrs),
        Item::Enum(item) => (&item.vis, &item.attrs),
        Item::Fn(item) => (&item.vis, &item.attrs),
        Item::Static(item) => (&item.vis, &item.attrs),
        Item::Struct(item) => (&item.vis, &item.attrs),
        Item::Trait(item) => (&item.vis, &item.attrs),
        Item::Type(item) => (&item.vis, &item.attrs),
        Item::Union(item) => (&item.vis, &item.attrs),
        _ => return false,
    };
    is_public(vis) && !is_hidden(attributes) && !is_test(attributes)
}

fn is_public(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let meta = attribute.meta.to_token_stream().to_string();
        attribute.path().is_ident("doc") && meta.contains("hidden") && !meta.contains('"')
    })
}
