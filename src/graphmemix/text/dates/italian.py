"""Italian words for dates."""

from __future__ import annotations

import re

from graphmemix.text.dates.lexicon import Vocabulary
from graphmemix.text.dates.sorts import Sort

_DECADES = {
    1950: "cinquanta",
    1960: "sessanta",
    1970: "settanta",
    1980: "ottanta",
    1990: "novanta",
}

ITALIAN = Vocabulary(
    words={
        Sort.LAST: (
            "scorso, scorsa, scorsi, scorse, passato, passata, ultimo, ultima, ultimi, ultime, "
            "precedente"
        ),
        Sort.THIS: "questo, questa, quest",
        Sort.NEXT: "prossimo, prossima, prossimi, prossime, che viene",
        Sort.AGO: "fa, or sono, addietro",
        Sort.BEFORE: "prima di, prima del, prima dello, prima della, prima dell, prima dei",
        Sort.AFTER: "dopo",
        Sort.SINCE: (
            "da, dal, dallo, dalla, dall, dai, dalle, a partire da, a partire dal, "
            "a partire dalla, a partire dall, fin da, fin dal, fin dalla, sin da, sin dal"
        ),
        Sort.UNTIL: (
            "fino a, fino al, fino alla, fino all, fino allo, fino ad, sino a, sino al, "
            "fino a tutto"
        ),
        Sort.BY: "entro, entro il, entro la, entro l",
        Sort.BETWEEN: "tra, fra, tra il, fra il, tra la, fra la, tra l, fra l",
        Sort.TO: "al, allo, alla, all, ai, alle",
        Sort.NOW: "adesso, ad ora",
        Sort.ONWARDS: "in poi, in avanti",
        Sort.AND: "e, ed",
        Sort.OR: "o, oppure",
        Sort.THE: "il, lo, la, l, i, gli, le",
        Sort.OWNER: "mio, mia, miei, mie, tuo, tua, suo, sua, nostro, nostra, loro",
        Sort.EVERY: (
            "ogni, tutti, tutte, tutti i, tutte le, tutti gli, quel, quella, quell, quale, quali, "
            "quanti, quante"
        ),
        Sort.WEEK_NUMBER: "settimana numero",
        Sort.COUNTED: (
            "euro, persone, pagine, km, kg, metri, volte, gente, chili, chilometri, percento"
        ),
        Sort.NUMBERED: "numero, camera, stanza, pagina, volo, ordine, fattura",
        Sort.OTHER: (
            "martedì grasso, isola di pasqua, babbo natale, albero di natale, mercatino di natale, "
            "mercatini di natale, canto di natale, uovo di pasqua, uova di pasqua, buona notte, "
            "buona sera"
        ),
    },
    named={
        Sort.TO: {"at": "a, ad"},
        Sort.FROM: {"of": "di, del, dello, della, dell, dei, degli, delle"},
        Sort.IN: {
            "strong": "in, nel, nello, nella, nell, nei, negli, nelle, durante, durante il, "
            "durante la, durante l, per, verso, verso il, nel corso del, nel corso dell, "
            "nel mese di"
        },
        Sort.HALF: {"mid": "metà"},
        Sort.UNIT: {
            "minute": "minuto, minuti",
            "hour": "ora, ore",
            "day": "giorno, giorni*",
            "week": "settimana, settimane*",
            "weekend": "fine settimana, weekend, week-end",
            "month": "mese, mesi*",
            "quarter": "trimestre, trimestri*",
            "year": "anno, anni*",
            "decade": "decennio, decenni*",
        },
        Sort.DAY_PART: {
            "morning": "mattina, mattino, mattinata, di mattina, al mattino, in mattinata",
            "noon": "mezzogiorno, a mezzogiorno",
            "afternoon": "pomeriggio, di pomeriggio, nel pomeriggio",
            "evening": "sera, serata, di sera, in serata",
            "night": "notte, di notte, nella notte",
        },
        Sort.THIRD: {
            "early": "inizio, inizi, i primi di, ai primi di",
            "mid": "a metà, alla metà, verso metà, verso la metà",
            "late": "fine",
        },
        Sort.HOLIDAY: {
            "christmas": "natale, feste di natale",
            "christmas eve": "vigilia di natale, antivigilia",
            "christmas day": "giorno di natale",
            "boxing day": "santo stefano",
            "christmas holidays": "vacanze di natale, vacanze natalizie",
            "new year": "capodanno",
            "new year's eve": "san silvestro, vigilia di capodanno, notte di capodanno",
            "epiphany": "epifania, befana",
            "valentine's day": "san valentino",
            "carnival": "carnevale",
            "ash wednesday": "mercoledì delle ceneri",
            "palm sunday": "domenica delle palme",
            "holy week": "settimana santa",
            "good friday": "venerdì santo",
            "easter": "pasqua, vacanze di pasqua",
            "easter sunday": "domenica di pasqua, giorno di pasqua",
            "easter monday": "pasquetta, lunedì dell'angelo, lunedì di pasqua",
            "ascension": "ascensione",
            "pentecost": "pentecoste",
            "mother's day": "festa della mamma",
            "assumption": "ferragosto",
            "all saints' day": "ognissanti, tutti i santi",
            "halloween": "halloween",
            "thanksgiving": "giorno del ringraziamento, festa del ringraziamento",
            "eid al-adha": "festa del sacrificio",
            "lunar new year": "capodanno cinese, capodanno lunare",
            "mid-autumn festival": "festa di metà autunno",
            "passover": "pasqua ebraica",
            "rosh hashanah": "capodanno ebraico",
            "nowruz": "capodanno persiano, capodanno iraniano",
            "orthodox easter": "pasqua ortodossa",
            "lucia day": "giorno di santa lucia, festa di santa lucia",
        },
    },
    numbered={
        Sort.MONTH: {
            1: "gennaio, gen",
            2: "febbraio, feb",
            3: "marzo, mar",
            4: "aprile, apr",
            5: "maggio, mag",
            6: "giugno, giu",
            7: "luglio, lug",
            8: "agosto, ago",
            9: "settembre, set, sett",
            10: "ottobre, ott",
            11: "novembre, nov",
            12: "dicembre, dic",
        },
        Sort.WEEKDAY: {
            0: "lunedì",
            1: "martedì",
            2: "mercoledì",
            3: "giovedì",
            4: "venerdì",
            5: "sabato, sabati*",
            6: "domenica, domeniche*",
        },
        Sort.SEASON: {
            1: "primavera, primavere*",
            2: "estate, estati*",
            3: "autunno, autunni*",
            4: "inverno, inverni*",
        },
        Sort.DAY: {
            0: "oggi",
            -1: "ieri",
            -2: "altro ieri, altroieri, ieri l'altro, avantieri",
            1: "domani",
            2: "dopodomani, dopo domani",
        },
        Sort.NUMBER: {
            1: "un, uno, una",
            2: "due",
            3: "tre",
            4: "quattro",
            5: "cinque",
            6: "sei",
            7: "sette",
            8: "otto",
            9: "nove",
            10: "dieci",
            11: "undici",
            12: "dodici",
            15: "quindici",
            20: "venti",
            30: "trenta",
        },
        Sort.ORDINAL: {
            1: "primo, prima, 1°",
            2: "secondo, seconda",
            3: "terzo, terza",
            4: "quarto, quarta",
        },
        Sort.DECADE: {year: f"anni {word}, anni '{year - 1900}" for year, word in _DECADES.items()},
    },
    vague={
        (2, 3): "un paio di",
        (2, 5): "alcuni, alcune, qualche, pochi, poche",
        (3, 7): "diversi, diverse, parecchi, parecchie",
    },
    spells={
        (6, "month"): "mezzo anno, mezz'anno",
        (18, "month"): "un anno e mezzo",
        (6, "week"): "un mese e mezzo",
        (30, "minute"): "mezz'ora",
    },
    day_words={
        (0, "morning"): "stamattina, stamani, stamane",
        (0, "evening"): "stasera",
        (-1, "night"): "stanotte",  # of what was, the night that ends today
    },
    weak="mar mag ago set dic gen",
    ordinal=re.compile(r"(?:[12]?[0-9]|3[01])[oa]"),
    decade=re.compile(r"(?!)"),
    common=(
        "il lo la i gli le che quando dove chi cosa come io noi mi ci in con di del della un una "
        "mio mia miei e ho abbiamo ha hanno era ero eravamo sono stato stati fatto foto per non "
        "si se quale quali quanto nel nella al alla mostra mostrami trova viaggio messaggi siamo"
    ),
    romance=True,
)
