"""What values look like in a text: a time, an amount, a seat, a birthday.

Patterns are for text without accents, in lower case (names apart). A price in yen or a Japanese
date has letters right beside its digits, so what may stand there is barred by digits and Latin
letters.
"""

from __future__ import annotations

from typing import Final

from graphmemix.text.dates.mentions import MONTHS, UNCLEAR_MONTHS
from graphmemix.text.patterns import whole_words

__all__ = ["LOOKS", "NAMED", "TIMES"]

_WEEKDAYS: Final = (
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|"
    "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|"
    "lunes|martes|miercoles|jueves|viernes|sabado|domingo|"
    "lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica|"
    "maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|"
    "mandag|tisdag|onsdag|torsdag|fredag|lordag|sondag"
)
_WITH_FEIRA: Final = ("segunda", "terca", "quarta", "quinta", "sexta")
_NEAR_DAYS: Final = (
    "today|tomorrow|tonight|yesterday|heute|morgen|gestern|demain|hier|manana|ayer|oggi|domani|"
    "ieri|stasera|hoje|amanha|ontem|vandaag|gisteren|vanavond|idag|imorgon|igar"
)
_HOURS_IN_WORDS: Final = (
    r"ore [0-9]{1,2}|a las? [0-9]{1,2}|as? [0-9]{1,2} (?:heures?|horas?)|"
    r"om [0-9]{1,2} uur|tot [0-9]{1,2} uur|vanaf [0-9]{1,2} uur|rond [0-9]{1,2} uur|"
    r"kl(?:ockan|\.)? ?[0-9]{1,2}"
)
_TIME_WORDS: Final = whole_words(
    "|".join(
        [
            *sorted(MONTHS.keys() - UNCLEAR_MONTHS),
            *(f"{month}[.,]? [0-9]{{1,4}}" for month in sorted(UNCLEAR_MONTHS)),
            "in (?:may|march)",
            _WEEKDAYS,
            *(f"{day}-feira|na {day}" for day in _WITH_FEIRA),
            _NEAR_DAYS,
            _HOURS_IN_WORDS,
        ]
    )
)
# From the first digit of a number: an hour, a date in figures. From any: "5 March", 8月, 9時.
_FROM_DIGIT: Final = (
    r"[0-9](?:(?<![0-9][0-9])(?:"
    r"(?:(?<=[01])[0-9]|(?<=2)[0-4])?(?:[:.][0-5][0-9](?![0-9])|\s?(?:am|pm|uhr|h)\b|h[0-5][0-9])|"
    r"[0-9]?[./-][0-9]{1,2}[./-][0-9]{2,4}|[0-9]{3}-[0-9]{2}-[0-9]{2})|"
    rf"(?:st|nd|rd|th|er)?[.,]? (?:(?:of|de|di) )?(?:{'|'.join(sorted(UNCLEAR_MONTHS))})\b|"
    r"[時时点點年月日号號])"
)
_UNSPACED_TIME: Final = (
    "[二三四五六七八九十][時时点點]|午前|午後|上午|下午|[一二三四五六七八九十]月|"
    "[二三四五六七八九十]日|[月火水木金土日]曜|(?:星期|[周週]|[礼禮]拜)[一二三四五六日天]|"
    "今日|明日|昨日|今夜|今天|明天|昨天|今晚"
)
_CURRENCY: Final = (
    r"eur|euros?|usd|gbp|chf|dollars?|pounds?|kr|kronor|sek|inr|kes|ksh|etb|birr|vnd|dong|naira|"
    r"rupees?|yen|francs?|shillings?|reais|lire"
)
# Of a bill or a menu: behind words, at the end of a line.
_PRICE: Final = r"(?<=[a-z:] )[0-9]{1,5}[.,][0-9]{2}(?=\s{0,3}(?:\n|$))"
_BEFORE: Final = r"(?<![0-9a-z_])"
_BEHIND: Final = r"(?![0-9a-z_])"

LOOKS: Final = {
    "contact": (
        rf"{_BEFORE}\+?\(?[0-9][0-9 ()/.-]{{6,18}}[0-9]{_BEHIND}|[\w.+-]{{1,40}}@[\w-]{{1,40}}\."
    ),
    "birthday": (
        r"bday|birthday|geburtstag|geboren|anniversaire|cumplean|fodelsedag|\bborn\b|compleanno|"
        r"\bnat[oa] il\b|\bnascita\b|aniversario|\bnasc(?:eu|imento)\b|verjaardag|\bjarig\b|"
        r"誕生日|生日|生まれ|出生"
    ),
    "seat": (
        r"\b[0-9]{1,2} ?[a-k]\b|\b(?:seats?|sitz(?:platze?n?)?|platze?|sieges?|places?|asientos?|"
        r"assentos?|poltronas?|lugar(?:es)?|post[oi]|zitplaats(?:en)?|stoel(?:en)?|plaats|"
        r"sittplats(?:er)?|plats(?:er)?)\W{0,3}(?:n[or]?\W{1,2})?[0-9]|座席|[0-9a-k]の?席|座位|[0-9]排"
    ),
    "room": (
        r"\b(?:room|zimmer|raum|chambre|salle|habitacion|camera|stanza|quarto|kamer|"
        r"rum)\b.{0,12}[0-9]|"
        r"[0-9](?:号室|號房|号房|室)|(?:部屋|房间|房間).{0,6}[0-9]"
    ),
    "address": (
        r"\b[0-9]{1,4}[a-z]? [a-z]{4}|"
        r"[a-z]{3}(?:strasse|stra\u00dfe|str\.|gatan|vagen|gasse|weg|straat|laan|plein|gracht)\b|"
        r"\b(?:street|road|avenue|lane|rue|calle|adr|viale|piazza|rua|avenida|travessa)\b|"
        r"\bvia [a-z' ]{2,30},? ?[0-9]|\b[0-9]{5}\b|丁目|番地|〒|[市区區町村路街巷].{0,8}[0-9]"
    ),
    "secret": rf"[a-z][^\s0-9]{{0,30}}[0-9]|{_BEFORE}[0-9]{{4,8}}{_BEHIND}",
    "amount": (
        rf"[€$£¥￥₹₦₫]\s?[0-9]|[0-9]\s?(?:[€$£¥￥₹₦₫]|(?:{_CURRENCY})\b)|"
        rf"\b(?:rs|{_CURRENCY})\.?\s?[0-9]|{_PRICE}|"
        r"[0-9百千万萬][千万萬億亿]?(?:円|元|块|塊|日元|ドル|ユーロ|美元|欧元)"
    ),
    "number": (
        r"[0-9]|[一二三四五六七八九十百千](?:人|個|个|回|次|枚|本|匹|歳|岁|時間|小时|日間|天|年|つ)"
    ),
}
"""What a value of each sort looks like; of the rest, `TIMES` and what is `NAMED`."""

TIMES: Final = (_TIME_WORDS, _FROM_DIGIT, _UNSPACED_TIME)
"""What times look like. Three patterns, since each fails fast alone: times are looked for most."""

NAMED: Final = {
    # Latin: in the midst of a sentence, where a capital means something.
    "person": (
        r"(?<=[\u3041-\u30ff\u3400-\u9fff])(?:さん|ちゃん|くん|様|先生|女士|小姐|老师|老師|医生|"
        r"阿姨|叔叔)|[父母]|妈妈|媽媽|爸爸|奶奶|爷爷|姐姐|哥哥|弟弟|妹妹"
    ),
    "place": (
        r"(?<=[\u30a1-\u30ff\u3400-\u9fff])(?:駅|市|町|村|県|空港|ホテル|旅館|レストラン|病院|"
        r"公園|店|"
        r"城|车站|車站|机场|酒店|餐厅|饭店|医院|宾馆)"
    ),
}
"""What names of persons and places look like where they have no capital."""
