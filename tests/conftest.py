"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# The first call of a language loads its dictionary; deadlines would measure that.
settings.register_profile("metaphrase", deadline=None, max_examples=60)
settings.load_profile("metaphrase")
