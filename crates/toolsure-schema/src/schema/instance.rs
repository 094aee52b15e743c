//! The instances that can be checked: JSON text, documents, values, and any type that implements
//! `Node`.

use toolsure_json::{Node, OwnedDocument, ReadError, View};

use super::{Schema, Workspace};

/// An instance in any representation, as [`Schema::check`], [`explain`](Schema::explain),
/// [`output`](Schema::output) and [`annotations`](Schema::annotations) take it.
///
/// | instance | the methods return |
/// |---|---|
/// | JSON text: `&[u8]`, `&[u8; N]`, `&Vec<u8>`, `&str`, `&String` | a `Result`, since it may not be JSON |
/// | a document or a part of one: `&OwnedDocument`, [`View`] | the answer |
/// | `&serde_json::Value` (feature `serde_json`) | the answer |
/// | any [`Node`], in [`AnyNode`] | the answer |
///
/// ```
/// use toolsure_schema::{OwnedDocument, ReadLimits, Schema, Verdict, Workspace};
///
/// let schema = Schema::compile(br#"{"maximum": 3}"#)?;
/// let workspace = &mut Workspace::new();
/// let document = OwnedDocument::read("5", &ReadLimits::default())?;
/// assert_eq!(schema.check(workspace, b"5")?, Verdict::Invalid);
/// assert_eq!(schema.check(workspace, &document), Verdict::Invalid);
/// assert_eq!(schema.check(workspace, &serde_json::json!(5)), Verdict::Invalid);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an instance that a schema can check",
    note = "pass JSON text, a `View`, a document or a `&serde_json::Value`; wrap a value that implements `Node` in `AnyNode`"
)]
pub trait Instance: Sized + sealed::Sealed {
    /// The result for an instance: a `Result` for JSON text, otherwise the answer itself.
    type Answer<T>;

    #[doc(hidden)]
    fn ask<Q: Question>(
        self,
        schema: &Schema,
        workspace: &mut Workspace,
        question: Q,
    ) -> Self::Answer<Q::Answer>;
}

/// A value of any type that implements [`Node`], as an [`Instance`].
///
/// ```
/// use toolsure_schema::{AnyNode, Schema, ValueNode, Verdict, Workspace};
///
/// let schema = Schema::compile(br#"{"maximum": 3}"#)?;
/// let value = serde_json::json!(5);
/// let node = AnyNode(ValueNode::new(&value));
/// assert_eq!(schema.check(&mut Workspace::new(), node), Verdict::Invalid);
/// # Ok::<(), toolsure_schema::CompileError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a wrapper around one value, made by its constructor"
)]
pub struct AnyNode<N>(pub N);

/// A question about an instance, whatever its representation.
#[doc(hidden)]
pub trait Question: Sized {
    /// The type of the answer.
    type Answer;

    /// Answers it for a value.
    fn of_node<'i, N: Node<'i>>(
        self,
        schema: &Schema,
        workspace: &mut Workspace,
        node: N,
    ) -> Self::Answer;

    /// Answers it for a value in a document, whose byte range in the text is known.
    fn of_view(self, schema: &Schema, workspace: &mut Workspace, view: View<'_>) -> Self::Answer {
        self.of_node(schema, workspace, view)
    }

    /// Answers it for JSON text.
    fn of_text(
        self,
        schema: &Schema,
        workspace: &mut Workspace,
        text: &[u8],
    ) -> Result<Self::Answer, ReadError> {
        read(self, schema, workspace, text)
    }
}

/// Reads a text, and answers a question about it.
pub(crate) fn read<Q: Question>(
    question: Q,
    schema: &Schema,
    workspace: &mut Workspace,
    text: &[u8],
) -> Result<Q::Answer, ReadError> {
    // The document borrows the reader, while the rest of the workspace is in use.
    let mut reader = std::mem::take(&mut workspace.reader);
    let answer = reader
        .read(text, &schema.compiler().bounds().instance)
        .map(|document| question.of_view(schema, workspace, document.root()));
    workspace.reader = reader;
    answer
}

mod sealed {
    /// Only this module implements [`Instance`](super::Instance): other types implement `Node`.
    pub trait Sealed {}
}

macro_rules! texts {
    ($([$($generics:tt)*] $text:ty;)*) => {$(
        impl<$($generics)*> sealed::Sealed for $text {}

        impl<$($generics)*> Instance for $text {
            type Answer<T> = Result<T, ReadError>;

            #[inline]
            fn ask<Q: Question>(
                self,
                schema: &Schema,
                workspace: &mut Workspace,
                question: Q,
            ) -> Result<Q::Answer, ReadError> {
                question.of_text(schema, workspace, self.as_ref())
            }
        }
    )*};
}

texts! {
    [] &[u8];
    [const N: usize] &[u8; N];
    [] &Vec<u8>;
    [] &str;
    [] &String;
}

macro_rules! values {
    ($([$($generics:tt)*] $value:ty, $instance:ident => $method:ident($node:expr);)*) => {$(
        impl<$($generics)*> sealed::Sealed for $value {}

        impl<$($generics)*> Instance for $value {
            type Answer<T> = T;

            #[inline]
            fn ask<Q: Question>(
                self,
                schema: &Schema,
                workspace: &mut Workspace,
                question: Q,
            ) -> Q::Answer {
                let $instance = self;
                question.$method(schema, workspace, $node)
            }
        }
    )*};
}

values! {
    [] View<'_>, view => of_view(view);
    [] &OwnedDocument, document => of_view(document.document().root());
}

#[cfg(feature = "serde_json")]
values! {
    [] &serde_json::Value, value => of_node(crate::value::ValueNode::new(value));
    [] crate::value::ValueNode<'_>, node => of_node(node);
}

impl<N> sealed::Sealed for AnyNode<N> {}

impl<'i, N: Node<'i>> Instance for AnyNode<N> {
    type Answer<T> = T;

    #[inline]
    fn ask<Q: Question>(
        self,
        schema: &Schema,
        workspace: &mut Workspace,
        question: Q,
    ) -> Q::Answer {
        question.of_node(schema, workspace, self.0)
    }
}
