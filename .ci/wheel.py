"""Makes a wheel of `toolsure` whose command runs a program that is there, so that installing is tried without a build."""
import base64
import hashlib
import zipfile

VERSION = "0.1.0"


def make(folder, program):
    folder.mkdir(parents=True, exist_ok=True)
    info = f"toolsure-{VERSION}.dist-info"
    files = {
        f"toolsure-{VERSION}.data/scripts/toolsure": f'#!/bin/sh\nexec "{program}" "$@"\n',
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: toolsure\nVersion: {VERSION}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: toolsure-ci\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    digest = lambda text: base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    record = [f"{name},sha256={digest(text)},{len(text.encode())}\n" for name, text in files.items()]
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"])
    path = folder / f"toolsure-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name)
            # A plain file with the rights 755, as tools that make wheels write it.
            entry.external_attr = 0o100755 << 16
            wheel.writestr(entry, text)
    return path
