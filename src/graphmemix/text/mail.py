"""Mail: its own words, apart from what it quotes, its signature and its footers; bulk mail.

A mail is read line by line, and every line belongs to exactly one part. In doubt it is own.

Own words between quotes stay own, in their order. A forwarded mail is what its sender wants to
show: if the sender wrote few other words, what was forwarded is own as well, with its header
fields; below a longer letter it counts as quoted. The same holds for a mail that consists of
nothing but another one.

Bulk mail was written for many: newsletters, offers, digests. A mail is bulk if its signs add up to
`_ENOUGH`, and it is neither an answer nor about a transaction of its reader. Shops send orders and
tickets with the header fields, senders and footers of newsletters, so that a number of an order
counts more than all of them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import dropwhile, groupby
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from graphmemix.text import mail_marks as marks
from graphmemix.text.folding import plain

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["MailParts", "forwarded_text", "has_bulk_headers", "is_bulk", "mail_parts"]

_Part: TypeAlias = Literal["own", "quoted", "signature", "boilerplate"]

_FEW_WORDS: Final = 40  # beside a forwarded mail
_REMEMBERED: Final = 10_000  # characters; longer texts would fill the memory of the process
_LONGEST_SIGNATURE: Final = 12  # lines behind "--" that are not empty
_LONGEST_CLOSING: Final = 8  # lines below "Best regards"
_CHARACTERS: Final = 8  # about as many make a word, where no spaces do


_FOOTERS: Final = (marks.is_sent_from, marks.is_unsubscribing, marks.offers_browser)


class MailParts(NamedTuple):
    """The parts of a mail; together they hold all its lines.

    Attributes:
        own: The subject, and what the sender wrote or forwarded.
        quoted: What others wrote before, with the lines that say so.
        signature: Closing formula, name, firm and numbers.
        boilerplate: Notices, devices, links to unsubscribe.
    """

    own: str
    quoted: str
    signature: str
    boilerplate: str


class _Section(NamedTuple):
    """Lines of one mail within a mail: from a marker until before the next one."""

    start: int
    end: int
    kind: marks.Marker | None  # None: the mail itself


def mail_parts(text: str) -> MailParts:
    """Return the parts of a mail's plain text: a subject, an empty line, a body.

    Never raises; takes time in proportion to the text. Short ones are remembered, since a question
    looks at the same mails several times.
    """
    return _remembered_parts(text) if len(text) <= _REMEMBERED else _parts_of(text)


@lru_cache(maxsize=1 << 12)
def _remembered_parts(text: str) -> MailParts:
    return _parts_of(text)


def _parts_of(text: str) -> MailParts:
    lines = text.split("\n")
    parts: list[_Part] = ["own"] * len(lines)
    body = 1 if len(lines) > 1 and not lines[1].strip() and not marks.is_quoted(lines[0]) else 0
    forwards = body == 1 and marks.is_forwarding(lines[0])
    first, *others = _sections(lines, body)
    _mark_quotes(lines, parts, first)
    words = _own_words(lines, parts, first)
    if not others and words <= _FEW_WORDS and (forwards or not words):
        _give_back(parts, first)
    shown = [first]
    for section in others:
        is_forward = section.kind == "forward" or not words or (forwards and section is others[0])
        if words > _FEW_WORDS or not is_forward:
            break
        shown.append(section)
        words += _show(lines, parts, section)
    for section in shown:
        _mark_ends(lines, parts, section)
    quoted_from = shown[-1].end
    parts[quoted_from:] = ["quoted"] * (len(lines) - quoted_from)
    return _collected(lines, parts)


def forwarded_text(text: str) -> str:
    """Return the text of the mail that a mail forwards, without its header; empty if it does not.

    Never raises; takes time in proportion to the text. Short ones are remembered, since several
    relations look at the same mail.
    """
    return _remembered_forward(text) if len(text) <= _REMEMBERED else _forward_of(text)


@lru_cache(maxsize=1 << 10)
def _remembered_forward(text: str) -> str:
    return _forward_of(text)


def _forward_of(text: str) -> str:
    lines = text.split("\n")
    body = 1 if len(lines) > 1 and not lines[1].strip() and not marks.is_quoted(lines[0]) else 0
    forwards = body == 1 and marks.is_forwarding(lines[0])
    for section in _sections(lines, body)[1:]:
        if section.kind == "forward" or forwards:
            rest = range(section.start, section.end)
            content = dropwhile(lambda i: _is_head(lines, i), rest)
            return "\n".join(lines[i].lstrip("> ") for i in content)
    return ""


def _is_head(lines: list[str], at: int) -> bool:
    """Return whether a line stands before the text of a quoted or forwarded mail."""
    line = lines[at]
    return (
        not line.strip("> \t")
        or marks.is_rule(line)
        or marks.header_label(line.lstrip("> ")) is not None
        or marks.marker(lines, at) is not None
    )


def _sections(lines: list[str], body: int) -> list[_Section]:
    """Return the mail itself and the mails below it, in order."""
    starts: list[tuple[int, marks.Marker | None]] = [(body, None)]
    has_content = True  # header fields right below a marker belong to it
    for i in range(body, len(lines)):
        kind = marks.marker(lines, i)
        if kind is None and marks.attribution(lines, i) and not _marked_below(lines, i):
            kind = "reply"
        if kind is not None and has_content:
            start = i - 1 if i > body + 1 and marks.is_rule(lines[i - 1]) else i
            starts.append((start, kind))
            has_content = False
        elif kind is None and lines[i].strip() and marks.header_label(lines[i]) is None:
            has_content = True
    ends = [start for start, _ in starts[1:]] + [len(lines)]
    return [_Section(at, end, kind) for (at, kind), end in zip(starts, ends, strict=True)]


def _marked_below(lines: list[str], at: int) -> bool:
    """Return whether the first line below an attribution is marked as quoted."""
    behind = at + marks.attribution(lines, at)
    for line in lines[behind : behind + 2]:
        if line.strip():
            return marks.is_quoted(line)
    return behind >= len(lines)


def _mark_quotes(lines: list[str], parts: list[_Part], section: _Section) -> None:
    i = section.start
    while i < section.end:
        count = 1 if marks.is_quoted(lines[i]) else marks.attribution(lines, i)
        for j in range(i, min(i + count, section.end)):
            parts[j] = "quoted"
        i += max(1, count)


def _give_back(parts: list[_Part], section: _Section) -> None:
    parts[section.start : section.end] = ["own"] * (section.end - section.start)


def _show(lines: list[str], parts: list[_Part], section: _Section) -> int:
    """Let a forwarded mail be own words, without what it quotes; return how many words it has."""
    _mark_quotes(lines, parts, section)
    words = _own_words(lines, parts, section)
    if not words:
        _give_back(parts, section)
    return words


def _own_words(lines: list[str], parts: list[_Part], section: _Section) -> int:
    """Return how many words a section has beside quotes, header fields and marks."""
    count = 0
    for i in range(section.start, section.end):
        line = lines[i]
        is_head = section.kind is not None and (
            marks.header_label(line) is not None or marks.marker(lines, i) is not None
        )
        if parts[i] == "own" and not is_head and not marks.is_sent_from(line):
            count += max(len(line.split()), len(line.strip()) // _CHARACTERS // 2)
    return count


def _mark_ends(lines: list[str], parts: list[_Part], section: _Section) -> None:
    """Mark footers, and signatures unless nothing else would be left."""
    runs = [
        (group[0], group[-1] + 1)
        for part, members in groupby(range(section.start, section.end), parts.__getitem__)
        if part == "own" and (group := list(members))
    ]
    for start, end in runs:
        _mark_footers(lines, parts, start, end)
    signatures = [i for start, end in runs for i in _signature(lines, parts, start, end)]
    rest = {i for start, end in runs for i in range(start, end) if parts[i] == "own"}
    if any(lines[i].strip() for i in rest.difference(signatures)):
        for i in signatures:
            parts[i] = "signature"


def _mark_footers(lines: list[str], parts: list[_Part], start: int, end: int) -> None:
    for filled, members in groupby(range(start, end), lambda i: bool(lines[i].strip())):
        if not filled:
            continue
        paragraph = list(members)
        whole = "\n".join(lines[i] for i in paragraph)
        if marks.says_why(whole):
            found = paragraph
        elif marks.is_notice(whole):
            found = list(dropwhile(lambda i: not marks.may_open_notice(lines[i]), paragraph))
        else:
            found = [i for i in paragraph if _is_footer(lines[i])]
        for i in found:
            parts[i] = "boilerplate"


def _is_footer(line: str) -> bool:
    return any(is_one(line) for is_one in _FOOTERS)


def _signature(lines: list[str], parts: list[_Part], start: int, end: int) -> list[int]:
    """Return the lines of a run that sign it: from "--" on, or from the last closing formula."""
    filled = [i for i in range(start, end) if lines[i].strip() and parts[i] == "own"]
    tail = filled[-_LONGEST_SIGNATURE - 1 :]
    for i in tail:
        if lines[i].rstrip() == "--":
            return [j for j in range(i, end) if parts[j] == "own"]
    closing = next((i for i in reversed(tail) if marks.is_closing(lines[i])), None)
    if closing is None:
        return []
    found = [closing]
    for i in filled[filled.index(closing) + 1 :]:
        first = len(found) == 1
        if len(found) > _LONGEST_CLOSING or not marks.is_signature_line(lines[i], first=first):
            break
        found.append(i)
    return found


def _collected(lines: list[str], parts: list[_Part]) -> MailParts:
    made: dict[_Part, list[str]] = {"own": [], "quoted": [], "signature": [], "boilerplate": []}
    before: _Part = "own"
    for line, part in zip(lines, parts, strict=True):
        before = part if line.strip() else before  # an empty line goes with the one above it
        made[before].append(line)
    joined = {part: "\n".join(found).strip() for part, found in made.items()}
    return MailParts(joined["own"], joined["quoted"], joined["signature"], joined["boilerplate"])


_ENOUGH: Final = 2
_MANY_LINKS: Final = 5
_LONGEST_READ: Final = 20_000  # characters that are looked at; the offer comes first
_FOOT: Final = 4_000  # characters at the end of a text, where footers are
_MASS = frozenset({"bulk", "junk"})
_ANSWER = re.compile(
    r"\s{0,3}(?:subject:\s{0,3})?(?:re|aw|sv|antw|res|rif|fwd?|wg|tr|rv|vb)\s?:", re.IGNORECASE
)
_SENDER = re.compile(
    r"(?:^|[._+-])(?:(?P<offers>newsletters?|deals?|offers?|offres?|ofertas?|offerte|angebote"
    r"|erbjudanden|aanbiedingen|promo(?:tion)?s?|marketing|campaigns?|digest|weekly|daily"
    r"|nyhetsbrev|nieuwsbrief|infolettre|boletin|mailings?|werbung)"
    r"|(?P<news>news|updates?|letter|redaktion|redaction|nyheter|notizie|alerts?|list|survey"
    r"|umfrage|sondage))(?:[._+-]|[0-9]{0,4}$)"
)
_NEWS_NAME = re.compile(
    r"\b(?:newsletter|weekly|daily|digest|deals|offers|promotions|news|nyhetsbrev|nieuwsbrief"
    r"|infolettre|boletin|la lettre|magazine|insider|alerts?)\b"
)
_OFFER = re.compile(
    r"(?P<percent>\b\d{1,2} ?(?:%|percent|prozent|procent|pour cent) (?:off|discount|rabatt|korting"
    r"|de (?:remise|reduction|descuento|desconto)|di sconto|auf)|[-–−]\d{1,2} ?%"
    r"|\bup to \d{1,2} ?%|\bbis zu \d{1,2} ?%|\bjusqu'a -?\d{1,2} ?%|\bupp till \d{1,2} ?%)"
    r"|(?P<price>\b(?:from|ab|a partir de|des|desde|a partire da|vanaf|fran) (?:only |nur )?"
    r"(?:(?:[$€£]|usd|eur|gbp|chf|kes|kr|rs) ?\d|\d[\d.,]{0,9} ?(?:€|eur|kr|chf|usd|\$|£)))"
    r"|(?P<sale>\b(?:sale|sales|discounts?|deals?|coupons?|promo codes?|rabatte?"
    r"|gutscheine?|schnappchen|soldes|remises?|bons? plans?|ofertas?|descuentos?"
    r"|rebajas|offerte|sconti|sconto|saldi|aanbieding(?:en)?|korting|kortingscode|promocoes"
    r"|descontos?|erbjudanden?|rabattkod|black friday|cyber monday)\b)"
    r"|(?P<haste>\b(?:only today|today only|last chance|limited time|seats are limited"
    r"|while stocks? lasts?|ends (?:tonight|sunday|soon)|book (?:now|by)|order now|shop now|buy now"
    r"|pre-?order now|hurry|don't miss|nur heute|jetzt (?:buchen|bestellen|sichern|bis)"
    r"|letzte chance|dernier(?:e|s)? (?:jours?|chance)|profitez|reservez vite|solo hoy"
    r"|ultima oportunidad|aprovecha|solo oggi|ultimi giorni|approfitta|alleen vandaag|nu bestellen"
    r"|so hoje|aproveite|bara idag|sista chansen|passa pa|boka nu|kop nu)\b)"
    r"|(?P<free>\b(?:free (?:shipping|delivery|trial|plan|guide)|gratis versand|versandkostenfrei"
    r"|livraison (?:offerte|gratuite)|envio gratis|spedizione gratuita|gratis verzending|fri frakt"
    r"|frete gratis)\b)"
    r"|(?P<issue>\b(?:in this issue|this week|in dieser ausgabe|diese woche|dans ce numero"
    r"|cette semaine|en este numero|esta semana|in questo numero|in dit nummer|i detta nummer)\s?:)"
    r"|(?P<praise>\b(?:hand-?picked|best[- ]?sellers?|must-have|new collection|neue kollektion"
    r"|nouvelle collection|nueva coleccion|recommended for you|fur (?:sie|dich) ausgewahlt"
    r"|upgrade to)\b)"
)
_RECORD = re.compile(
    r"\b(?:order|booking|reservation|invoice|receipt|ticket|claim|case|tracking|shipment|parcel"
    r"|delivery|reference|ref|policy|contract|pnr|refund|return|appointment|bill|meter|itinerary"
    r"|bestellung|bestellnummer|buchung|buchungsnummer|reservierung|rechnung|rechnungsnummer|beleg"
    r"|sendung|sendungsnummer|paket|vorgang|schaden|vertrag|auftrag|termin|erstattung|zahler"
    r"|commande|facture|billet|colis|suivi|dossier|sinistre|contrat|remboursement|rendez-vous"
    r"|pedido|reserva|factura|billete|envio|paquete|expediente|cita|reembolso"
    r"|ordine|prenotazione|fattura|biglietto|spedizione|pacco|pratica|rimborso|appuntamento"
    r"|bestelling|boeking|factuur|zending|pakket|afspraak|encomenda|fatura|bilhete|consulta"
    r"|bestallning|ordernummer|bokning|faktura|kvitto|biljett|forsandelse|arende|skada"
    r"|bokningsnummer)"
    r"[ \t]{0,2}(?:(?:no|nr|number|nummer|numero|num|n|id|code|confirmation|reference)\b)?"
    r"[.°º:# \t-]{0,4}"
    r"(?P<number>(?=[a-z/-]{0,8}\d)[a-z0-9]{1,8}(?:[-/][a-z0-9]{1,8}){0,4}(?![a-z0-9]))"
)
_SHORTEST_NUMBER: Final = 4  # characters: "booking 2 rooms" names none
_LINK = re.compile(r"https?://")


def is_bulk(text: str, headers: Mapping[str, object]) -> bool:
    """Return whether a mail was written for many.

    Never raises; takes time in proportion to the text, of which only some is looked at.

    Args:
        text: As importers store it, subject first.
        headers: What is known of its header: `Memory.metadata` of a mail (``from``, ``list``,
            ``labels``, ``bulk``), or header fields themselves. Names are compared without case.
    """
    known = {name.casefold(): value for name, value in headers.items()}
    if _ANSWER.match(text) or _ANSWER.match(_text(known.get("subject"))):
        return False
    bare = plain(text[:_LONGEST_READ]).casefold().replace("’", "'")
    if _is_record(bare):
        return False
    signs = _header_signs(known) + _sender_signs(_text(known.get("from")))
    return signs + _form_signs(text, bare) >= _ENOUGH


def has_bulk_headers(headers: Mapping[str, object]) -> bool:
    """Return whether header fields say that a mail went to many: List-Unsubscribe, Precedence."""
    known = {name.casefold(): value for name, value in headers.items()}
    precedence = _text(known.get("precedence")).strip().casefold()
    return bool(_text(known.get("list-unsubscribe")).strip()) or precedence in _MASS


def _is_record(bare: str) -> bool:
    """Return whether a text names an order, a booking or the like by its number."""
    return any(len(found["number"]) >= _SHORTEST_NUMBER for found in _RECORD.finditer(bare))


def _header_signs(known: Mapping[str, object]) -> int:
    if known.get("bulk") is True or has_bulk_headers(known):
        return _ENOUGH
    labels = known.get("labels")
    named = labels if isinstance(labels, (list, tuple)) else [labels]
    if any("promotion" in _text(each).casefold() or _text(each) == "Spam" for each in named):
        return _ENOUGH
    return int(bool(known.get("list") or known.get("list-id")))


def _sender_signs(sender: str) -> int:
    shown, _, address = plain(sender).casefold().rpartition("<")
    found = _SENDER.search(address.partition("@")[0].strip(' "'))
    if found is not None and found["offers"]:
        return _ENOUGH
    return (found is not None) + bool(_NEWS_NAME.search(shown))


def _form_signs(text: str, bare: str) -> int:
    foot = text[-_FOOT:].split("\n")
    if marks.ends_with_unsubscribing(text) or any(map(marks.is_unsubscribing, foot)):
        return _ENOUGH
    if any(map(marks.offers_browser, (*text[:_FOOT].split("\n"), *foot))):
        return _ENOUGH
    offers = len({found.lastgroup for found in _OFFER.finditer(bare)})
    many_links = sum(1 for _ in _LINK.finditer(bare)) >= _MANY_LINKS
    return offers + (many_links and offers > 0) + any(map(marks.says_why, foot))


def _text(value: object) -> str:
    return value[:1000] if isinstance(value, str) else ""
