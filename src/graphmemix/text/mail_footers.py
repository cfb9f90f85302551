"""Words that nobody wrote for the reader of a mail: notices, adverts of devices, links to leave.

All functions look at one line or one paragraph, without accents and capitals, and only at short
ones.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from graphmemix.text.folding import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST_NOTICE: Final = 4_000  # characters of a paragraph; a notice is shorter
_LONGEST_LINE: Final = 160
_SENT_FROM = re.compile(
    r"(?:sent|gesendet|envoye|enviado|enviada|inviato|verzonden|skickat|sendt|von meinem"
    r"|von unterwegs|diese nachricht wurde)\b.{0,40}\b"
    r"(?:iphone|ipad|android|samsung|galaxy|huawei|xiaomi|pixel|blackberry|smartphone|mobile?"
    r"|handy|telefon|telefono|telefoon|phone|tablet|outlook|gmx|web\.de|yahoo|proton ?mail|windows"
    r"|mail app|gmail)\b|get outlook for |outlook fur |obtenir outlook|telecharger outlook"
    r"|holen sie sich outlook|skaffa outlook|scarica outlook|obtener outlook"
)
_LINKS = re.compile(r"[|·•●/–—\n]|\s-\s")
_SENTENCE_END = re.compile(r"[.!…]\s")
_URL = re.compile(r"[<(\[]?https?://[^\s<>]*[>)\]]?")
_LEAVE = re.compile(
    r"(?:(?:click (?:here )?|tap )?to )?(?:unsubscribe|opt[ -]?out|manage (?:your )?"
    r"(?:preferences|subscriptions?)|email preferences|update (?:your )?preferences)"
    r"|(?:hier |jetzt |vom )?(?:(?:newsletter )?abmelden|abbestellen|abmeldung|austragen)"
    r"|se desabonner|se desinscrire|desabonnement|desinscription|me desabonner|desinscrivez-vous"
    r"|darse de baja|cancelar (?:la )?suscripcion|anular (?:la )?suscripcion|baja"
    r"|cancella(?:ti|re)? (?:la )?(?:iscrizione|l'iscrizione)|disiscriviti|annulla iscrizione"
    r"|annulla l'iscrizione|uitschrijven|afmelden|meld je af"
    r"|cancelar (?:a )?(?:subscricao|inscricao|assinatura)|descadastrar|remover inscricao"
    r"|avregistrera(?: dig)?|avsluta prenumeration(?:en)?|avprenumerera|avanmal dig|afmeld|avmeld"
)
_AFTER_LEAVE = re.compile(
    r"(?:\s{1,3}(?:here|below|now|from this list|from these emails|from this newsletter|at any time"
    r"|hier|jetzt|ici|aqui|qui|har)){0,2}\s{0,2}[.:!]?"
)
_VIEW = re.compile(
    r"(?:view|read|open|see)(?: this| the)?(?: e-?mail| message| newsletter)?"
    r"(?: it)? (?:in|on)(?: your| a| the)? (?:web )?browser|view online"
    r"|view (?:as|the) web (?:page|version)"
    r"|(?:im|in ihrem|in deinem) browser (?:ansehen|anzeigen|offnen|lesen)|online-?version"
    r"|(?:voir|lire|afficher|ouvrir)(?: cet e-?mail| ce message)? (?:dans (?:votre|le) navigateur"
    r"|en ligne)|version en ligne|ver (?:este (?:correo|e-?mail) )?en (?:el|tu|su) navegador"
    r"|visualizza (?:questa e-?mail )?nel (?:tuo )?browser"
    r"|bekijk (?:deze e-?mail )?in (?:je |uw )?browser|bekijk online"
    r"|ver (?:este e-?mail )?no (?:seu )?navegador"
    r"|(?:visa|las|oppna)(?: mejlet)? i (?:din )?webblasare|las online"
)
_WHY = re.compile(
    r"you (?:are|have been|were) (?:receiving|sent|received) this|you receive this because"
    r"|you received this (?:e-?mail|message|newsletter)|you got this (?:e-?mail|message) because"
    r"|this (?:e-?mail|message|newsletter) was sent to"
    r"|sie erhalten diese|du erhaltst diese|vous recevez ce|recibe(?:s)? este (?:correo|mensaje)"
    r"|ricevi questa|je ontvangt deze|u ontvangt deze|voce recebeu este|recebe este"
    r"|du far det har|detta (?:utskick|nyhetsbrev)"
)
# Each pattern above and `_TREES` needs one of these, which are found many times faster.
LEAVE_WORDS: Final = (
    "scri", "meld", "opt", "preferences", "abbestell", "austragen", "desabonn", "baja",
    "uitschrijven", "assinatura", "descadastrar", "avregistrera", "prenum", "avanmal",
)  # fmt: skip
VIEW_WORDS: Final = ("browser", "online", "web", "navigateur", "ligne", "navegador")
TREE_WORDS: Final = ("environment", "umwelt", "ausgedruckt", "environnement", "vir", "avast")
_SECRET = re.compile(
    r"confidential|privileged|vertraulich|confidentiel|confidencial|riservat|vertrouwelijk"
    r"|konfidentiell|sekretess"
)
_ADDRESSEE = re.compile(
    r"intended (?:recipient|solely|only|for)|not the (?:named )?(?:addressee|recipient)"
    r"|named addressee|richtige adressat|nicht der (?:richtige|beabsichtigte)|irrtumlich"
    r"|destinataire|destinatario|destinatari[oa]? |geadresseerde|bestemd voor|destinat"
    r"|avsedd (?:for|endast)|adressat|mottagare"
)
_TREES = re.compile(
    r"(?:please )?(?:consider|think of) the environment before printing|denken sie an die umwelt"
    r"|bitte prufen sie.{0,40}ausgedruckt|pensez a l'environnement|virus-free|scanned for viruses"
    r"|virenfrei|avast\.com"
)


def is_unsubscribing(paragraph: str) -> bool:
    """Return whether a paragraph offers to leave a list: a link of its own, or a whole footer."""
    bare = _folded_notice(paragraph)
    if not bare or "?" in paragraph[-2:]:
        return False
    if _WHY.search(bare) and _LEAVE.search(bare):
        return True
    # A line of links is made of short pieces; in a sentence somebody may speak of leaving.
    return _has_any(bare, LEAVE_WORDS) and any(
        _is_leaving(piece) for piece in _LINKS.split(_URL.sub(" ", bare))
    )


def ends_with_unsubscribing(text: str) -> bool:
    """Return whether the last words of a text, after a sentence, offer to leave a list."""
    return any(
        _is_leaving(piece)
        for piece in _SENTENCE_END.split(_folded_notice(text[-_LONGEST_LINE:]))[1:]
    )


def says_why(paragraph: str) -> bool:
    """Return whether a paragraph begins with why the reader gets such mails."""
    return _WHY.match(_folded_notice(paragraph)) is not None


def offers_browser(paragraph: str) -> bool:
    """Return whether a line offers to show the mail in a browser."""
    bare = _folded_notice(paragraph)
    return (
        0 < len(bare) <= _LONGEST_LINE
        and _has_any(bare, VIEW_WORDS)
        and _VIEW.search(bare) is not None
    )


def is_sent_from(line: str) -> bool:
    """Return whether a line says with which device or program a mail was written."""
    bare = _folded_notice(line)
    return 0 < len(bare) <= _LONGEST_LINE and _SENT_FROM.match(bare) is not None


def is_notice(paragraph: str) -> bool:
    """Return whether a paragraph is about secrecy, printing or viruses, or holds a notice."""
    bare = _folded_notice(paragraph)
    if _SECRET.search(bare) and _ADDRESSEE.search(bare):
        return True
    return len(bare) <= _LONGEST_LINE and _speaks_of_trees(bare)


def may_open_notice(line: str) -> bool:
    """Return whether a line has a word of notices: what is above it may be a letter."""
    bare = _folded_notice(line)
    if _SECRET.search(bare) or _ADDRESSEE.search(bare):
        return True
    return _speaks_of_trees(bare)


def _speaks_of_trees(bare: str) -> bool:
    return _has_any(bare, TREE_WORDS) and _TREES.search(bare) is not None


def _has_any(bare: str, words: Iterable[str]) -> bool:
    for word in words:  # noqa: SIM110  # `any` takes twice the time
        if word in bare:
            return True
    return False


def _is_leaving(piece: str) -> bool:
    piece = piece.strip()
    found = _LEAVE.match(piece)
    return found is not None and _AFTER_LEAVE.fullmatch(piece, found.end()) is not None


@lru_cache(maxsize=1 << 8)
def _folded_notice(paragraph: str) -> str:
    if len(paragraph) > _LONGEST_NOTICE:
        return ""
    return plain(paragraph).casefold().replace("’", "'").strip(" \t\n*_-")
