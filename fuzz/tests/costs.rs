//! How what each entry point allocates and pays grows with its input: at most a little more than
//! in proportion. No clock is read.

use toolsure_fuzz::costs::{Cost, Operation, SHAPES, growth};

/// Four times the input; n log n and vectors that double grow by less than 1.4.
#[test]
fn allocations_and_fuel_grow_in_proportion() {
    let mut steep = Vec::new();
    for shape in SHAPES {
        let [small, large] = SIZES.map(|size| Cost::of(shape, size, 1));
        for (what, less, more) in [
            ("bytes allocated", small.allocated, large.allocated),
            ("allocations", small.allocations, large.allocations),
            ("bytes at once", small.peak, large.peak),
            ("fuel", small.fuel, large.fuel),
        ] {
            let grows = growth((SIZES[0], less.max(FEW)), (SIZES[1], more.max(FEW)));
            if grows > STEEPEST {
                steep.push(format!("{shape}: {what} from {less} to {more}: {grows:.2}"));
            }
        }
    }
    assert!(steep.is_empty(), "{}", steep.join("\n"));
}

/// A listing of a megabyte in which nothing, or little, is a tool: what is said about it is bounded.
#[test]
fn what_is_said_about_bad_tools_is_bounded() {
    let mut seen = 0;
    for shape in SHAPES {
        let says = matches!(shape.operation, Operation::Lint | Operation::GuardList);
        let is_bad = shape.name.starts_with("listing of") && shape.name != "listing of tools";
        if says && is_bad {
            let output = Cost::of(shape, LISTING, 1).output;
            assert!(output <= LISTING, "{shape}: {output} bytes");
            seen += 1;
        }
    }
    assert!(seen >= 6, "{seen} shapes");
}

/// The size of such a listing.
const LISTING: usize = 1_000_000;
/// The sizes of the part that grows.
const SIZES: [usize; 2] = [24 << 10, 96 << 10];
/// What is too little to matter, and grows in steps.
const FEW: u64 = 20_000;
/// Where twice the input takes more than two and a half times as much.
const STEEPEST: f64 = 1.4;
