//! Reading and writing files: formats, bit depths, metadata, and existing files at the output's
//! path.

mod common;

use std::fs;
use std::io::Cursor;

use common::{noise, run, succeed};
use image::codecs::png::PngEncoder;
use image::{ColorType, DynamicImage, ImageDecoder, ImageEncoder, ImageFormat, ImageReader};

/// With amount 0 every level stays as it is, so the output equals the input.
fn through(input: &DynamicImage, input_name: &str, output_name: &str) -> DynamicImage {
    let folder = tempfile::tempdir().unwrap();
    input.save(folder.path().join(input_name)).unwrap();
    succeed(folder.path(), &[input_name, "-o", output_name, "--amount", "0"]);
    image::open(folder.path().join(output_name)).unwrap()
}

#[test]
fn lossless_formats_keep_every_pixel() {
    for extension in ["png", "webp", "tif", "bmp", "tga", "qoi", "ppm"] {
        let image = noise(13, 9, 3);
        assert_eq!(through(&image, &format!("in.{extension}"), "out.png"), image, "reading {extension}");
        assert_eq!(through(&image, "in.png", &format!("out.{extension}")), image, "writing {extension}");
    }
}

#[test]
fn jpeg_is_read_and_written() {
    let image = DynamicImage::from(image::RgbImage::from_pixel(16, 16, image::Rgb([200, 100, 50])));
    let result = through(&through(&image, "in.png", "out.jpg"), "in.jpg", "out.jpeg");
    assert!(result.as_bytes().iter().zip(image.as_bytes()).all(|(a, b)| a.abs_diff(*b) < 8));
}

#[test]
fn sixteen_bits_become_eight() {
    let deep = DynamicImage::from(noise(6, 5, 3).into_rgb16());
    let result = through(&deep, "in.png", "out.png");
    assert_eq!((result.color(), result.as_bytes()), (ColorType::Rgb8, noise(6, 5, 3).as_bytes()));

    let grey = DynamicImage::from(noise(6, 5, 2).into_luma_alpha16());
    let result = through(&grey, "in.png", "out.png");
    assert_eq!((result.color(), result.as_bytes()), (ColorType::La8, noise(6, 5, 2).as_bytes()));
}

#[test]
fn floats_become_eight_bits() {
    let image = image::Rgb32FImage::from_raw(2, 1, vec![-1.0, 0.0, 0.5, 1.0, 2.0, 1e30]).unwrap();
    let result = through(&DynamicImage::from(image), "in.exr", "out.png");
    assert_eq!(result.color(), ColorType::Rgb8);
    let bytes = result.as_bytes();
    assert_eq!((bytes[0], bytes[1], bytes[3], bytes[4], bytes[5]), (0, 0, 255, 255, 255));
}

#[test]
fn the_extension_decides_and_png_is_the_default() {
    let folder = tempfile::tempdir().unwrap();
    noise(3, 3, 3).save(folder.path().join("in.png")).unwrap();
    for (name, format) in [("a", ImageFormat::Png), ("b.WEBP", ImageFormat::WebP), ("c.tiff", ImageFormat::Tiff)] {
        succeed(folder.path(), &["in.png", "-o", name]);
        let reader = ImageReader::open(folder.path().join(name)).unwrap().with_guessed_format().unwrap();
        assert_eq!(reader.format(), Some(format), "{name}");
    }
}

#[test]
fn a_wrong_extension_of_the_input_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    noise(3, 3, 3).save_with_format(folder.path().join("in.jpg"), ImageFormat::Bmp).unwrap();
    succeed(folder.path(), &["in.jpg", "-o", "out.png", "--amount", "0"]);
    assert_eq!(image::open(folder.path().join("out.png")).unwrap(), noise(3, 3, 3));
}

#[test]
fn the_colour_profile_is_carried_over() {
    let folder = tempfile::tempdir().unwrap();
    let astronaut = concat!(env!("CARGO_MANIFEST_DIR"), "/images/astronaut.png");
    let profile = |path: &std::path::Path| {
        ImageReader::open(path).unwrap().into_decoder().unwrap().icc_profile().unwrap().expect("a profile")
    };
    for name in ["out.png", "out.jpg", "out.webp"] {
        succeed(folder.path(), &[astronaut, "-o", name, "--sigma", "0.3"]);
        assert_eq!(profile(&folder.path().join(name)), profile(astronaut.as_ref()), "{name}");
    }
}

/// A TIFF header and one entry: orientation (0x112), a short, 6 = turn by 90 degrees clockwise to
/// see it upright.
const TURNED: [u8; 26] = [b'I', b'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0];

#[test]
fn the_orientation_is_applied_once() {
    let folder = tempfile::tempdir().unwrap();
    let image = noise(5, 3, 3);
    let mut file = Cursor::new(Vec::new());
    let mut encoder = PngEncoder::new(&mut file);
    encoder.set_exif_metadata(TURNED.to_vec()).unwrap();
    encoder.write_image(image.as_bytes(), 5, 3, image.color().into()).unwrap();
    fs::write(folder.path().join("in.png"), file.into_inner()).unwrap();

    succeed(folder.path(), &["in.png", "-o", "out.png", "--amount", "0"]);
    let mut decoder = ImageReader::open(folder.path().join("out.png")).unwrap().into_decoder().unwrap();
    assert_eq!(decoder.orientation().unwrap(), image::metadata::Orientation::NoTransforms);
    assert!(decoder.exif_metadata().unwrap().is_some(), "the rest of the metadata stays");
    assert_eq!(DynamicImage::from_decoder(decoder).unwrap(), image.rotate90());
}

#[test]
fn an_existing_file_is_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.png");
    fs::write(&target, "something else").unwrap();
    noise(3, 3, 3).save(folder.path().join("in.png")).unwrap();
    succeed(folder.path(), &["in.png", "-o", "out.png", "--amount", "0"]);
    assert_eq!(image::open(&target).unwrap(), noise(3, 3, 3));
    // The input may be the output.
    succeed(folder.path(), &["out.png", "-o", "out.png", "--amount", "0"]);
    assert_eq!(image::open(&target).unwrap(), noise(3, 3, 3));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn permissions_links_and_devices_stay_what_they_are() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    noise(3, 3, 3).save(path("in.png")).unwrap();
    fs::write(path("real.png"), "").unwrap();
    fs::set_permissions(path("real.png"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.png", path("link.png")).unwrap();

    succeed(folder.path(), &["in.png", "-o", "link.png"]);
    assert!(fs::symlink_metadata(path("link.png")).unwrap().is_symlink());
    assert_eq!(fs::metadata(path("real.png")).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(image::open(path("real.png")).is_ok());

    fs::write(path("plain"), "").unwrap();
    let usual = fs::metadata(path("plain")).unwrap().permissions().mode();
    succeed(folder.path(), &["in.png", "-o", "new.png"]);
    assert_eq!(fs::metadata(path("new.png")).unwrap().permissions().mode(), usual, "as any new file");

    succeed(folder.path(), &["in.png", "-o", "/dev/null"]);
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[test]
fn nothing_is_dropped_silently() {
    let folder = tempfile::tempdir().unwrap();
    for channels in [1, 2, 4] {
        noise(4, 4, channels).save(folder.path().join(format!("{channels}.png"))).unwrap();
    }
    for (input, output) in
        [("4.png", "a.jpg"), ("2.png", "a.jpg"), ("2.png", "a.bmp"), ("2.png", "a.tif"), ("1.png", "a.qoi")]
    {
        let result = run(folder.path(), &[input, "-o", output]);
        let stderr = String::from_utf8(result.stderr).unwrap();
        assert!(!result.status.success(), "{input} as {output}");
        assert!(stderr.contains("cannot store") && stderr.lines().count() == 1, "{stderr}");
        assert!(!folder.path().join(output).exists());
    }
}
