"""The fixtures of the tests."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_bellhop import Bellhop, Outcome

pytest_plugins = ["pytest_bellhop.plugin", "pytester"]


@pytest.fixture(autouse=True)
def repeat_late_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeats an interaction to which the bot answered too late, because a bot has only 3 s on a busy machine too."""
    use = Bellhop._use

    def repeat(self: Bellhop, *args: Any) -> Outcome:
        for _ in range(5):
            outcome = use(self, *args)
            if "timeout" not in (outcome.reason or ""):
                break
        return outcome

    monkeypatch.setattr(Bellhop, "_use", repeat)
