//! The published metaschemas and output schemas, as data of this crate.
//!
//! Each document has what matters to a validator in the specification's document; titles,
//! descriptions and comments are left out.

/// The document that `uri`, which has no fragment, identifies.
///
/// The URIs are the documents' own ids. Drafts 4, 6 and 7 are also known under `https`, as many
/// schemas write them.
///
/// ```
/// use toolsure_syntax::metaschema;
///
/// assert!(metaschema("https://json-schema.org/draft/2020-12/schema").is_some());
/// assert!(metaschema("https://json-schema.org/draft/2020-12/meta/core").is_some());
/// assert_eq!(metaschema("https://example.com/schema"), None);
/// ```
#[must_use]
pub fn metaschema(uri: &str) -> Option<&'static str> {
    if let Some(path) = uri.strip_prefix("https://json-schema.org/draft/") {
        return versioned(path);
    }
    let rest = uri
        .strip_prefix("http://")
        .or_else(|| uri.strip_prefix("https://"))?;
    match rest {
        "json-schema.org/draft-04/schema" => Some(include_str!("draft4.json")),
        "json-schema.org/draft-06/schema" => Some(include_str!("draft6.json")),
        "json-schema.org/draft-07/schema" => Some(include_str!("draft7.json")),
        _ => None,
    }
}

fn versioned(path: &str) -> Option<&'static str> {
    Some(match path {
        "2019-09/schema" => include_str!("draft2019-09/schema.json"),
        "2019-09/meta/core" => include_str!("draft2019-09/meta/core.json"),
        "2019-09/meta/applicator" => include_str!("draft2019-09/meta/applicator.json"),
        "2019-09/meta/validation" => include_str!("draft2019-09/meta/validation.json"),
        "2019-09/meta/meta-data" => include_str!("draft2019-09/meta/meta-data.json"),
        "2019-09/meta/format" => include_str!("draft2019-09/meta/format.json"),
        "2019-09/meta/content" => include_str!("draft2019-09/meta/content.json"),
        "2019-09/output/schema" => include_str!("draft2019-09/output/schema.json"),
        "2020-12/schema" => include_str!("draft2020-12/schema.json"),
        "2020-12/meta/core" => include_str!("draft2020-12/meta/core.json"),
        "2020-12/meta/applicator" => include_str!("draft2020-12/meta/applicator.json"),
        "2020-12/meta/unevaluated" => include_str!("draft2020-12/meta/unevaluated.json"),
        "2020-12/meta/validation" => include_str!("draft2020-12/meta/validation.json"),
        "2020-12/meta/meta-data" => include_str!("draft2020-12/meta/meta-data.json"),
        "2020-12/meta/format-annotation" => {
            include_str!("draft2020-12/meta/format-annotation.json")
        }
        "2020-12/meta/format-assertion" => {
            include_str!("draft2020-12/meta/format-assertion.json")
        }
        "2020-12/meta/content" => include_str!("draft2020-12/meta/content.json"),
        "2020-12/output/schema" => include_str!("draft2020-12/output/schema.json"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::metaschema;
    use toolsure_json::{Node, OwnedDocument, ReadLimits};

    const URIS: [&str; 21] = [
        "http://json-schema.org/draft-04/schema",
        "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2019-09/meta/core",
        "https://json-schema.org/draft/2019-09/meta/applicator",
        "https://json-schema.org/draft/2019-09/meta/validation",
        "https://json-schema.org/draft/2019-09/meta/meta-data",
        "https://json-schema.org/draft/2019-09/meta/format",
        "https://json-schema.org/draft/2019-09/meta/content",
        "https://json-schema.org/draft/2019-09/output/schema",
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/meta/core",
        "https://json-schema.org/draft/2020-12/meta/applicator",
        "https://json-schema.org/draft/2020-12/meta/unevaluated",
        "https://json-schema.org/draft/2020-12/meta/validation",
        "https://json-schema.org/draft/2020-12/meta/meta-data",
        "https://json-schema.org/draft/2020-12/meta/format-annotation",
        "https://json-schema.org/draft/2020-12/meta/format-assertion",
        "https://json-schema.org/draft/2020-12/meta/content",
        "https://json-schema.org/draft/2020-12/output/schema",
    ];

    fn text(uri: &str, keyword: &str) -> Option<String> {
        let document = OwnedDocument::read(metaschema(uri)?, &ReadLimits::default()).unwrap();
        let value = document
            .document()
            .root()
            .member(keyword)?
            .string()
            .to_owned();
        Some(value.trim_end_matches('#').to_owned())
    }

    #[test]
    fn every_document_is_json_and_names_itself_as_asked_for() {
        for uri in URIS {
            let id = if uri.contains("draft-04") {
                "id"
            } else {
                "$id"
            };
            assert_eq!(text(uri, id).as_deref(), Some(uri));
        }
    }

    #[test]
    fn every_document_declares_a_bundled_dialect() {
        for uri in URIS {
            let dialect = text(uri, "$schema").unwrap();
            assert!(URIS.contains(&dialect.as_str()), "{uri} declares {dialect}");
        }
    }

    #[test]
    fn only_old_drafts_are_known_under_both_schemes() {
        assert_eq!(
            metaschema("https://json-schema.org/draft-07/schema"),
            metaschema("http://json-schema.org/draft-07/schema")
        );
        for uri in [
            "http://json-schema.org/draft/2020-12/schema",
            "https://json-schema.org/draft/2020-12/schema#",
            "https://json-schema.org/draft/2020-12/",
            "https://json-schema.org/draft/draft-07/schema",
            "json-schema.org/draft-07/schema",
            "http://json-schema.org/draft-03/schema",
            "",
        ] {
            assert_eq!(metaschema(uri), None, "{uri}");
        }
    }
}
