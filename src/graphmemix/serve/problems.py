"""Errors as clients see them: one format, stable codes, no internals of the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final

from starlette.responses import Response

from graphmemix import errors
from graphmemix.fsio import as_store_error
from graphmemix.record import Record

__all__ = ["Problem", "ProblemError", "as_problem", "problem_response"]

MEDIA_TYPE: Final = "application/problem+json"
RETRY_SECONDS: Final = 2


@dataclass(frozen=True)
class Problem(Record):
    """What went wrong (RFC 9457).

    Attributes:
        status: The HTTP status.
        code: A stable identifier, for programs.
        detail: A message for people; names the item at fault.
        title: The phrase of the HTTP status.
        type: Always ``about:blank``; see `code`.
        request_id: The request's id in the server's log.
    """

    status: int
    code: str
    detail: str
    title: str = ""
    type: str = "about:blank"
    request_id: str = ""


class ProblemError(Exception):
    """Ends a request with a problem."""

    def __init__(
        self, status: int, code: str, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, code, detail)
        self.problem = Problem(status, code, detail, _title(status))
        self.headers = dict(headers or {})


# The first match counts. None: the library's own message, which repeats only what the caller sent.
# Messages of stores and models may hold paths, addresses or replies, so they are replaced.
_KINDS: Final[tuple[tuple[type[Exception], int, str, str | None], ...]] = (
    (errors.MemoryNotFoundError, 404, "not_found", None),
    (errors.TraceNotFoundError, 404, "not_found", None),
    (errors.DuplicateMemoryError, 409, "duplicate_memory", None),
    (errors.EncoderMismatchError, 409, "encoder_mismatch", None),
    (errors.SettingsError, 503, "misconfigured", "the server's settings are invalid"),
    (errors.InvalidInputError, 422, "invalid_input", None),
    (errors.ImportSourceError, 422, "import_source", "a source cannot be read"),
    (errors.ArchiveReadOnlyError, 403, "read_only", "this archive is read-only"),
    (errors.ArchiveBusyError, 503, "archive_busy", "another process is writing to the archive"),
    (errors.StorageFullError, 507, "storage_full", "the disk is full; nothing was stored"),
    (
        errors.ArchiveDamagedError,
        500,
        "archive_damaged",
        "the archive is damaged; run `graphmemix check` on the server",
    ),
    (errors.StoreError, 503, "store_unavailable", "the archive is not available"),
    (errors.LimitReachedError, 504, "limit_reached", None),
    (errors.ModelUnavailableError, 502, "model_unavailable", "the chat model does not answer"),
    (errors.ModelError, 502, "model_failed", "the chat model gave an invalid reply"),
    (errors.EncoderError, 502, "encoder_failed", "the encoder failed"),
    (errors.MissingExtraError, 501, "missing_extra", None),
)


def as_problem(error: Exception) -> Problem:
    """Return what a client may see of an error."""
    if isinstance(error, ProblemError):
        return error.problem
    if isinstance(error, OSError):  # from the server's own files, such as uploads
        store_error = as_store_error(error, "")
        error = store_error if isinstance(store_error, errors.StorageFullError) else error
    for kind, status, code, detail in _KINDS:
        if isinstance(error, kind):
            return Problem(status, code, str(error) if detail is None else detail, _title(status))
    return Problem(500, "internal", "internal error; see the server's log", _title(500))


def problem_response(
    problem: Problem, request_id: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a problem as a reply."""
    all_headers = dict(headers or {})
    if problem.status in {429, 503}:
        all_headers.setdefault("Retry-After", str(RETRY_SECONDS))
    body = replace(problem, request_id=request_id).to_json()
    return Response(body, problem.status, all_headers, media_type=MEDIA_TYPE)


def _title(status: int) -> str:
    return HTTPStatus(status).phrase
