//! Scratch crates: packages of programs in a folder, which are built and run.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use std::{env, fs};

/// A process that says nothing for so long does not end.
const PATIENCE: Duration = Duration::from_secs(180);

/// Where they are, and what they try.
#[derive(Clone)]
pub struct Scratch {
    pub folder: PathBuf,
    /// The workspace that holds the crate under test.
    pub workspace: PathBuf,
}

impl Scratch {
    /// Writes a file. One that stays as it is keeps its time, so that nothing is built twice.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn put(&self, path: &str, text: &str) -> io::Result<()> {
        let path = self.folder.join(path);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        fs::write(path, text)
    }

    /// Writes the manifest of the workspace, and takes the versions of the other one.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn root(&self, manifest: &str) -> io::Result<()> {
        self.put("Cargo.toml", manifest)?;
        match fs::read_to_string(self.workspace.join("Cargo.lock")) {
            Ok(lock) if !self.folder.join("Cargo.lock").exists() => self.put("Cargo.lock", &lock),
            _ => Ok(()),
        }
    }

    /// The manifest of a package that depends on the crate under test, up to its dependencies.
    pub fn package(&self, name: &str) -> String {
        let runtime = self.workspace.join("runtime");
        let package = format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n");
        format!("{package}\n[dependencies]\nanabranch = {{ path = {runtime:?}, features = [\"half\"] }}\n")
    }

    /// Builds all, into a folder; what rustc says where it does not build.
    ///
    /// # Errors
    /// There is no cargo.
    pub fn build(&self, target: &Path, options: &[&str]) -> io::Result<Result<(), String>> {
        let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--quiet", "--message-format=short", "--color=never"])
            .args(options)
            .env("CARGO_TARGET_DIR", target)
            .current_dir(&self.folder)
            .output()?;
        let told = || String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(if output.status.success() { Ok(()) } else { Err(told()) })
    }
}

/// The errors among what rustc says, `src/main.rs:12:5: error: …`: the file, the line, and all of
/// it.
pub fn errors(text: &str) -> impl Iterator<Item = (&str, usize, &str)> {
    text.lines().filter_map(|whole| {
        let mut parts = whole.splitn(4, ':');
        let (path, line, _, message) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?, parts.next()?);
        message.trim_start().starts_with("error").then_some((path, line, whole))
    })
}

/// What a process has said, and how it has ended.
pub struct Told {
    pub lines: Vec<String>,
    pub status: ExitStatus,
    /// It fell silent, and was ended.
    pub silent: bool,
    pub errors: String,
}

/// Runs a command.
///
/// # Errors
/// It does not start.
pub fn run(command: &mut Command) -> io::Result<Told> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (sender, said) = channel();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        stderr.map(|mut stderr| stderr.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    });
    std::thread::spawn(move || {
        let lines = stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).lines().map_while(Result::ok));
        lines.map(|line| sender.send(line)).all(|sent| sent.is_ok())
    });
    let mut lines = Vec::new();
    let silent = loop {
        match said.recv_timeout(PATIENCE) {
            Ok(line) => lines.push(line),
            Err(RecvTimeoutError::Timeout) => break true,
            Err(RecvTimeoutError::Disconnected) => break false,
        }
    };
    if silent {
        child.kill()?;
    }
    Ok(Told { lines, status: child.wait()?, silent, errors: errors.join().unwrap_or_default() })
}
