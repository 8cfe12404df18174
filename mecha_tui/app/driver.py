"""Reads the keyboard so that nothing typed or pasted ends the application."""

from __future__ import annotations

import sys

from textual.driver import Driver

TERMINAL_GONE = 129
"""The exit status that a shell gives to a program that its terminal left."""

if sys.platform == "win32":

    def patient(driver_class: type[Driver]) -> type[Driver]:
        """Return the driver class as it is: Windows hands over characters, not bytes."""
        return driver_class

    def is_gone(driver: Driver | None) -> bool:  # noqa: ARG001
        """Whether nobody holds the terminal's other end; Windows ends the program itself."""
        return False

else:
    import select

    from textual.drivers.linux_driver import LinuxDriver

    class PatientDriver(LinuxDriver):
        """Passes over bytes that are no UTF-8, and leaves when the terminal is gone."""

        def write(self, data: str) -> None:
            """Write, but not to a thread that ended with its terminal: that would wait for ever."""
            if self._writer_thread is not None and self._writer_thread.is_alive():
                super().write(data)

        def close(self) -> None:
            """Clean up, likewise."""
            if self._writer_thread is not None and self._writer_thread.is_alive():
                super().close()

        def run_input_thread(self) -> None:
            """Read until the end; what came together with a bad byte is dropped."""
            while not self.exit_event.is_set():
                try:
                    super().run_input_thread()
                except UnicodeDecodeError:
                    continue
                except OSError:
                    self._app.call_later(self._app.exit, return_code=TERMINAL_GONE)
                return

    def patient(driver_class: type[Driver]) -> type[Driver]:
        """Return the driver class, made patient where it is the one of Unix terminals."""
        return PatientDriver if driver_class is LinuxDriver else driver_class

    def is_gone(driver: Driver | None) -> bool:
        """Whether nobody holds the terminal's other end any more, and no signal told it."""
        if not isinstance(driver, PatientDriver):
            return False
        poll = select.poll()
        poll.register(driver.fileno, 0)
        return any(event & select.POLLHUP for _, event in poll.poll(0))
