"""Mail that was written for many: newsletters, offers, digests.

A mail is bulk if its signs add up to `_ENOUGH`, and it is neither an answer nor about a transaction
of its reader. Shops send orders and tickets with the header fields, senders and footers of
newsletters, so that a number of an order counts more than all of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from graphmemix.text import mail_footers as footers
from graphmemix.text.folding import plain
from graphmemix.text.patterns import alternatives

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["has_bulk_headers", "is_bulk"]

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
# What offers are called, and how they press.
_SALES: Final = r"""
sale|sales|discounts?|deals?|coupons?|promo codes?|rabatte?|gutscheine?|schnappchen|soldes
|remises?|bons? plans?|ofertas?|descuentos?|rebajas|offerte|sconti|sconto|saldi|aanbieding(?:en)?
|korting|kortingscode|promocoes|descontos?|erbjudanden?|rabattkod|black friday|cyber monday
"""
_HASTE: Final = r"""
only today|today only|last chance|limited time|seats are limited|while stocks? lasts?
|ends (?:tonight|sunday|soon)|book (?:now|by)|order now|shop now|buy now|pre-?order now|hurry
|don't miss|nur heute|jetzt (?:buchen|bestellen|sichern|bis)|letzte chance
|dernier(?:e|s)? (?:jours?|chance)|profitez|reservez vite|solo hoy|ultima oportunidad|aprovecha
|solo oggi|ultimi giorni|approfitta|alleen vandaag|nu bestellen|so hoje|aproveite|bara idag
|sista chansen|passa pa|boka nu|kop nu
"""
_FREE: Final = r"""
free (?:shipping|delivery|trial|plan|guide)|gratis versand|versandkostenfrei
|livraison (?:offerte|gratuite)|envio gratis|spedizione gratuita|gratis verzending|fri frakt
|frete gratis
"""
_ISSUES: Final = r"""
in this issue|this week|in dieser ausgabe|diese woche|dans ce numero|cette semaine|en este numero
|esta semana|in questo numero|in dit nummer|i detta nummer
"""
_PRAISE: Final = r"""
hand-?picked|best[- ]?sellers?|must-have|new collection|neue kollektion|nouvelle collection
|nueva coleccion|recommended for you|fur (?:sie|dich) ausgewahlt|upgrade to
"""
# Most characters are passed over by what comes first: the insides of words.
_OFFER = re.compile(
    r"(?:\b(?=[\da-z])|(?=[-–−]\d))(?:"
    r"(?P<percent>\b\d{1,2} ?(?:%|percent|prozent|procent|pour cent) (?:off|discount|rabatt|korting"
    r"|de (?:remise|reduction|descuento|desconto)|di sconto|auf)|[-–−]\d{1,2} ?%"
    r"|\bup to \d{1,2} ?%|\bbis zu \d{1,2} ?%|\bjusqu'a -?\d{1,2} ?%|\bupp till \d{1,2} ?%)"
    r"|(?P<price>\b(?:from|ab|a partir de|des|desde|a partire da|vanaf|fran) (?:only |nur )?"
    r"(?:(?:[$€£]|usd|eur|gbp|chf|kes|kr|rs) ?\d|\d[\d.,]{0,9} ?(?:€|eur|kr|chf|usd|\$|£)))"
    rf"|(?P<sale>\b(?:{alternatives(_SALES)})\b)"
    rf"|(?P<haste>\b(?:{alternatives(_HASTE)})\b)"
    rf"|(?P<free>\b(?:{alternatives(_FREE)})\b)"
    rf"|(?P<issue>\b(?:{alternatives(_ISSUES)})\s?:)"
    rf"|(?P<praise>\b(?:{alternatives(_PRAISE)})\b))"
)
_RECORDS: Final = """
order|booking|reservation|invoice|receipt|ticket|claim|case|tracking|shipment|parcel|delivery
|reference|ref|policy|contract|pnr|refund|return|appointment|bill|meter|itinerary|bestellung
|bestellnummer|buchung|buchungsnummer|reservierung|rechnung|rechnungsnummer|beleg|sendung
|sendungsnummer|paket|vorgang|schaden|vertrag|auftrag|termin|erstattung|zahler|commande|facture
|billet|colis|suivi|dossier|sinistre|contrat|remboursement|rendez-vous|pedido|reserva|factura
|billete|envio|paquete|expediente|cita|reembolso|ordine|prenotazione|fattura|biglietto|spedizione
|pacco|pratica|rimborso|appuntamento|bestelling|boeking|factuur|zending|pakket|afspraak|encomenda
|fatura|bilhete|consulta|bestallning|ordernummer|bokning|faktura|kvitto|biljett|forsandelse|arende
|skada|bokningsnummer
"""
_RECORD = re.compile(
    rf"\b(?:{alternatives(_RECORDS)})"
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
    if footers.ends_with_unsubscribing(text) or any(map(footers.is_unsubscribing, foot)):
        return _ENOUGH
    if any(map(footers.offers_browser, (*text[:_FOOT].split("\n"), *foot))):
        return _ENOUGH
    offers = len({found.lastgroup for found in _OFFER.finditer(bare)})
    many_links = sum(1 for _ in _LINK.finditer(bare)) >= _MANY_LINKS
    return offers + (many_links and offers > 0) + any(map(footers.says_why, foot))


def _text(value: object) -> str:
    return value[:1000] if isinstance(value, str) else ""
