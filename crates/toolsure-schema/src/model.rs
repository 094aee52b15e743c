//! The model of a schema, as this crate uses it.

pub(crate) use toolsure_syntax::model::{
    ContentUse, Dangling, Dependency, DocumentId, Entry, Form, FormatUse, Model, PatternId,
    ReferenceId, ReferenceTarget, Resource, ResourceId, ScopeName, Shape, Subschema, SubschemaId,
    TypeSet,
};
