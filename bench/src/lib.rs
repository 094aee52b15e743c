//! What both programs of the benchmark stand on: the workloads.

pub mod mutate;
pub mod sets;
pub mod synthetic;
pub mod workload;
