//! toolgate.

fn main() {}
