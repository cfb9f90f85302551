"""Lines inside a mail that say when a quoted or forwarded mail was sent."""

from __future__ import annotations

import re

_SENT = re.compile(
    r"^[> \t*]{0,20}(?:"
    r"(?:On|Am|Le|El|Il|Op|Em|Den)\b[^\n]{0,200}(?:\n[> \t]{0,20}+[^\n]{0,80})?\b"
    r"(?:wrote|schrieb|a ecrit|escribio|ha scritto|schreef|escreveu|skrev)\b[^\n]{0,80}:"
    r"|(?:Sent|Gesendet|Envoye|Enviado|Enviada|Inviato|Verzonden|Skickat|发送时间|發送時間|送信日時)"
    r"\s?\*?:[^\n]{0,200}"
    r"|(?:From|Von|De|Da|Van|Fran)\s?\*?:[^\n]{0,200}\n"
    r"[> \t*]{0,20}+(?:Date|Datum|Data|Fecha)\s?\*?:[^\n]{0,200}"
    r")[ \t]{0,20}$",
    re.MULTILINE,
)
# "Ann Lee, 27/09/2024 16:40:" above quoted lines, as many programs write it.
_ABOVE_QUOTE = re.compile(
    r"^[^\n>]{0,200}[0-9][^\n>]{0,80}:[ \t]{0,8}$(?=\n[ \t]{0,8}>)", re.MULTILINE
)


def without_sent_lines(text: str) -> str:
    """Return a text that `plain` made without those lines: the mail is not about those days."""
    text = _SENT.sub("", text)
    return _ABOVE_QUOTE.sub("", text) if "\n>" in text or "\n " in text else text
