//! Tests of the cache with damaged, foreign and shared folders.

use std::process::Command;
use std::sync::Barrier;
use std::time::Instant;

use super::*;

fn key(source: &str) -> Key {
    Key::new(source, &["--gpu-architecture=sm_90".to_owned()], "NVRTC 13.0", None)
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
        Key::new("a", &options(&["b", "c"]), "NVRTC 13.0", None),
        Key::new("ab", &options(&["c"]), "NVRTC 13.0", None),
        Key::new("a", &options(&["bc"]), "NVRTC 13.0", None),
        // The first option is the architecture.
        Key::new("a", &options(&["d", "c"]), "NVRTC 13.0", None),
        Key::new("a", &options(&["b", "d"]), "NVRTC 13.0", None),
        Key::new("a", &options(&["c", "b"]), "NVRTC 13.0", None),
        Key::new("a", &options(&["b", "c"]), "NVRTC 13.1", None),
        Key::new("a", &options(&["b", "c"]), "NVRTC 12.0", None),
        Key::new("c", &options(&["a", "b"]), "NVRTC 13.0", None),
        Key::new("", &options(&["b", "c", "a"]), "NVRTC 13.0", None),
        Key::new("a", &options(&["b", "c"]), "NVRTC 13.0", Some(Path::new(""))),
        Key::new("a", &options(&["b", "c"]), "NVRTC 13.0", Some(Path::new("/home"))),
    ];
    for (number, key) in keys.iter().enumerate() {
        assert_eq!(keys.iter().position(|other| other == key), Some(number));
    }
}

#[test]
fn the_environment_names_the_folder() {
    let root = if cfg!(windows) { "C:\\" } else { "/" };
    let in_root = |path: &str| format!("{root}{path}");
    let (chosen, caches, home) = (in_root("chosen"), in_root("caches"), in_root("home"));
    let home_name = if cfg!(windows) { "LOCALAPPDATA" } else { "HOME" };
    let of_home = Path::new(&home).join(if cfg!(windows) { "anabranch" } else { ".cache/anabranch" });
    let check = |chosen: Option<&str>, caches: Option<&str>, home: Option<&str>, expected: Option<&Path>| {
        let variables = [("ANABRANCH_CACHE_DIR", chosen), ("XDG_CACHE_HOME", caches), (home_name, home)];
        let found = folder_in(|name| variables.iter().find(|(of, _)| *of == name)?.1.map(Into::into));
        assert_eq!(found.as_deref(), expected, "{variables:?}");
    };
    let all = [Some(chosen.as_str()), Some(caches.as_str()), Some(home.as_str())];
    check(all[0], all[1], all[2], Some(Path::new(&chosen)));
    check(Some("here"), all[1], all[2], Some(Path::new("here")));
    check(Some(""), all[1], all[2], None);
    check(None, all[1], all[2], Some(&Path::new(&caches).join("anabranch")));
    check(None, None, all[2], Some(&of_home));
    // The XDG specification has relative paths ignored. Images must not land where the program
    // happens to run.
    check(None, Some("caches"), all[2], Some(&of_home));
    check(None, Some(""), Some("home"), None);
    check(None, None, None, None);
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
    // A whole image of another key, as after two files have been confused.
    store_in(folder.path(), &self::key("other"), image);
    fs::rename(file(folder.path(), &self::key("other")), &path).unwrap();
    assert_eq!(load_from(folder.path(), &key), None);
    // This much is not read.
    let begin = Instant::now();
    File::options().write(true).open(&path).unwrap().set_len(2 << 30).unwrap();
    assert_eq!(load_from(folder.path(), &key), None);
    assert!(begin.elapsed() < Duration::from_millis(500));
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
    #[cfg(unix)]
    assert_eq!(trust::refusal(&blocked), Some(format!("{} is not a folder", blocked.display())));
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

/// The file that fills the folder has no blocks on the disk.
#[test]
fn a_stored_image_pushes_out_the_oldest_ones() {
    let folder = tempfile::tempdir().unwrap();
    let (large, small) = (file(folder.path(), &key("large")), file(folder.path(), &key("small")));
    for (path, bytes, days) in [(&large, MOST_BYTES - 1000, 2), (&small, 1, 1)] {
        let file = File::create(path).unwrap();
        file.set_len(bytes).unwrap();
        file.set_modified(SystemTime::now() - DAY * days).unwrap();
    }
    store_in(folder.path(), &key("fits"), b"image");
    assert!(large.exists(), "there is space for another one");
    store_in(folder.path(), &key("new"), &[0; 1000]);
    assert!(!large.exists() && small.exists());
    assert!(["fits", "new"].iter().all(|name| load_from(folder.path(), &key(name)).is_some()));
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

/// Files and folders that other users may have written.
#[cfg(unix)]
mod untrusted {
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    const SOMEBODY: u32 = 12345;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
    }

    /// Changes the owner of a file; only root can do this.
    fn give_away(path: &Path) -> bool {
        let given = chown(path, Some(SOMEBODY), None).is_ok();
        if !given {
            println!("skipped: only root can give files to others");
        }
        given
    }

    /// A folder that contains `key`, in a new parent folder.
    fn kept(key: &Key) -> (tempfile::TempDir, PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("cache");
        store_in(&folder, key, b"image");
        assert_eq!(load_from(&folder, key).as_deref(), Some(b"image".as_slice()));
        (parent, folder)
    }

    /// Checks that the folder is neither read nor written, for this reason.
    #[track_caller]
    fn check_refused(folder: &Path, key: &Key, why: &str) {
        let said = trust::refusal(folder).unwrap_or_default();
        assert!(said.contains(why) && said.contains(folder.to_str().unwrap()), "{said}");
        let entries = || fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name()).collect::<Vec<_>>();
        let before = entries();
        assert_eq!(load_from(folder, key), None);
        store_in(folder, &super::key("another"), b"image");
        assert_eq!(entries(), before);
    }

    #[test]
    fn what_is_made_is_for_this_user_alone() {
        let (parent, folder) = kept(&key("k"));
        assert_eq!((mode(&folder), mode(&file(&folder, &key("k")))), (0o700, 0o600));
        let below = parent.path().join("a/b/c");
        store_in(&below, &key("k"), b"image");
        assert_eq!([&below, &parent.path().join("a/b"), &parent.path().join("a")].map(|path| mode(path)), [0o700; 3]);
    }

    #[test]
    fn a_folder_that_others_can_write_is_not_used() {
        let (_parent, folder) = kept(&key("k"));
        for open in [0o777, 0o770, 0o720, 0o702, 0o1777] {
            set_mode(&folder, open);
            check_refused(&folder, &key("k"), &format!("others can write to {} (mode {open:o})", folder.display()));
        }
        for closed in [0o755, 0o700, 0o500] {
            set_mode(&folder, closed);
            assert_eq!(load_from(&folder, &key("k")).as_deref(), Some(b"image".as_slice()));
        }
    }

    #[test]
    fn a_folder_of_somebody_else_is_not_used() {
        let (parent, folder) = kept(&key("k"));
        if !give_away(&folder) {
            return;
        }
        check_refused(&folder, &key("k"), "belongs to another user (number 12345)");
        chown(&folder, Some(0), None).unwrap();
        chown(parent.path(), Some(SOMEBODY), None).unwrap();
        check_refused(&folder, &key("k"), "belongs to another user (number 12345)");
        chown(parent.path(), Some(0), None).unwrap();
        assert!(load_from(&folder, &key("k")).is_some());
    }

    /// `/tmp` without its sticky bit would be unsafe. With it, or if a group may write, no user can
    /// replace our folder with one that we own.
    #[test]
    fn a_folder_in_an_open_one_is_not_used() {
        let (parent, folder) = kept(&key("k"));
        set_mode(parent.path(), 0o777);
        check_refused(&folder, &key("k"), "everybody can replace what is in");
        let deeper = folder.join("deeper");
        store_in(&deeper, &key("k"), b"image");
        assert_eq!(load_from(&deeper, &key("k")), None);
        for safe in [0o1777, 0o775, 0o755] {
            set_mode(parent.path(), safe);
            assert_eq!(load_from(&folder, &key("k")).as_deref(), Some(b"image".as_slice()), "{safe:o}");
        }
    }

    #[test]
    fn a_link_is_no_folder() {
        let (parent, folder) = kept(&key("k"));
        let link = parent.path().join("link");
        symlink(&folder, &link).unwrap();
        check_refused(&link, &key("k"), "is a symbolic link");
        // The path may contain links.
        symlink(parent.path(), parent.path().join("way")).unwrap();
        assert!(load_from(&parent.path().join("way/cache"), &key("k")).is_some());
    }

    /// Files planted while the folder was open: of another user, writable by others, or a link to a
    /// valid file. Each is compiled and stored again.
    #[test]
    fn a_planted_file_is_a_miss_and_is_mended() {
        let plants: [fn(&Path) -> bool; 4] = [
            |path| {
                set_mode(path, 0o666);
                true
            },
            |path| {
                set_mode(path, 0o620);
                true
            },
            |path| {
                let elsewhere = path.with_extension("elsewhere");
                fs::rename(path, &elsewhere).unwrap();
                symlink(&elsewhere, path).unwrap();
                true
            },
            give_away,
        ];
        for (number, plant) in plants.into_iter().enumerate() {
            let (_parent, folder) = kept(&key("k"));
            if plant(&file(&folder, &key("k"))) {
                assert_eq!(load_from(&folder, &key("k")), None, "plant {number}");
                store_in(&folder, &key("k"), b"image");
                assert_eq!(load_from(&folder, &key("k")).as_deref(), Some(b"image".as_slice()), "plant {number}");
            }
        }
    }

    /// The user gets the reason for repeated compilation once.
    #[test]
    fn the_reason_is_said_once() {
        const FOLDER: &str = "ANABRANCH_CACHE_DIR";
        const CHILD: &str = "ANABRANCH_TEST_CACHE_CHILD";
        if std::env::var_os(CHILD).is_some() {
            for number in 0..3 {
                let key = key(&number.to_string());
                store(&key, b"image");
                assert_eq!(load(&key), None);
            }
            return;
        }
        let (_parent, folder) = kept(&key("k"));
        set_mode(&folder, 0o777);
        let module = module_path!().split_once("::").unwrap().1;
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("{module}::the_reason_is_said_once"), "-q", "--nocapture"])
            .env(FOLDER, &folder)
            .env(CHILD, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stderr);
        let reason = format!(
            "anabranch: compiled kernels are not kept on disk, because others can write to {} (mode 777); `chmod go-w` it; \
             ANABRANCH_CACHE_DIR names another folder\n",
            folder.display()
        );
        assert!(child.status.success() && said == reason, "{said}");
    }
}
