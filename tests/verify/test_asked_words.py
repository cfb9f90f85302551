"""Which sort of value questions ask for, and what values look like, in many languages."""

from __future__ import annotations

import pytest

from graphmemix.verify.asked import asked_type, covering, holds, names_in

ASKED = [
    ("A che ora parte il treno?", "time"),
    ("Quanto è costato il divano?", "amount"),
    ("Quanto costa il biglietto?", "amount"),
    ("Quanti ospiti sono venuti?", "number"),
    ("Quanto dura il viaggio?", "number"),
    ("Chi ha riparato il forno?", "person"),
    ("Come si chiamava il cane?", "person"),
    ("Dove abbiamo dormito?", "place"),
    ("Com'era il tempo?", None),
    ("Mi parli del giardino", None),
    ("A que horas sai o comboio?", "time"),
    ("Quanto custou o sofá?", "amount"),
    ("Quantas pessoas vieram?", "number"),
    ("Quem consertou o forno?", "person"),
    ("Como se chamava o cão?", "person"),
    ("Onde dormimos?", "place"),
    ("Que cidade visitámos?", "place"),
    ("Hoe laat vertrekt de trein?", "time"),
    ("Wanneer was de verhuizing?", "time"),
    ("Hoeveel kostte de bank?", "amount"),
    ("Wat kostte de boot?", "amount"),
    ("Hoeveel gasten kwamen er?", "number"),
    ("Wie heeft de oven gerepareerd?", "person"),
    ("Hoe heette de hond?", "person"),
    ("Waar sliepen we?", "place"),
    ("Waarom kwam ze niet?", None),
    ("Wie war das Wetter?", None),
    ("Wie heißt der Tierarzt?", "person"),
    ("会議は何時ですか?", "time"),
    ("会議は何時間でしたか?", "number"),
    ("いくらでしたか?", "amount"),
    ("何円?", "amount"),
    ("何人来ましたか?", "number"),
    ("いくつ買いましたか?", "number"),
    ("誰が直しましたか?", "person"),
    ("どこで寝ましたか?", "place"),
    ("いつもの店の名物?", None),
    ("犬の名前は?", "person"),
    ("会议几点开始?", "time"),
    ("沙发多少钱?", "amount"),
    ("来了几个人?", "number"),
    ("来了多少人?", "number"),
    ("谁修的烤箱?", "person"),
    ("我们住在哪里?", "place"),
    ("狗叫什么名字?", "person"),
    ("我几乎忘了花园", None),
    ("Paris ou Lyon ?", None),
    ("Où avons-nous dormi ?", "place"),
    ("D'où vient Olga ?", "place"),
    ("Vad var bäst?", None),
    ("Var är nycklarna?", "place"),
    ("Var bodde vi?", "place"),
    ("Var det kallt?", None),
    ("Combien de personnes sont venues ?", "number"),
    ("Combien coûte le billet ?", "amount"),
    ("Did a dove eat the bread?", None),
    ("What was tai chi like?", None),
]
HELD = [
    ("9時に", "time", True),
    ("14時30分", "time", True),
    ("8月29日に", "time", True),
    ("土曜日", "time", True),
    ("明天", "time", True),
    ("八月", "time", True),
    ("庭は緑です", "time", False),
    ("我有一点累", "time", False),
    ("ore 18", "time", True),
    ("alle 18.30", "time", True),
    ("às 18h", "time", True),
    ("le 18h30", "time", True),
    ("om 9 uur", "time", True),
    ("duurde 9 uur", "time", False),
    ("giovedì", "time", True),
    ("sábado", "time", True),
    ("zaterdag", "time", True),
    ("lördag", "time", True),
    ("12 giugno", "time", True),
    ("o jardim é verde", "time", False),
    ("fora, outside", "time", False),
    ("a set of mugs", "time", False),
    ("3 maj", "time", True),
    ("3. mrt", "time", True),
    ("quinta-feira", "time", True),
    ("3,600円", "amount", True),
    ("30万円", "amount", True),
    ("¥3600", "amount", True),
    ("¥3600", "amount", True),
    ("38 €", "amount", True),
    ("38元", "amount", True),
    ("三百元", "amount", True),
    ("50块钱", "amount", True),
    ("30人", "amount", False),
    ("R$ 38,00", "amount", True),
    ("38 reais", "amount", True),
    ("三人", "number", True),
    ("電話は03-1234-5678です", "contact", True),
    ("电话是13800138000。", "contact", True),
    ("誕生日は", "birthday", True),
    ("è nato il 3", "birthday", True),
    ("é o aniversário", "birthday", True),
    ("ze is jarig", "birthday", True),
    ("12Aの席", "seat", True),
    ("12号室", "room", True),
    ("camera 12", "room", True),
    ("via Roma 12", "address", True),
    ("via Rome", "address", False),
    ("Kerkstraat", "address", True),
    ("Hafenstraße", "address", True),
    ("港区3丁目", "address", True),
    ("〒100", "address", True),
    ("暗証番号は4711です", "secret", True),
    ("田中さんが", "person", True),
    ("庭に花", "person", False),
    ("東京駅で", "place", True),
    ("庭に花", "place", False),
    ("王老师", "person", True),
]


@pytest.mark.parametrize(("question", "wanted"), ASKED)
def test_asked(question: str, wanted: str | None) -> None:
    assert asked_type(question) == wanted


@pytest.mark.parametrize(("text", "wanted", "expected"), HELD)
def test_held(text: str, wanted: str, expected: bool) -> None:
    assert holds(text, wanted) is expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("Qual è l'indirizzo di Olga?", True),
        ("Cos'è la caparra?", True),
        ("Come si chiama il veterinario?", True),
        ("Cosa abbiamo fatto a luglio?", False),
        ("Qual é a morada da Olga?", True),
        ("Como se chamava o cão?", True),
        ("O que fizemos em julho?", False),
        ("Wat is het adres van Olga?", True),
        ("Hoe heet de dierenarts?", True),
        ("Wat deden we in juli?", False),
        ("Vad heter veterinären?", True),
        ("Vad gjorde vi i juli?", False),
        ("オルガの電話番号は何ですか?", True),
        ("七月に何をしましたか?", False),
        ("奥尔加的地址是什么?", True),
        ("七月我们做了什么?", False),
    ],
)
def test_a_question_for_an_attribute(question: str, attribute: bool) -> None:
    assert covering(question, [], [])["asks_attribute"] == float(attribute)


@pytest.mark.parametrize(
    ("question", "held", "other"),
    [
        ("冷蔵庫の値段はいくらでしたか?", "新しい冷蔵庫の値段は30万円", "猫の写真"),
        ("冰箱多少钱?", "新冰箱3000元", "猫的照片"),
        ("전화번호", "올가의 전화번호", "고양이"),
    ],
)
def test_words_without_spaces_are_found_by_pairs(question: str, held: str, other: str) -> None:
    assert covering(question, [held], [held])["words_unknown"] == 0
    assert covering(question, [held, other], [held, other])["words_unseen"] == 0
    assert covering(question, [other], [other])["words_unknown"] == 1


def test_what_only_asks_in_japanese_and_chinese_is_no_unknown_word() -> None:
    for question in ("どこでしたか?", "いつですか?", "是谁?", "什么时候?"):
        assert covering(question, ["猫"], ["猫"])["unknown_words"] == 0


def test_a_value_counts_near_words_without_spaces() -> None:
    near = covering("冷蔵庫は何円?", ["冷蔵庫は30万円"], ["冷蔵庫は30万円"])
    assert near["covered_near_value"] == pytest.approx(1)


def test_a_latin_name_in_japanese_ends_where_its_letters_end() -> None:
    assert names_in("昨日Olgaの家に") == {"olga"}
