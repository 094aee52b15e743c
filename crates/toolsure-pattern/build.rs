//! Packs the tables of Unicode, which `regex-syntax` has as ranges of eight bytes: the sets of the
//! properties that ECMA-262 lists, and the code points that fold together. Everything is a sequence
//! of variable-length numbers; `src/property/tables.rs` reads it.

#[cfg(feature = "unicode")]
#[path = "build/pack.rs"]
mod pack;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/pack.rs");
    println!("cargo::rerun-if-changed=src/property/names.rs");
    #[cfg(feature = "unicode")]
    pack::write()?;
    Ok(())
}
