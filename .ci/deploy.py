"""Holds examples/deploy to published schemas, and the settings in it to the guard's own check.

Usage: deploy.py TOOLSURE. Needs the packages kubernetes-validate, which brings YAML, and compose-spec.
"""

import pathlib
import subprocess
import sys
import tempfile

import compose_spec
import kubernetes_validate
import yaml

DEPLOY = pathlib.Path(__file__).parent.parent / "examples/deploy"
(toolsure,) = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())


def run(*command):
    done = subprocess.run([toolsure, *map(str, command)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")


def check_settings(name, text):
    """The settings, with a file of keys where they look for one."""
    keys = folder / "keys"
    keys.write_text("a session key for this check, and no other\n")
    path = folder / name
    path.write_text(text)
    command = ["guard", "--config", path, "--set", f"sessions.key_file={keys}", "--check-config"]
    run(*command)
    # The same with what is shared, as the files for that set it.
    shared = ["shared.store=valkey://valkey:6379/0", "shared.pins=report", f"shared.key_file={keys}"]
    run(*command, *(word for setting in shared for word in ("--set", setting)))


manifest = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))
store = list(yaml.safe_load_all((DEPLOY / "kubernetes-shared.yaml").read_text()))
for resource in manifest + store:
    kubernetes_validate.validate(resource, kubernetes_validate.latest_version(), strict=True)
    print(f"{resource['kind']} {resource['metadata']['name']}: good")
settings = next(r for r in manifest if r["kind"] == "ConfigMap")["data"]["guard.toml"]
check_settings("kubernetes.toml", settings)
check_settings("compose.toml", (DEPLOY / "guard.toml").read_text())
print("settings: good")
for name in ("compose.yaml", "shared.yaml"):
    compose_spec.PyCompose.from_yaml((DEPLOY / name).read_text()).validate()
print("compose: good")
