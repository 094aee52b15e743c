//! The environment variables of the guard.

use std::ffi::OsString;

use crate::listing::expand;

/// Names and values. It has no `Debug`, because values may be secrets.
pub(crate) struct Environment(Vec<(String, String)>);

impl Environment {
    /// The variables of this process; those that are not Unicode are left out.
    pub(crate) fn of_process() -> Self {
        let unicode = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        std::env::vars_os().filter_map(unicode).collect()
    }

    /// The names and values.
    pub(super) fn variables(&self) -> &[(String, String)] {
        &self.0
    }

    /// A text with the values of the variables that it names, `${NAME}`.
    ///
    /// # Errors
    ///
    /// Why it cannot be expanded, in one line without values.
    pub(super) fn expand(&self, text: &str) -> Result<String, String> {
        expand(text, |wanted| {
            let found = self.0.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.clone())
        })
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}
