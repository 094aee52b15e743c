//! The keyword whose value is being decoded.

use toolsure_json::View;

use crate::dialect::Keyword;
use crate::model::{Subschema, SubschemaId};

/// One keyword of the subschema that is being decoded.
pub(super) struct Reader<'v> {
    pub(super) sub: Subschema,
    pub(super) id: SubschemaId,
    pub(super) depth: usize,
    pub(super) keyword: Keyword,
    pub(super) name: &'v str,
    /// The whole subschema.
    pub(super) view: View<'v>,
}
