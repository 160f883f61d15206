//! The cache with what may happen to a folder.

use std::process::Command;
use std::sync::Barrier;

use super::*;

fn key(source: &str) -> Key {
    Key::new(source, &["--gpu-architecture=sm_90".to_owned()], (13, 0))
}

#[test]
fn what_was_stored_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("made/on demand");
    for image in [b"".as_slice(), b"x", &[7; 100_000]] {
        let key = key(&image.len().to_string());
        assert_eq!(load_from(&below, &key), None);
        store_in(&below, &key, image);
        assert_eq!(load_from(&below, &key).as_deref(), Some(image));
    }
}

#[test]
fn a_key_tells_everything_apart() {
    let options = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let keys = [
        Key::new("a", &options(&["b", "c"]), (13, 0)),
        Key::new("ab", &options(&["c"]), (13, 0)),
        Key::new("a", &options(&["bc"]), (13, 0)),
        Key::new("a", &options(&["b", "c"]), (13, 1)),
        Key::new("a", &options(&["b", "c"]), (12, 0)),
        Key::new("c", &options(&["a", "b"]), (13, 0)),
        Key::new("", &options(&["b", "c", "a"]), (13, 0)),
    ];
    for (number, key) in keys.iter().enumerate() {
        assert_eq!(keys.iter().position(|other| other == key), Some(number));
    }
}

#[test]
fn any_damage_is_a_miss_and_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let (key, image) = (key("k"), b"machine code".as_slice());
    store_in(folder.path(), &key, image);
    let path = file(folder.path(), &key);
    let whole = fs::read(&path).unwrap();
    let flipped = (0..whole.len()).map(|place| {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        bytes
    });
    let cut = (0..whole.len()).map(|length| whole[..length].to_vec());
    let longer = [[whole.as_slice(), b"\0"].concat(), [whole.as_slice(), &whole].concat()];
    for damaged in flipped.chain(cut).chain(longer) {
        fs::write(&path, &damaged).unwrap();
        assert_eq!(load_from(folder.path(), &key), None, "{damaged:?}");
    }
    store_in(folder.path(), &key, image);
    assert_eq!(load_from(folder.path(), &key).as_deref(), Some(image));
}

#[test]
fn folders_that_cannot_be_used_are_no_cache() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("a file");
    fs::write(&blocked, "").unwrap();
    let nested = blocked.join("folder");
    for path in [&blocked, &nested] {
        store_in(path, &key("k"), b"image");
        assert_eq!(load_from(path, &key("k")), None);
    }
    // A folder in the place of the file.
    fs::create_dir_all(file(folder.path(), &key("k"))).unwrap();
    store_in(folder.path(), &key("k"), b"image");
    assert_eq!(load_from(folder.path(), &key("k")), None);
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_still_gives_what_it_has() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    store_in(folder.path(), &key("old"), b"image");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    store_in(folder.path(), &key("new"), b"image"); // root may write all the same
    assert_eq!(load_from(folder.path(), &key("old")).as_deref(), Some(b"image".as_slice()));
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_folder_is_held_small_by_removing_the_oldest() {
    let folder = tempfile::tempdir().unwrap();
    let keys: Vec<Key> = (0..6).map(|number| key(&number.to_string())).collect();
    for (number, key) in keys.iter().enumerate() {
        store_in(folder.path(), key, &[0; 1000]);
        let time = SystemTime::now() - DAY * (20 - number as u32);
        File::options().append(true).open(file(folder.path(), key)).unwrap().set_modified(time).unwrap();
    }
    let dead = folder.path().join(".writing-dead");
    fs::write(&dead, "").unwrap();
    File::options().append(true).open(&dead).unwrap().set_modified(SystemTime::now() - DAY * 2).unwrap();
    fs::write(folder.path().join("somebody else's"), [0; 9000]).unwrap();
    assert!(load_from(folder.path(), &keys[0]).is_some(), "used just now");
    shrink(folder.path(), 3 * (1000 + HEADER as u64));
    let left: Vec<usize> = (0..6).filter(|&number| load_from(folder.path(), &keys[number]).is_some()).collect();
    assert_eq!(left, [0, 4, 5]);
    assert!(!dead.exists() && folder.path().join("somebody else's").exists());
}

/// Writers and readers of the same few images: a reader sees a whole image or none.
fn race(folder: &Path, rounds: usize) {
    for round in 0..rounds {
        let number = round % 3;
        let image = vec![number as u8; 50_000];
        store_in(folder, &key(&number.to_string()), &image);
        let loaded = load_from(folder, &key(&number.to_string()));
        assert_eq!(loaded, Some(image), "a stored image was not whole");
    }
}

#[test]
fn threads_and_processes_share_a_folder() {
    const FOLDER: &str = "ANABRANCH_TEST_CACHE_RACE";
    if let Some(folder) = std::env::var_os(FOLDER) {
        return race(Path::new(&folder), 60); // one of the processes below
    }
    let folder = tempfile::tempdir().unwrap();
    let module = module_path!().split_once("::").unwrap().1; // without the crate, as the test runner names it
    let name = format!("{module}::threads_and_processes_share_a_folder");
    let children: Vec<_> = (0..3)
        .map(|_| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", &name, "-q"]).env(FOLDER, folder.path());
            command.stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    let barrier = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                barrier.wait();
                race(folder.path(), 60);
            });
        }
    });
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let left = fs::read_dir(folder.path()).unwrap().flatten().count();
    assert_eq!(left, 3, "nothing unfinished is left behind");
}
