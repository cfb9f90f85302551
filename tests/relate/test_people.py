"""Who is who: keys of single memories, and persons out of all keys."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.memory import Memory
from graphmemix.relate.people import People
from graphmemix.relate.person_keys import PREFIXES, person_keys
from tests.growth.doubling import assert_linear

NUMBERS = count()


def contact(text: str, **metadata: str) -> Memory:
    return Memory(f"c{next(NUMBERS)}", "contact", text, metadata=metadata)


def said(speaker: str, text: str = "ok") -> Memory:
    return Memory(f"m{next(NUMBERS)}", "message", text, speaker=speaker)


def mail(sender: str, to: str = "Jo Berg <jo@berg.example>", text: str = "Hi\n\nok") -> Memory:
    return Memory(f"e{next(NUMBERS)}", "email", text, metadata={"from": sender, "to": [to]})


def people(*memories: Memory, owner: str = "") -> People:
    return People([key for memory in memories for key in person_keys(memory)], owner)


def means(people: People, words: str) -> list[set[str]]:
    """Return whom words mean, without addresses."""
    return [{name for name in person if "@" not in name} for person in people.names(words)]


def test_keys_of_a_mail() -> None:
    assert person_keys(mail("Grace Okafor <grace@north.example>")) == {
        "person:Grace Okafor",
        "alias:Grace Okafor=grace@north.example",
        "person:Jo Berg",
        "alias:Jo Berg=jo@berg.example",
        "wrote:grace@north.example=jo@berg.example",
    }


def test_keys_of_a_contact() -> None:
    found = person_keys(contact("Mama\nBrigitte Schneider\nTEL 0951", name="Mama"))
    assert found == {
        "person:Mama",
        "person:Brigitte Schneider",
        "alias:Mama=Brigitte Schneider",
        "kin:mother=Mama",
    }


def test_names_with_signs_of_keys_are_written_so_that_they_are_read_again() -> None:
    known = people(contact("Ann=100%\nNickname: Nan"), contact("A=B (sister)"))
    assert means(known, "my sister") == [{"A=B", "A=B (sister)"}]


@pytest.mark.parametrize(
    ("memories", "words", "names"),
    [
        # A contact with two names, and the chat under one of them.
        (
            [contact("Mama\nBrigitte Schneider"), said("Mama"), mail("Brigitte Schneider <b@x.y>")],
            "Wann war Mama da?",
            {"Mama", "Brigitte Schneider"},
        ),
        ([contact("Maman (Odile)"), mail("Odile Dubois <odile@x.y>")], "my mother",
         {"Maman (Odile)", "Maman", "Odile", "Odile Dubois"}),
        ([contact("Leonberger Vermieter\nGerhard Leonberger")], "Gerhard",
         {"Leonberger Vermieter", "Gerhard Leonberger"}),
        ([contact("Robert Hill\nNickname: Bobby")], "Bobby", {"Robert Hill", "Bobby"}),
        ([contact("Wanjiru Kamau (Shiru)\nshiru.kamau@x.y")], "Shiru",
         {"Wanjiru Kamau (Shiru)", "Wanjiru Kamau", "Shiru"}),
        # A first name that only one has.
        ([said("Grace"), mail("Grace Okafor <g.okafor@x.y>")], "Grace", {"Grace", "Grace Okafor"}),
        ([said("Nadia H."), contact("Nadia Haddad"), contact("Nadia Ferrand")], "Nadia Haddad",
         {"Nadia H.", "Nadia H", "Nadia Haddad"}),
        # One address.
        ([mail("G. Okafor <g1@x.y>"), mail("Grace Okafor <g1@x.y>")], "Grace",
         {"G. Okafor", "G Okafor", "Grace Okafor"}),
        # Relatives by notes and texts.
        ([contact("Nadia Haddad\nNote: sister")], "my sister", {"Nadia Haddad"}),
        ([contact("Nadia Haddad\nNote: sister")], "meine Schwester", {"Nadia Haddad"}),
        ([contact("Nadia Haddad\nNote: sister")], "ma sœur", {"Nadia Haddad"}),
        ([contact("Nadia Haddad\nNote: sister")], "mi hermana", {"Nadia Haddad"}),
        ([contact("Nadia Haddad\nNote: sœur de Sami")], "Sami's sister", {"Nadia Haddad"}),
        ([contact("Nadia Haddad\nNote: sœur de Sami")], "la sœur de Sami", {"Nadia Haddad"}),
        ([contact("Vic Eze (cousin)")], "ma cousine", {"Vic Eze (cousin)", "Vic Eze"}),
        ([contact("Aunt Tsehay Bel")], "meine Tante", {"Aunt Tsehay Bel", "Tsehay Bel"}),
        ([said("Papa")], "mein Vater", {"Papa"}),
        ([said("Mummy")], "did mum call?", {"Mummy"}),
        ([Memory("n", "note", "my sister Lena likes figs"), said("Lena")], "my sister", {"Lena"}),
        ([Memory("n", "note", "min syster Karin")], "Vad gillar min syster?", {"Karin"}),
        ([said("Hannah (Jack's mum)")], "Jack's mother", {"Hannah (Jack's mum)", "Hannah"}),
    ],
)  # fmt: skip
def test_words_of_a_question_mean_a_person(
    memories: list[Memory], words: str, names: set[str]
) -> None:
    assert means(people(*memories), words) == [names]


SIGNED = "Hi\n\nSee you at the station on Monday.\n\nBest regards\nLena Weber"


def test_a_signature_names_a_sender_who_is_shown_by_an_address() -> None:
    found = person_keys(mail("lena.w@home.example", text=SIGNED))
    assert {"person:Lena Weber", "alias:Lena Weber=lena.w@home.example"} <= found


@pytest.mark.parametrize(
    "sender",
    ["office@home.example", "p.kurz@home.example", "Paul Kurz <lena@home.example>", "Lena"],
)
def test_a_signature_is_not_always_that_of_the_sender(sender: str) -> None:
    assert "person:Lena Weber" not in person_keys(mail(sender, text=SIGNED))


def test_two_annas_stay_two_persons_and_a_question_means_both() -> None:
    known = people(contact("Anna Vogt"), contact("Anna Lindner (Physio)"), said("Anna"))
    both = [{"Anna"}, {"Anna Lindner", "Anna Lindner (Physio)"}, {"Anna Vogt"}]
    assert means(known, "Which Anna treated my shoulder?") == both
    assert means(known, "Anna Vogt") == [{"Anna Vogt"}]


def test_a_shop_is_not_merged_with_a_person_of_the_same_word() -> None:
    known = people(
        said("Grace"),
        mail("Grace Bakery <orders@grace.example>"),
        mail("Grace Air <hello@graceair.example>"),
        mail("Grace <news@grace.example>"),
    )
    assert known.same("Grace") == {"Grace"}
    assert means(known, "Grace") == [{"Grace"}]


def test_persons_who_share_an_address_stay_apart() -> None:
    known = people(mail("Anna Vogt <vogt@x.example>"), mail("Tobi Vogt <vogt@x.example>"))
    assert known.same("Anna Vogt") == {"Anna Vogt"}
    shared = people(mail("Anna <info@x.example>"), mail("Anna Vogt <info@x.example>"))
    assert "info@x.example" not in shared.same("Anna Vogt")


def test_a_second_line_of_a_contact_may_be_a_firm() -> None:
    known = people(contact("David Ong (fish)\nGulf Pearl Seafood"), contact("Tuyet\nLucky Nails"))
    assert known.same("David Ong") == {"David Ong", "David Ong (fish)"}
    assert known.same("Tuyet") == {"Tuyet"}


def test_my_sister_is_not_the_sister_of_a_correspondent() -> None:
    letters = [mail(f"P{n} Q{n}".translate(str.maketrans("0123456", "abcdefg"))) for n in range(6)]
    theirs = mail("Julie Hill <julie@x.y>", text="Hi\n\nmy sister Rose marries")
    ours = mail("Jo Berg <jo@berg.example>", "Ann Lee <ann@x.y>", "Hi\n\nmy sister Eva moved")
    known = people(*letters, theirs, ours)
    assert means(known, "What did my sister say?") == [{"Eva"}]
    assert means(known, "Julie's sister") == [{"Rose"}]
    quoted = mail("Jo Berg <jo@berg.example>", "Ann Lee <a@x.y>", "Re: x\n\nok\n> my sister Rose")
    assert not any(key.startswith("kin:") for key in person_keys(quoted))


def test_an_owner_may_be_named() -> None:
    known = people(said("Jo Berg", "my brother Tim is ill"), owner="Jo")
    assert means(known, "my brother") == [{"Tim"}]
    assert means(people(said("Jo Berg", "my brother Tim is ill")), "my brother") == []


def test_a_german_noun_is_no_sister() -> None:
    note = Memory("n", "note", "wenn meine Schwester Geburtstag hat")
    assert means(people(note), "meine Schwester") == []
    note = Memory("n", "note", "wenn meine Schwester Lena kommt")
    assert means(people(note, said("Lena")), "meine Schwester") == [{"Lena"}]


def test_mentions_have_their_place() -> None:
    known = people(contact("Anna Vogt"), contact("Lena Hill\nNote: sister"))
    text = "Did Annas rope or my sister come along?"
    spans = [text[found.start : found.end] for found in known.find(text)]
    assert spans == ["Annas", "my sister"]


@pytest.mark.parametrize(
    ("text", "found"),
    [("who is pat?", True), ("Who is Pat?", True), ("Did I pat the dog?", False)],
)
def test_a_small_letter_counts_where_nothing_has_a_capital(text: str, found: bool) -> None:
    assert bool(people(said("Pat")).names(text)) is found


def test_nothing_stays_of_a_memory_that_is_gone() -> None:
    tie = contact("Mama\nBrigitte Schneider")
    rest = [said("Mama"), mail("Brigitte Schneider <b@x.y>")]
    assert "Mama" in people(tie, *rest).same("Brigitte Schneider")
    assert "Mama" not in people(*rest).same("Brigitte Schneider")


def test_people_are_read_from_a_store_by_prefix() -> None:
    keys = person_keys(contact("Mama\nBrigitte Schneider"))

    def key_names(prefix: str) -> list[str]:
        return [key.removeprefix(prefix) for key in keys if key.startswith(prefix)]

    assert People.read(key_names).same("Mama") == {"Mama", "Brigitte Schneider"}


TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(["my sister ", "Anna ", "Mama", "\n", "=", "%", "(", ")", "@x ", ","]))
    .map("".join),
)  # fmt: skip


@given(st.sampled_from(["contact", "email", "message", "note"]), TEXTS, TEXTS, TEXTS)
def test_any_memory_gives_keys_that_can_be_stored(
    kind: str, text: str, speaker: str, named: str
) -> None:
    metadata = {"name": named, "from": named, "to": [speaker, named], "cc": None}
    memory = Memory("m", kind, text, speaker=speaker, metadata=metadata)  # type: ignore[arg-type]
    keys = person_keys(memory)
    assert all(key.startswith(PREFIXES) and key.isprintable() and len(key) <= 120 for key in keys)
    People(keys).find(text)


@given(
    st.lists(
        st.one_of(st.text(max_size=20), TEXTS.map("alias:".__add__), TEXTS.map("kin:".__add__))
    )
)
def test_any_keys_are_safe(keys: list[str]) -> None:
    People(keys).find("my sister, Anna and Mama")


def test_time_grows_with_the_keys_and_the_question() -> None:
    def keys(size: int) -> list[str]:
        return [f"{prefix}Anna {n}a=Anna" for n in range(size) for prefix in PREFIXES]

    assert_linear(People, keys, start=64, most=1 << 12)
    known = People(keys(50))
    assert_linear(known.find, lambda size: "my sister Anna's " * size, start=64, most=1 << 12)


@pytest.mark.parametrize("kind", ["contact", "email", "message"])
@pytest.mark.parametrize("shape", ["Anna\n", "Anna, ", "(", "my sister Anna ", "a@b ", "x"])
def test_keys_cost_what_the_text_costs(kind: str, shape: str) -> None:
    def make(size: int) -> Memory:
        text = shape * (size // len(shape) + 1)
        return Memory("m", kind, text, speaker="Al", metadata={"from": text})  # type: ignore[arg-type]

    assert_linear(person_keys, make, start=1 << 10, most=1 << 14)
