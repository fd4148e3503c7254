"""Writes `assay/types` and `assay/nouns` from the service's OpenAPI document.

    python3 generate.py            writes them
    python3 generate.py --check    writes nothing; ends with 1 where they are out of date
"""

import json
import sys
from pathlib import Path
from typing import Dict

from generator.nouns import noun_files
from generator.types import type_files

here = Path(__file__).resolve().parent
package = here / "assay"


def generated(description: Path) -> Dict[str, str]:
    """Every generated file by its path in the package; the same document gives the same bytes."""
    document = json.loads(description.read_text("utf-8"))
    return {**type_files(document), **noun_files(document)}


def out_of_date(files: Dict[str, str]) -> Dict[str, str]:
    """Files on disk that differ from the generated ones, each with the reason."""
    wrong = {}
    for path, text in files.items():
        file = package / path
        if not file.exists():
            wrong[path] = "is missing"
        elif file.read_text("utf-8") != text:
            wrong[path] = "is out of date"
    for folder in ("types", "nouns"):
        for file in (package / folder).glob("*.py"):
            path = f"{folder}/{file.name}"
            if path not in files:
                wrong[path] = "is generated no more"
    return wrong


def main() -> int:
    files = generated(here.parent.parent / "openapi.json")
    wrong = out_of_date(files)
    if "--check" in sys.argv:
        for path, why in sorted(wrong.items()):
            print(f"assay/{path} {why}: npm run generate")
        return 1 if wrong else 0
    for path in wrong:
        file = package / path
        if path in files:
            file.parent.mkdir(exist_ok=True)
            file.write_text(files[path], "utf-8")
        else:
            file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
