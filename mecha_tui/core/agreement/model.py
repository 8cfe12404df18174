"""Rules about which model answers, and whether it sees what the client sends."""

from __future__ import annotations

from mecha_tui.core.agreement.cures import LAUNCH_FLAGS, client_cure
from mecha_tui.core.agreement.findings import Cure, Finding, Severity
from mecha_tui.core.agreement.wording import disagreement, quoted, shell_quoted, undecided
from mecha_tui.core.client import ClientPromise, Promise, is_silent
from mecha_tui.core.numbers import ServerNumbers
from mecha_tui.core.reading import Reading, unknown

_NAMELESS: Reading[str] = unknown("the server does not say")


def model_mismatch(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """The client asks for a model of another name.

    Clients that name models as they like are let be: llama-server answers to any name.
    """
    model, names = client.model, numbers.model_names
    if is_silent(model) or client.group is not None:
        return None
    if model.value is None or not names:
        return undecided(
            "model-mismatch",
            Severity.WARNING,
            ("the client's model", model),
            *((("the server's model", _NAMELESS),) if not names else ()),
            client=client,
        )
    if model.value in names:
        return None
    return disagreement(
        "model-mismatch",
        Severity.WARNING,
        f"model {quoted(model.value)} is asked for, but the server runs {quoted(names[0])}.",
        "Answers come from another model than the client's settings were made for; a router "
        "refuses, or loads another one.",
        client_cure(client, Promise.MODEL, names[0]),
        _renamed(numbers, model.value),
        client=client,
    )


def vision_unserved(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """The client sends images to a server that sees none."""
    return _vision(numbers, client, wants=True)


def vision_unused(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """The server sees images, but the client sends none."""
    return _vision(numbers, client, wants=False)


def _vision(numbers: ServerNumbers, client: ClientPromise, *, wants: bool) -> Finding | None:
    code = "vision-unserved" if wants else "vision-unused"
    vision, sees = client.vision, numbers.sees_images
    if is_silent(vision) or vision.value is (not wants):
        return None
    if vision.value is None or sees.value is None:
        inputs = (("the client's vision", vision), ("whether the server sees images", sees))
        return undecided(code, Severity.WARNING, *inputs, client=client)
    if sees.value is wants:
        return None
    if wants:
        message = "vision is true, but the server takes no images."
        effect = "Requests with an image are refused."
        other: Cure | None = Cure("--mmproj FILE", LAUNCH_FLAGS)
    else:
        message = "vision is false, but the server takes images."
        effect = "Screenshots and pictures are left out though the model could see them."
        other = Cure("--no-mmproj", LAUNCH_FLAGS)
    return disagreement(
        code,
        Severity.WARNING,
        message,
        effect,
        client_cure(client, Promise.VISION, not wants),
        other,
        client=client,
    )


def _renamed(numbers: ServerNumbers, name: str) -> Cure | None:
    """Return the alias that makes the server answer to a name; a router has names of its own."""
    if numbers.router_model is not None or not numbers.slots.is_known:
        return None
    return Cure(f"--alias {shell_quoted(name)}", LAUNCH_FLAGS)
