"""Subjects of mails, without what replies, forwards and mailing lists put before them."""

from __future__ import annotations

import re
from functools import lru_cache

from graphmemix.text.folding import plain

_BEFORE = re.compile(
    r"\A(?:\s*+(?:(?:re|fwd?|aw|wg|sv|vs|vb|antw|antwort|doorst|tr|rv|ref|res|enc|rif|r|i|odp|ynt"
    r"|回复|回覆|答复|答覆|转发|轉寄|轉發|返信|転送)"
    r"(?:\s?(?:\[[0-9]{1,3}\]|\([0-9]{1,3}\)|\^[0-9]{1,3})\s?|\s{0,2}):|\[[^\[\]]{0,80}\]))*+\s*+",
    re.IGNORECASE,
)
_NOT_A_WORD = re.compile(r"[\W_]+")

_GENERIC_SUBJECTS = """
hello, hi, hey, hello there, hi there, greetings, good morning, good afternoon, good evening,
no subject, none, untitled, test, testing, question, questions, quick question, meeting, update,
updates, news, newsletter, thanks, thank you, many thanks, info, information, important, urgent,
reminder, notification, invoice, receipt, order, photo, photos, pictures, image, images, document,
documents, file, files, scan, fyi, help, request, reply, follow up, following up, checking in,
today, tomorrow,
hallo, guten tag, servus, kein betreff, ohne betreff, frage, fragen, termin, danke, foto, fotos,
bild, bilder, dokument, dokumente, rechnung, bestellung, anfrage,
bonjour, bonsoir, salut, sans objet, aucun objet, merci, reunion, facture,
hola, buenos dias, buenas tardes, sin asunto, gracias, pregunta, factura, documento,
ciao, salve, buongiorno, nessun oggetto, senza oggetto, grazie, domanda, fattura,
geen onderwerp, vraag, bedankt, dank je, factuur,
ola, bom dia, boa tarde, sem assunto, obrigado, obrigada, pergunta, fatura,
你好, 您好, 无主题, 無主旨, 谢谢, こんにちは, お世話になります, 無題, 件名なし, お礼
"""
_GENERIC = frozenset(_NOT_A_WORD.sub("", subject) for subject in _GENERIC_SUBJECTS.split(","))


@lru_cache(maxsize=1 << 10)
def normal_subject(subject: str) -> str:
    """Return a subject without "Re:", "AW:", "回复:", "[list]" before it, in one case and spacing.

    Empty if nothing is left, or only what anybody may write to anybody: such mails have their
    subject in common by chance.
    """
    bare = " ".join(_BEFORE.sub("", plain(subject), count=1).casefold().split())
    letters = _NOT_A_WORD.sub("", bare)
    return "" if len(letters) < 2 or letters in _GENERIC else bare
