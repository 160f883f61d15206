//! The places where NVRTC may be, in search order:
//!
//! 1. `ANABRANCH_NVRTC`, a file or a folder. If it is set, no other place is searched, so that the
//!    choice is never ignored silently;
//! 2. the loader's own path (`LD_LIBRARY_PATH`, `ldconfig`, `PATH` on Windows);
//! 3. CUDA toolkits: `CUDA_HOME`, `CUDA_PATH`, `/usr/local/cuda`, `/opt/cuda`;
//! 4. Python environments: `VIRTUAL_ENV`, `CONDA_PREFIX`, the one of the first `python3` on `PATH`,
//!    `~/.local`.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A library for the loader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Candidate {
    /// A bare name, for the loader to search.
    Name(&'static str),
    /// A file that exists.
    File(PathBuf),
}

impl Candidate {
    pub(super) fn as_os_str(&self) -> &OsStr {
        match self {
            Self::Name(name) => OsStr::new(name),
            Self::File(path) => path.as_os_str(),
        }
    }

    /// For messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Name(name) => format!("{name} (loader's path)"),
            Self::File(path) => path.display().to_string(),
        }
    }
}

const NAMES: &[&str] = if cfg!(windows) {
    &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"]
} else {
    &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]
};

/// All libraries to try. Adds the places without a library to `searched`.
pub(super) fn candidates(chosen: Option<&Path>, searched: &mut Vec<String>) -> Vec<Candidate> {
    if let Some(chosen) = chosen {
        return if chosen.is_dir() {
            // The folder of the library, or a folder that has it in a usual subfolder.
            let below = toolkit_folders(chosen).into_iter().filter(|folder| folder.is_dir());
            let folders = std::iter::once(chosen.to_owned()).chain(below);
            folders.flat_map(|folder| in_folder(&folder, searched)).collect()
        } else if chosen.is_file() {
            vec![Candidate::File(chosen.to_owned())]
        } else {
            searched.push(format!("{} (ANABRANCH_NVRTC): no such file or folder", chosen.display()));
            Vec::new()
        };
    }
    let mut found: Vec<Candidate> = NAMES.iter().copied().map(Candidate::Name).collect();
    let toolkits = toolkits().into_iter().flat_map(|root| toolkit_folders(&root));
    let environments = environments().into_iter().flat_map(|root| environment_folders(&root));
    for folder in toolkits.chain(environments) {
        found.extend(in_folder(&folder, searched));
    }
    found
}

fn toolkits() -> Vec<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(env::var_os).filter(|path| !path.is_empty());
    let mut roots: Vec<PathBuf> = named.map(PathBuf::from).collect();
    if cfg!(unix) {
        roots.extend(["/usr/local/cuda", "/opt/cuda"].map(PathBuf::from));
    }
    roots.dedup();
    roots
}

fn toolkit_folders(root: &Path) -> Vec<PathBuf> {
    let below: &[&str] = if cfg!(windows) { &["bin/x64", "bin"] } else { &["lib64", "lib"] };
    below.iter().map(|below| root.join(below)).collect()
}

fn environments() -> Vec<PathBuf> {
    let named = ["VIRTUAL_ENV", "CONDA_PREFIX"].iter().filter_map(env::var_os).filter(|path| !path.is_empty());
    let mut roots: Vec<PathBuf> = named.map(PathBuf::from).collect();
    // Resolving the link leads from a wrapper in a folder of commands to the actual installation.
    let python = env::var_os("PATH")
        .and_then(|path| env::split_paths(&path).map(|folder| folder.join("python3")).find(|python| python.is_file()));
    if let Some(python) = python {
        for python in [fs::canonicalize(&python).unwrap_or_default(), python] {
            roots.extend(python.parent().and_then(Path::parent).map(Path::to_owned));
        }
    }
    if let Some(home) = env::var_os("HOME") {
        roots.push(Path::new(&home).join(".local"));
    }
    let mut seen = Vec::new();
    roots.retain(|root| {
        let new = !root.as_os_str().is_empty() && !seen.contains(root);
        seen.push(root.clone());
        new
    });
    roots
}

/// The folders of one Python environment where NVIDIA's wheels and conda put their libraries.
fn environment_folders(root: &Path) -> Vec<PathBuf> {
    let (wheels, libraries, below): (Vec<PathBuf>, _, _) = if cfg!(windows) {
        (vec![root.join("Lib/site-packages")], root.join("Library/bin"), "bin")
    } else {
        let lib = root.join("lib");
        let mut versions: Vec<PathBuf> = fs::read_dir(&lib)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python3")))
            .collect();
        versions.sort();
        let packages =
            versions.iter().rev().flat_map(|path| ["site-packages", "dist-packages"].map(|name| path.join(name)));
        (packages.collect(), lib, "lib")
    };
    let mut folders = Vec::new();
    for wheel in wheels {
        for package in ["nvidia/cu13", "nvidia/cuda_nvrtc"] {
            folders.push(wheel.join(package).join(below));
        }
    }
    if cfg!(windows) {
        folders.extend(folders.clone().iter().map(|folder| folder.join("x86_64")));
    }
    folders.push(libraries);
    folders
}

/// The NVRTC libraries of a folder, newest first.
fn in_folder(folder: &Path, searched: &mut Vec<String>) -> Vec<Candidate> {
    let mut files: Vec<PathBuf> = files(folder).into_iter().filter(|path| is_library(path, false)).collect();
    // Names end in a version: a longer and greater one is newer and more exact.
    files.sort_by_key(|path| std::cmp::Reverse(path.file_name().map(version_of)));
    if files.is_empty() {
        searched.push(folder.display().to_string());
    }
    files.into_iter().map(Candidate::File).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn version_of(name: &OsStr) -> Vec<u32> {
    let name = name.to_string_lossy();
    name.split(|character: char| !character.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// Whether a file is NVRTC, or its data library. The `alt` builds are slower and need other data.
fn is_library(path: &Path, builtins: bool) -> bool {
    let Some(name) = path.file_name().map(OsStr::to_string_lossy) else { return false };
    let ours = if cfg!(windows) {
        (name.starts_with("nvrtc-builtins") || name.starts_with("nvrtc64_")) && name.ends_with(".dll")
    } else {
        (name.starts_with("libnvrtc.") || name.starts_with("libnvrtc-builtins.")) && name.contains(".so")
    };
    ours && !name.contains("alt") && name.contains("builtins") == builtins
}

/// The data library beside an NVRTC, which NVRTC opens only by name.
pub(super) fn builtins(nvrtc: &Path) -> Option<PathBuf> {
    // A link in one folder may point to a library in another folder, where its data library is.
    let resolved = fs::canonicalize(nvrtc).ok();
    let folders = [resolved.as_deref().and_then(Path::parent), nvrtc.parent()];
    let mut found: Vec<PathBuf> =
        folders.into_iter().flatten().flat_map(files).filter(|path| is_library(path, true)).collect();
    // Two versions may share a folder: choose the one whose number begins like NVRTC's.
    let version = resolved.as_deref().and_then(Path::file_name).map(version_of).unwrap_or_default();
    found.sort_by_key(|path| {
        let own = path.file_name().map(version_of).unwrap_or_default();
        let same = own.iter().zip(&version).take_while(|(a, b)| a == b).count();
        std::cmp::Reverse((same, own))
    });
    found.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_gives_its_newest_library_first_and_no_others() {
        let folder = folder(&[
            "libnvrtc.so.12",
            "libnvrtc.so.13",
            "libnvrtc.alt.so.13",
            "libnvrtc-builtins.so.13.0",
            "libnvrtc-builtins.so.12.8",
            "libnvrtc-builtins.alt.so.13.0",
            "libnvrtc_static.a",
            "libcudart.so.13",
        ]);
        let mut searched = Vec::new();
        let found = candidates(Some(folder.path()), &mut searched);
        let names = ["libnvrtc.so.13", "libnvrtc.so.12"].map(|name| folder.path().join(name));
        assert_eq!(found, names.clone().map(Candidate::File));
        assert!(searched.is_empty());
        let data = names.map(|name| builtins(&name).unwrap().file_name().unwrap().to_owned());
        assert_eq!(data, ["libnvrtc-builtins.so.13.0", "libnvrtc-builtins.so.12.8"]);
    }

    #[cfg(unix)]
    #[test]
    fn wheels_are_found_below_a_python_environment() {
        for package in ["nvidia/cu13", "nvidia/cuda_nvrtc"] {
            let library = format!("lib/python3.12/site-packages/{package}/lib/libnvrtc.so.13");
            let root = folder(&[&library]);
            let found: Vec<_> =
                environment_folders(root.path()).iter().flat_map(|folder| in_folder(folder, &mut Vec::new())).collect();
            assert_eq!(found, [Candidate::File(root.path().join(library))]);
        }
    }

    #[test]
    fn a_chosen_place_without_nvrtc_is_reported_and_nothing_else_tried() {
        let empty = folder(&[]);
        let missing = empty.path().join("missing");
        for chosen in [empty.path(), &missing] {
            let mut searched = Vec::new();
            assert_eq!(candidates(Some(chosen), &mut searched), []);
            assert_eq!(searched.len(), 1);
            assert!(searched[0].starts_with(&*chosen.display().to_string()));
        }
    }
}
