"""A server's start and a client's settings as one value, to which a printed cure can be applied."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace

from mecha_tui.core.agreement import Agreement, Cure, judge
from mecha_tui.core.client import COMPACTION_DERIVED, SILENT, ClientPromise, Promise, Setting
from mecha_tui.core.command_line import launch_flags
from mecha_tui.core.division import AUTO_SLOTS, Division, KvMode, division
from mecha_tui.core.flag_table import VARIABLES
from mecha_tui.core.kv import KvLayer, ModelShape
from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.numbers import ServerNumbers, server_numbers
from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.core.server import Model, Props

SHAPE = ModelShape((KvLayer(1024, 1024),) * 8, 8)
"""32 KiB a token at f16."""


@dataclass(frozen=True)
class Configuration:
    """Everything that the rules look at, as a user would write it."""

    argv: tuple[str, ...] = ("-c", "32768", "-np", "4")
    environment: dict[str, str] = field(default_factory=dict)
    trained: int = 131_072
    thinks: bool | None = False
    sees_images: bool | None = False
    shape: Reading[ModelShape] = field(default_factory=lambda: known(SHAPE, "model file"))
    settings: dict[str, int | bool | str] = field(default_factory=lambda: {"context_window": 8192})

    @property
    def launch(self) -> LaunchFlags:
        return replace(launch_flags(self.argv, self.environment), model=self.shape)

    @property
    def numbers(self) -> ServerNumbers:
        """What a server started so would say, by the table measured on real ones."""
        launch = self.launch
        own = Division(launch.slots.value or AUTO_SLOTS, self.trained, KvMode.SHARED, self.trained)
        if launch.slots.value and not launch.is_unified.value:
            own = replace(own, mode=KvMode.DIVIDED, pool_tokens=self.trained * own.slots)
        outcome = division(
            max(0, launch.context_tokens.value or 0),
            None if launch.has_auto_slots else launch.slots.value,
            is_unified=bool(launch.is_unified.value),
            per_slot_cap_tokens=launch.per_slot_cap_tokens.value,
            training_window_tokens=self.trained,
        )
        outcome = outcome or own
        return server_numbers(
            launch,
            Props(
                model_alias="tiny",
                slot_count=outcome.slots,
                slot_window_tokens=outcome.slot_window_tokens,
                has_slots_endpoint="--no-slots" not in self.argv,
                has_metrics_endpoint="--metrics" in self.argv,
                sees_images=self.sees_images,
                thinks=self.thinks,
            ),
            None,
            (Model("tiny", training_window_tokens=self.trained),),
        )

    @property
    def client(self) -> ClientPromise:
        def told(promise: Promise) -> Reading[object]:
            value = self.settings.get(promise.value)
            return unknown(SILENT) if value is None else known(value, "the client's file")

        values = {promise.value: told(promise) for promise in Promise}
        window = self.settings.get("context_window")
        if "compact_at_tokens" not in self.settings and isinstance(window, int):
            values["compact_at_tokens"] = known(window * 2 // 3, COMPACTION_DERIVED)
        settings = {
            promise: Setting(f"{promise.value} = {{}}", "the client's file") for promise in Promise
        }
        return ClientPromise("local", settings=settings, **values)  # type: ignore[arg-type]  # by name

    def judged(self) -> Agreement:
        return judge(self.numbers, (self.client,))

    def cured(self, cure: Cure) -> Configuration:
        """Return the configuration with one printed line written where it belongs."""
        if " = " in cure.line:
            key, _, value = cure.line.partition(" = ")
            read = {"true": True, "false": False}.get(value)
            if read is None:
                read = int(value) if value.lstrip("-").isdigit() else value.strip('"')  # type: ignore[assignment]
            assert read is not None
            return replace(self, settings={**self.settings, key: read})
        argv, environment = self.argv, dict(self.environment)
        for part in shlex.split(cure.line):
            variable, equals, value = part.partition("=")
            if equals and variable in VARIABLES:
                environment[variable] = value
            else:
                argv = (*argv, part)
        return replace(self, argv=argv, environment=environment)
