"""Which way a server is restarted: the outermost owner of its process is asked."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.restart import Method, RestartPlan, Step, Way
from mecha_tui.core.restart_facts import RestartFacts, UnitFacts

SUPERVISORS = {
    "supervisord": "supervisorctl restart {name}",
    "runit": "sv restart {name}",
    "s6": "s6-svc -r {name}",
    "daemontools": "svc -t {name}",
    "pm2": "pm2 restart {name}",
    "launchd": "launchctl kickstart -k {name}",
    "Kubernetes": "kubectl rollout restart {name}",
    "containerd": "the engine that started the container",
    "crio": "the engine that started the container",
    "openrc": "rc-service {name} restart",
    "llama-swap": "its own /api/models/unload/{name}, after which the next request loads it",
}
"""How to restart below a service manager that mecha-tui recognises and does not drive."""
_WORDS = {"containerd": "containerd", "crio": "CRI-O", "openrc": "OpenRC"}


def restart_plan(facts: RestartFacts, wanted: Method | None = None) -> RestartPlan:
    """Return the plan: the way that is chosen, and the others with what speaks against them.

    Args:
        facts: What was found out about the server.
        wanted: The way the user asks for; None chooses the outermost owner.
    """
    ways = _ways(facts)
    plan = RestartPlan(
        facts.key,
        facts.url,
        facts.model_id,
        pid=facts.pid,
        started_wall_s=facts.started_wall_s,
        model=facts.model,
    )
    if wanted is not None:
        chosen = next((way for way in ways if way.method is wanted), None)
        missing = f"{wanted.value} does not own this server"
        return _with(plan, chosen, ways, "" if chosen else missing)
    refusal = _refusal(facts, ways)
    return _with(plan, ways[0] if ways and not refusal else None, ways, refusal)


def _with(
    plan: RestartPlan, chosen: Way | None, ways: tuple[Way, ...], refusal: str
) -> RestartPlan:
    others = tuple(way for way in ways if way is not chosen)
    return replace(plan, chosen=chosen, others=others, refusal=refusal)


def _ways(facts: RestartFacts) -> tuple[Way, ...]:
    """Return every way there is, the best first."""
    command = (_command(facts),) if facts.command else ()
    if facts.model_id is not None:
        return (_router(facts.url, facts.model_id), *command)
    if not facts.is_local:
        return command
    found = [*command]
    if facts.unit is not None:
        found.append(_systemd(facts, facts.unit))
    if facts.container is not None and facts.container.engine in ("docker", "podman"):
        found.append(_container(facts))
    has_owner = any(not way.refusal or way.method is not Method.SYSTEMD for way in found)
    if facts.pid is not None and not facts.supervisor and facts.container is None:
        process = _process(facts, is_owned=_owns(facts) and facts.unit is not None)
        found = [*found, process] if has_owner or _owns(facts) else [process, *found]
    return tuple(found)


def _refusal(facts: RestartFacts, ways: tuple[Way, ...]) -> str:
    """Return why nothing can be done from here; empty when something can."""
    if facts.command or facts.model_id is not None:
        return ""
    if not facts.is_local:
        return (
            "it runs on another machine: restart it there, or set restart_command in the settings"
        )
    if facts.supervisor is not None:
        return _supervised(facts)
    if not ways:
        return facts.why_no_process or "no process is seen that listens there"
    return ""


def _supervised(facts: RestartFacts) -> str:
    supervisor = facts.supervisor or ""
    how = SUPERVISORS.get(supervisor, "its own command")
    name = facts.supervised_name or "NAME"
    return (
        f"{_WORDS.get(supervisor, supervisor)} runs it, which mecha-tui does not drive: use "
        f"{how.format(name=name)}, or set that as restart_command in the settings"
    )


def _command(facts: RestartFacts) -> Way:
    step = Step("run the restart_command of the settings", facts.command, facts.has_shell)
    return Way(Method.COMMAND, "the settings", (step,))


def _router(url: str, model_id: str) -> Way:
    steps = (
        Step(f"POST {url}/models/unload, for {model_id}"),
        Step(f"POST {url}/models/load, for {model_id}"),
    )
    notes = ("the router and its other models stay as they are",)
    return Way(Method.ROUTER, "the router", steps, notes=notes, target=model_id)


def _owns(facts: RestartFacts) -> bool:
    """Whether the unit was made to run this server, and not something that it runs in."""
    unit = facts.unit
    if unit is None:
        return False
    if unit.main_pid is None or unit.main_pid == facts.pid or facts.container is not None:
        return True
    for above in facts.ancestors:
        if not above.is_wrapper:
            return False
        if above.pid == unit.main_pid:
            return True
    return False


def _systemd(facts: RestartFacts, unit: UnitFacts) -> Way:
    method = Method.SYSTEMD_USER if unit.is_user else Method.SYSTEMD
    prefix = unit.prefix or ()
    user = ("--user",) if unit.is_user else ()
    argv = (*prefix, "systemctl", *user, "restart", unit.name)
    step = Step("ask systemd to restart the unit", argv)
    refusal = ""
    if not _owns(facts):
        refusal = f"{unit.name} runs more than this server, and all of it would be restarted"
    elif unit.name.startswith("-"):
        refusal = "its name begins like a flag: restart it by hand"
    elif unit.prefix is None:
        refusal = (
            f"this user may not restart {unit.name}: run {' '.join(('sudo', *argv))} yourself, or "
            "allow it as docs/restarting.md shows"
        )
    return Way(method, unit.name, (step,), refusal, target=unit.name)


def _container(facts: RestartFacts) -> Way:
    container = facts.container
    assert container is not None  # noqa: S101  # asked before
    step = Step(
        "ask the engine to restart the container",
        (container.engine, "restart", container.identifier),
    )
    refusal = "" if container.is_answering else f"{container.engine} may not be asked by this user"
    method = Method(container.engine)
    owner = f"{container.engine} {container.identifier[:12]}"
    return Way(method, owner, (step,), refusal, target=container.identifier)


def _process(facts: RestartFacts, *, is_owned: bool) -> Way:
    steps = (
        Step(f"send SIGTERM to process {facts.pid}, once, and wait until it has ended"),
        Step("wait until its memory has come back"),
        Step("start it again as it was, detached", tuple(facts.arguments)),
    )
    return Way(
        Method.PROCESS,
        f"process {facts.pid}",
        steps,
        _process_refusal(facts, is_owned=is_owned),
        tuple(_process_notes(facts)),
        str(facts.pid),
    )


def _process_refusal(facts: RestartFacts, *, is_owned: bool) -> str:
    condition = facts.condition
    if is_owned and facts.unit is not None:
        return f"{facts.unit.name} owns it and could start a second one"
    if condition.is_first_of_container:
        return "it is the first process of this container: restart the container from outside"
    if not condition.may_signal:
        return "it belongs to another user: restart it as that user, or set restart_command"
    if not condition.is_readable:
        return "how it was started may not be read: restart it as its user, or set restart_command"
    if condition.is_program_gone:
        return (
            "its program was deleted since it started (an update?): start it by hand, or set "
            "restart_command"
        )
    if condition.is_folder_gone:
        return "the folder it runs in is gone: start it by hand, or set restart_command"
    if condition.is_model_gone:
        return "its model file is gone: it would not start again"
    return ""


def _process_notes(facts: RestartFacts) -> list[str]:
    notes = []
    if facts.condition.is_program_replaced:
        notes.append("its program was replaced since it started: the new one is started")
    if facts.ancestors and facts.ancestors[0].is_wrapper:
        above = facts.ancestors[0]
        notes.append(
            f"it was started by {above.name} (pid {above.pid}), which may end with it, or start "
            "another one: then that one is kept"
        )
    if facts.condition.tmux_pane is not None:
        notes.append(
            f"it runs in tmux pane {facts.condition.tmux_pane}, and will not be there again: "
            "it runs detached, and its output goes to a log file"
        )
    return notes
