"""Every error that a user of mecha-tui may see.

::

    MechaTuiError          something the user can mend; its text says how
    └── UsageError         a wrong flag, setting or file: exit status 3
"""

from __future__ import annotations


class MechaTuiError(Exception):
    """A fault told in one sentence that says what to do about it."""


class UsageError(MechaTuiError):
    """The command line, the environment or a settings file cannot be used as given."""
