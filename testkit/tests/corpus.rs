//! The corpus, on both instance representations; ignored if it is missing.

use toolsure_testkit::{corpus, engines, place::Material};

#[toolsure_needs::needs("corpus", "$TOOLSURE_CORPUS")]
#[test]
fn published_schemas_compile_and_every_value_gets_its_label() {
    let directory = Material::Corpus.directory(None).unwrap();
    let listings = corpus::load(&directory).unwrap();
    for engine in engines::named(None).unwrap() {
        let outcome = corpus::run(&listings, engine.as_ref());
        let values = &outcome.values;
        assert_eq!(values.failed, 0, "{}\n{}", values.line(), values.details());
        assert!(outcome.refused.is_empty(), "{:#?}", outcome.refused);
    }
}
