//! Who sees to it that the accesses of the repository's kernels are in bounds.

use anabranch::{Bounds, Plan};

// Only the kernels of these are wanted.
#[allow(dead_code)]
#[path = "../../kernels-example/examples/03_jacobi.rs"]
mod jacobi;
#[allow(dead_code)]
#[path = "../../kernels-example/examples/01_saxpy.rs"]
mod saxpy;
#[allow(dead_code, unreachable_pub)]
#[path = "../../kernels-example/src/sharpen.rs"]
mod sharpen;
#[allow(dead_code)]
#[path = "../../kernels-example/examples/02_step.rs"]
mod step;

/// Prints the figures; of 100 accesses, so many at most may be left to the device.
fn count(name: &str, plans: &[Plan], most: usize) {
    let bounds: Vec<Bounds> = plans.iter().flat_map(Plan::accesses).map(|access| access.bounds).collect();
    let [proved, launch, device] = [Bounds::Proved, Bounds::Launch, Bounds::Device]
        .map(|who| bounds.iter().filter(|bounds| **bounds == who).count());
    let all = bounds.len();
    println!("{name}: {all} accesses, {proved} proved, {launch} decided by the launch, {device} left to the device");
    assert!(proved > 0 && launch > 0, "{name} has accesses of all kinds");
    assert!(100 * device <= most * all, "{name}: {device} of {all} accesses are left to the device");
}

/// The device checks what it has loaded or called for, and little else.
#[test]
fn few_accesses_are_left_to_the_device() {
    let (saxpy, step, jacobi) = (saxpy::saxpy::plan(), step::step::plan(), jacobi::jacobi::plan());
    // Its windows ask a device function where they end.
    let sharpened = [sharpen::sharpen::plan(), sharpen::sharpen_grey::plan(), sharpen::sharpen_plane::plan()];
    let examples = [vec![saxpy, step, jacobi], sharpened.to_vec()].concat();
    count("examples", &examples, 12);
    let suites: Vec<Plan> = anabranch_tests::kernels::all().iter().map(|source| (source.plan)()).collect();
    count("test suites", &suites, 5);
}
