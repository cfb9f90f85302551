"""English words for dates."""

from __future__ import annotations

import re

from graphmemix.text.dates.lexicon import Vocabulary
from graphmemix.text.dates.sorts import Sort

_ORDINALS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first
twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth
twenty-ninth thirtieth thirty-first
"""

ENGLISH = Vocabulary(
    words={
        Sort.LAST: "last, previous, this past, this last",
        Sort.PAST: "past",
        Sort.THIS: "this",
        Sort.NEXT: "next, coming, upcoming",
        Sort.THIS_TIME: "this time, this day",
        Sort.AGO: "ago, back",
        Sort.FROM_NOW: "from now, from today, hence, time",
        Sort.EARLIER: "earlier, so far, previously",
        Sort.LATER: "later",
        Sort.BEFORE: "before, prior to, earlier than, preceding, ahead of",
        Sort.AFTER: "after, later than, following",
        Sort.SINCE: "since, ever since, starting, starting in, starting from, beginning in",
        Sort.UNTIL: "until, till, 'til, up to, up until, no later than, through",
        Sort.BY: "by",
        Sort.BETWEEN: "between",
        Sort.FROM: "from",
        Sort.TO: "to",
        Sort.NOW: "now, the present, present",
        Sort.ONWARDS: "onward, onwards, forward",
        Sort.AND: "and, &",
        Sort.OR: "or",
        Sort.ON: "on, at, near",
        Sort.OF: "of",
        Sort.THE: "the",
        Sort.OWNER: "my, your, his, her, its, our, their",
        Sort.EVERY: (
            "every, each, any, that, those, some, which, what, many, chinese, lunar, orthodox, "
            "korean, vietnamese, jewish, persian, fiscal, academic"
        ),
        Sort.HALF: "half",
        Sort.WEEK_NUMBER: "calendar week, week number, week no, cw",
        Sort.COUNTED: (
            "people, persons, guests, words, steps, times, pieces, pages, points, percent, euro, "
            "euros, eur, dollars, dollar, usd, pounds, gbp, bucks, francs, chf, yen, cents, km, "
            "kilometers, kilometres, miles, meters, metres, m, cm, mm, feet, ft, inches, kg, g, "
            "grams, kilos, lbs, ml, liters, litres, calories, kcal, kwh, watts, mb, gb, pm, am, "
            "a.m., p.m., o'clock, square, seconds, old, year old, years old, followers, views, "
            "likes, copies, rpm, hp, floor, floors"
        ),
        Sort.NUMBERED: (
            "room, number, no, nr, order, invoice, flight, page, model, version, chapter, "
            "extension, pin, code, password, route, highway, gate, seat, bus, line, apartment, "
            "apt, suite, id, ticket, approximately, roughly, exactly, than"
        ),
        Sort.OTHER: (  # phrases with a word that would mean a date elsewhere
            "easter island, christmas island, christmas tree, christmas trees, christmas card, "
            "christmas cards, christmas carol, christmas carols, christmas song, christmas songs, "
            "christmas movie, christmas movies, christmas market, christmas markets, easter egg, "
            "easter eggs, easter bunny, mardi gras, next to, at last, may or may not, march on, "
            "last name, last names, spring roll, spring rolls, spring onion, spring onions, "
            "second hand, half past, past the, sunday school, sun cream, fall asleep, "
            "fall in love, midsummer night's dream, tet offensive, st lucia, st. lucia, "
            "saint lucia, santa lucia"
        ),
    },
    named={
        Sort.IN: {"strong": "in, during, throughout", "soft": "over, around, within, circa, for"},
        Sort.UNIT: {
            "minute": "minute, minutes, min, mins",
            "hour": "hour, hours, hrs",
            "day": "day, days, nights",
            "week": "week, weeks",
            "weekend": "weekend, week-end",
            "month": "month, months",
            "quarter": "quarter, quarters",
            "year": "year, years, yr, yrs",
            "decade": "decade, decades",
        },
        Sort.DAY_PART: {
            "morning": "morning, in the morning",
            "noon": "noon, lunchtime, midday, at noon, at lunchtime",
            "afternoon": "afternoon, in the afternoon",
            "evening": "evening, in the evening",
            "night": "night, at night",
        },
        Sort.THIRD: {
            "early": "early, beginning of, start of, early in, early part of",
            "mid": "mid, middle of",
            "late": "late, end of, late in, latter part of",
        },
        Sort.HOLIDAY: {
            "christmas": "christmas, xmas, christmas weekend, christmas time, christmastime",
            "christmas eve": "christmas eve, xmas eve",
            "christmas day": "christmas day, xmas day",
            "boxing day": "boxing day",
            "christmas holidays": (
                "christmas holidays, christmas holiday, christmas break, christmas vacation, "
                "winter holidays, winter break"
            ),
            "new year": "new year, new year's, new years",
            "new year's eve": "new year's eve, new years eve, new year eve, nye",
            "new year's day": "new year's day, new years day, new year day",
            "epiphany": "epiphany, three kings' day",
            "valentine's day": "valentine's day, valentines day, valentine's, valentine day",
            "st patrick's day": "st patrick's day, st. patrick's day, saint patrick's day",
            "ash wednesday": "ash wednesday",
            "palm sunday": "palm sunday",
            "holy week": "holy week",
            "good friday": "good friday",
            "easter": "easter, easter weekend, easter holidays, easter break",
            "easter sunday": "easter sunday, easter day",
            "easter monday": "easter monday",
            "pentecost": "pentecost, whitsun",
            "mother's day": "mother's day, mothers day",
            "memorial day": "memorial day",
            "father's day": "father's day, fathers day",
            "independence day": "independence day, fourth of july, 4th of july",
            "labor day": "labor day",
            "halloween": "halloween, hallowe'en",
            "thanksgiving": "thanksgiving, thanksgiving day",
            "black friday": "black friday",
            "cyber monday": "cyber monday",
            "lunar new year": (
                "chinese new year, chinese new year's eve, lunar new year, lunar new year's eve, "
                "korean new year, vietnamese new year"
            ),
            "mid-autumn festival": (
                "mid-autumn festival, mid autumn festival, moon festival, mooncake festival"
            ),
            "eid al-adha": "feast of sacrifice, feast of the sacrifice, festival of sacrifice",
            "passover": "passover",
            "rosh hashanah": "jewish new year",
            "nowruz": "persian new year, iranian new year",
            "orthodox easter": "orthodox easter, orthodox easter sunday, greek easter",
            "midsummer": (
                "midsummer, midsummer eve, midsummer's eve, midsommar, midsommarafton, "
                "midsommardagen, midsommarhelgen"
            ),
            "bastille day": "bastille day",
            "lucia": "lucia",
            "lucia day": (
                "lucia day, st lucia day, st lucia's day, st. lucia's day, saint lucia's day, "
                "st lucy's day, saint lucy's day, luciadagen, luciatåg, luciatåget"
            ),
        },
    },
    numbered={
        Sort.MONTH: {
            1: "january, jan",
            2: "february, feb",
            3: "march, mar",
            4: "april, apr",
            5: "may",
            6: "june, jun",
            7: "july, jul",
            8: "august, aug",
            9: "september, sep, sept",
            10: "october, oct",
            11: "november, nov",
            12: "december, dec",
        },
        Sort.WEEKDAY: {
            0: "monday, mon",
            1: "tuesday, tue, tues",
            2: "wednesday, wed",
            3: "thursday, thu, thur, thurs",
            4: "friday, fri",
            5: "saturday, sat",
            6: "sunday, sun",
        },
        Sort.SEASON: {
            1: "spring, springtime",
            2: "summer, summertime",
            3: "autumn, fall",
            4: "winter",
        },
        Sort.DAY: {
            0: "today",
            -1: "yesterday",
            -2: "day before yesterday",
            1: "tomorrow",
            2: "day after tomorrow",
        },
        Sort.NUMBER: {
            1: "a, an, one",
            2: "two",
            3: "three",
            4: "four",
            5: "five",
            6: "six",
            7: "seven",
            8: "eight",
            9: "nine",
            10: "ten",
            11: "eleven",
            12: "twelve",
            13: "thirteen",
            14: "fourteen",
            15: "fifteen",
            18: "eighteen",
            20: "twenty",
            25: "twenty-five, twenty five",
            30: "thirty",
            40: "forty",
            50: "fifty",
            100: "hundred, a hundred",
        },
        Sort.ORDINAL: {
            number: f"{name}, {name.replace('-', ' ')}"
            for number, name in enumerate(_ORDINALS.split(), 1)
        },
        Sort.DECADE: {
            1950: "fifties",
            1960: "sixties",
            1970: "seventies",
            1980: "eighties",
            1990: "nineties",
            2000: "noughties",
        },
    },
    vague={
        (2, 3): "a couple of, couple of, a couple, couple",
        (2, 5): "a few, few",
        (3, 7): "several",
    },
    spells={
        (6, "month"): "half a year, half year",
        (18, "month"): "a year and a half, one and a half years, 1.5 years",
        (6, "week"): "a month and a half, one and a half months",
        (2, "week"): "fortnight, a fortnight",
        (1, "year"): "twelvemonth",
        (30, "minute"): "half an hour",
    },
    day_words={(0, "night"): "tonight"},
    plurals=("s", "es"),
    weak="may march mar fall spring mon tue tues wed thu thur thurs fri sat sun",
    ordinal=re.compile(r"(?:[12]?[0-9]|3[01])(?:st|nd|rd|th)"),
    decade=re.compile(r"(?:[0-9]|1[89][0-9]|20[0-9])0s"),
    common=(
        "the what when did was i my of and is are were we with who where how which do does have "
        "has had me you he she they it to from in on at for photo photos about show find "
        "due come fine set out begin final met under sent"  # words of other languages here, too
    ),
    day_first=None,
)
