"""The process of the service."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import IO, Any, Mapping, Optional, Sequence, Union

World = Union[str, Mapping[str, Any]]

_STOP_TIMEOUT_SECONDS = 10


class StartError(Exception):
    """The service did not start, or a command of the binary failed."""


def find(binary: Optional[str]) -> str:
    """Returns the path of the binary: the given one, $BELLHOP_BINARY, or bellhop on the PATH."""
    path = shutil.which(binary or os.environ.get("BELLHOP_BINARY") or "bellhop")
    if path is None:
        raise StartError("there is no bellhop on the PATH: set BELLHOP_BINARY to its path")
    return path


class Process:
    """A running "bellhop dev --json". It ends with stop, or with this process: its standard input closes then."""

    def __init__(self, binary: str, world: Optional[World], limits: str, args: Sequence[str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pytest-bellhop-")
        folder = Path(self._folder.name)
        command = [binary, "dev", "--json", "--listen", "127.0.0.1:0", "--limits", limits, *args]
        if world is not None:
            file = folder / "world.yaml"
            file.write_text(world if isinstance(world, str) else json.dumps(world), encoding="utf-8")
            command += ["--world", str(file)]
        log = folder / "log"
        with log.open("wb") as errors:
            self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        line = _stream(self._child.stdout).readline()
        if not line:
            self._child.wait()
            text = log.read_text(encoding="utf-8", errors="replace")[-4000:]
            self.stop()
            raise StartError(f"bellhop ended with {self._child.returncode} before it was ready:\n{text}")
        self.ready: dict[str, Any] = json.loads(line)

    def runs(self) -> bool:
        """Says whether the service has not ended."""
        return self._child.poll() is None

    def stop(self) -> None:
        """Ends the service and waits for it. A second call does nothing."""
        _stream(self._child.stdin).close()
        try:
            self._child.wait(_STOP_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        _stream(self._child.stdout).close()
        self._folder.cleanup()


def _stream(stream: Optional[IO[bytes]]) -> IO[bytes]:
    assert stream is not None  # Popen was asked for a pipe
    return stream


def push(binary: str, file: str, base_url: str, application: str, token: str) -> None:
    """Replaces the global commands of an application by those of a JSON or YAML file."""
    command = [binary, "commands", "push", "--yes", "--prune", "--base-url", base_url, "--app", application, "--guild=", file]
    env = {**os.environ, "BELLHOP_TOKEN": token}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise StartError(f"bellhop commands push {file}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
