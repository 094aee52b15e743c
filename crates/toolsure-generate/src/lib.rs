//! Instances of a schema: valid ones that cover what it says, and invalid ones that break one keyword.
//!
//! A [`Generator`] reads a schema and returns [`Instances`]. Each is certified: the engine has accepted the valid ones
//! completely, and has found exactly one fault in each invalid one. What could not be made is listed, too.
//! The same schema, options and seed give the same instances; nothing here does I/O or uses a clock.
//!
//! [`ParsedSchema::variations`] makes candidates for the comparison of two schemas, from the [`Hints`] that both give.
//!
//! ```
//! use toolsure_generate::{Generator, Options};
//! use toolsure_schema::Compiler;
//!
//! let schema = br#"{"type": "object", "required": ["size"], "properties": {
//!     "size": {"type": "integer", "minimum": 1, "maximum": 5}}}"#;
//! let generator = Generator::new(&Compiler::new(), schema)?;
//! let instances = generator.instances(&Options::default());
//! assert_eq!(instances.valid[0].text, r#"{"size":1}"#);
//! assert!(instances.valid.iter().any(|one| one.text == r#"{"size":5}"#));
//! let broken = instances.invalid.iter().find(|one| one.keyword_location == "/properties/size/minimum");
//! assert_eq!(broken.map(|one| one.text.as_str()), Some(r#"{"size":0}"#));
//! # Ok::<(), toolsure_schema::CompileError>(())
//! ```
//!
//! | part | what it does |
//! |---|---|
//! | `reach` | the subschemas that an evaluation reaches, and the path to each |
//! | `heights` | how deep a value must be for each subschema: what proves that none exists |
//! | `implied` | which keywords break nothing, because another branch of a union accepts the value |
//! | `conjunction` | all keywords that apply to one value, once branches are chosen |
//! | `build` | makes one value: by type, toward a goal |
//! | `goals` | what is to be covered, and what is to be broken |
//! | `part` | what applies to a member or an item |
//! | `generator` | goes through the goals and certifies |
//! | `hints` | scalars of other schemas, which show where two schemas may differ |
//! | `variations` | instances that vary at one location, for the comparison of schemas |

#![forbid(unsafe_code)]
#![deny(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod build;
mod certify;
mod conjunction;
mod decimal;
mod generator;
mod goals;
mod heights;
mod hints;
mod implied;
mod instances;
mod options;
mod parsed_schema;
mod part;
mod random;
mod reach;
mod step;
pub mod text;
mod variations;

pub use generator::Generator;
pub use hints::Hints;
pub use instances::{Instances, Invalid, Missing, Purpose, Satisfiable, Valid};
pub use options::Options;
pub use parsed_schema::ParsedSchema;
pub use step::Step;
pub use variations::Variations;

// Types of the crates below that appear in signatures of this crate.
pub use toolsure_json::View;
pub use toolsure_schema::{CompileError, Compiler};
