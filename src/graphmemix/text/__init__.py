"""Words of any language: splitting, stemming, folding, quoting; dates and coordinates in texts.

Shared by every stage, and imports none of them.
"""

__all__: list[str] = []
