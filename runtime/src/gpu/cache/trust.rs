//! Whether only this user can have written the files of the cache.
//!
//! An image is machine code that runs with the rights of the process. Its checksum detects damage,
//! but does not show its author. So the folder must belong to this user, and no other user may
//! write to it. The same applies to each file; it is checked on the opened file, not on the file's
//! name.
//!
//! Each parent folder must belong to this user or to root, and must not let every user replace its
//! entries. A group may write there, because that is common (`umask 002`). Its members are trusted:
//! they can put another folder of this user into the place of ours.
//!
//! On systems without Unix's owners and modes, std provides neither. There the folder is as private
//! as the system has made it; `%LOCALAPPDATA%` on Windows is private.

use std::fs::{DirBuilder, File};
use std::io;
use std::path::Path;

/// The reason why a folder is not used, for the user.
#[cfg_attr(not(unix), expect(unused_variables, reason = "std tells no owners there"))]
pub(super) fn refusal(folder: &Path) -> Option<String> {
    #[cfg(unix)]
    return unix::refusal(folder);
    #[cfg(not(unix))]
    return None;
}

/// Creates a folder and its missing parents, with access only for this user.
pub(super) fn create(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens a file of a trusted folder, if no other user can have written the file.
pub(super) fn open(path: &Path) -> Option<File> {
    let file = {
        let named = std::fs::symlink_metadata(path).ok()?;
        // No other user can write to the folder, so the name continues to refer to the same file.
        if !named.is_file() {
            return None;
        }
        File::open(path).ok()?
    };
    #[cfg(unix)]
    if !unix::is_private(&file.metadata().ok()?) {
        return None;
    }
    Some(file)
}

#[cfg(unix)]
mod unix {
    use std::fs::{Metadata, canonicalize, metadata, symlink_metadata};
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    const WRITABLE_BY_GROUP_OR_ALL: u32 = 0o022;
    const WRITABLE_BY_ALL: u32 = 0o002;
    /// In a folder with this bit, such as `/tmp`, only the owner of an entry and the owner of the
    /// folder can replace the entry.
    const STICKY: u32 = 0o1000;
    const ROOT: u32 = 0;

    fn this_user() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    /// Whether it belongs to this user, and no other user may write it.
    pub(super) fn is_private(data: &Metadata) -> bool {
        data.uid() == this_user() && data.mode() & WRITABLE_BY_GROUP_OR_ALL == 0
    }

    /// A missing folder is safe: it is created with access only for this user.
    pub(super) fn refusal(folder: &Path) -> Option<String> {
        let data = symlink_metadata(folder).ok()?;
        if data.is_symlink() {
            return Some(format!("{} is a symbolic link; name the folder itself", folder.display()));
        }
        if !data.is_dir() {
            return Some(format!("{} is not a folder", folder.display()));
        }
        if data.uid() != this_user() {
            return Some(format!("{} belongs to another user (number {})", folder.display(), data.uid()));
        }
        if !is_private(&data) {
            let mode = data.mode() & 0o7777;
            return Some(format!("others can write to {} (mode {mode:o}); `chmod go-w` it", folder.display()));
        }
        // This resolves links in the path.
        let Ok(whole) = canonicalize(folder) else {
            return Some(format!("nothing tells who can reach {}", folder.display()));
        };
        whole.ancestors().skip(1).find_map(|above| {
            let Ok(data) = metadata(above) else { return Some(format!("nothing tells who owns {}", above.display())) };
            if ![ROOT, this_user()].contains(&data.uid()) {
                return Some(format!(
                    "{}, where {} lies, belongs to another user (number {})",
                    above.display(),
                    folder.display(),
                    data.uid()
                ));
            }
            let is_open = data.mode() & WRITABLE_BY_ALL != 0 && data.mode() & STICKY == 0;
            is_open.then(|| {
                format!("everybody can replace what is in {}, where {} lies", above.display(), folder.display())
            })
        })
    }
}
