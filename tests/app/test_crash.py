"""A fault of mecha-tui's own is told without the values of its variables."""

from __future__ import annotations

import pytest

from mecha_tui.app.app import MechaApp
from mecha_tui.app.crash import SENTENCE, crash_text
from mecha_tui.core.sample import Round


class Broken:
    async def sample(self) -> Round:
        secret = "sk-" + "very-secret"
        raise RuntimeError(f"the sampler broke after {len(secret)} characters")

    async def aclose(self) -> None:
        return


async def test_a_crash_ends_with_a_failure_and_prints_no_variable(
    capsys: pytest.CaptureFixture[str],
) -> None:
    app = MechaApp(Broken())
    with pytest.raises(Exception, match="the sampler broke"):
        async with app.run_test(notifications=True) as pilot:
            await pilot.pause()
    assert app.return_code == 1
    printed = "".join(capsys.readouterr())
    assert SENTENCE.split(".", maxsplit=1)[0] in printed
    assert "Traceback" in printed
    assert "sk-very-secret" not in printed


def test_a_crash_text_names_the_error() -> None:
    assert "RuntimeError: broken" in crash_text(RuntimeError("broken"))
    assert crash_text(None) == SENTENCE
