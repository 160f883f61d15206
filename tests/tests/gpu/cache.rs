//! Compiled kernels on disk.

use std::fs;
use std::path::{Path, PathBuf};

use anabranch::prelude::*;
use anabranch_tests::kernels::groups::{many_groups, ping_pong};

use crate::{has_device, in_child};

fn images(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// A device that is closed and opened again, so that nothing but the disk remembers its kernels.
fn reopened(device: Device) -> Device {
    drop(device);
    Device::cuda(0).unwrap()
}

/// The image of another kernel under the right name is loaded, and found to be the other kernel. An image that is cut
/// short is compiled anew.
#[test]
fn a_second_handle_takes_the_image_from_the_disk() {
    const FOLDER: &str = "ANABRANCH_CACHE_DIR";
    let name = "cache::a_second_handle_takes_the_image_from_the_disk";
    let folder = tempfile::tempdir().unwrap();
    in_child(name, &[(FOLDER, folder.path().to_str().unwrap())], || {
        assert!(has_device());
        let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
        let device = Device::cuda(0).unwrap();
        many_groups::prepare(&device).unwrap();
        // Each of its programs is one.
        let first = images(&folder);
        let device = reopened(device);
        ping_pong::prepare(&device).unwrap();
        let second: Vec<PathBuf> = images(&folder).into_iter().filter(|path| !first.contains(path)).collect();
        let whole: Vec<Vec<u8>> = second.iter().map(|path| fs::read(path).unwrap()).collect();
        assert_eq!((first.len(), second.len()), (2, 2));

        for path in &second {
            fs::copy(&first[0], path).unwrap();
        }
        let device = reopened(device);
        let error = ping_pong::prepare(&device).unwrap_err();
        assert!(matches!(error, Error::Driver { call: "cuModuleGetFunction", .. }), "{error}");

        second.iter().zip(&whole).for_each(|(path, image)| fs::write(path, &image[..image.len() / 2]).unwrap());
        let device = reopened(device);
        ping_pong::prepare(&device).unwrap();
        let (mut a, mut b) = (device.zeros::<u32>(9).unwrap(), device.zeros::<u32>(9).unwrap());
        ping_pong(&device.default_stream(), &mut a, &mut b, 1).unwrap();
        assert_eq!(a.to_vec().unwrap(), [1; 9]);
        assert_eq!(images(&folder).len(), 4);
        second.iter().zip(&whole).for_each(|(path, image)| assert_eq!(fs::read(path).unwrap().len(), image.len()));
    });
}

/// Images that say different things about the source have different names.
#[test]
fn the_disk_tells_debug_information_apart() {
    const EXPECTED: &str = "ANABRANCH_TEST_IMAGES";
    let name = "cache::the_disk_tells_debug_information_apart";
    let folder = tempfile::tempdir().unwrap();
    for (debug, expected) in [("none", "2"), ("line", "4"), ("full", "6"), ("line", "6"), ("none", "6")] {
        let folder = folder.path().to_str().unwrap();
        in_child(name, &[("ANABRANCH_CACHE_DIR", folder), ("ANABRANCH_DEBUG", debug), (EXPECTED, expected)], || {
            let device = Device::cuda(0).unwrap();
            ping_pong::prepare(&device).unwrap();
            let found = images(Path::new(&std::env::var_os("ANABRANCH_CACHE_DIR").unwrap())).len();
            assert_eq!(found.to_string(), std::env::var(EXPECTED).unwrap(), "{:?}", std::env::var("ANABRANCH_DEBUG"));
        });
    }
}

#[test]
fn debug_information_that_is_none() {
    in_child("cache::debug_information_that_is_none", &[("ANABRANCH_DEBUG", "lines")], || {
        let error = Device::cuda(0).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "ANABRANCH_DEBUG", .. }), "{error}");
        assert!(error.to_string().contains("`none`, `line` or `full`"), "{error}");
    });
}
