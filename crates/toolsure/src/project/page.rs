//! One listing and its projection, which the report is about.

use toolsure_analysis::project::{Projection, ProviderForm};

use crate::listing::Listing;

/// One listing and its projection.
pub(super) struct Page {
    pub(super) listing: Listing,
    pub(super) projection: Projection,
    /// The API whose form is printed instead of a listing, and whether it is strict.
    pub(super) form: Option<(ProviderForm, bool)>,
}

impl Page {
    /// The projected listing, in the format of `toolsure check --save`, or in the form of an API.
    pub(super) fn text(&self) -> String {
        if let Some((form, strict)) = self.form {
            let tools = self.projection.projected();
            let text = form.write(tools.map(|tool| tool.text.as_str()), strict);
            return format!("{text}\n");
        }
        let tools = self.projection.projected();
        let tools: Vec<String> = tools.map(|tool| format!("    {}", tool.text)).collect();
        let server = self.listing.server.as_ref();
        let server = server.and_then(|server| server.raw.as_deref());
        let server = server.map_or(String::new(), |raw| format!("  \"serverInfo\": {raw},\n"));
        format!(
            "{{\n  \"version\": 1,\n{server}  \"tools\": [\n{}\n  ]\n}}\n",
            tools.join(",\n")
        )
    }
}
