"""Write docs/metaphrase.schema.json, the JSON Schema of metaphrase.toml; a test compares the two."""

from __future__ import annotations

import json
from pathlib import Path

from metaphrase.campaign.schema import configuration_schema

TARGET = Path(__file__).parents[1] / "docs" / "metaphrase.schema.json"

if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(configuration_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
