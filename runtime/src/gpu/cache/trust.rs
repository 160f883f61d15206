//! Whether what lies on disk can have been put there by this user alone.
//!
//! An image is machine code that runs with the rights of the process, and its checksum tells damage, not its author. So the folder has to belong to
//! this user, nobody else may write to it, and the same goes for each file, which is asked of the opened file and not of its name.
//!
//! Each folder above belongs to this user or to root, and not everybody may replace what is in it. A group may write there: that is common
//! (`umask 002`) and gains an attacker nothing, because a folder put in the place of this one belongs to the attacker.
//!
//! On systems without Unix's owners and modes, std tells neither: there the folder is as private as the system has made it, which
//! on Windows `%LOCALAPPDATA%` is.

use std::fs::{DirBuilder, File};
use std::io;
use std::path::Path;

/// Why a folder is not used, in words for the user.
#[cfg_attr(not(unix), expect(unused_variables, reason = "std tells no owners there"))]
pub(super) fn refusal(folder: &Path) -> Option<String> {
    #[cfg(unix)]
    return unix::refusal(folder);
    #[cfg(not(unix))]
    return None;
}

/// Makes a folder, and those above it that are missing, for this user alone.
pub(super) fn create(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A file of a folder that is used, if nobody else can have written it.
pub(super) fn open(path: &Path) -> Option<File> {
    let file = {
        let named = std::fs::symlink_metadata(path).ok()?;
        // Nobody else can write to the folder, so that what the name means does not change meanwhile.
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
    /// In such a folder, as `/tmp` is one, nobody but an entry's owner and its own can replace the entry.
    const STICKY: u32 = 0o1000;
    const ROOT: u32 = 0;

    fn this_user() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    /// Whether it is of this user, and nobody else may write it.
    pub(super) fn is_private(data: &Metadata) -> bool {
        data.uid() == this_user() && data.mode() & WRITABLE_BY_GROUP_OR_ALL == 0
    }

    /// What is not there is no danger: it is made for this user alone.
    pub(super) fn refusal(folder: &Path) -> Option<String> {
        let data = symlink_metadata(folder).ok()?;
        if data.is_symlink() {
            return Some(format!("{} is a symbolic link; name the folder itself", folder.display()));
        }
        if data.uid() != this_user() {
            return Some(format!("{} belongs to another user (number {})", folder.display(), data.uid()));
        }
        if !is_private(&data) {
            let mode = data.mode() & 0o7777;
            return Some(format!("others can write to {} (mode {mode:o}); `chmod go-w` it", folder.display()));
        }
        // Without the links that may be on the way.
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
