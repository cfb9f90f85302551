"""Every route of the server, and the shapes that it takes and gives, by its OpenAPI description."""

from __future__ import annotations

from inspect import getclosurevars
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI
from fastapi.routing import APIRoute

from generator.markdown import cell, code, table
from graphmemix.serve.openapi import describe_app
from graphmemix.serve.routes import ROUTERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_REFERENCE: Final = "#/components/schemas/"


def told() -> str:
    """Return the routes by subject, then the shapes."""
    app = FastAPI()
    for router in ROUTERS:
        app.router.routes.extend(router.routes)
    description = describe_app(app)
    routes = _routes(description["paths"], _scopes(app))
    return "\n".join([*routes, *_shapes(description["components"]["schemas"])])


def _scopes(app: FastAPI) -> dict[str, str]:
    """Return the scope that each route needs in its archive, by operation."""
    scopes = {}
    for route in app.routes:
        if isinstance(route, APIRoute):
            for dependency in route.dependant.dependencies:
                if dependency.call is not None:
                    found = getclosurevars(dependency.call).nonlocals.get("scope")
                    if found is not None:
                        scopes[route.unique_id] = str(found)
    return scopes


def _routes(paths: Mapping[str, Any], scopes: Mapping[str, str]) -> Iterator[str]:
    subject = ""
    for path, methods in paths.items():
        for method, operation in methods.items():
            if operation["tags"][0] != subject:
                subject = operation["tags"][0]
                yield f"## {subject.capitalize()}\n"
            yield _route(
                f"{method.upper()} {path}", operation, scopes.get(operation["operationId"])
            )


def _route(name: str, operation: Mapping[str, Any], scope: str | None) -> str:
    rows = [
        (code(each["name"]), each["in"], _type(each["schema"]), cell(_meaning(each)))
        for each in operation.get("parameters", ())
        if each["name"] != "archive"  # the same for all
    ]
    needs = f" Needs the scope `{scope}`." if scope else ""
    lines = [f"### `{name}`\n", f"{operation['description']}{needs}\n"]
    if rows:
        lines.append(table(("parameter", "in", "type", "meaning"), rows))
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        lines.append(f"Takes `{kind}`: {_type(content.get('schema', {}))}\n")
    for status, reply in operation["responses"].items():
        if status in {"4XX", "5XX"}:
            continue  # the same for all: problems
        for kind, content in reply.get("content", {}).items():
            # FastAPI adds an empty JSON schema to replies that are no JSON.
            if content.get("schema") != {}:
                shape = _type(content.get("schema", {}))
                lines.append(f"Gives {status} `{kind}`: {shape}. {reply['description']}\n")
    return "\n".join(lines)


def _shapes(schemas: Mapping[str, Any]) -> Iterator[str]:
    yield "## Shapes\n"
    for name, schema in sorted(schemas.items()):
        yield f"### {name} {{#{name.lower()}}}\n"
        rows = [
            (code(key), _type(value), cell(_meaning(value)))
            for key, value in schema.get("properties", {}).items()
        ]
        about = str(schema.get("description", "")).partition("\n")[0]
        yield f"{about}\n"
        if rows:
            yield table(("key", "type", "meaning"), rows)


def _meaning(schema: Mapping[str, Any]) -> str:
    return str(schema.get("description", ""))


def _type(schema: Mapping[str, Any]) -> str:
    """Return a type as people write it; shapes are links."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REFERENCE)
        return f"[{name}](#{name.lower()})"
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " or ".join(_type(each) for each in choices)
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return ", ".join(code(str(value)) for value in values)
    kind = str(schema.get("type", "anything"))
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}{_bounds(schema, 'Items')}"
    return " ".join(filter(None, [schema.get("format"), kind])) + _bounds(schema)


def _bounds(schema: Mapping[str, Any], of: str = "imum") -> str:
    """Return limits and default, such as ", 1 to 500, else 50"."""
    least, most = schema.get(f"min{of}"), schema.get(f"max{of}", schema.get("maxLength"))
    told = ""
    if most is not None:
        told = f", at most {most}" if least is None else f", {least} to {most}"
    default = schema.get("default")
    return told + ("" if default in (None, [], "") else f", else {str(default).lower()}")
