//! The prelude through the compiler that it is written for.

use super::{device_code, table};
use anabranch::private::offline::{nvrtc_compile, nvrtc_found, nvrtc_knows};

#[test]
fn nvrtc_compiles_every_instance_in_silence() {
    match nvrtc_found() {
        Ok((path, (major, minor))) => eprintln!("NVRTC {major}.{minor} at {}", path.display()),
        Err(why) if std::env::var_os("CI").is_none() => return eprintln!("skipped: {why}"),
        Err(why) => panic!("CI has to bring NVRTC: {why}"),
    }
    let code = device_code(&table().0);
    let check = &|architecture: u32| {
        let (cubin, log) = nvrtc_compile(&code, architecture).unwrap();
        assert_eq!(log.trim_matches(['\0', '\n', ' ']), "", "sm_{architecture}");
        assert!(cubin.starts_with(b"\x7fELF"), "sm_{architecture}");
    };
    // Minutes of work, on as many cores as there are: by day only for the oldest and the newest
    // one.
    let known = nvrtc_knows(&[75, 80, 90, 100, 120]).unwrap();
    let ends = [known[0], known[known.len() - 1]];
    let all = std::env::var_os("ANABRANCH_ARCHITECTURES").is_some();
    std::thread::scope(|scope| {
        for architecture in known.into_iter().filter(|known| all || ends.contains(known)) {
            scope.spawn(move || check(architecture));
        }
    });
}
