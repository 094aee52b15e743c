//! The model of a schema, under the short names that this crate uses.

pub(crate) use toolgate_syntax::model::{
    ContentUse, Dangling, Dependency, DocumentId as DocId, Entry, Form, FormatUse, Model,
    PatternId, ReferenceId as RefId, ResourceId, ScopeName, Shape, Subschema as Sub,
    SubschemaId as SubId, Target, TypeSet,
};
