"""What is generated is up to date, and every source is Python 3.9."""

from __future__ import annotations

import ast
import builtins
import importlib
import json
import sys
from unittest import TestCase

from .service import package, repository

sys.path.insert(0, str(package))
from generate import generated, out_of_date  # noqa: E402
from generator.document import operations, snake  # noqa: E402
from generator.nouns import method_name  # noqa: E402

import assay.nouns  # noqa: E402

description = repository / "openapi.json"
sources = [one for one in sorted(package.rglob("*.py")) if "build" not in one.parts]


class Generated(TestCase):
    def test_is_what_the_description_makes(self) -> None:
        self.assertEqual(out_of_date(generated(description)), {})

    def test_notices_a_description_that_changed(self) -> None:
        files = generated(description)
        files["nouns/traces.py"] += "\n"
        del files["types/jobs.py"]
        self.assertEqual(
            out_of_date(files),
            {"nouns/traces.py": "is out of date", "types/jobs.py": "is generated no more"},
        )

    def test_has_a_method_for_each_operation_and_none_twice(self) -> None:
        document = json.loads(description.read_text("utf-8"))
        named = [(snake(one.tag), method_name(one.id, one.tag)) for one in operations(document)]
        self.assertEqual(len(named), len(set(named)))
        self.assertGreater(len(named), 130)
        nouns = assay.nouns.Nouns(None)  # type: ignore[arg-type]
        for noun, method in named:
            self.assertTrue(callable(getattr(getattr(nouns, noun), method)), f"{noun}.{method}")

    def test_names_only_what_its_modules_know(self) -> None:
        for file in sources:
            if file.parent.name not in ("types", "nouns"):
                continue
            module = importlib.import_module(f"assay.{file.parent.name}.{file.stem}")
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    known = hasattr(module, node.id) or hasattr(builtins, node.id)
                    local = node.id.islower()
                    self.assertTrue(known or local, f"{file.name}: {node.id}")


class Sources(TestCase):
    def test_are_python_3_9(self) -> None:
        self.assertGreater(len(sources), 60)
        for file in sources:
            ast.parse(file.read_text("utf-8"), str(file), feature_version=(3, 9))

    def test_write_unions_in_the_old_way(self) -> None:
        for file in sources:
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                hint = getattr(node, "annotation", None) or getattr(node, "returns", None)
                if not isinstance(hint, ast.AST):
                    continue
                if isinstance(hint, ast.Constant) and isinstance(hint.value, str):
                    hint = ast.parse(hint.value)
                newer = [one for one in ast.walk(hint) if isinstance(one, ast.BitOr)]
                self.assertEqual(newer, [], f"{file}:{getattr(node, 'lineno', 0)}")

    def test_import_the_standard_library_alone(self) -> None:
        ours = {"assay", "generator", "generate", "tests", "wheel_backend"}
        for file in sources:
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module or ""]
                for name in names:
                    top = name.split(".")[0]
                    known = top in ours or top in standard_library()
                    # Only pytest itself loads its plug-in.
                    known = known or (file.name, top) == ("pytest_plugin.py", "pytest")
                    self.assertTrue(known, f"{file.name} imports {name}")

    def test_keep_to_the_size_of_a_page(self) -> None:
        for file in sources:
            lines = file.read_text("utf-8").split("\n")
            made = file.parent.name in ("types", "nouns")
            self.assertLessEqual(max(map(len, lines)), 100, str(file))
            self.assertLessEqual(len(lines), 600 if made else 320, str(file))
            for node in ast.walk(ast.parse("\n".join(lines))):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self.assertLessEqual((node.end_lineno or 0) - node.lineno, 70, node.name)


def standard_library() -> "set[str]":
    """Python 3.9 does not list it; what is newer does, and runs this too."""
    return set(getattr(sys, "stdlib_module_names", [])) or {
        module.split(".")[0] for module in sys.modules
    }
