"""The two palettes of the screen. Other themes work too, with tones derived from theirs."""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

DARK = Theme(
    name="mecha-dark",
    dark=True,
    primary="#5fc9b4",
    secondary="#79a8f5",
    accent="#5fc9b4",
    warning="#e3b25f",
    error="#ee6f75",
    success="#8fce6f",
    foreground="#d4d9e0",
    background="#11151a",
    surface="#11151a",
    panel="#1b222b",
    variables={
        "tone-text": "#d4d9e0",
        "tone-muted": "#7d8794",
        "tone-faint": "#3a434f",
        "tone-accent": "#5fc9b4",
        "tone-reading": "#79a8f5",
        "tone-warning": "#e3b25f",
        "tone-error": "#ee6f75",
        "tone-good": "#8fce6f",
        "lit": "#1b222b",
    },
)
LIGHT = Theme(
    name="mecha-light",
    dark=False,
    primary="#0b7f6d",
    secondary="#2459c4",
    accent="#0b7f6d",
    warning="#9a6200",
    error="#b8262f",
    success="#3d7d1f",
    foreground="#23272d",
    background="#fbfaf7",
    surface="#fbfaf7",
    panel="#efede6",
    variables={
        "tone-text": "#23272d",
        "tone-muted": "#6c7078",
        "tone-faint": "#d6d2c8",
        "tone-accent": "#0b7f6d",
        "tone-reading": "#2459c4",
        "tone-warning": "#9a6200",
        "tone-error": "#b8262f",
        "tone-good": "#3d7d1f",
        "lit": "#efede6",
    },
)
THEMES = (DARK, LIGHT)


ANSI_TONES = {
    "tone-text": "ansi_default",
    "tone-muted": "ansi_bright_black",
    "tone-faint": "ansi_bright_black",
    "tone-accent": "ansi_cyan",
    "tone-reading": "ansi_blue",
    "tone-warning": "ansi_yellow",
    "tone-error": "ansi_red",
    "tone-good": "ansi_green",
    "lit": "ansi_default",
}
"""The terminal's own colours. The chosen row is then told by its mark alone."""


def tone_variables(variables: Mapping[str, str]) -> Mapping[str, str]:
    """Return the tones of a theme that names none, from what every theme has."""
    if variables["foreground"] == "ansi_default":
        return ANSI_TONES
    return {
        "tone-text": variables["foreground"],
        "tone-muted": variables["foreground-muted"],
        "tone-faint": variables["foreground-disabled"],
        "tone-accent": variables["primary"],
        "tone-reading": variables["secondary"],
        "tone-warning": variables["warning"],
        "tone-error": variables["error"],
        "tone-good": variables["success"],
        "lit": variables["panel"],
    }
