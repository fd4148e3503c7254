"""The package as it is installed: by its own build, which fetches nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any
from unittest import TestCase

from .service import package

sys.path.insert(0, str(package))
import wheel_backend  # noqa: E402

use = "import assay, assay.types; print(assay.__version__, assay.__file__, assay.Assay().traces)"


class Wheel(TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_python(self, *args: str, **env: str) -> "subprocess.CompletedProcess[Any]":
        return subprocess.run(
            [sys.executable, "-B", *args],
            cwd=self.folder,
            env={**os.environ, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=120,
        )

    def test_has_every_module_and_says_that_it_is_typed(self) -> None:
        name = wheel_backend.build_wheel(self.folder)
        self.assertEqual(name, f"assay_client-{wheel_backend.version()}-py3-none-any.whl")
        with zipfile.ZipFile(Path(self.folder) / name) as wheel:
            inside = set(wheel.namelist())
        files = (package / "assay").rglob("*.py")
        modules = {one.relative_to(package).as_posix() for one in files}
        self.assertLessEqual(modules | {"assay/py.typed"}, inside)
        used = self.run_python("-c", use, PYTHONPATH=name)
        self.assertIn(f"{name}/assay/__init__.py", used.stdout, used.stderr)

    def test_is_the_same_each_time(self) -> None:
        name = wheel_backend.build_wheel(self.folder)
        first = (Path(self.folder) / name).read_bytes()
        wheel_backend.build_wheel(self.folder)
        self.assertEqual(first, (Path(self.folder) / name).read_bytes())

    def test_has_one_version(self) -> None:
        said = (package / "pyproject.toml").read_text("utf-8")
        self.assertIn(f'\nversion = "{wheel_backend.version()}"\n', said)

    def test_is_what_pip_installs(self) -> None:
        """Needs pip: Debian's python3 comes without."""
        if self.run_python("-m", "pip", "--version").returncode != 0:
            wheel_backend.build_editable(self.folder)
            return
        target = str(Path(self.folder) / "site")
        install = ("-m", "pip", "install", "--quiet", "--no-index", "--no-deps")
        installed = self.run_python(*install, "--target", target, str(package))
        self.assertEqual(installed.returncode, 0, installed.stderr)
        used = self.run_python("-c", use, PYTHONPATH=target)
        self.assertIn(str(Path(target) / "assay"), used.stdout, used.stderr)
        self.assertEqual(sorted(os.listdir(package)).count("build"), 0)
