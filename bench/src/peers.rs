//! The same programs in Python libraries: each library has a process, which runs `peers/peers.py`.
//! It times its runs itself, so communication between the processes is not measured.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::measure::Failure;

const PROGRAM: &str = include_str!("../peers/peers.py");
const LIBRARIES: [&str; 5] = ["numba", "taichi", "quadrants", "warp", "torch"];

/// The libraries that are installed.
#[derive(Default)]
pub(crate) struct Peers {
    running: Vec<Peer>,
    /// For the program and for results.
    folder: Option<tempfile::TempDir>,
}

struct Peer {
    library: &'static str,
    version: String,
    child: Child,
    // Dropped first, so the process ends.
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Peers {
    /// Starts the libraries that this Python has, and prints why the others are missing.
    pub(crate) fn start(python: &Path, threads: usize) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let program = folder.path().join("peers.py");
        fs::write(&program, PROGRAM)?;
        let mut running = Vec::new();
        for library in LIBRARIES {
            let mut child = Command::new(python)
                .arg(&program)
                .args([library, &threads.to_string()])
                .env("OMP_NUM_THREADS", threads.to_string())
                .env("NUMBA_NUM_THREADS", threads.to_string())
                // Spinning threads would slow down the other contestants.
                .env("OMP_WAIT_POLICY", "passive")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .map_err(|error| format!("cannot start {}: {error}", python.display()))?;
            let (Some(commands), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
                return Err("the peer has no pipes".into());
            };
            let (commands, answers) = (Some(commands), BufReader::new(answers));
            let mut peer = Peer { library, version: String::new(), child, commands, answers };
            match peer.answer() {
                Ok(answer) => {
                    // Taichi prints a greeting before anything can turn it off.
                    peer.version = answer.strip_prefix("version ").unwrap_or(&answer).to_owned();
                    running.push(peer);
                }
                Err(error) => eprintln!("without {library}: {error}"),
            }
        }
        Ok(Self { running, folder: Some(folder) })
    }

    /// Names and versions.
    pub(crate) fn describe(&self) -> Vec<String> {
        self.running.iter().map(|peer| format!("{} {}", peer.library, peer.version)).collect()
    }

    pub(crate) fn name(&self, peer: usize) -> String {
        self.running[peer].library.to_owned()
    }

    /// Makes each library prepare the program and its data. Returns the libraries that have the
    /// program.
    pub(crate) fn set_up(&mut self, job: &str) -> Result<Vec<usize>, Failure> {
        let mut able = Vec::new();
        for (i, peer) in self.running.iter_mut().enumerate() {
            match peer.ask(&format!("setup {job}"))?.as_str() {
                "ready" => able.push(i),
                "none" => {}
                other => return Err(format!("{}: unexpected answer: {other}", peer.library).into()),
            }
        }
        Ok(able)
    }

    /// Runs the program once.
    pub(crate) fn run(&mut self, peer: usize) -> Result<Duration, Failure> {
        let peer = &mut self.running[peer];
        let answer = peer.ask("run")?;
        let seconds = answer.strip_prefix("time ").and_then(|seconds| seconds.parse::<f64>().ok());
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        time.ok_or_else(|| format!("{}: unexpected answer: {answer}", peer.library).into())
    }

    /// The elements of the result.
    pub(crate) fn result(&mut self, peer: usize) -> Result<Vec<f64>, Failure> {
        let folder = self.folder.as_ref().ok_or("no peer runs")?;
        let file: PathBuf = folder.path().join("result");
        self.running[peer].ask(&format!("result {}", file.display()))?;
        let bytes = fs::read(&file)?;
        let (numbers, _) = bytes.as_chunks();
        Ok(numbers.iter().map(|number| f64::from_le_bytes(*number)).collect())
    }
}

impl Peer {
    fn ask(&mut self, command: &str) -> Result<String, Failure> {
        let commands = self.commands.as_mut().ok_or("the peer has ended")?;
        writeln!(commands, "{command}")
            .and_then(|()| commands.flush())
            .map_err(|error| format!("{}: {error}", self.library))?;
        self.answer()
    }

    fn answer(&mut self) -> Result<String, Failure> {
        loop {
            let mut line = String::new();
            if self.answers.read_line(&mut line)? == 0 {
                return Err(format!("{} ended without an answer", self.library).into());
            }
            let line = line.trim_end();
            if let Some(error) = line.strip_prefix("error ") {
                return Err(format!("{}: {error}", self.library).into());
            }
            if ["ready", "none", "written"].contains(&line) || line.starts_with("time ") || line.starts_with("version ")
            {
                return Ok(line.to_owned());
            }
            // Taichi prints greetings to the standard output, and no setting prevents it.
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.commands.take());
        // The process ends with its input. Do not wait for a process that hangs.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
