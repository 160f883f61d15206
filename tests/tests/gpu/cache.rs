//! Compiled kernels on disk.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anabranch::prelude::*;
use anabranch::private::offline::nvrtc_found;
use anabranch_tests::gpus;
use anabranch_tests::kernels::groups::{many_groups, ping_pong};

use crate::{has_device, in_child};

fn images(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// A device that is closed and opened again, so that nothing but the disk remembers its kernels.
fn reopened(device: Device) -> Device {
    drop(device);
    gpus::gpu(0).unwrap()
}

/// An image that is used stays as it is. The image of another kernel under this name, and one that
/// is cut short, are replaced.
#[test]
fn a_second_handle_takes_the_image_from_the_disk() {
    const FOLDER: &str = "ANABRANCH_CACHE_DIR";
    let name = "cache::a_second_handle_takes_the_image_from_the_disk";
    let folder = tempfile::tempdir().unwrap();
    in_child(name, &[(FOLDER, folder.path().to_str().unwrap())], || {
        assert!(has_device());
        let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
        let device = gpus::gpu(0).unwrap();
        many_groups::prepare(&device).unwrap();
        // Each of its programs is one.
        let first = images(&folder);
        let device = reopened(device);
        ping_pong::prepare(&device).unwrap();
        let second: Vec<PathBuf> = images(&folder).into_iter().filter(|path| !first.contains(path)).collect();
        let whole: Vec<Vec<u8>> = second.iter().map(|path| fs::read(path).unwrap()).collect();
        assert_eq!((first.len(), second.len()), (2, 2));

        let times = || second.iter().map(|path| fs::metadata(path).unwrap().modified().unwrap()).collect::<Vec<_>>();
        let made = times();
        let mut device = reopened(device);
        ping_pong::prepare(&device).unwrap();
        assert_eq!(times(), made);

        let other = fs::read(&first[0]).unwrap();
        for half in [false, true] {
            let damage = |image: &[u8]| if half { image[..image.len() / 2].to_vec() } else { other.clone() };
            second.iter().zip(&whole).for_each(|(path, image)| fs::write(path, damage(image)).unwrap());
            device = reopened(device);
            ping_pong::prepare(&device).unwrap();
            second.iter().zip(&whole).for_each(|(path, image)| assert_ne!(fs::read(path).unwrap(), damage(image)));
        }
        let (mut a, mut b) = (device.zeros::<u32>(9).unwrap(), device.zeros::<u32>(9).unwrap());
        ping_pong(&device.default_stream(), &mut a, &mut b, 1).unwrap();
        assert_eq!(a.to_vec().unwrap(), [1; 9]);
        assert_eq!(images(&folder).len(), 4);
        second.iter().zip(&whole).for_each(|(path, image)| assert_eq!(fs::read(path).unwrap().len(), image.len()));
    });
}

/// Images that say different things about the source have different names. With lines, they name
/// the source's file, and the working directory, in which that name begins.
#[test]
fn the_disk_tells_debug_information_apart() {
    const FOLDER: &str = "ANABRANCH_CACHE_DIR";
    const EXPECTED: &str = "ANABRANCH_TEST_IMAGES";
    const WORKING: &str = "ANABRANCH_TEST_WORKING";
    let name = "cache::the_disk_tells_debug_information_apart";
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (folder, elsewhere) = (folder.path().to_str().unwrap(), elsewhere.path().to_str().unwrap());
    let default = if cfg!(debug_assertions) { "line" } else { "none" };
    let mut kept = BTreeSet::new();
    for (debug, working) in [
        ("", "."),
        (default, "."),
        ("none", "."),
        ("line", "."),
        ("full", "."),
        ("line", "."),
        ("none", elsewhere),
        ("line", elsewhere),
        ("full", elsewhere),
    ] {
        let named = if debug.is_empty() { default } else { debug };
        kept.insert((named, if named == "none" { "anywhere" } else { working }));
        let with_lines = kept.iter().filter(|(debug, _)| *debug != "none").count();
        // The kernel has two programs.
        let expected = format!("{} images, {} of them with lines", 2 * kept.len(), 2 * with_lines);
        let variables = [(FOLDER, folder), ("ANABRANCH_DEBUG", debug), (WORKING, working), (EXPECTED, &expected)];
        in_child(name, &variables, || {
            std::env::set_current_dir(std::env::var_os(WORKING).unwrap()).unwrap();
            let device = gpus::gpu(0).unwrap();
            ping_pong::prepare(&device).unwrap();
            let images = images(Path::new(&std::env::var_os(FOLDER).unwrap()));
            let names_the_source =
                |path: &&PathBuf| fs::read(path).unwrap().windows(9).any(|part| part == b"groups.rs");
            let with_lines = images.iter().filter(names_the_source).count();
            let found = format!("{} images, {with_lines} of them with lines", images.len());
            assert_eq!(found, std::env::var(EXPECTED).unwrap(), "{:?}", std::env::var("ANABRANCH_DEBUG"));
        });
    }
}

/// An update of NVRTC may compile better. Only the stand-in can be two versions.
#[test]
fn the_disk_tells_compilers_apart() {
    const FOLDER: &str = "ANABRANCH_CACHE_DIR";
    const EXPECTED: &str = "ANABRANCH_TEST_IMAGES";
    if gpus::on_hip() || !has_device() || nvrtc_found().unwrap().1 < (13, 98) {
        return println!("skipped: not on the stand-in for NVRTC");
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    for (minor, expected) in [("99", "2"), ("98", "4"), ("99", "4")] {
        let variables = [(FOLDER, folder), ("STANDIN_NVRTC_MINOR", minor), (EXPECTED, expected)];
        in_child("cache::the_disk_tells_compilers_apart", &variables, || {
            ping_pong::prepare(&gpus::gpu(0).unwrap()).unwrap();
            let found = images(Path::new(&std::env::var_os(FOLDER).unwrap())).len();
            assert_eq!(found.to_string(), std::env::var(EXPECTED).unwrap(), "{:?}", nvrtc_found());
        });
    }
}

#[test]
fn debug_information_that_is_none() {
    in_child("cache::debug_information_that_is_none", &[("ANABRANCH_DEBUG", "lines")], || {
        let error = gpus::gpu(0).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "ANABRANCH_DEBUG", .. }), "{error}");
        assert!(error.to_string().contains("`none`, `line` or `full`"), "{error}");
    });
}
