"""Everything that the OpenAPI description allows, and more: no request makes the server fail."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from hypothesis.strategies import SearchStrategy, one_of

from tests.serve.servers import Live, fill, serving

if TYPE_CHECKING:
    import schemathesis

# Few in the suite; FUZZ_EXAMPLES=500 for a long look.
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "5"))


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder: Path = tmp_path_factory.mktemp("fuzz")
    fill(folder / "home", "quokka")
    with serving(folder, root=folder) as live:
        yield live


# They take nothing but the name of an archive, and each call is seconds of work.
LONG = ("/suggestions", "/jobs/describe", "/jobs/sample")


def operations(live: Live) -> list[tuple[str, str]]:
    told = live.app.openapi()
    return [
        (path, method)
        for path, methods in told["paths"].items()
        for method in methods
        if not path.endswith(LONG)
    ]


def strategy(operation: Any) -> SearchStrategy[schemathesis.Case[Any]]:
    """Requests as they are described, and requests that break the description."""
    import schemathesis

    good = operation.as_strategy(generation_mode=schemathesis.GenerationMode.POSITIVE)
    bad = operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)
    has_input = operation.body or operation.path_parameters or operation.query or operation.headers
    return one_of(good, bad) if has_input else good


def test_no_request_makes_the_server_fail(fuzzed: Live) -> None:
    # Loaded by who runs this test, not by who collects it: it takes seconds.
    import schemathesis
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    kept = [
        not_a_server_error,
        checks.content_type_conformance,
        checks.response_schema_conformance,
        checks.status_code_conformance,
    ]
    schema = schemathesis.openapi.from_dict(fuzzed.app.openapi())
    schema.config.update(base_url=fuzzed.url)
    found = operations(fuzzed)
    assert len(found) > 20
    for path, method in found:
        operation = schema[path][method]
        calls = 0

        @hypothesis.settings(
            max_examples=EXAMPLES,
            database=None,
            deadline=None,
            derandomize=EXAMPLES < 50,
            suppress_health_check=list(hypothesis.HealthCheck),
            phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
        )
        @hypothesis.given(case=strategy(operation))
        def run(case: schemathesis.Case[Any]) -> None:
            nonlocal calls
            calls += 1
            # Half of the requests find the archive; the rest try whatever comes to mind.
            if "archive" in case.path_parameters and calls % 4:
                case.path_parameters["archive"] = "home"
            case.call_and_validate(checks=kept)

        run()
        assert calls, path
