//! The peers: the `jsonschema` and `boon` crates, both over `serde_json::Value` and offline.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde_json::Value;

use crate::Dialect;
use crate::engine::{Answer, Compiled, Document, Engine, Refusal, Setup};

/// The `jsonschema` crate.
///
/// Registered documents are prepared once per dialect and list of documents, because this costs
/// more than compiling a schema that refers to them.
#[derive(Default)]
pub struct Jsonschema {
    registries: RefCell<HashMap<u64, Arc<jsonschema::Registry<'static>>>>,
}

impl Engine for Jsonschema {
    fn name(&self) -> &'static str {
        "jsonschema"
    }

    fn compile(&self, setup: &Setup<'_>) -> Result<Box<dyn Compiled>, Refusal> {
        let schema: Value = serde_json::from_str(setup.schema).map_err(Refusal::message)?;
        let validator = self.validator(&schema, setup)?;
        Ok(Box::new(JsonschemaCompiled(validator)))
    }
}

impl Jsonschema {
    /// Compiles an already parsed schema.
    ///
    /// # Errors
    ///
    /// The crate's refusal.
    pub fn validator(
        &self,
        schema: &Value,
        setup: &Setup<'_>,
    ) -> Result<jsonschema::Validator, Refusal> {
        let mut options = jsonschema::options()
            .offline()
            .should_validate_formats(setup.formats);
        if schema.get("$schema").is_none() {
            options = options.with_draft(jsonschema_draft(setup.dialect));
        }
        if setup.documents.is_empty() {
            return options.build(schema).map_err(Refusal::message);
        }
        let registry = self.registry(setup)?;
        options
            .with_registry(&registry)
            .build(schema)
            .map_err(Refusal::message)
    }

    fn registry(&self, setup: &Setup<'_>) -> Result<Arc<jsonschema::Registry<'static>>, Refusal> {
        let documents = setup.documents;
        let key = digest(setup.dialect, documents);
        if let Some(registry) = self.registries.borrow().get(&key) {
            return Ok(Arc::clone(registry));
        }
        let mut builder = jsonschema::Registry::new().draft(jsonschema_draft(setup.dialect));
        for Document { uri, text } in documents {
            let value: Value = serde_json::from_str(text).map_err(Refusal::message)?;
            builder = builder.add(uri, value).map_err(Refusal::message)?;
        }
        let registry = Arc::new(builder.prepare().map_err(Refusal::message)?);
        self.registries
            .borrow_mut()
            .insert(key, Arc::clone(&registry));
        Ok(registry)
    }
}

fn digest(dialect: Dialect, documents: &[Document]) -> u64 {
    let mut hasher = DefaultHasher::new();
    dialect.hash(&mut hasher);
    for Document { uri, text } in documents {
        uri.hash(&mut hasher);
        text.hash(&mut hasher);
    }
    hasher.finish()
}

struct JsonschemaCompiled(jsonschema::Validator);

impl Compiled for JsonschemaCompiled {
    fn check(&mut self, instance: &str) -> Answer {
        match serde_json::from_str::<Value>(instance) {
            Ok(value) => Answer::from(self.0.is_valid(&value)),
            Err(error) => Answer::Unreadable(error.to_string()),
        }
    }
}

fn jsonschema_draft(dialect: Dialect) -> jsonschema::Draft {
    match dialect {
        Dialect::Draft4 => jsonschema::Draft::Draft4,
        Dialect::Draft6 => jsonschema::Draft::Draft6,
        Dialect::Draft7 => jsonschema::Draft::Draft7,
        Dialect::Draft201909 => jsonschema::Draft::Draft201909,
        Dialect::Draft202012 => jsonschema::Draft::Draft202012,
    }
}

/// The `boon` crate.
///
/// It asserts `format` in draft-07 and older regardless of its options, so suites in which `format`
/// is an annotation must not use it there.
#[derive(Debug, Default)]
pub struct Boon;

impl Engine for Boon {
    fn name(&self) -> &'static str {
        "boon"
    }

    fn compile(&self, setup: &Setup<'_>) -> Result<Box<dyn Compiled>, Refusal> {
        let schema: Value = serde_json::from_str(setup.schema).map_err(Refusal::message)?;
        Ok(Box::new(Self::compiled(schema, setup)?))
    }
}

impl Boon {
    /// Compiles an already parsed schema.
    ///
    /// # Errors
    ///
    /// The crate's refusal.
    pub fn compiled(schema: Value, setup: &Setup<'_>) -> Result<BoonCompiled, Refusal> {
        let mut compiler = boon::Compiler::new();
        compiler.use_loader(Box::new(boon::SchemeUrlLoader::new()));
        compiler.set_default_draft(boon_draft(setup.dialect));
        if setup.formats {
            compiler.enable_format_assertions();
        }
        if setup.content {
            compiler.enable_content_assertions();
        }
        for Document { uri, text } in setup.documents {
            let value: Value = serde_json::from_str(text).map_err(Refusal::message)?;
            compiler
                .add_resource(uri, value)
                .map_err(Refusal::message)?;
        }
        compiler
            .add_resource(BOON_ROOT, schema)
            .map_err(Refusal::message)?;
        let mut schemas = boon::Schemas::new();
        let index = compiler
            .compile(BOON_ROOT, &mut schemas)
            .map_err(Refusal::message)?;
        Ok(BoonCompiled { schemas, index })
    }
}

/// A schema that `boon` compiled.
pub struct BoonCompiled {
    schemas: boon::Schemas,
    index: boon::SchemaIndex,
}

impl BoonCompiled {
    /// Checks a parsed instance.
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.index).is_ok()
    }
}

impl Compiled for BoonCompiled {
    fn check(&mut self, instance: &str) -> Answer {
        match serde_json::from_str::<Value>(instance) {
            Ok(value) => Answer::from(self.is_valid(&value)),
            Err(error) => Answer::Unreadable(error.to_string()),
        }
    }
}

fn boon_draft(dialect: Dialect) -> boon::Draft {
    match dialect {
        Dialect::Draft4 => boon::Draft::V4,
        Dialect::Draft6 => boon::Draft::V6,
        Dialect::Draft7 => boon::Draft::V7,
        Dialect::Draft201909 => boon::Draft::V2019_09,
        Dialect::Draft202012 => boon::Draft::V2020_12,
    }
}

/// The URI of the schema, because `boon` compiles only documents that have one.
const BOON_ROOT: &str = "urn:toolsure:schema";
