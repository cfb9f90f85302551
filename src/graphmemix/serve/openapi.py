"""The OpenAPI description: routes from FastAPI, bodies from our schemas and records."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from graphmemix import __version__
from graphmemix.serve.routes.common import DESCRIBED

__all__ = ["describe_app"]

_TEMPLATE: Final = "#/components/schemas/{model}"
_SUMMARY: Final = "Ask a personal archive and get the few memories that answer together."


def describe_app(app: FastAPI) -> dict[str, Any]:
    """Return the description; it is built once."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title="GraphMemix", version=__version__, description=_SUMMARY, routes=app.routes
        )
        components = schema.setdefault("components", {})
        components["schemas"] = _schemas()
        components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"key": []}]
        for path in schema["paths"].values():
            for operation in path.values():
                # Invalid parameters are reported as problems, like all errors.
                operation["responses"].pop("422", None)
        app.openapi_schema = schema
    return app.openapi_schema


def _schemas() -> dict[str, Any]:
    """Return every schema and record that routes accept or return, with nested ones."""
    adapters = [(name, "validation", TypeAdapter(kind)) for name, kind in DESCRIBED.items()]
    _, definitions = TypeAdapter.json_schemas(adapters, ref_template=_TEMPLATE)  # type: ignore[arg-type]
    schemas: dict[str, Any] = dict(definitions.get("$defs", {}))
    return schemas
