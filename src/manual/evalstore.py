"""Data frames from Evalstore, and experiments and datasets from data frames.

The environment variables EVALSTORE_URL and EVALSTORE_KEY hold the address of the server and an API key. A frame is a
pandas.DataFrame, a polars.DataFrame, a pyarrow.Table or, if none of these packages is there, a list of dicts.
"""

from __future__ import annotations

import io
import json
import os
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

Frame = Any
# The name of a column, whose values are taken as they are, or the names of columns that become members of an object.
Columns = str | Sequence[str]

_PART_CHARACTERS, _PART_ROWS, _ATTEMPTS = 4_000_000, 10_000, 5


class Error(Exception):
    """What went wrong, in the words of the server; `status` is its HTTP status, or 0 if it did not answer."""

    status = 0


@dataclass(frozen=True)
class Source:
    """An experiment, a dataset or the logs of a project. Its text is the source of a query: f"from: {source}"."""

    kind: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind}('{self.id}')"


def experiment(project: str, name: str) -> Source:
    """The experiment of this name. It and its project are created if they are missing."""
    return _named("experiment", name, project_id=logs(project).id)


def dataset(project: str, name: str) -> Source:
    """The dataset of this name. It and its project are created if they are missing."""
    return _named("dataset", name, project_id=logs(project).id)


def logs(project: str) -> Source:
    """The logs of the project of this name, which is created if it is missing."""
    return Source("project_logs", _named("project", project).id)


def query(text: str, *, library: str | None = None, **fields: Any) -> Frame:
    """The rows that answer a query, as a frame.

    `library` is "pandas", "polars", "pyarrow" or "list"; by default, the first of them that is installed. `fields` are
    other fields of the request, such as `version`. Raises Error if the server refuses the query.
    """
    return _query(text, library, fields)[0]


def batches(text: str, **fields: Any) -> Iterator[pyarrow.RecordBatch]:
    """The rows that answer a query as record batches, of which only one at a time is in memory. Needs pyarrow."""
    import pyarrow.ipc

    body = {"query": text, "fmt": "arrow", **fields}
    with _post("/query", body) as answer, pyarrow.ipc.open_stream(answer) as reader:
        yield from reader


def changes(source: Source, since: str | None = None, *, library: str | None = None) -> tuple[Frame, str]:
    """What was written to a source after the transaction `since`, and the transaction to begin the next call with.

    The frame has a row for each version of an event, the oldest first, so the last row of an `id` is the current one. A
    deletion is a row without content whose `_object_delete` is true. Without `since`: the events as they are now.
    """
    if since is None:
        return _query(f"select: *, _object_delete | from: {source} | sort: _xact_id", library, {})
    return _query(f"select: * | from: {source} versions | filter: _xact_id > '{since}' | sort: _xact_id", library, {})


def log(
    target: Source,
    frame: Frame,
    *,
    id: str = "",
    input: Columns = (),
    output: Columns = (),
    expected: Columns = (),
    error: Columns = (),
    scores: Columns = (),
    metrics: Columns = (),
    metadata: Columns = (),
    tags: str = "",
    created: str = "",
    merge: bool = False,
) -> list[str]:
    """Logs each row of a frame as an event, and returns the ids of the events.

    Each parameter names the column, or the columns, for a field of the event. Missing values are left out. An event
    replaces the one with its `id`, or with `merge` adds to it. Rows are sent in parts; if Error is raised, earlier
    parts are stored.
    """
    fields = {"id": id, "input": input, "output": output, "expected": expected, "error": error, "scores": scores}
    fields.update(metrics=metrics, metadata=metadata, tags=tags, created=created)
    ids, part, size = list[str](), list[str](), 0
    insert = f"/v1/{target.kind}/{target.id}/insert"
    for row in _rows(frame):
        event = {name: value for name, columns in fields.items() if (value := _value(row, columns)) is not None}
        ids.append(event.setdefault("id", str(uuid.uuid4())))
        text = json.dumps({**event, "_is_merge": merge}, default=_plain)
        if part and (len(part) == _PART_ROWS or size + len(text) > _PART_CHARACTERS):
            _post(insert, part).close()
            part, size = [], 0
        part.append(text)
        size += len(text)
    _post(insert, part).close()
    return ids


def _rows(frame: Frame) -> Iterator[Mapping[str, Any]]:
    if hasattr(frame, "to_pylist"):  # pyarrow
        frame = frame.to_pylist()
    elif hasattr(frame, "iter_rows"):  # polars
        frame = frame.iter_rows(named=True)
    elif hasattr(frame, "notna"):  # pandas
        frame = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return iter(frame)


def _value(row: Mapping[str, Any], columns: Columns) -> Any:
    if isinstance(columns, str):
        value = row[columns] if columns else None
        return None if isinstance(value, float) and value != value else value
    return {column: value for column in columns if (value := _value(row, column)) is not None} or None


def _plain(value: Any) -> Any:
    """JSON for a value that has none of its own. A time without a zone is UTC."""
    if isinstance(value, Decimal):
        return float(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "isoformat"):
        return value.isoformat() + ("Z" if getattr(value, "tzinfo", True) is None else "")
    return str(value)


def _query(text: str, library: str | None, fields: Mapping[str, Any]) -> tuple[Frame, str]:
    libraries = ["pandas", "polars", "pyarrow"] if find_spec("pyarrow") else ["polars"]
    library = library or next(filter(find_spec, libraries), "list")
    fmt = "jsonl" if library == "list" else "parquet"
    with _post("/query", {"query": text, "fmt": fmt, **fields}) as answer:
        version, content = answer.headers["x-evalstore-version"], io.BytesIO(answer.read())
    if library == "list":
        return [json.loads(line) for line in content], version
    if library == "pyarrow":
        return import_module("pyarrow.parquet").read_table(content), version
    return import_module(library).read_parquet(content), version


def _named(kind: str, name: str, **fields: str) -> Source:
    with _post(f"/v1/{kind}", {"name": name, **fields}) as answer:
        return Source(kind, json.load(answer)["id"])


def _post(path: str, body: Any) -> Any:
    """The answer to an object, or to texts of events; the caller closes it. A busy server is asked again."""
    url, key = os.environ.get("EVALSTORE_URL"), os.environ.get("EVALSTORE_KEY")
    if not url or not key:
        raise Error("EVALSTORE_URL and EVALSTORE_KEY: set both environment variables")
    address = url.rstrip("/") + path
    text = f'{{"events": [{",".join(body)}]}}' if isinstance(body, list) else json.dumps(body)
    request = urllib.request.Request(address, text.encode(), {"Content-Type": "application/json"})
    request.add_unredirected_header("Authorization", f"Bearer {key}")
    for attempt in range(_ATTEMPTS):
        try:
            return urllib.request.urlopen(request)
        except urllib.error.HTTPError as refusal:
            with refusal:
                error = Error(refusal.read().decode().strip())
            error.status = refusal.code
            if error.status not in (429, 503) or attempt == _ATTEMPTS - 1:
                raise error from None
            time.sleep(float(refusal.headers.get("Retry-After", 1)))
        except OSError as failure:
            raise Error(f"no answer from {address}: {getattr(failure, 'reason', failure)}") from None
