"""Importers of documents: a memory per page, section or entry."""

from __future__ import annotations

from graphmemix.ingest.documents.docx import Docx
from graphmemix.ingest.documents.epub import Epub
from graphmemix.ingest.documents.html import Html, to_text
from graphmemix.ingest.documents.icalendar import ICalendar
from graphmemix.ingest.documents.markdown import Markdown
from graphmemix.ingest.documents.opendocument import OpenDocument
from graphmemix.ingest.documents.pdf import Pdf
from graphmemix.ingest.documents.pptx import Pptx
from graphmemix.ingest.documents.rtf import Rtf
from graphmemix.ingest.documents.text import Text
from graphmemix.ingest.documents.vcard import VCard
from graphmemix.ingest.documents.xlsx import Xlsx

__all__ = [
    "Docx",
    "Epub",
    "Html",
    "ICalendar",
    "Markdown",
    "OpenDocument",
    "Pdf",
    "Pptx",
    "Rtf",
    "Text",
    "VCard",
    "Xlsx",
    "to_text",
]
