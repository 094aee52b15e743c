//! Our engine, over bytes and over `serde_json::Value`.

use toolsure_json::{DuplicateKeys, Kind, Node, OwnedDocument, ReadLimits, View};
use toolsure_schema::{CompileError, Compiler, Content, Formats, Schema, Verdict, Workspace};

use crate::engine::{Answer, Compiled, Document, Engine, Refusal, Setup};

/// Our engine over bytes, without building a `Value`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bytes;

/// Our engine over a parsed `serde_json::Value`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Value;

impl Engine for Bytes {
    fn name(&self) -> &'static str {
        "bytes"
    }

    fn sees_values(&self) -> bool {
        false
    }

    fn compile(&self, setup: &Setup<'_>) -> Result<Box<dyn Compiled>, Refusal> {
        Ok(Box::new(OverBytes(compile(setup)?)))
    }
}

impl Engine for Value {
    fn name(&self) -> &'static str {
        "value"
    }

    fn compile(&self, setup: &Setup<'_>) -> Result<Box<dyn Compiled>, Refusal> {
        Ok(Box::new(OverValue(compile(setup)?)))
    }
}

/// Compiles the schema of `setup` with our engine.
///
/// # Errors
///
/// Our refusal with its code.
pub fn compile(setup: &Setup<'_>) -> Result<Ours, Refusal> {
    let mut compiler = Compiler::new().formats(if setup.formats {
        Formats::Assert
    } else {
        Formats::Annotate
    });
    compiler = compiler.default_dialect(setup.dialect);
    if setup.content {
        compiler = compiler.content(Content::Assert);
    }
    for Document { uri, text } in setup.documents {
        compiler = compiler.register(uri, text.as_bytes()).map_err(refusal)?;
    }
    let schema = compiler.compile(setup.schema.as_bytes()).map_err(refusal)?;
    let workspace = match setup.fuel {
        Some(fuel) => Workspace::new().fuel(fuel),
        None => Workspace::new(),
    };
    Ok(Ours { schema, workspace })
}

/// A schema that our engine compiled, with the memory that its checks reuse.
#[derive(Debug)]
pub struct Ours {
    /// The schema.
    pub schema: Schema,
    /// The scratch memory of its checks.
    pub workspace: Workspace,
}

impl Ours {
    /// Checks JSON text.
    pub fn check_bytes(&mut self, instance: &[u8]) -> Answer {
        match self.schema.check(&mut self.workspace, instance) {
            Ok(verdict) => answer(verdict),
            Err(error) => Answer::Unreadable(error.to_string()),
        }
    }

    /// Checks a parsed value.
    pub fn check_value(&mut self, instance: &serde_json::Value) -> Answer {
        answer(self.schema.check(&mut self.workspace, instance))
    }
}

struct OverBytes(Ours);

impl Compiled for OverBytes {
    fn check(&mut self, instance: &str) -> Answer {
        self.0.check_bytes(instance.as_bytes())
    }

    fn fuel_used(&self) -> Option<u64> {
        Some(self.0.workspace.fuel_used())
    }
}

struct OverValue(Ours);

impl Compiled for OverValue {
    fn check(&mut self, instance: &str) -> Answer {
        match serde_json::from_str(instance) {
            Ok(value) => self.0.check_value(&value),
            Err(error) => Answer::Unreadable(error.to_string()),
        }
    }

    fn fuel_used(&self) -> Option<u64> {
        Some(self.0.workspace.fuel_used())
    }
}

/// Parses JSON text like a host without a depth limit.
///
/// The result may be so deep that dropping it overflows the stack (`serde_json` recurses there).
/// The caller must not drop it on a small stack.
///
/// # Errors
///
/// One line if `serde_json` cannot hold the text for another reason than its depth.
pub fn parse_any_depth(text: &[u8]) -> Result<serde_json::Value, String> {
    let error = match serde_json::from_slice(text) {
        Ok(value) => return Ok(value),
        Err(error) => error.to_string(),
    };
    if !error.contains("recursion limit") {
        return Err(error);
    }
    let limits = ReadLimits {
        bytes: usize::MAX,
        depth: usize::MAX,
        nodes: usize::MAX,
        digits: usize::MAX,
        duplicate_keys: DuplicateKeys::KeepLast,
    };
    let document = OwnedDocument::read(text, &limits).map_err(|e| e.to_string())?;
    Ok(built(document.document().root()))
}

/// A container that is being filled, and the iterator over its remaining children.
enum Frame<'a> {
    Array(Vec<serde_json::Value>, <View<'a> as Node<'a>>::Items),
    Object(
        serde_json::Map<String, serde_json::Value>,
        <View<'a> as Node<'a>>::Members,
        String,
    ),
}

/// Builds a value without recursion.
fn built(root: View<'_>) -> serde_json::Value {
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut next = Some(root);
    let mut done = serde_json::Value::Null;
    loop {
        if let Some(view) = next.take() {
            match view.kind() {
                Kind::Array => frames.push(Frame::Array(Vec::new(), view.items())),
                Kind::Object => frames.push(Frame::Object(
                    serde_json::Map::new(),
                    view.members(),
                    String::new(),
                )),
                _ => {
                    done = serde_json::from_str(view.raw()).unwrap_or_default();
                    if !put(&mut frames, &mut done) {
                        return done;
                    }
                }
            }
        }
        match frames.last_mut() {
            None => return done,
            Some(Frame::Array(_, items)) => next = items.next(),
            Some(Frame::Object(_, members, name)) => {
                next = members.next().map(|(key, value)| {
                    *name = toolsure_json::Key::text(key).to_owned();
                    value
                });
            }
        }
        if next.is_none() {
            done = match frames.pop() {
                Some(Frame::Array(items, _)) => serde_json::Value::Array(items),
                Some(Frame::Object(members, _, _)) => serde_json::Value::Object(members),
                None => return done,
            };
            if !put(&mut frames, &mut done) {
                return done;
            }
        }
    }
}

/// Puts a finished value into the innermost container; false if there is none.
fn put(frames: &mut [Frame<'_>], done: &mut serde_json::Value) -> bool {
    match frames.last_mut() {
        None => return false,
        Some(Frame::Array(items, _)) => items.push(done.take()),
        Some(Frame::Object(members, _, name)) => {
            members.insert(std::mem::take(name), done.take());
        }
    }
    true
}

fn answer(verdict: Verdict) -> Answer {
    match verdict {
        Verdict::Valid => Answer::Valid,
        Verdict::Invalid => Answer::Invalid,
        Verdict::Undecided(_) => Answer::Undecided,
    }
}

fn refusal(error: CompileError) -> Refusal {
    Refusal {
        code: error.code(),
        message: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_built_as_deep_as_they_are() {
        let deep = format!("{}{{\"a\": [1.5]}}{}", "[".repeat(200), "]".repeat(200));
        let mut value = parse_any_depth(deep.as_bytes()).unwrap();
        for _ in 0..200 {
            value = value.get_mut(0).unwrap().take();
        }
        assert_eq!(value, serde_json::json!({"a": [1.5]}));
        assert!(parse_any_depth(b"[1,").is_err());
    }
}
