//! Tests of the peers that need no GPU.

use anabranch::private::offline::{nvrtc_compile, nvrtc_found, nvrtc_knows};

use crate::{compute, launches, together};

/// The hand-written CUDA C++ compiles with an empty log.
#[test]
fn the_peers_compile() {
    if let Err(error) = nvrtc_found() {
        assert!(std::env::var_os("CI").is_none(), "CI needs NVRTC: {error}");
        println!("skipped: {error}");
        return;
    }
    let (radix, seven, sixteen) = (together::radix(), launches::seven_parameters(), launches::sixteen_functions());
    let sources = [
        compute::BANDWIDTH,
        compute::ARITHMETIC,
        launches::STEPS,
        together::TILES,
        together::REDUCTIONS,
        together::SCAN,
        &radix,
        &seven,
        &sixteen,
    ];
    for source in sources {
        for architecture in nvrtc_knows(&[75, 80, 90, 100, 120]).unwrap() {
            let (cubin, log) = nvrtc_compile(source, architecture).unwrap();
            assert!(!cubin.is_empty() && log.is_empty(), "{log}");
        }
    }
}
