//! Tests of the choice of targets without a compiler, and of compilations with a real one, if there
//! is one.

use super::*;

#[test]
fn the_target_is_machine_code_where_nvrtc_knows_the_device() {
    let (nvrtc_12, nvrtc_13) = ([50, 52, 60, 70, 75, 80, 86, 89, 90], [75, 80, 86, 87, 88, 89, 90, 100, 103, 120]);
    for (architectures, device, expected) in [
        (&nvrtc_12[..], 75, Some(target(75, false, Mode::with(DebugInfo::None)))),
        (&nvrtc_12, 90, Some(target(90, false, Mode::with(DebugInfo::None)))),
        (&nvrtc_12, 120, Some(target(90, true, Mode::with(DebugInfo::None)))),
        (&nvrtc_12, 87, Some(target(86, true, Mode::with(DebugInfo::None)))),
        (&nvrtc_12, 37, None),
        (&nvrtc_13, 70, None),
        (&nvrtc_13, 121, Some(target(120, true, Mode::with(DebugInfo::None)))),
    ] {
        assert_eq!(choose(architectures, device, Mode::with(DebugInfo::None)), expected, "sm_{device}");
    }
}

#[test]
fn only_the_notice_about_old_devices_is_taken_from_the_log() {
    let notice = "nvrtc: warning : Architectures prior to '<compute/sm>_75' are deprecated and may be removed in a future release\n";
    assert_eq!(clean_log(""), "");
    assert_eq!(clean_log(notice), "");
    let warning = "step.cu(3): warning #177-D: variable \"x\" was declared but never referenced";
    assert_eq!(clean_log(&format!("{warning}\n{notice}\n")), warning);
}

/// An NVRTC for the test, or a visible skip. If `CI` is set, a missing NVRTC is a failure.
fn nvrtc() -> Option<&'static Nvrtc> {
    match Nvrtc::find(None) {
        Ok(nvrtc) => Some(nvrtc),
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "{why}");
            eprintln!("skipped: {why}");
            None
        }
    }
}

const SOURCE: &str = r#"extern "C" __global__ void __launch_bounds__(256) twice(float* __restrict__ x, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}
"#;

#[test]
fn a_program_becomes_machine_code_or_target() {
    let Some(nvrtc) = nvrtc() else { return };
    assert!(nvrtc.version() >= OLDEST);
    for architecture in ["sm_75", "sm_80", "sm_90"] {
        let target = nvrtc.target(architecture, Mode::with(DebugInfo::None)).unwrap();
        let (image, log) = nvrtc.compile(SOURCE, "twice", &target).unwrap();
        assert!(image.starts_with(b"\x7fELF"), "{architecture}: not a cubin");
        assert_eq!(log, "");
    }
    let (image, _) = nvrtc.compile(SOURCE, "twice", &target(75, true, Mode::with(DebugInfo::None))).unwrap();
    assert!(image.ends_with(b"\0") && String::from_utf8_lossy(&image).contains(".entry twice"));
}

#[test]
fn an_error_comes_back_with_the_log() {
    let Some(nvrtc) = nvrtc() else { return };
    let target = nvrtc.target("sm_80", Mode::with(DebugInfo::None)).unwrap();
    let error = nvrtc.compile("__global__ void broken() { undeclared = 1; }", "broken", &target).unwrap_err();
    let Error::Compile { kernel, log } = &error else { panic!("{error}") };
    assert_eq!(*kernel, "broken");
    assert!(log.contains("undeclared") && log.contains("broken.cu"), "{log}");
    let zero = nvrtc.compile("int a;\0int b;", "zero", &target).unwrap_err();
    assert!(matches!(zero, Error::Compile { .. }));
}

#[test]
fn warnings_are_told() {
    let Some(nvrtc) = nvrtc() else { return };
    let source = "extern \"C\" __global__ void f(int* x) { int never_used; *x = 1; }";
    let (_, log) = nvrtc.compile(source, "f", &nvrtc.target("sm_80", Mode::with(DebugInfo::None)).unwrap()).unwrap();
    assert!(log.contains("never_used"), "{log}");
}

#[test]
fn threads_compile_side_by_side() {
    let Some(nvrtc) = nvrtc() else { return };
    let target = nvrtc.target("sm_80", Mode::with(DebugInfo::None)).unwrap();
    let images: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| nvrtc.compile(SOURCE, "twice", &target).unwrap().0)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(images.windows(2).all(|pair| pair[0] == pair[1]), "the same source gives the same code");
}
