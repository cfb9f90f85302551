"""Importers against files and gold that were written from the formats, not from the parsers."""
