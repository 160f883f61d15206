//! Compiled kernels on disk, so that only the first start of a program waits for their compiler.
//!
//! The folder is `ANABRANCH_CACHE_DIR` (empty: no cache), else `anabranch` in `$XDG_CACHE_HOME`,
//! `~/.cache`, or on Windows `%LOCALAPPDATA%`. Each image is a file that is named by a hash of what
//! determines the image. The checksum in the file includes this hash, so a file under the name of
//! another one is not used. A file appears complete (it is written under another name, then
//! renamed), so any number of processes can share a folder. The cache cannot make a launch fail: an
//! image that cannot be read is compiled again, and an image that cannot be written is not kept.
//! The folder is kept below 256 MiB by removing the least recently used images. Files that other
//! users may have written are not used ([`trust`]).

mod trust;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

/// Changes whenever the meaning of a file or key does.
const FORMAT: u32 = 3;
const MAGIC: &[u8; 8] = b"anabrnch";
/// Magic, format, length, checksum.
const HEADER: usize = 8 + 4 + 8 + 32;
/// The bytes of the length.
const LENGTH: Range<usize> = 12..20;
const MOST_BYTES: u64 = 256 << 20;
const DAY: Duration = Duration::from_secs(86_400);

/// Names an image by what determines it: all that we can know. An update of NVRTC that keeps its
/// version is not seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key(String);

impl Key {
    /// `options` include the architecture; `compiler` is its
    /// [identity](super::compiler::Compiler::identity). `folder` is the working directory, if the
    /// compiler writes it into the image.
    pub(super) fn new(source: &str, options: &[String], compiler: &str, folder: Option<&Path>) -> Self {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes()); // so that different lists of parts never concatenate to the same bytes
            hash.update(bytes);
        };
        part(&FORMAT.to_le_bytes());
        part(compiler.as_bytes());
        part(&(options.len() as u64).to_le_bytes());
        options.iter().for_each(|option| part(option.as_bytes()));
        part(source.as_bytes());
        if let Some(folder) = folder {
            part(folder.as_os_str().as_encoded_bytes());
        }
        Self(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Loads an image, if the folder has it complete.
pub(super) fn load(key: &Key) -> Option<Vec<u8>> {
    load_from(&folder()?, key)
}

/// Stores an image, if the folder can be written.
pub(super) fn store(key: &Key, image: &[u8]) {
    if let Some(folder) = folder() {
        store_in(&folder, key, image);
    }
}

fn folder() -> Option<PathBuf> {
    folder_in(|name| std::env::var_os(name))
}

/// The folder in an environment with these variables.
fn folder_in(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    match variable("ANABRANCH_CACHE_DIR") {
        Some(chosen) if chosen.is_empty() => None,
        Some(chosen) => Some(chosen.into()),
        None => path("XDG_CACHE_HOME")
            .or_else(|| if cfg!(windows) { path("LOCALAPPDATA") } else { path("HOME").map(|home| home.join(".cache")) })
            .map(|caches| caches.join("anabranch")),
    }
}

/// Whether the folder is safe to use. If not, prints the reason once, on standard error, because a
/// launch works without the cache.
fn is_usable(folder: &Path) -> bool {
    static SAID: Once = Once::new();
    let Some(why) = trust::refusal(folder) else { return true };
    SAID.call_once(|| {
        eprintln!(
            "anabranch: compiled kernels are not kept on disk, because {why}; ANABRANCH_CACHE_DIR names another folder"
        );
    });
    false
}

fn file(folder: &Path, key: &Key) -> PathBuf {
    folder.join(format!("{}.image", key.0))
}

fn load_from(folder: &Path, key: &Key) -> Option<Vec<u8>> {
    if !is_usable(folder) {
        return None;
    }
    let path = file(folder, key);
    let mut file = trust::open(&path)?;
    let mut header = vec![0; HEADER];
    file.read_exact(&mut header).ok()?;
    // A damaged file can be larger than the memory of the machine, so its length is compared first.
    let length = u64::from_le_bytes(*header.get(LENGTH)?.first_chunk()?);
    if file.metadata().ok()?.len().checked_sub(HEADER as u64) != Some(length) {
        return None;
    }
    let mut image = Vec::new();
    file.read_to_end(&mut image).ok()?;
    if header != self::header(key, &image) {
        return None;
    }
    // Updating the time once a day is enough to find unused images.
    if let Ok(file) = File::options().append(true).open(&path)
        && file.metadata().and_then(|data| data.modified()).is_ok_and(older_than_a_day)
    {
        let _ = file.set_modified(SystemTime::now());
    }
    Some(image)
}

fn header(key: &Key, image: &[u8]) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER);
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&FORMAT.to_le_bytes());
    header.extend_from_slice(&(image.len() as u64).to_le_bytes());
    let checksum = Sha256::new().chain_update(&key.0).chain_update(image).finalize();
    header.extend_from_slice(checksum.as_ref());
    header
}

fn older_than_a_day(time: SystemTime) -> bool {
    SystemTime::now().duration_since(time).is_ok_and(|age| age > DAY)
}

fn store_in(folder: &Path, key: &Key, image: &[u8]) {
    let write = || -> std::io::Result<()> {
        trust::create(folder)?;
        if !is_usable(folder) {
            return Err(std::io::ErrorKind::PermissionDenied.into());
        }
        let mut aside = tempfile::Builder::new().prefix(".writing-").tempfile_in(folder)?;
        aside.write_all(&header(key, image))?;
        aside.write_all(image)?;
        aside.persist(file(folder, key))?;
        Ok(())
    };
    if write().is_ok() {
        shrink(folder, MOST_BYTES);
    }
}

/// Removes the least recently used images until the rest fits, and files of writers that have
/// ended.
fn shrink(folder: &Path, most: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut images = Vec::new();
    for entry in entries.flatten() {
        let (path, Ok(data)) = (entry.path(), entry.metadata()) else { continue };
        let time = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let name = entry.file_name();
        if path.extension().is_some_and(|extension| extension == "image") {
            images.push((time, data.len(), path));
        } else if name.to_string_lossy().starts_with(".writing-") && older_than_a_day(time) {
            let _ = fs::remove_file(path);
        }
    }
    let mut total: u64 = images.iter().map(|(_, bytes, _)| bytes).sum();
    images.sort_unstable();
    for (_, bytes, path) in images {
        if total <= most {
            break;
        }
        if fs::remove_file(path).is_ok() {
            total -= bytes;
        }
    }
}

#[cfg(test)]
mod tests;
