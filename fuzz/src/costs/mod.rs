//! What each public entry point costs as its input grows.
//!
//! A [`Shape`] is an entry point and a family of inputs of any size. The table of
//! `cargo run --profile test -p toolsure-fuzz -- costs` doubles the size from 128 KiB to 1 MiB; a test holds the
//! growth of allocations and fuel to a class, without a clock.

mod instances;
mod listings;
mod measure;
mod operations;
mod schemas;
mod shape;
mod shapes;
mod table;
mod texts;

pub use measure::{Cost, growth};
pub use operations::{Operation, Prepared};
pub use shape::Shape;
pub use shapes::SHAPES;
pub use table::{one, run};
pub use texts::{Texts, many, reversed};
