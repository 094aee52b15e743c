//! Lock files and candidates: the tools of one server or several, as they were approved or may be.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use toolsure_guard::Digest;
use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, View, json_string, quote};

use super::server::{LIMITS, LockedServer, SHOWN, line};
use crate::exit::Failure;
use crate::input::Input;
use crate::listing::saved;

/// A lock file, or a candidate for one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LockFile {
    /// By the servers' names; one without a name is the only one.
    pub(crate) servers: BTreeMap<Option<String>, LockedServer>,
    /// What a candidate is one for; `None` for a lock file.
    pub(crate) candidate: Option<Candidate>,
}

/// What a candidate says of its review.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The name of the lock file beside it.
    pub(crate) lock: String,
    /// The digest of the lock file that the candidate was compared with; `None` if there was none.
    pub(crate) base: Option<String>,
    /// Whether the review printed what changed for people.
    pub(crate) has_shown_texts: bool,
    /// The definitions that it did not print whole.
    pub(crate) not_shown: Vec<String>,
}

impl LockFile {
    /// The name under which it has a server: none, if it is for one server without a name.
    pub(crate) fn key_of(&self, server: Option<&str>) -> Option<String> {
        match (self.servers.contains_key(&None), server) {
            (true, _) => None,
            (false, Some(server)) => Some(server.to_owned()),
            (false, None) if self.servers.len() == 1 => {
                self.servers.keys().next().cloned().flatten()
            }
            (false, None) => None,
        }
    }

    /// Reads a lock file, and its digest; an empty one if there is no such file.
    pub(crate) fn read_or_empty(path: &Path) -> Result<(Self, Option<String>), Failure> {
        match path.exists() {
            true => Self::read(path).map(|(file, digest)| (file, Some(digest))),
            false => Ok((Self::default(), None)),
        }
    }

    /// Reads a lock file or a candidate, and its digest.
    pub(crate) fn read(path: &Path) -> Result<(Self, String), Failure> {
        let name = shown(path);
        let text = Input::of(path)
            .read_with(saved::FILE_BYTES, |_| {})
            .map_err(|error| Failure::usage(format!("cannot read `{name}`: {error}")))?
            .bytes;
        let document = OwnedDocument::read(text.as_slice(), &LIMITS)
            .map_err(|error| Failure::usage(format!("`{name}`: {error}")))?;
        let root = document.document().root();
        let no_lock = |why: String| Failure::usage(format!("`{name}` is no lock file: {why}"));
        let string = |member: &str| {
            let value = root.member(member)?;
            (value.kind() == Kind::String).then(|| value.string().to_owned())
        };
        if let Some(lock) = string("candidateFor")
            && Path::new(&lock).file_name() != Some(OsStr::new(&lock))
        {
            let why = "`candidateFor` must be the name of a file beside it";
            return Err(Failure::usage(format!("`{name}` is no candidate: {why}")));
        }
        let candidate = string("candidateFor").map(|lock| Candidate {
            lock,
            base: string("base"),
            has_shown_texts: root
                .member("textsShown")
                .is_some_and(|shown| shown.boolean()),
            not_shown: root
                .member("notShown")
                .into_iter()
                .flat_map(View::items)
                .map(|name| name.string().to_owned())
                .collect(),
        });
        let servers: Result<BTreeMap<_, _>, Failure> = match root.member("listings") {
            Some(all) => all
                .members()
                .map(|(key, one)| {
                    let key = key.text().to_owned();
                    let server = LockedServer::read(one, candidate.is_some()).map_err(|why| {
                        no_lock(format!("the server `{}`: {why}", quote(&key, SHOWN)))
                    });
                    Ok((Some(key), server?))
                })
                .collect(),
            None => LockedServer::read(root, candidate.is_some())
                .map(|server| BTreeMap::from([(None, server)]))
                .map_err(no_lock),
        };
        let servers = servers?;
        let digest =
            Digest::of(root).map_or_else(|| "none".to_owned(), |digest| digest.to_string());
        Ok((Self { servers, candidate }, digest))
    }

    /// Writes it, and never half of it.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let name = shown(path);
        let failure = |error| Failure::usage(format!("cannot write `{name}`: {error}"));
        // A link stays one, and who may read the file still may.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        std::fs::write(&partial, self.text()).map_err(failure)?;
        if let Ok(there) = std::fs::metadata(&path) {
            std::fs::set_permissions(&partial, there.permissions()).map_err(failure)?;
        }
        std::fs::rename(&partial, &path).map_err(failure)
    }

    /// Its text, with one line for each tool, sorted by name.
    fn text(&self) -> String {
        let mut out = String::from("{\n  \"version\": 1,\n");
        if let Some(candidate) = &self.candidate {
            line(
                &mut out,
                "  ",
                "candidateFor",
                &json_string(&candidate.lock),
            );
            let base = candidate
                .base
                .as_deref()
                .map_or("null".to_owned(), json_string);
            line(&mut out, "  ", "base", &base);
            let shown = candidate.has_shown_texts.to_string();
            line(&mut out, "  ", "textsShown", &shown);
            if !candidate.not_shown.is_empty() {
                let names = candidate.not_shown.iter().map(|name| json_string(name));
                let names = names.collect::<Vec<_>>().join(", ");
                line(&mut out, "  ", "notShown", &format!("[{names}]"));
            }
        }
        match self.servers.get(&None).filter(|_| self.servers.len() == 1) {
            Some(only) => only.write(&mut out, "  "),
            None => {
                let servers = self.servers.iter().map(|(key, server)| {
                    let mut text = format!(
                        "    {}: {{\n",
                        json_string(key.as_deref().unwrap_or_default())
                    );
                    server.write(&mut text, "      ");
                    text.push_str("\n    }");
                    text
                });
                let servers: Vec<String> = servers.collect();
                out.push_str("  \"listings\": {\n");
                out.push_str(&servers.join(",\n"));
                out.push_str("\n  }");
            }
        }
        out.push_str("\n}\n");
        out
    }
}

/// A path as messages show it.
pub(crate) fn shown(path: &Path) -> String {
    quote(&path.to_string_lossy(), 200).to_string()
}
