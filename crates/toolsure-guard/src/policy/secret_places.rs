//! Which parts of a value the schema of a tool calls secret.

use toolsure_json::{Key as _, Node as _, View};

/// Looks up the schemas of the parts of one value, in a bounded number of steps. Schemas are untrusted: what was not looked
/// at is taken for a secret.
pub(super) struct SecretPlaces<'s> {
    /// The document, in which `$ref` is looked up.
    root: Option<View<'s>>,
    /// The members and items that may still be looked at.
    steps: usize,
}

/// The schemas that one part of the value must match.
pub(super) struct Schemas<'s> {
    all: Vec<View<'s>>,
    /// Whether one of them says that the part is a secret, or not all were looked at.
    pub(super) are_for_secrets: bool,
}

impl<'s> SecretPlaces<'s> {
    pub(super) fn new() -> Self {
        Self {
            root: None,
            steps: STEPS,
        }
    }

    /// The schemas of the whole value.
    pub(super) fn of_root(&mut self, root: Option<View<'s>>) -> Schemas<'s> {
        self.root = root;
        self.with_references(root.into_iter().collect())
    }

    /// The schemas of a member of an object that these are for.
    pub(super) fn member(&mut self, schemas: &Schemas<'s>, name: &str) -> Schemas<'s> {
        let mut found = Vec::new();
        for schema in &schemas.all {
            let properties = self.keyword(*schema, "properties");
            let own = properties.and_then(|all| self.keyword(all, name));
            found.extend(own.or_else(|| self.keyword(*schema, "additionalProperties")));
            if let Some(patterns) = self.keyword(*schema, "patternProperties") {
                // Any of them may match.
                found.extend(self.take(patterns.members().map(|(_, schema)| schema)));
            }
        }
        self.with_references(found)
    }

    /// The schemas of an item of an array that these are for.
    pub(super) fn item(&mut self, schemas: &Schemas<'s>, at: usize) -> Schemas<'s> {
        let mut found = Vec::new();
        for schema in &schemas.all {
            let first = self.keyword(*schema, "prefixItems");
            let first = first.and_then(|all| self.at(all, at));
            found.extend(first.or_else(|| self.keyword(*schema, "items")));
        }
        self.with_references(found)
    }

    /// Schemas, what they refer to, and the branches of both.
    fn with_references(&mut self, mut all: Vec<View<'s>>) -> Schemas<'s> {
        let mut are_for_secrets = false;
        let mut next = 0;
        while let Some(&schema) = all.get(next)
            && !are_for_secrets
            && self.steps > 0
        {
            next += 1;
            for keyword in ["allOf", "anyOf", "oneOf"] {
                if let Some(branches) = self.keyword(schema, keyword) {
                    all.extend(self.take(branches.items()));
                }
            }
            for keyword in ["if", "then", "else"] {
                all.extend(self.keyword(schema, keyword));
            }
            if let Some(reference) = self.keyword(schema, "$ref") {
                all.extend(self.target(reference.string()));
            }
            are_for_secrets = self.is_for_secrets(schema);
        }
        are_for_secrets |= self.steps == 0;
        Schemas {
            all,
            are_for_secrets,
        }
    }

    fn is_for_secrets(&mut self, schema: View<'s>) -> bool {
        let format = self.keyword(schema, "format");
        let is_write_only = self.keyword(schema, "writeOnly");
        format.is_some_and(|format| matches!(format.string(), "password" | "secret"))
            || is_write_only.is_some_and(|value| value.raw() == "true")
    }

    /// The part of the document that a reference within it means.
    fn target(&mut self, reference: &str) -> Option<View<'s>> {
        let pointer = reference.strip_prefix('#')?;
        let mut found = self.root?;
        for part in pointer.split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            let member = self.keyword(found, &part);
            found = member.or_else(|| self.at(found, part.parse().ok()?))?;
        }
        Some(found)
    }

    fn keyword(&mut self, schema: View<'s>, name: &str) -> Option<View<'s>> {
        let mut members = self.take(schema.members());
        let found = members.find(|(key, _)| key.text() == name);
        found.map(|(_, value)| value)
    }

    fn at(&mut self, array: View<'s>, index: usize) -> Option<View<'s>> {
        self.take(array.items()).nth(index)
    }

    /// As many of the elements as there are steps left; each costs one.
    fn take<I: Iterator>(&mut self, elements: I) -> impl Iterator<Item = I::Item> {
        let steps = &mut self.steps;
        elements.map_while(move |element| {
            *steps = steps.checked_sub(1)?;
            Some(element)
        })
    }
}

/// Steps for one record.
const STEPS: usize = 1 << 18;
