//! Makes the suggestions of `completion/complete` readable.

use toolsure_analysis::tool::{AllowedMembers, Form};
use toolsure_json::{Kind, Node as _, View};

use super::clean::{Also, Cleaner};
use super::place::Place;

/// The suggestions for an argument (2025-06-18, server/utilities/completion: at most 100 values).
pub(super) fn completion(cleaner: &mut Cleaner<'_>, result: View<'_>, also: &mut Also) {
    let place = Place::Root.member("completion");
    let found = result.member("completion");
    let Some(completion) = found.filter(|it| it.kind() == Kind::Object) else {
        if found.is_some() {
            also.gone.push("completion");
        }
        also.appended
            .push(r#""completion":{"values":[]}"#.to_owned());
        cleaner.added(&place, r#"{"values":[]}"#);
        return;
    };
    let mut inside = Also::default();
    let at = place.member("values");
    match completion.member("values") {
        Some(values) if values.kind() == Kind::Array => {
            let mut gone = Vec::new();
            for (index, value) in values.items().enumerate() {
                if value.kind() != Kind::String || index - gone.len() >= MOST_VALUES {
                    gone.push(index);
                    cleaner.left_out(&at.item(index), "one of at most 100 strings");
                }
            }
            cleaner.without(values, &gone);
        }
        Some(other) => cleaner.replace(other, "[]".to_owned(), &at, "an empty array"),
        None => {
            inside.appended.push(r#""values":[]"#.to_owned());
            cleaner.added(&at, "[]");
        }
    }
    cleaner.object(&COMPLETION, completion, &place, inside);
}

/// The optional members of a completion.
const COMPLETION: AllowedMembers = AllowedMembers {
    optional: &[("total", Form::Count), ("hasMore", Form::Boolean)],
    required: &[],
};
/// The maximum number of values of a completion.
const MOST_VALUES: usize = 100;
