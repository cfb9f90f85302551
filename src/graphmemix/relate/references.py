"""Strong references in mails: order, booking, ticket, tracking, invoice and case numbers.

A reference is a label ("order", "Bestellnummer", "numéro de suivi", "订单号") and, behind at most a
few words such as "number" or "is", a value. The value holds a digit, or is five or more capitals
behind a word that announces a code. Dates, times, years, amounts and phone numbers are none. UPS
tracking numbers and Amazon's order numbers are known by their form, without a label.

Labels are known in English, German, French, Spanish, Italian, Dutch, Portuguese, Chinese and
Japanese. Every repetition in the patterns is bounded: the time is linear in the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from graphmemix.text.folding import letter_runs
from graphmemix.text.patterns import alternatives

if TYPE_CHECKING:
    from collections.abc import Iterator

_SELF_EVIDENT = 8  # characters; such a value means the same thing under any label

# Words that may stand alone, in languages that write "order number" in two words.
_WORDS: Final = {
    "order": "order purchase bestellung auftrag commande pedido ordine bestelling encomenda",
    "booking": (
        "booking reservation confirmation itinerary locator pnr buchung reservierung bestatigung "
        "reserva localizador confirmacion prenotazione conferma boeking reservering bevestiging "
        "confirmacao"
    ),
    "ticket": "ticket eticket fahrkarte billet billete boleto entrada biglietto bilhete",
    "tracking": (
        "tracking shipment parcel consignment waybill awb sendung paket suivi colis seguimiento "
        "envio guia tracciamento spedizione zending pakket rastreio rastreamento"
    ),
    "invoice": (
        "invoice receipt rechnung quittung beleg facture recu factura recibo fattura ricevuta "
        "factuur fatura"
    ),
    "case": (
        "case incident claim request vorgang fall aktenzeichen dossier sinistre caso incidencia "
        "expediente pratica zaak processo chamado protocolo"
    ),
}
# Stems that need "-nummer", "-nr." or "-code" behind them.
_STEMS: Final = {
    "order": "bestell auftrags auftrag bestel order",
    "booking": "buchungs reservierungs bestatigungs boekings reserverings bevestigings",
    "ticket": "ticket",
    "tracking": "sendungs sendungsverfolgungs paket tracking zending zendings pakket",
    "invoice": "rechnungs rechnung beleg factuur",
    "case": "vorgangs fall schaden schadens zaak dossier",
}
_CHARACTERS: Final = {
    "order": "订单 訂單 注文",
    "booking": "预订 預訂 预定 預定 予約 订座 确认 確認",
    "ticket": "票 客票 車票 车票 航空券 チケット",
    "tracking": "追跡 追踪 追蹤 运单 運單 快递 快遞 物流 伝票 お問い合わせ 送り状",
    "invoice": "发票 發票 請求書 领収書 領収書",
    "case": "工单 工單 案件 受付",
}
_CODE_WORDS = (
    "numbers number numero nummer num nos no nr n reference referencia riferimento referenz "
    "referentie ref id code codigo codice"
)
_OTHER_WORDS = "is est ist lautet es e le confirmation confirmed"


def _alternatives(words: str) -> str:
    """Return a pattern of these words, the longest first."""
    return alternatives("|".join(sorted(words.split(), key=len, reverse=True)))


def _by_word(table: dict[str, str]) -> dict[str, str]:
    return {word: kind for kind, listed in table.items() for word in listed.split()}


_WORD_KINDS, _STEM_KINDS = _by_word(_WORDS), _by_word(_STEMS)
_CHARACTER_KINDS = _by_word(_CHARACTERS)
_ALWAYS_CODES = ("pnr", "localizador", "aktenzeichen")

_BEHIND_STEMS = "nummer nr code kennung referenz referentie"
# Matched in lower case: without IGNORECASE, most alternatives fail at their first letter.
_LABEL = re.compile(
    rf"(?<![a-z])(?:(?P<stem>{_alternatives(' '.join(_STEMS.values()))})"
    rf"[-\s]?(?:{_alternatives(_BEHIND_STEMS)})(?![a-z])"
    rf"|(?P<word>{_alternatives(' '.join(_WORDS.values()))})(?![a-z]))"
    rf"|(?P<characters>{_alternatives(' '.join(_CHARACTERS.values()))})"
    r"(?:编号|編號|号码|號碼|单号|單號|番号|号|號)"
)
# The runs of letters with which labels begin: a stem alone, or joined to what stands behind it.
_OPENINGS: Final = {
    opening.encode(): opening
    for opening in (
        *_WORD_KINDS,
        *(f"{stem}{end}" for stem in _STEM_KINDS for end in ("", *_BEHIND_STEMS.split())),
    )
}
_FIRST_CHARACTER = re.compile(f"[{''.join(word[0] for word in _CHARACTER_KINDS)}]")
_LEAD = re.compile(  # numéro de commande, n° de votre dossier
    rf"(?<![A-Za-z])(?:{_alternatives(_CODE_WORDS)})[.º°]{{0,2}}\s{{0,2}}"
    r"(?:(?:de|d|di|del|della|du|do|da|la|of|the|your|votre|su|tu|seu|for)[\s'’]{1,2}){0,3}\Z",
    re.IGNORECASE,
)
_LOOK_BACK = 32  # characters
_VALUE = re.compile(
    rf"(?P<gap>(?:[\s:#№.º°()\[\]=*\"'«»“”–—-]"
    rf"|(?:{_alternatives(_CODE_WORDS + ' ' + _OTHER_WORDS)})(?![A-Za-z])){{0,16}}+)"
    r"(?P<value>[A-Za-z0-9](?:[A-Za-z0-9]|[-/_](?=[A-Za-z0-9])|(?<=[0-9])\.(?=[0-9])){3,39}+)"
    # No amount, no time, and not the beginning of a number in groups, such as a phone number.
    r"(?![A-Za-z0-9@%€$£¥]|[,:][0-9]|\s[0-9]{3}"
    r"|\s?(?:[€$£¥%]|(?:EUR|USD|GBP|CHF|JPY|CNY|RMB)\b))",
    re.IGNORECASE,
)
_CODE_WORD = re.compile(rf"[#№º°]|\b(?:{_alternatives(_CODE_WORDS)})\b", re.IGNORECASE)
# A set of characters first: then the engine passes over all others at once.
_BY_FORM = re.compile(
    r"[0-9](?<![A-Za-z0-9-][0-9])(?:(?<=1)Z[0-9A-Z]{16}|[0-9]{2}-[0-9]{7}-[0-9]{7})"
    r"(?![A-Za-z0-9-])"
)
_IN_AMAZON_FORM = re.compile("-[0-9]{7}-")

_NOT_A_CODE = re.compile(
    r"(?:19|20)[0-9]{2}(?:[-/.][0-9]{1,2})?"  # a year, a month
    r"|[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}"  # a date
    r"|(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"  # a date, packed
    r"|[0-9]+(?:\.[0-9]{3})*[.,][0-9]{2}|[0-9]{1,3}(?:\.[0-9]{3})+"  # an amount
    r"|(?:1-)?[0-9]{3}[-/.][0-9]{3}[-/.][0-9]{4}"  # a phone number, American
    r"|0[0-9]{2,4}[-/][0-9]{3,}(?:-[0-9]+)?|00[0-9]{2}-[0-9-]+"  # and European
    r"|[0-9]+(?:ST|ND|RD|TH|H|AM|PM|X|KG|GB|MB|KM|ML|PCS|DAYS?)",  # how many, how much
)
_NO_CODES = """
    CANCELED CANCELLED CONFIRMATION CONFIRMED DETAILS EMAIL INCLUDED INFORMATION NUMBER ONLINE ORDER
    PENDING PLACED PLEASE RECEIVED REFERENCE SHIPPED STATUS SUMMARY TICKET TODAY TOTAL UNKNOWN
    UPDATE UPDATED
"""
_PLAIN_WORDS = frozenset(_NO_CODES.split())


def references_in(text: str, most: int | None = None) -> tuple[str, ...]:
    """Return the distinct references in a text that `plain` made, in order of appearance.

    Equal strings mean the same thing: ``order:12345``, or ``any:`` and a value that is long enough
    to be the same thing whatever it is called. Values are in capitals, without punctuation.
    """
    found = []
    if "1Z" in text or _IN_AMAZON_FORM.search(text):
        by_form = _BY_FORM.finditer(text)
        found = [(match.start(), f"any:{_canonical(match[0])}") for match in by_form]
    for label in _labels(text.lower()):
        match = _VALUE.match(text, label.end())
        if match and _is_code(match["value"], match["gap"], announced=_announces(label, text)):
            value = _canonical(match["value"])
            kind = "any" if len(value) >= _SELF_EVIDENT else _kind(label)
            found.append((match.start("value"), f"{kind}:{value}"))
    return tuple(dict.fromkeys(reference for _, reference in sorted(found)))[:most]


def _announces(label: re.Match[str], text: str) -> bool:
    """Return whether a label says that a code follows."""
    word = label["word"]
    if word is None or word in _ALWAYS_CODES:
        return True
    return bool(_LEAD.search(text[max(0, label.start() - _LOOK_BACK) : label.start()]))


def _kind(label: re.Match[str]) -> str:
    if word := label["word"]:
        return _WORD_KINDS[word]
    return _STEM_KINDS.get(label["stem"]) or _CHARACTER_KINDS[label["characters"]]


def _labels(lowered: str) -> Iterator[re.Match[str]]:
    """Yield where labels stand, in order; only where one may begin is looked at."""
    openings = _OPENINGS.keys() & letter_runs(lowered)
    starts = [start for word in openings for start in _places(_OPENINGS[word], lowered)]
    if not lowered.isascii():
        starts += (match.start() for match in _FIRST_CHARACTER.finditer(lowered))
    end = 0
    for start in sorted(starts):
        if start >= end and (match := _LABEL.match(lowered, start)):
            yield match
            end = match.end()


def _places(word: str, lowered: str) -> Iterator[int]:
    start = lowered.find(word)
    while start >= 0:
        yield start
        start = lowered.find(word, start + 1)


def _canonical(value: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", value.upper())


def _is_code(value: str, gap: str, *, announced: bool) -> bool:
    """Return whether a value is a code rather than an ordinary word or number."""
    if _NOT_A_CODE.fullmatch(value.upper()):
        return False
    announced = announced or bool(_CODE_WORD.search(gap))
    digits = sum(map(str.isdigit, value))
    if digits == 0:
        capitals = value.isalpha() and value.isupper() and len(value) >= 5
        return announced and capitals and value not in _PLAIN_WORDS
    if announced:
        return digits >= 2 or value.isupper()
    # "Your order 302-1234567 has left", but not "order 5000 flyers" or "order the mp3-player".
    in_capitals = value.upper() == value
    mixed = in_capitals and any(map(str.isalpha, value)) and len(value) >= 5
    return in_capitals and digits >= 2 and (digits >= 6 or mixed or ":" in gap)
