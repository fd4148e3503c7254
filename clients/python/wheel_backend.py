"""Builds the wheel and the sdist with the standard library alone (PEP 517, PEP 660)."""

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, Optional

here = Path(__file__).resolve().parent
name = "assay_client"


def version() -> str:
    said = re.search(r'^version = "([^"]+)"', (here / "assay/version.py").read_text(), re.M)
    if said is None:
        raise ValueError("assay/version.py says no version")
    return said.group(1)


def metadata() -> str:
    readme = (here / "README.md").read_text("utf-8")
    head = f"Metadata-Version: 2.1\nName: assay-client\nVersion: {version()}\n"
    return f"{head}Requires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n{readme}"


def sources() -> Dict[str, bytes]:
    package = here / "assay"
    files = [*package.rglob("*.py"), package / "py.typed"]
    return {file.relative_to(here).as_posix(): file.read_bytes() for file in sorted(files)}


def written(folder: str, files: Dict[str, bytes]) -> str:
    """A wheel of these files; the same files give the same bytes."""
    info = f"{name}-{version()}.dist-info"
    tag = "Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    # pytest finds the plug-in by it (pyproject.toml says the same).
    points = b"[pytest11]\nassay = assay.pytest_plugin\n"
    whole = {
        **files,
        f"{info}/METADATA": metadata().encode(),
        f"{info}/WHEEL": tag.encode(),
        f"{info}/entry_points.txt": points,
    }
    lines = []
    for path, content in whole.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}")
    record = "\n".join([*lines, f"{info}/RECORD,,"]) + "\n"
    wheel = f"{name}-{version()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {**whole, f"{info}/RECORD": record.encode()}.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return wheel


def build_wheel(
    wheel_directory: str,
    config_settings: Optional[Dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    return written(wheel_directory, sources())


def build_editable(
    wheel_directory: str,
    config_settings: Optional[Dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    return written(wheel_directory, {f"{name}.pth": f"{here}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    base = f"{name}-{version()}"
    extra = ("README.md", "pyproject.toml", "wheel_backend.py")
    files = {**sources(), **{path: (here / path).read_bytes() for path in extra}}
    files["PKG-INFO"] = metadata().encode()
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(f"{base}/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return f"{base}.tar.gz"
