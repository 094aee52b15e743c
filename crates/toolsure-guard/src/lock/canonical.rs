//! A digest of a JSON value that does not depend on how the value is written.

use std::fmt;

use sha2::{Digest as _, Sha256};
use toolsure_json::{Items, Key as _, Kind, Node as _, ReadLimits, View, json_string};

/// A SHA-256 digest; `Display` is `sha256:` and 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest's bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads what `Display` writes.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            let pair = digits.get(2 * index..2 * index + 2)?;
            *byte = u8::from_str_radix(pair, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// The digest of some members of an object, and of one that is not among them, with their names.
    pub(super) fn of_members<'a>(
        object: View<'a>,
        wanted: impl Fn(&str) -> bool,
        also: Option<(&'a str, View<'a>)>,
    ) -> Self {
        let mut members: Vec<(&str, View<'_>)> = also.into_iter().collect();
        for (key, value) in object.members() {
            if wanted(key.text()) {
                members.push((key.text(), value));
            }
        }
        let mut writer = Writer::default();
        writer.open_members(members);
        writer.run();
        Self(writer.hash.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The limits with which the catalog reads definitions.
pub(super) fn limits() -> ReadLimits {
    ReadLimits {
        bytes: 64 << 20,
        depth: 16_384,
        nodes: 8_000_000,
        ..ReadLimits::default()
    }
}

/// Writes values into a digest: members sorted by name, numbers in the one form of their value, strings
/// with the fewest escapes, no whitespace. It keeps its own stack, because the values are untrusted.
#[derive(Default)]
struct Writer<'a> {
    hash: Sha256,
    open: Vec<Frame<'a>>,
}

enum Frame<'a> {
    /// Remaining members, the next one last.
    Members(Vec<(&'a str, View<'a>)>),
    Items(Items<'a>),
}

impl<'a> Writer<'a> {
    fn run(&mut self) {
        while let Some(frame) = self.open.last_mut() {
            match frame {
                Frame::Members(members) => match members.pop() {
                    Some((name, value)) => {
                        self.hash.update(json_string(name));
                        self.hash.update(":");
                        self.value(value);
                    }
                    None => self.close("}"),
                },
                Frame::Items(items) => match items.next() {
                    Some(value) => self.value(value),
                    None => self.close("]"),
                },
            }
        }
    }

    fn value(&mut self, value: View<'a>) {
        match value.kind() {
            Kind::Object => {
                let members = value.members();
                self.open_members(members.map(|(key, value)| (key.text(), value)).collect());
                return;
            }
            Kind::Array => {
                self.hash.update("[");
                self.open.push(Frame::Items(value.items()));
                return;
            }
            Kind::String => self.hash.update(json_string(value.string())),
            Kind::Number => self.hash.update(value.number().to_string()),
            Kind::Boolean | Kind::Null => self.hash.update(value.raw()),
        }
        self.hash.update(",");
    }

    fn open_members(&mut self, mut members: Vec<(&'a str, View<'a>)>) {
        members.sort_unstable_by(|(left, _), (right, _)| right.cmp(left));
        self.hash.update("{");
        self.open.push(Frame::Members(members));
    }

    fn close(&mut self, bracket: &str) {
        self.open.pop();
        self.hash.update(bracket);
        self.hash.update(",");
    }
}

const PREFIX: &str = "sha256:";
