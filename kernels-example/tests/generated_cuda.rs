//! NVRTC compiles this package's kernels, including those of the examples, with an empty log.

#![allow(dead_code, missing_docs)] // the examples include their `main`

#[path = "../examples/05_graph.rs"]
mod graph;
#[path = "../examples/03_jacobi.rs"]
mod jacobi;
#[path = "../examples/01_saxpy.rs"]
mod saxpy;
#[path = "../examples/02_step.rs"]
mod step;

use anabranch::private::offline::{nvrtc_compile, nvrtc_found, nvrtc_knows};
use kernels_example::sharpen::{sharpen, sharpen_grey, sharpen_plane};

/// Turing, the oldest that NVRTC 13 supports, the later data-centre generations, and Blackwell,
/// which NVRTC 12.0 does not support yet.
const ARCHITECTURES: [u32; 5] = [75, 80, 90, 100, 120];

#[test]
fn every_kernel_compiles_without_a_word() {
    if let Err(error) = nvrtc_found() {
        assert!(std::env::var_os("CI").is_none(), "CI needs NVRTC: {error}");
        println!("skipped: {error}");
        return;
    }
    let sources = [
        sharpen::cuda_source(),
        sharpen_grey::cuda_source(),
        sharpen_plane::cuda_source(),
        saxpy::saxpy::cuda_source(),
        step::step::cuda_source(),
        jacobi::jacobi::cuda_source(),
        graph::wave::cuda_source(),
    ];
    for source in sources {
        for architecture in nvrtc_knows(&ARCHITECTURES).unwrap() {
            match nvrtc_compile(&source, architecture) {
                Ok((image, log)) => {
                    assert!(!image.is_empty());
                    assert_eq!(log, "", "sm_{architecture}:\n{source}");
                }
                Err(error) => panic!("sm_{architecture}: {error}\n{source}"),
            }
        }
    }
}
