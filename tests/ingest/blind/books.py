"""Books, OpenDocument files and rich text, shaped as other programs write them."""

from __future__ import annotations

import zipfile
from pathlib import Path

PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)

_OPEN = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" '
    'xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" '
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
)
_META = (
    "<meta:initial-creator>Ruth</meta:initial-creator><dc:title>Umzug</dc:title>"
    "<meta:creation-date>2023-07-01T08:00:00</meta:creation-date>"
    "<dc:date>2023-07-14T09:30:00.123456789</dc:date><meta:keyword>Wien</meta:keyword>"
)
_FRAME = (
    '<draw:frame><draw:image xlink:href="Pictures/1.png"/>'
    "<svg:title>Das Haus</svg:title></draw:frame>"
)
TEXT = f"""\
<office:text><text:sequence-decls/>
<text:tracked-changes><text:changed-region><text:deletion><text:p>weg</text:p></text:deletion>
</text:changed-region></text:tracked-changes>
<text:h text:outline-level="1">Schlüssel</text:h>
<text:p>Olga<text:s text:c="2"/>hat<text:tab/>ihn<text:note text:note-class="footnote">
<text:note-citation>1</text:note-citation><text:note-body><text:p>seit Mai</text:p></text:note-body>
</text:note>.</text:p><text:list><text:list-item><text:p>Haustor</text:p></text:list-item>
<text:list-item><text:p>Keller</text:p></text:list-item></text:list>
<text:h text:outline-level="1">Kosten</text:h><text:p>{_FRAME}</text:p>
<table:table><table:table-row><table:table-cell><text:p>Miete</text:p></table:table-cell>
<table:table-cell><text:p>900</text:p></table:table-cell></table:table-row></table:table>
</office:text>"""
SHEET = """\
<office:spreadsheet><table:table table:name="Budget">
<table:table-row><table:table-cell><text:p>Was</text:p></table:table-cell>
<table:table-cell><text:p>Wann</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell><text:p>Miete</text:p></table:table-cell>
<table:table-cell office:value-type="date" office:date-value="2023-07-14"/>
<table:table-cell table:number-columns-repeated="16382"/></table:table-row>
<table:table-row table:number-rows-repeated="2"><table:table-cell><text:p>Strom</text:p>
</table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="1048573"><table:table-cell/></table:table-row>
</table:table></office:spreadsheet>"""
SLIDES = f"""\
<office:presentation><draw:page draw:name="page1"><draw:frame><draw:text-box>
<text:p>Unser Umzug</text:p></draw:text-box></draw:frame>{_FRAME}
<presentation:notes><draw:frame><draw:text-box><text:p>Olga danken</text:p></draw:text-box>
</draw:frame></presentation:notes></draw:page></office:presentation>"""


def opendocument(path: Path, kind: str, body: str, *, encrypted: bool = False) -> Path:
    """Write an OpenDocument file."""
    data = "<manifest:encryption-data/>" if encrypted else ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        stated = f"application/vnd.oasis.opendocument.{kind}"
        package.writestr("mimetype", stated, zipfile.ZIP_STORED)
        package.writestr("content.xml", f"<office:document-content {_OPEN}><office:body>{body}"
                         "</office:body></office:document-content>")  # fmt: skip
        package.writestr("meta.xml", f"<office:document-meta {_OPEN}><office:meta>{_META}"
                         "</office:meta></office:document-meta>")  # fmt: skip
        package.writestr("Pictures/1.png", PNG)
        package.writestr("META-INF/manifest.xml", '<manifest:manifest xmlns:manifest="m">'
                         f"<manifest:file-entry>{data}</manifest:file-entry>"
                         "</manifest:manifest>")  # fmt: skip
    return path


def epub(path: Path, *, encrypted: str = "") -> Path:
    """Write a book of two chapters, the order of which is not that of their names."""
    cipher = f'<enc:CipherReference URI="{encrypted}"/>'
    files = {
        "META-INF/container.xml": '<?xml version="1.0"?><container xmlns="c"><rootfiles>'
        '<rootfile full-path="OEBPS/content.opf"/></rootfiles></container>',
        "META-INF/encryption.xml": f'<encryption xmlns="c" xmlns:enc="e">{cipher}</encryption>',
        "OEBPS/content.opf": '<package xmlns="p" xmlns:dc="d"><metadata>'
        "<dc:title>Die Reise</dc:title><dc:creator>Ada Berg</dc:creator><dc:date>2019-05</dc:date>"
        "<dc:language>de</dc:language></metadata><manifest>"
        '<item id="b" href="b%20b.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="css" href="s.css" media-type="text/css"/></manifest>'
        '<spine><itemref idref="b"/><itemref idref="a"/><itemref idref="b"/></spine></package>',
        "OEBPS/a.xhtml": "<html><head><title>Heimkehr</title></head><body><p>Sie kam im Mai "
        "zurück.</p></body></html>",
        "OEBPS/b b.xhtml": '<?xml version="1.0"?><!DOCTYPE html><html><head><title>Aufbruch</title>'
        '</head><body><h1>Aufbruch</h1><p>Der Zug fuhr.</p><img src="img/1.png" alt="Zug"/></body>',
        "OEBPS/s.css": "p {}",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, text in files.items():
            package.writestr(name, text)
        package.writestr("OEBPS/img/1.png", PNG)
    return path


RICH_TEXT = (
    rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil Arial;}{\f1\fnil\fcharset204 Arial;}}"
    rb"{\colortbl;\red0\green0\blue0;}{\info{\title Schl\'fcssel}{\author Ruth}"
    rb"{\creatim\yr2003\mo7\dy14\hr9\min30}}{\*\generator Msftedit;}"
    b"\r\n"
    rb"\pard\b Gr\'fc\'dfe\b0\par {\f1 \'cf\'f0\'e8\'e2\'e5\'f2} \u8364?20 \u-10179?\u-8694?\par"
    rb"{\v geheim}{\field{\*\fldinst HYPERLINK x}{\fldrslt Seite}} \{offen\}\par "
    rb"Miete\cell 900\cell\row{\*\shppict{\pict\pngblip\picw1 89504e470d0a1a0a0000}}"
    rb"{\nonshppict{\pict\wmetafile8 0100}}{\pict\wmetafile8 0100}\par}"
)
