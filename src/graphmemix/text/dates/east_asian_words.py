"""Words of dates in Japanese, Chinese (simplified and traditional) and Korean.

Tables of phrases, separated by commas. Which sort a phrase is of, and what it counts, is said as in
`sorts.Lexeme`: "last month" is a unit with the number -1, a "DATE" is a year.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix.text.dates.sorts import Lexeme, Sort

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNITS = {
    ("year", -2): "一昨年, おととし, 재작년, 지지난해",
    ("year", -1): "昨年, 去年, 작년, 지난해, 지난 해",
    ("year", 0): "今年, 本年, 올해, 금년",
    ("year", 1): "来年, 來年, 明年, 내년",
    ("year", 2): "再来年, 后年, 後年, 내후년",
    ("month", -2): "先々月, 上上个月, 上上個月, 지지난달, 지지난 달",
    ("month", -1): "先月, 上个月, 上個月, 上月, 지난달, 지난 달, 저번달, 저번 달",
    ("month", 0): "今月, 本月, 这个月, 這個月, 이번달, 이번 달, 이달",
    ("month", 1): "来月, 來月, 下个月, 下個月, 下月, 다음달, 다음 달, 내달",
    ("month", 2): "再来月, 下下个月, 下下個月, 다다음달, 다다음 달",
    ("week", -2): "先々週, 上上周, 上上週, 上上星期, 上上个星期, 上上個星期, 지지난주, 지지난 주",
    ("week", -1): "先週, 上周, 上週, 上星期, 上个星期, 上個星期, 上礼拜, 上禮拜, 上个礼拜, "
    "上個禮拜, 지난주, 지난 주, 저번주, 저번 주",
    ("week", 0): "今週, 这周, 這周, 這週, 本周, 本週, 这星期, 這星期, 这个星期, 這個星期, 这礼拜, "
    "這禮拜, 这个礼拜, 這個禮拜, 이번주, 이번 주, 금주",
    ("week", 1): "来週, 來週, 下周, 下週, 下星期, 下个星期, 下個星期, 下礼拜, 下禮拜, 下个礼拜, "
    "下個禮拜, 다음주, 다음 주",
    ("week", 2): "再来週, 下下周, 下下週, 下下星期, 下下个星期, 下下個星期, 다다음주, 다다음 주",
}  # fmt: skip
_DAYS = {
    (-3, ""): "大前天",
    (-2, ""): "一昨日, おととい, 前天, 그제, 그저께",
    (-1, ""): "昨日, きのう, 昨天, 어제",
    (-1, "night"): "昨夜, 昨晩, ゆうべ, 昨晚, 어젯밤, 어제밤",
    (0, ""): "今日, 本日, 今天, 오늘",
    (0, "morning"): "今朝, 今早",
    (0, "night"): "今晩, 今夜, 今晚, 오늘밤",
    (1, ""): "明日, あした, 明天, 내일",
    (2, ""): "明後日, あさって, 后天, 後天, 모레, 내일모레",
    (3, ""): "しあさって, 大后天, 大後天, 글피",
}
_SEASONS = {
    1: "春天, 春季, 春休み",
    2: "夏天, 夏季, 暑假, 夏休み, 여름, 여름방학, 여름휴가",
    3: "秋天, 秋季, 가을",
    4: "冬天, 冬季, 寒假, 冬休み, 겨울, 겨울방학",
}
_WEAK_SEASONS = {"봄": 1}  # a form of "to see" as well
_HOLIDAYS = {
    "christmas": "クリスマス, 圣诞节, 聖誕節, 圣诞, 聖誕, 크리스마스, 성탄절",
    "christmas eve": "クリスマスイブ, クリスマス・イブ, 平安夜, 크리스마스이브, 크리스마스 이브",
    "first days of january": "お正月, 正月, 三が日",
    "new year's day": "元日, 元旦, 신정, 새해 첫날",
    "new year's eve": "大晦日, 大みそか, 跨年",
    "turn of the year": "年末年始",
    "golden week": "ゴールデンウィーク, ゴールデンウイーク, GW",
    "obon": "お盆",
    "national day of china": "国庆节, 國慶節, 国庆, 國慶, 十一黄金周",
    "workers' day": "五一劳动节, 五一勞動節, 劳动节, 勞動節",
    "lunar new year": "春节, 春節, 农历新年, 農曆新年, 旧正月, 설날",
    "mid-autumn festival": "中秋节, 中秋節, 中秋, 추석, 한가위",
    "valentine's day": "バレンタインデー, バレンタイン, 情人节, 情人節, 발렌타인데이, 밸런타인데이",
    "halloween": "ハロウィン, ハロウィーン, 万圣节, 萬聖節, 할로윈, 핼러윈",
    "easter": "イースター, 复活节, 復活節, 부활절",
    "mother's day": "母の日, 母亲节, 母親節",
    "thanksgiving": "感恩节, 感恩節, 추수감사절",
}
_THIRDS = {
    "early": "上旬, 初旬, 初め, はじめ, 始め, 初頭, 初, 头, 頭, 年初, 月初, 초순, 상순, 초, 연초",
    "mid": "中旬, 半ば, なかば, 中頃, 중순",
    "late": "下旬, 終わり, おわり, 末, 底, 年末, 月末, 年底, 月底, 하순, 말, 연말, 월말",
}
_HALVES = {
    1: "前半, 上半期, 上半年, 상반기, 전반기",
    2: "後半, 后半, 下半期, 下半年, 하반기, 후반기",
}
_DAY_PARTS = {
    "morning": "朝, 早朝, 午前, 早上, 上午, 早晨, 아침, 오전",
    "noon": "昼, お昼, 正午, 中午, 점심",
    "afternoon": "午後, 下午, 오후",
    "evening": "夕方, 晩, 傍晚, 저녁",
    "night": "夜, 深夜, 晚上, 夜里, 밤",
}
_NAMED = {Sort.HOLIDAY: _HOLIDAYS, Sort.THIRD: _THIRDS, Sort.DAY_PART: _DAY_PARTS}
_OTHERS = {
    Sort.LAST: "この前の, この間の, 上个, 上個, 上一个, 上一個, 지난, 지난번, 저번",
    Sort.THIS: "この, 这个, 這個, 이번",
    Sort.NEXT: "今度の, 次の, 下个, 下個, 下一个, 下一個, 다음",
    Sort.PAST: "過去, 过去, 最近, 直近, ここ, 최근",
    Sort.EVERY: "毎日, 毎週, 毎月, 毎年, 毎, 每天, 每周, 每週, 每月, 每年, 每个, 每個, 每逢, "
    "每, その, あの, 那个, 那個, 那年, 매일, 매주, 매달, 매월, 매년, 그",
}
_WEEKEND = "週末, 周末, 주말"
_JAPANESE, _KOREAN = "月火水木金土日", "월화수목금토일"  # weekdays from Monday on
_CHINESE = "一二三四五六日天"

_SUFFIXES = {
    (Sort.DATE, "year"): "年, 년",
    (Sort.DECADE, "year"): "年代, 년대",
    (Sort.MONTH, "month"): "月, 月份, 월",
    (Sort.ORDINAL, "day"): "日, 号, 號, 일",
    (Sort.COUNTED, "night"): "泊, 晚, 夜, 박",
    (Sort.SPELL, "day"): "日間, 日间, 天, 天間, 天间, 일간, 일 동안, 일동안",
    (
        Sort.SPELL,
        "week",
    ): "週間, 周间, 周, 週, 星期, 个星期, 個星期, 个礼拜, 個禮拜, 주, 주일, 주간",
    (
        Sort.SPELL,
        "month",
    ): "か月, ヶ月, カ月, ケ月, 箇月, か月間, ヶ月間, カ月間, ケ月間, 个月, 個月, "
    "개월, 개월간, 달, 달간",
    (Sort.SPELL, "year"): "年間, 年间, 년간",
    (Sort.AGO, "day"): "日前, 天前, 天以前, 天之前, 일 전, 일전",
    (Sort.AGO, "week"): "週間前, 周前, 週前, 星期前, 个星期前, 個星期前, 礼拜前, 个礼拜前, "
    "個禮拜前, 周以前, 周之前, 주 전, 주전, 주일 전",
    (Sort.AGO, "month"): "か月前, ヶ月前, カ月前, ケ月前, 箇月前, 个月前, 個月前, 个月以前, "
    "个月之前, 個月以前, 개월 전, 개월전, 달 전, 달전",
    (Sort.AGO, "year"): "年前, 年以前, 年之前, 년 전, 년전",
    (Sort.FROM_NOW, "day"): "日後, 天后, 天後, 天之后, 天之後, 일 후, 일 뒤",
    (Sort.FROM_NOW, "week"): "週間後, 周后, 週後, 个星期后, 個星期後, 주 후, 주 뒤",
    (
        Sort.FROM_NOW,
        "month",
    ): "か月後, ヶ月後, カ月後, ケ月後, 个月后, 個月後, 개월 후, 달 후, 달 뒤",
    (
        Sort.OTHER,
        "",
    ): "日目, 日以内, 日分, 日中に1, 年生, 年目, 월호, 月号, 月號, 일째, 号线, 號線, "
    "号楼, 号室, 号店, 号館, 号車, 号车, 年以上, 月曜, 日曜, 일차",
}
_NUMERALS = "一二三四五六七八九十"
_OTHER_NUMBERS = {
    "两": 2, "兩": 2, "元": 1, "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6,
}  # fmt: skip
_SPELLED_AGO = {
    (6, "month"): "半年前, 반년 전",
    (2, "day"): "이틀 전",
    (3, "day"): "사흘 전",
    (1, "week"): "일주일 전, 일주일전",
}
ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911}
"""Japanese ones, with the year before their first."""

SHORT_SEASONS: Final = {"春": 1, "夏": 2, "秋": 3, "冬": 4}
"""Seasons behind a year and the like, or before a particle."""

NOT_BEFORE: Final = {
    "明日": "香葉菜方", "今日": "子头頭", "后天": "性", "後天": "性", "그제": "야서", "오늘": "날",
    "正月": "屋", "日曜": "大画版学", "中秋": "月",
    "圣诞": "树礼老卡歌帽", "聖誕": "樹禮老卡歌帽",
    "初": "めて對对", "初め": "て", "はじめ": "て", "始め": "た",
    "頭": "痛", "头": "痛", "末": "っ", "夜": "景", "朝": "食鮮鲜", "昼": "食", "底": "下",
    "초": "등", "말": "고이", "밤": "나",
}  # fmt: skip
"""Characters behind a word with which it is part of another one."""

NOT_AFTER: Final = {
    "前天": "以之", "后天": "以之然最午", "後天": "以之然最午", "上周": "马", "上週": "馬",
    "上月": "马馬海", "本月": "日", "本周": "日", "本日": "日", "本年": "日",
}  # fmt: skip
"""The same before it: 之前天气, 然后天黑, 日本月."""


def numeral(text: str) -> int:
    """Return the number of digits, of ideographs up to 99 or of a Korean word; 0 if it is none."""
    if text.isdecimal() and text.isascii():
        return int(text)
    if text in _OTHER_NUMBERS:
        return _OTHER_NUMBERS[text]
    tens, ten, ones = text.rpartition("十")
    if not all(sign in _NUMERALS for sign in tens + ones) or max(len(tens), len(ones)) > 1:
        return 0
    if not ten:
        return _NUMERALS.index(ones) + 1
    first = _NUMERALS.index(tens) + 1 if tens else 1
    return 10 * first + (_NUMERALS.index(ones) + 1 if ones else 0)


def _split(listed: str) -> Iterator[str]:
    yield from (phrase for each in listed.split(",") if (phrase := each.strip()))


def _entries() -> Iterator[tuple[str, Lexeme]]:
    for listed, lexeme in _lists():
        for word in _split(listed):
            yield word, lexeme
            if lexeme.sort is Sort.UNIT and lexeme.name == "week":
                yield from _in_week(word, lexeme.number)
    yield from _weekdays()


def _lists() -> Iterator[tuple[str, Lexeme]]:
    for (unit, offset), listed in _UNITS.items():
        yield listed, Lexeme(Sort.UNIT, number=offset, name=unit)
    yield _WEEKEND, Lexeme(Sort.UNIT, name="weekend", weak=True)
    for (days, part), listed in _DAYS.items():
        yield listed, Lexeme(Sort.DAY, number=days, name=part)
    for (count, unit), listed in _SPELLED_AGO.items():
        yield listed, Lexeme(Sort.AGO, number=count, name=unit)
    for season, number in {**SHORT_SEASONS, **_WEAK_SEASONS}.items():
        yield season, Lexeme(Sort.SEASON, number=number, weak=True)
    for sort, numbered in ((Sort.SEASON, _SEASONS), (Sort.HALF, _HALVES)):
        yield from ((listed, Lexeme(sort, number=number)) for number, listed in numbered.items())
    for sort, named in _NAMED.items():
        yield from ((listed, Lexeme(sort, name=name)) for name, listed in named.items())
    yield from ((listed, Lexeme(sort)) for sort, listed in _OTHERS.items())


def _in_week(word: str, offset: int) -> Iterator[tuple[str, Lexeme]]:
    """Yield "Friday last week" and "last weekend", as one word in all three languages."""
    for end in "末말":
        yield word + end, Lexeme(Sort.UNIT, number=offset, name="weekend")
    if word[-1] in "周週期拜":
        for number, sign in enumerate(_CHINESE):
            yield word + sign, Lexeme(Sort.WEEKDAY, number=min(number, 6), name="week", high=offset)


def _weekdays() -> Iterator[tuple[str, Lexeme]]:
    for number, (japanese, korean) in enumerate(zip(_JAPANESE, _KOREAN, strict=True)):
        for word in (f"{japanese}曜日", f"{japanese}曜", f"{korean}요일"):
            yield word, Lexeme(Sort.WEEKDAY, number=number)
    for number, sign in enumerate(_CHINESE):
        for week in ("周", "週", "星期", "礼拜", "禮拜"):
            yield week + sign, Lexeme(Sort.WEEKDAY, number=min(number, 6))


WORDS: Final[dict[str, Lexeme]] = {word: lexeme._replace(word=word) for word, lexeme in _entries()}
"""What stands for itself."""

SUFFIXES: Final[dict[str, Lexeme]] = {
    word: Lexeme(sort, word, name=name)
    for (sort, name), listed in _SUFFIXES.items()
    for word in _split(listed)
}
"""What a number counts."""

BRACKETED: Final = {
    sign: min(number, 6)
    for signs in (_JAPANESE, _KOREAN, _CHINESE)
    for number, sign in enumerate(signs)
}
"""Weekdays in brackets behind a date."""
