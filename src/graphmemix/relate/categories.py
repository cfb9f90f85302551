"""What an event date is about: the class of the words that stand near it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Plain, lower case. Words that mean too many things ("book", "event" as in "in any event") are out.
_WORDS: Final = {
    "flight": """flight flights airline boarding departure flug fluge abflug flugbuchung
        flugbestatigung flugticket vol vols embarquement
        vuelo vuelos aerolinea volo voli vlucht vluchten voo voos embarque""",
    "train": """train trains railway rail zug zuge bahn bahnfahrt sncf tren trenes treno treni trein
        treinen trem comboio eurostar""",
    "hotel": """hotel hotels hostel airbnb accommodation lodging check-in checkin check-out checkout
        unterkunft ubernachtung hotelbuchung
        hotelreservierung anreise hebergement sejour alojamiento hospedaje alloggio soggiorno
        verblijf overnachting hospedagem alojamento estadia""",
    "restaurant": """restaurant restaurants ristorante restaurante dinner lunch brunch tisch
        tischreservierung abendessen mittagessen diner dejeuner cena almuerzo pranzo etentje jantar
        almoco""",
    "delivery": """delivery delivered deliver parcel package shipment shipped courier lieferung
        zustellung paket sendung livraison colis entrega envio paquete consegna spedizione pacco
        bezorging levering pakket zending encomenda""",
    "appointment": """appointment appointments doctor dentist clinic consultation vaccination termin
        arzttermin zahnarzt arzt rendez-vous rdv medecin dentiste cita medico dentista appuntamento
        afspraak tandarts huisarts consulta""",
    "event": """concert concerts festival conference webinar workshop theatre theater opera
        exhibition museum tickets admission wedding birthday konzert konferenz ausstellung hochzeit
        geburtstag veranstaltung spectacle exposition mariage anniversaire concierto exposicion boda
        cumpleanos concerto mostra matrimonio compleanno tentoonstelling bruiloft verjaardag
        casamento aniversario""",
    "rental": """rental rent-a-car pick-up pickup car-hire mietwagen autovermietung mietauto
        alquiler noleggio autohuur huurauto aluguel aluguer""",
}
_CHARACTERS: Final = {
    "flight": "航班 机票 機票 飞机 フライト 航空券 搭乗",
    "train": "火车 高铁 车票 列車 新幹線 電車",
    "hotel": "酒店 饭店 入住 飯店 ホテル 宿泊 チェックイン",
    "restaurant": "餐厅 餐廳 用餐 レストラン 食事",
    "delivery": "快递 配送 送达 包裹 快遞 宅配 お届け 配達",
    "appointment": "预约 預約 挂号 诊所 診察 面談 歯科",
    "event": "演唱会 音乐会 展览 会议 婚礼 生日 コンサート 会議 展覧会 結婚式 誕生日",
    "rental": "租车 租車 レンタカー",
}
_CLASSES = {
    word: name
    for table in (_WORDS, _CHARACTERS)
    for name, listed in table.items()
    for word in listed.split()
}
# A set of characters first, so that the engine passes over all others at once.
_LETTERS = r"[A-Za-z](?<![A-Za-z][A-Za-z])[A-Za-z]{2,19}(?:-[A-Za-z]{1,10}){0,2}(?![A-Za-z])"
_ASCII_WORD = re.compile(_LETTERS)
_WORD = re.compile(
    "|".join([_LETTERS, *(word for listed in _CHARACTERS.values() for word in listed.split())])
)
_LONGEST_WORD = 42  # characters


def categories_in(text: str, parts: Iterable[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Yield position and class of every word that says what a date is about, in order.

    Args:
        text: As `plain` made it.
        parts: From where to where words may begin, by their beginnings; they may overlap.
    """
    done = 0
    pattern = _ASCII_WORD if text.isascii() else _WORD
    for start, end in parts:
        # Words that begin inside are read to their end.
        for match in pattern.finditer(text, max(done, start), end + _LONGEST_WORD):
            if match.start() > end:
                break
            word = match[0].lower()
            name = _CLASSES.get(word)
            if name is None and "-" in word:
                name = _CLASSES.get(word.partition("-")[0])
            if name is not None:
                yield match.start(), name
        done = max(done, end + 1)
