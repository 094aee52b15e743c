//! The typed indexes into the tables of a model.

use toolsure_json::int::{to_u32, to_usize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The index as a number.
            #[inline]
            #[must_use]
            pub fn index(self) -> usize {
                to_usize(self.0)
            }

            /// The id of the element at `index`.
            #[inline]
            #[must_use]
            pub fn new(index: usize) -> Self {
                Self(to_u32(index))
            }
        }
    )*};
}

ids! {
    /// A document of a model: the schema, or one that it refers to.
    DocumentId;
    /// A subschema of a model.
    SubschemaId;
    /// A schema resource: a document root or a subschema with its own id.
    ResourceId;
    /// A reference of a model.
    ReferenceId;
    /// A distinct regular expression of a model.
    PatternId;
    /// A name that a dynamic reference looks up in the dynamic scope.
    ScopeName;
}
