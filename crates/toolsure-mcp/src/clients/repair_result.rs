//! Makes results readable: members for which clients reject a whole result, or wait for it until
//! their timeout.

use toolsure_analysis::tool::{
    AllowedMembers, BLOCK, BLOCKS, Form, LISTS, ListResult, PAGE, RESULT,
};
use toolsure_json::{
    Key as _, Kind, Node as _, OwnedDocument, ReadLimits, View, json_string, quote,
};

use super::change::Change;
use super::clean::{Also, Cleaner};
use super::completion::completion;
use super::place::{Changes, Place};
use crate::era::Era;
use crate::message::write::compact;
use crate::message::{Edits, text_block};

/// A result that was repaired.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RepairedResult {
    /// What makes it readable.
    pub edits: Edits,
    /// What they change: the first 64 changes.
    pub changes: Vec<Change>,
    /// The number of further changes.
    pub further: usize,
    /// Whether the changes remove requested content: part of a resource, or a message of a prompt. An error then tells
    /// the client more than a shortened result.
    pub loses_content: bool,
}

/// Finds what makes the result of a tool readable for clients of all versions: optional members that
/// the protocol does not allow as they are go, a block that no client reads becomes a text block,
/// and `resultType` is added where `era` has it and it has one possible value. Names of members that
/// differ from the protocol's only in case are not touched.
///
/// `None` if it needs no change.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::clients::repair_tool_result;
/// use toolsure_mcp::era::Era;
///
/// let text = r#"{"content":[{"type":"text","text":"5","annotations":null}],"_meta":null}"#;
/// let result = OwnedDocument::read(text, &ReadLimits::default())?;
/// let repaired = repair_tool_result(Era::V2025_11_25, result.document().root());
/// let repaired = repaired.ok_or("nothing to repair")?;
/// assert_eq!(repaired.edits.apply(text), r#"{"content":[{"type":"text","text":"5"}]}"#);
/// assert_eq!(repaired.changes.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn repair_tool_result(era: Era, result: View<'_>) -> Option<RepairedResult> {
    let mut edits = Edits::new();
    let mut cleaner = Cleaner::of(&mut edits);
    if result.kind() == Kind::Object {
        let mut also = Also::default();
        tool_result(&mut cleaner, result, &mut also);
        if is_final(result, None) {
            tag(&mut cleaner, result, false, era, &mut also);
        }
        cleaner.object(&RESULT, result, &Place::Root, also);
    }
    repaired(cleaner.changes, false, edits)
}

/// The same for the result of another method: a page of prompts, resources, templates or skills loses
/// the entries that cannot be read, `completion/complete` the values, and other results the members that every result
/// may have. [`RepairedResult::loses_content`] says whether a resource or a prompt loses a part.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::clients::repair_result;
/// use toolsure_mcp::era::Era;
///
/// let text = r#"{"prompts":[{"name":"a","title":null},{"title":"b"}]}"#;
/// let result = OwnedDocument::read(text, &ReadLimits::default())?;
/// let repaired = repair_result("prompts/list", Era::V2025_11_25, result.document().root());
/// let repaired = repaired.ok_or("nothing to repair")?;
/// assert_eq!(repaired.edits.apply(text), r#"{"prompts":[{"name":"a"}]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn repair_result(method: &str, era: Era, result: View<'_>) -> Option<RepairedResult> {
    let mut edits = Edits::new();
    let mut cleaner = Cleaner::of(&mut edits);
    let mut loses_content = false;
    if result.kind() == Kind::Object {
        let mut also = Also::default();
        let mut table = &RESULT;
        let of = LISTS.iter().find(|of| of.method == method);
        let is_final = is_final(result, of);
        if let Some(of) = of {
            let is_whole = list(&mut cleaner, result, of, is_final, &mut also);
            loses_content = !is_whole && !method.ends_with("/list");
            if is_final {
                table = of.members;
            }
        }
        if method == "completion/complete" && is_final {
            completion(&mut cleaner, result, &mut also);
        }
        if is_final {
            tag(
                &mut cleaner,
                result,
                CACHEABLE.contains(&method),
                era,
                &mut also,
            );
        }
        cleaner.object(table, result, &Place::Root, also);
    }
    repaired(cleaner.changes, loses_content, edits)
}

fn repaired(changes: Changes, loses_content: bool, edits: Edits) -> Option<RepairedResult> {
    (!edits.is_empty()).then_some(RepairedResult {
        edits,
        changes: changes.first,
        further: changes.further,
        loses_content,
    })
}

/// The members of a tool's result that decide how it is read.
fn tool_result(cleaner: &mut Cleaner<'_>, result: View<'_>, also: &mut Also) {
    if let Some(flag) = result.member("isError")
        && flag.kind() != Kind::Boolean
    {
        let place = Place::Root.member("isError");
        if says_no(flag) {
            also.gone.push("isError");
            cleaner.left_out(&place, "a boolean");
        } else {
            cleaner.replace(flag, "true".to_owned(), &place, "`true`");
        }
    }
    let Some(content) = result.member("content") else {
        return;
    };
    let place = Place::Root.member("content");
    match content.kind() {
        Kind::Array => cleaner.blocks(content, &place),
        Kind::Null => {
            also.gone.push("content");
            cleaner.left_out(&place, "an array");
        }
        Kind::Object if content.is_empty() => {
            cleaner.replace(content, "[]".to_owned(), &place, "an empty array");
        }
        Kind::Object if cleaner.block(content, &place) => {
            cleaner.edits.surround(content, "[", "]");
            cleaner.replaced(&place, "an array with it");
        }
        _ => {
            let block = as_text(content);
            cleaner.replace(content, format!("[{block}]"), &place, A_TEXT_BLOCK);
        }
    }
}

/// Whether a value that is not a boolean says that a result is not an error. Everything else may say
/// that it is one.
fn says_no(flag: View<'_>) -> bool {
    match flag.kind() {
        Kind::Null => true,
        Kind::Number => flag.raw().parse() == Ok(0.0),
        Kind::String => ["", "false", "0", "no"].contains(&&*flag.string().to_ascii_lowercase()),
        _ => false,
    }
}

/// Adds the members that a complete result has in an era and lacks, or has in no usable form.
fn tag(cleaner: &mut Cleaner<'_>, result: View<'_>, is_list: bool, era: Era, also: &mut Also) {
    for (name, value) in era.result_members(is_list) {
        let place = Place::Root.member(name);
        match result.member(name) {
            None => {
                also.appended.push(format!("\"{name}\":{value}"));
                cleaner.added(&place, value);
            }
            Some(found) if !PAGE.get(name).is_some_and(|(_, form)| form.takes(found)) => {
                also.gone.push(name);
                also.appended.push(format!("\"{name}\":{value}"));
                cleaner.replaced(&place, "the value that every reader takes");
            }
            Some(_) => {}
        }
    }
}

/// Whether a result is complete, as far as it says: no other kind of result, and no task. A page that
/// has its list is complete under every tag if its method has no other results.
fn is_final(result: View<'_>, of: Option<&ListResult>) -> bool {
    let others = ["inputRequests", "requestState", "taskId", "task"];
    let other = |name: &str| result.member(name).is_some();
    let tag = result.member("resultType");
    let tag = tag.filter(|tag| tag.kind() == Kind::String);
    let is_page = |tag| {
        of.is_some_and(|of| {
            let form = of.members.get("resultType");
            form.is_some_and(|(_, form)| !form.takes(tag)) && other(of.member)
        })
    };
    tag.is_none_or(|tag| tag.string() == "complete" || is_page(tag))
        && !others.into_iter().any(other)
}

/// Repairs the list of a page. Returns whether all of it is kept.
fn list(
    cleaner: &mut Cleaner<'_>,
    page: View<'_>,
    of: &ListResult,
    is_final: bool,
    also: &mut Also,
) -> bool {
    let place = Place::Root.member(of.member);
    match page.member(of.member) {
        None if is_final => {
            also.appended.push(format!("\"{}\":[]", of.member));
            cleaner.added(&place, "[]");
            false
        }
        None => true,
        Some(list) if list.kind() == Kind::Array => cleaner.entries(of.entry, list, &place),
        Some(entry) if cleaner.entry_of(of.entry, entry, &place) => {
            cleaner.edits.surround(entry, "[", "]");
            cleaner.replaced(&place, "an array with it");
            true
        }
        Some(list) => {
            cleaner.replace(list, "[]".to_owned(), &place, "an empty array");
            false
        }
    }
}

/// A name for what has none but an address: its title, or else the address.
fn named<'a>(object: View<'a>) -> Option<View<'a>> {
    if string(object, "name").is_some() {
        return None;
    }
    let address = string(object, "uri").or_else(|| string(object, "uriTemplate"))?;
    Some(string(object, "title").unwrap_or(address))
}

fn string<'a>(object: View<'a>, name: &str) -> Option<View<'a>> {
    let member = object.member(name)?;
    (member.kind() == Kind::String).then_some(member)
}

/// A text block that says what a value of another kind says: a string itself, or its JSON.
fn as_text(value: View<'_>) -> String {
    match value.kind() {
        Kind::String => format!(r#"{{"type":"text","text":{}}}"#, value.raw()),
        _ => text_block(value),
    }
}

/// The members of blocks of a type.
fn table(tag: &str) -> Option<&'static AllowedMembers> {
    let (_, form) = BLOCKS.iter().find(|(known, _)| *known == tag)?;
    match form {
        Form::Object(members) => Some(members),
        _ => None,
    }
}

/// Base64 in the alphabet for URLs (RFC 4648 §5) in the standard one, as JSON text.
fn standard_base64(value: View<'_>) -> Option<String> {
    let text = Some(value).filter(|it| it.kind() == Kind::String)?.string();
    if !text.contains(['-', '_']) {
        return None;
    }
    let text = json_string(&text.replace('-', "+").replace('_', "/"));
    let standard = OwnedDocument::read(text.as_str(), &ReadLimits::default()).ok()?;
    Form::Base64
        .takes(standard.document().root())
        .then_some(text)
}

/// Whether a block holds bytes, which say nothing as text.
fn has_bytes(block: View<'_>) -> bool {
    let inside = block
        .member("resource")
        .filter(|it| it.kind() == Kind::Object);
    let inside = inside.is_some_and(|resource| string(resource, "blob").is_some());
    inside || string(block, "data").is_some() || string(block, "blob").is_some()
}

impl Cleaner<'_> {
    /// The blocks of `content`.
    fn blocks(&mut self, content: View<'_>, place: &Place<'_>) {
        let mut gone = Vec::new();
        for (index, block) in content.items().enumerate() {
            if !self.block(block, &place.item(index)) {
                gone.push(index);
            }
        }
        self.without(content, &gone);
    }

    /// Makes a block readable; returns whether it stays.
    fn block(&mut self, block: View<'_>, place: &Place<'_>) -> bool {
        if BLOCK.takes(block) {
            self.value(BLOCK, block, place);
            return true;
        }
        if block.kind() != Kind::Object {
            if block.kind() == Kind::Null {
                self.left_out(place, "an object");
                return false;
            }
            self.replace(block, as_text(block), place, A_TEXT_BLOCK);
            return true;
        }
        let tag = string(block, "type").map_or("", View::string);
        let said = block
            .member("text")
            .filter(|text| text.kind() != Kind::Null);
        match (table(tag), said) {
            (Some(members), Some(text)) if tag == "text" => {
                let json = json_string(&compact(text.raw()));
                self.replace(text, json, &place.member("text"), "its JSON as a string");
                self.object(members, block, place, Also::default());
            }
            (None, Some(text)) if text.kind() == Kind::String => self.as_text_block(block, place),
            (Some(members), _) if self.entry(members, block, place) => {}
            _ if has_bytes(block) => {
                let note = format!("[{}]", why_left_out(block, tag));
                let note = format!(r#"{{"type":"text","text":{}}}"#, json_string(&note));
                self.replace(block, note, place, "a text block that says why");
            }
            _ if tag == "text" && block.members().all(|(key, _)| is_silent(key.text())) => {
                self.left_out(place, "a block with a string `text`");
                return false;
            }
            _ => self.replace(block, text_block(block), place, A_TEXT_BLOCK),
        }
        true
    }

    /// Gives a block with a text the type of a text block.
    fn as_text_block(&mut self, block: View<'_>, place: &Place<'_>) {
        let mut also = Also::default();
        match block.member("type") {
            Some(tag) => self.edits.replace(tag, "\"text\""),
            None => also.appended.push("\"type\":\"text\"".to_owned()),
        }
        self.replaced(&place.member("type"), "`text`");
        if let Some(members) = table("text") {
            self.object(members, block, place, also);
        }
    }

    /// Repairs the entries of a list, and leaves out unreadable ones. Returns whether all are kept.
    fn entries(&mut self, form: Form, list: View<'_>, place: &Place<'_>) -> bool {
        let mut gone = Vec::new();
        for (index, entry) in list.items().enumerate() {
            let place = place.item(index);
            if !self.entry_of(form, entry, &place) {
                gone.push(index);
                self.entry_left_out(form, entry, &place);
            }
        }
        self.without(list, &gone);
        gone.is_empty()
    }

    /// Records why an entry is left out: the first required member that is missing or wrong.
    fn entry_left_out(&mut self, form: Form, entry: View<'_>, place: &Place<'_>) {
        let forms = match &form {
            Form::AnyOf(forms) => *forms,
            form => std::slice::from_ref(form),
        };
        let missing = forms.iter().filter_map(|form| match form {
            Form::Object(members) if entry.kind() == Kind::Object => members.missing(entry),
            _ => None,
        });
        // A member that is there but wrong says more than one that is absent.
        match missing.max_by_key(|(name, _)| entry.member(name).is_some()) {
            Some((name, form)) => self.left_out_for(place, name, form.expected()),
            None => self.left_out(place, "an entry with all required members"),
        }
    }

    /// Makes an entry of this form readable; returns whether it is.
    fn entry_of(&mut self, form: Form, entry: View<'_>, place: &Place<'_>) -> bool {
        match form {
            _ if form.takes(entry) => self.value(form, entry, place),
            Form::Object(members) => return self.entry(members, entry, place),
            Form::AnyOf(forms) => return forms.iter().any(|it| self.entry_of(*it, entry, place)),
            _ => return false,
        }
        true
    }

    /// Makes an entry readable that lacks only a name, or whose block or bytes are not readable; returns
    /// whether it is.
    fn entry(&mut self, members: &AllowedMembers, entry: View<'_>, place: &Place<'_>) -> bool {
        if entry.kind() != Kind::Object {
            return false;
        }
        let lacks = |name: &str| {
            let mut required = members.required.iter();
            required.all(|(other, form)| {
                *other == name || entry.member(other).is_some_and(|it| form.takes(it))
            })
        };
        if let Some(name) = named(entry)
            && lacks("name")
        {
            let mut also = Also::default();
            match entry.member("name") {
                Some(wrong) => self.edits.replace(wrong, name.raw()),
                None => also.appended.push(format!("\"name\":{}", name.raw())),
            }
            self.replaced(&place.member("name"), "its title or address");
            self.object(members, entry, place, also);
            return true;
        }
        for bytes in ["blob", "data"] {
            if let Some(value) = entry.member(bytes)
                && lacks(bytes)
                && let Some(standard) = standard_base64(value)
            {
                self.edits.replace(value, standard);
                self.replaced(&place.member(bytes), "the same in the standard alphabet");
                self.object(members, entry, place, Also::default());
                return true;
            }
        }
        // A message of a prompt, and an embedded resource.
        let is_readable = match (entry.member("content"), entry.member("resource")) {
            (Some(content), _) if lacks("content") => self.block(content, &place.member("content")),
            (_, Some(resource)) if lacks("resource") => {
                let form = members.get("resource").map(|(_, form)| form);
                let place = place.member("resource");
                form.is_some_and(|form| self.entry_of(form, resource, &place))
            }
            _ => false,
        };
        if is_readable {
            self.object(members, entry, place, Also::default());
        }
        is_readable
    }
}

/// Whether a member of a text block says nothing to its reader.
fn is_silent(name: &str) -> bool {
    ["type", "text", "annotations", "_meta"].contains(&name)
}

/// Why a block with bytes cannot be read.
fn why_left_out(block: View<'_>, tag: &str) -> String {
    let tag = quote(tag, TAG);
    match table(&tag.to_string()).and_then(|members| members.missing(block)) {
        Some((member, form)) => format!(
            "a block of the type `{tag}` is left out: its `{member}` must be {}",
            form.expected()
        ),
        None => format!("a block of the unknown type `{tag}` is left out"),
    }
}

const A_TEXT_BLOCK: &str = "a text block";
/// The methods whose results may be cached (2026-07-28, server/utilities/caching).
const CACHEABLE: [&str; 6] = [
    "server/discover",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "skills/list",
];
/// The maximum number of characters of a block's type in a text.
const TAG: usize = 32;
