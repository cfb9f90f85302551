"""French words for dates."""

from __future__ import annotations

import re

from graphmemix.text.dates.lexicon import Vocabulary
from graphmemix.text.dates.sorts import Sort

FRENCH = Vocabulary(
    words={
        Sort.LAST: "dernier, dernière, derniers, dernières, passé, passée",
        Sort.THIS: "ce, cet, cette",
        Sort.NEXT: "prochain, prochaine, prochains, prochaines",
        Sort.AGO_FIRST: "il y a, y a",
        Sort.BEFORE: "avant",
        Sort.AFTER: "après",
        Sort.SINCE: "depuis, dès, à partir de, à partir du",
        Sort.UNTIL: "jusqu'à, jusqu'en, jusqu'au, jusque",
        Sort.BETWEEN: "entre",
        Sort.FROM: "de, du",
        Sort.TO: "à, au",
        Sort.NOW: "maintenant",
        Sort.AND: "et",
        Sort.OR: "ou",
        Sort.ON: "le",
        Sort.THE: "l, la, les",
        Sort.OWNER: "mon, ma, mes, ton, son, sa, ses, leur, notre",
        Sort.EVERY: "chaque, tous, toutes, tous les, quel, quelle",
        Sort.HALF: "moitié",
        Sort.WEEK_NUMBER: "semaine numéro",
        Sort.COUNTED: "euros, euro, personnes, heures, heure, pages, km, kg, mètres, fois, gens",
        Sort.NUMBERED: "numéro, chambre, page, vol, commande, facture",
        Sort.OTHER: "mardi gras, a été, ont été, avoir été, il y a eu",
    },
    named={
        Sort.IN: {
            "strong": "en, pendant, durant, dans, vers, au cours de, au cours du, pour, au mois de"
        },
        Sort.UNIT: {
            "minute": "minute, minutes",
            "day": "jour, jours",
            "week": "semaine, semaines",
            "weekend": "week-end, weekend",
            "month": "mois",
            "quarter": "trimestre",
            "year": "an, ans, année, années",
            "decade": "décennie",
        },
        Sort.DAY_PART: {
            "morning": "matin, matinée",
            "noon": "midi",
            "afternoon": "après-midi",
            "evening": "soir, soirée",
            "night": "nuit",
        },
        Sort.THIRD: {
            "early": "début, début de",
            "mid": "mi, milieu de",
            "late": "fin, fin de",
        },
        Sort.HOLIDAY: {
            "christmas": "noël",
            "christmas eve": "réveillon de noël, veille de noël",
            "new year": "nouvel an",
            "new year's eve": "saint-sylvestre, réveillon du nouvel an",
            "new year's day": "jour de l'an",
            "good friday": "vendredi saint",
            "easter": "pâques",
            "easter monday": "lundi de pâques",
            "ascension": "ascension",
            "pentecost": "pentecôte",
            "valentine's day": "saint-valentin",
            "all saints' day": "toussaint",
            "halloween": "halloween",
        },
    },
    numbered={
        Sort.MONTH: {
            1: "janvier, janv",
            2: "février, fév",
            3: "mars",
            4: "avril, avr",
            5: "mai",
            6: "juin",
            7: "juillet, juil",
            8: "août",
            9: "septembre, sept",
            10: "octobre, oct",
            11: "novembre, nov",
            12: "décembre, déc",
        },
        Sort.WEEKDAY: {
            0: "lundi",
            1: "mardi",
            2: "mercredi",
            3: "jeudi",
            4: "vendredi",
            5: "samedi",
            6: "dimanche",
        },
        Sort.SEASON: {1: "printemps", 2: "été", 3: "automne", 4: "hiver"},
        Sort.DAY: {0: "aujourd'hui", -1: "hier", -2: "avant-hier", 1: "demain", 2: "après-demain"},
        Sort.NUMBER: {
            1: "un, une",
            2: "deux",
            3: "trois",
            4: "quatre",
            5: "cinq",
            6: "six",
            8: "huit",
            9: "neuf",
            10: "dix",
            11: "onze",
            12: "douze",
            15: "quinze",
            20: "vingt",
        },
        Sort.ORDINAL: {1: "premier, première", 2: "deuxième, seconde", 3: "troisième"},
    },
    vague={(2, 5): "quelques", (3, 7): "plusieurs"},
    spells={(18, "month"): "un an et demi"},
    day_words={},
    plurals=("s",),
    weak="ete mars",
    ordinal=re.compile(r"1ere?|(?:[12]?[0-9]|3[01])e(?:me)?"),
    decade=re.compile(r"(?!)"),
    common=(
        "le la les je nous est que quand ou dans avec de du des qui a ai avons quoi qu j l d et "
        "en un une mes mon ma sur pour etait ce ces pas quelle quel comment photos montre"
    ),
    romance=True,
)
