"""For mkdocstrings: ``**wanted: Unpack[Wanted]`` is shown as the keywords that it stands for."""

from __future__ import annotations

from typing import Any

import griffe

from graphmemix.asking import Wanted


class Keywords(griffe.Extension):
    """Writes out the keywords in the signatures of functions."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Write out those of one function, before its other keywords."""
        wanted = [each for each in func.parameters if str(each.annotation) == "Unpack[Wanted]"]
        if not wanted:
            return
        listed = [
            griffe.Parameter(
                name,
                kind=griffe.ParameterKind.keyword_only,
                annotation=kind.__forward_arg__,
                default="None",
            )
            for name, kind in Wanted.__annotations__.items()
        ]
        own = [each for each in func.parameters if each not in wanted]
        at = next(
            (i for i, each in enumerate(own) if each.kind is griffe.ParameterKind.keyword_only),
            len(own),
        )
        func.parameters = griffe.Parameters(*own[:at], *listed, *own[at:])
