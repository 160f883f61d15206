//! The compilers that `tests/amd-compilers` makes.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anabranch::private::offline::hiprtc_compile;

/// A compiler, and the architecture that it compiles for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// HIPRTC 5.2.
    Hiprtc(&'static str),
    /// clang 19 with the header of HIPRTC.
    Clang(&'static str),
}

/// CDNA 2 and 3, RDNA 2 to 4.
pub(crate) const TARGETS: [Target; 5] = [
    Target::Hiprtc("gfx90a"),
    Target::Clang("gfx942"),
    Target::Hiprtc("gfx1030"),
    Target::Clang("gfx1100"),
    Target::Clang("gfx1201"),
];

const CHILD: &str = "ANABRANCH_TEST_HIPRTC_FOR";

/// A folder with compilers.
#[derive(Debug)]
pub(crate) struct Compilers(PathBuf);

impl Compilers {
    /// `None` where there are none, which is a failure on CI.
    pub(crate) fn find() -> Option<Self> {
        let folder = std::env::var_os("ANABRANCH_AMD_COMPILERS").filter(|folder| !folder.is_empty());
        if folder.is_none() {
            let needed = "ANABRANCH_AMD_COMPILERS names no folder of compilers, which tests/amd-compilers makes";
            assert!(std::env::var_os("CI").is_none(), "CI needs compilers for AMD GPUs: {needed}");
            println!("skipped: {needed}");
        }
        folder.map(|folder| Self(folder.into()))
    }

    /// Compiles a source to machine code.
    pub(crate) fn compile(&self, source: &str, target: Target) -> Result<(), String> {
        match target {
            Target::Clang(architecture) => self.assembly(source, architecture).map(|_| ()),
            // It may end the process.
            Target::Hiprtc(architecture) => {
                let mut child = Command::new(self.0.join("hiprtc"));
                child.arg(std::env::current_exe().unwrap());
                child.args(["compilers::hiprtc_in_a_process_of_its_own", "--exact", "--nocapture"]);
                run(child.env(CHILD, architecture), source).map(|_| ())
            }
        }
    }

    /// The assembly that clang makes of a source.
    pub(crate) fn assembly(&self, source: &str, architecture: &str) -> Result<String, String> {
        run(Command::new(self.0.join(architecture)).arg("-"), source)
    }
}

/// Runs a command with this input. Returns what it prints, or why it fails.
fn run(command: &mut Command, input: &str) -> Result<String, String> {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    // A command that ends before it has read everything says why.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(format!("{}\n{}{}", output.status, text(&output.stderr), text(&output.stdout))),
    }
}

/// Compiles its input, where [`Compilers::compile`] runs it.
#[test]
fn hiprtc_in_a_process_of_its_own() {
    let Ok(architecture) = std::env::var(CHILD) else { return };
    let source = std::io::read_to_string(std::io::stdin()).unwrap();
    // The log may have remarks of the optimizer.
    let (image, _) = hiprtc_compile(&source, &architecture).unwrap_or_else(|error| panic!("{error}"));
    assert!(image.starts_with(b"\x7fELF"));
}
