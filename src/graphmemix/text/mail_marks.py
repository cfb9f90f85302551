"""Lines by which mail programs and writers mark quotes, signatures and footers, in many languages.

All functions look at one line, or at one line and a few behind it, and only at short ones: what
people write by hand may be long, what programs insert is not. Lines are compared without accents
and capitals.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from graphmemix.text.folding import plain

if TYPE_CHECKING:
    from collections.abc import Sequence


Marker: TypeAlias = Literal["reply", "forward"]

_LONGEST = 300  # characters of a line that a program inserts, joined again if it was wrapped
_MOST_WRAPPED = 3  # lines of one attribution
_MOST_LABELS = 8  # lines of a block of header fields
_FEW_WORDS = 8
_MOST_NAMES = 5

_QUOTED = re.compile(r"\s{0,3}(?:[A-Z]{1,3})?>")
_OPENING = re.compile(r"(?:on|am|le|el|il|op|em|den|pa|dne|dnia|w dniu)\s")
_WROTE = re.compile(
    r"\b(?:wrote|writes|schrieb|geschrieben|schreef|ecrit|ecrivait|escribio|scritto|scrisse"
    r"|escreveu|skrev|napisal|napsal|kirjoitti)\b|写道|さんは書きました"
)
_MOMENT = re.compile(r"\d[.:h]\d\d\b|\b\d{4}\b|\d[./-]\d")
_DASHES_AND_COLON = "-_=*> \t:"
_REPLIES = frozenset(
    """
original message, original mail, ursprungliche nachricht, originalnachricht, ursprungliche mail,
message d'origine, message original, message initial, mensaje original, messaggio originale,
oorspronkelijk bericht, oorspronkelijke bericht, mensagem original, originalmeddelande,
ursprungligt meddelande, oprindelig meddelelse, opprinnelig melding, wiadomosc oryginalna
""".replace("\n", " ")
    .strip()
    .split(", ")
)
_FORWARDS = frozenset(
    """
forwarded message, forwarded, forwarded mail, weitergeleitete nachricht, weitergeleitet,
weitergeleitete mail, message transfere, message reexpedie, mensaje reenviado, reenviado,
messaggio inoltrato, inoltrato, doorgestuurd bericht, doorgestuurd, mensagem encaminhada,
mensagem reencaminhada, encaminhada, vidarebefordrat meddelande, vidarebefordrat,
videresendt meddelelse, videresendt melding
""".replace("\n", " ")
    .strip()
    .split(", ")
)
_BEGINS = frozenset(
    """
begin forwarded message, anfang der weitergeleiteten nachricht, debut du message transfere,
debut du message reexpedie, inicio del mensaje reenviado, inicio messaggio inoltrato,
inizio messaggio inoltrato, inizio del messaggio inoltrato, begin doorgestuurd bericht,
inicio da mensagem encaminhada, inicio da mensagem reencaminhada,
borjan pa vidarebefordrat meddelande
""".replace("\n", " ")
    .strip()
    .split(", ")
)
_LABEL = re.compile(
    r"[ \t*]{0,6}(?:"
    r"(?P<sender>from|von|de|da|van|fran|fra|发件人|寄件者|差出人)"
    r"|(?P<sent>sent|date|gesendet|datum|envoye|enviado(?: el)?|enviada(?: em)?|inviato|data|fecha"
    r"|verzonden|skickat|sendt|发送时间|送信日時)"
    r"|(?P<to>to|an|a|para|aan|till|til|cc|bcc|kopia|kopie|收件人|宛先)"
    r"|(?P<subject>subject|betreff|objet|asunto|oggetto|onderwerp|assunto|amne|emne|主题|件名)"
    r"|(?P<other>reply-to|importance|attachments|anlagen|wichtigkeit)"
    r")[ \t]{0,3}\*?[:：]"
)
_FORWARDING = re.compile(
    r"(?:subject:\s{0,3})?(?:(?:re|aw|sv|antw|r|res|rif)\s?:\s{0,3}){0,5}"
    r"(?:fwd?|wg|tr|rv|i|doorst|enc|vb|vs)\s?:"
)

# With these a name may follow at once: "Gruß J. Schneider".
_CLOSINGS = """
regards|best regards|kind regards|warm regards|warmest regards|with kind regards|many regards
|best wishes|all the best|yours sincerely|yours faithfully|yours truly|sincerely|sincerely yours
|with love|lots of love|greetings
|mit freundlichen grussen|mit freundlichem gruss|freundliche grusse|mit besten grussen|beste grusse
|viele grusse|liebe grusse|herzliche grusse|schone grusse|lieben gruss|liebe grusse|gruss|grusse
|mfg|lg|vg|herzlichst|hochachtungsvoll|mit herzlichen grussen|viele liebe grusse
|cordialement|bien cordialement|tres cordialement|bien a vous|bien a toi|amicalement|bises|bisous
|salutations|meilleures salutations|salutations distinguees|sinceres salutations
|saludos|un saludo|saludos cordiales|un cordial saludo|atentamente|un abrazo|abrazos|besos
|cordiali saluti|distinti saluti|saluti|cari saluti|un saluto|un abbraccio|baci
|met vriendelijke groet|met vriendelijke groeten|vriendelijke groet|vriendelijke groeten|groet
|groeten|groetjes|hartelijke groet|hartelijke groeten|mvg
|atenciosamente|cumprimentos|com os melhores cumprimentos|melhores cumprimentos|um abraco|abracos
|beijos|cordialmente
|med vanlig halsning|med vanliga halsningar|vanliga halsningar|halsningar|mvh|basta halsningar
|hjartliga halsningar|kram|kramar|med venlig hilsen|venlig hilsen|med vennlig hilsen|hilsen
"""
# With these only behind a comma: "Thanks for the cake" is no closing.
_SOFT_CLOSINGS = """
thanks|many thanks|thank you|cheers|best|love|yours|take care|xx|xo|xoxo|danke|vielen dank
|besten dank|merci|merci beaucoup|gracias|muchas gracias|grazie|grazie mille|bedankt|dank je
|obrigado|obrigada|tack|tack sa mycket
"""


def _phrases(listed: str) -> frozenset[str]:
    return frozenset(listed.replace("\n", "").split("|"))


_FIRM, _SOFT = _phrases(_CLOSINGS), _phrases(_SOFT_CLOSINGS)
_LINKING = _phrases("from|aus|de|fran|and|und|&|et|y|e|och|og|x|xx|jun|sen|von|van|der|your")
_CONTACT = re.compile(
    r"(?:tel|telefon|telephone|phone|mobile?|mobil|handy|cell|fax|direct|office|e-?mail|web|skype"
    r"|t|m|p|f|w)[. ]{0,2}[:.+]|www\.|https?://|[+(]?\d[\d ()/+.-]{6,}"
)
_ABOUT_LETTERS = re.compile(r"[^\W\d_]")


@lru_cache(maxsize=1 << 10)
def folded(line: str) -> str:
    """Return a line without accents, capitals and white space around it; "" for a long one.

    Remembered, since each mark is looked for in every line of a mail.
    """
    return "" if len(line) > _LONGEST else plain(line).casefold().strip().replace("’", "'")


def is_quoted(line: str) -> bool:
    """Return whether a line is quoted with ">", or with initials before it."""
    return _QUOTED.match(line) is not None


def attribution(lines: Sequence[str], at: int) -> int:
    """Return how many lines from `at` on say who wrote what follows: "On … wrote:"; 0 if none.

    They need a date or a time, or a quoted line below them.
    """
    first = folded(lines[at])
    most = _MOST_WRAPPED if _OPENING.match(first) else 1
    if most == 1 and not first.endswith((":", "：")):
        return 0
    joined = ""
    for count in range(1, most + 1):
        if at + count > len(lines) or not (line := folded(lines[at + count - 1])):
            return 0
        joined = f"{joined} {line}"
        if len(joined) > _LONGEST:
            return 0
        if joined.endswith((":", "：")):
            return count if _is_attribution(joined, quoted=_quote_below(lines, at + count)) else 0
    return 0


def _is_attribution(line: str, *, quoted: bool) -> bool:
    wrote, dated = bool(_WROTE.search(line)), bool(_MOMENT.search(line))
    return (wrote or dated or "@" in line) if quoted else (wrote and dated)


def _quote_below(lines: Sequence[str], at: int) -> bool:
    return any(is_quoted(line) for line in _next_filled(lines, at))


def _next_filled(lines: Sequence[str], at: int) -> Sequence[str]:
    """Return the line at `at`, or the one behind it if that is empty."""
    return lines[at : at + 1] if at < len(lines) and lines[at].strip() else lines[at + 1 : at + 2]


def marker(lines: Sequence[str], at: int) -> Marker | None:
    """Return what a line opens that another wrote: "-- Original Message --", header fields."""
    line = folded(lines[at])
    bare = line.strip(_DASHES_AND_COLON)
    if bare in _BEGINS:
        return "forward"
    if line.startswith(("-", "_", "=", "*")):
        if bare in _FORWARDS:
            return "forward"
        if bare in _REPLIES:
            return "reply"
    return "reply" if ":" in line and _is_header(lines, at) else None


def _is_header(lines: Sequence[str], at: int) -> bool:
    """Return whether From, Subject, and Sent or To stand here, as Outlook writes them.

    A ticket with From, To and Date has no Subject.
    """
    opened = header_label(lines[at])
    if opened != "sender":
        return False
    found = {header_label(line) for line in lines[at + 1 : at + _MOST_LABELS]}
    return "subject" in found and bool(found & {"sent", "to"})


def header_label(line: str) -> str | None:
    """Return which header field a line of a quoted or forwarded mail shows, or None."""
    bare = folded(line)
    found = _LABEL.match(bare) if ":" in bare else None  # `plain` leaves one sort of colon
    return found.lastgroup if found else None


def is_rule(line: str) -> bool:
    """Return whether a line is drawn, as above a quoted mail."""
    return len(line.strip()) > 4 and not line.strip().strip("_-=*")


def is_forwarding(subject: str) -> bool:
    """Return whether a subject begins with "Fwd:", "WG:", "TR:" or the like."""
    return _FORWARDING.match(folded(subject)) is not None


def is_closing(line: str) -> bool:
    """Return whether a line is a closing formula, with or without a name behind it."""
    words = line.split()
    if not words or len(words) > _FEW_WORDS + 2:
        return False
    for count in range(min(len(words), 6), 0, -1):
        head = folded(" ".join(words[:count]))
        bare = head.rstrip(" ,.!:;-–")
        if bare in _FIRM or (bare in _SOFT and _may_follow(head, words[count:])):
            return _are_names(words[count:])
    return False


def _may_follow(head: str, rest: Sequence[str]) -> bool:
    """Return whether "Thanks" and the like close: alone, before a comma, or "from" somewhere."""
    return not rest or head.endswith(",") or rest[0] in {"from", "aus"}


def _are_names(words: Sequence[str]) -> bool:
    return len(words) <= _MOST_NAMES and all(
        word[0].isupper() or word.strip(".,").casefold() in _LINKING for word in words
    )


def is_signature_line(line: str, *, first: bool) -> bool:
    """Return whether a line below a closing may belong to it: a name, a firm, a phone number."""
    line = line.strip()
    bare = folded(line)
    if not bare or len(line) > 80 or bare.startswith(("ps", "p.s", "pd:", "nb")):
        return False
    if _CONTACT.match(bare) or ("@" in bare and len(line.split()) <= 3):
        return True
    words = line.split()
    if len(words) > (_MOST_NAMES if first else _FEW_WORDS) or line.endswith(("?", "!", ":")):
        return False
    if line.endswith(".") and len(words) > 3:
        return False
    letter = _ABOUT_LETTERS.search(line)
    return letter is None or letter[0].isupper() or not letter[0].islower() or len(words) == 1
