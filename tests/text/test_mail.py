"""Own and quoted words, signatures and footers of mails, by language."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.text.mail import (
    MailParts,
    _read_anew,
    forwarded_text,
    mail_parts,
)
from tests.growth.doubling import assert_linear

OWN = "Re: Dinner\n\nSeven is fine."

ATTRIBUTIONS = {
    "English": "On Fri, 12 May 2023 at 10:04, Grace Okafor <grace@north.example> wrote:",
    "English, wrapped": "On Fri, 12 May 2023 at 10:04, Grace Okafor\n<grace@north.example> wrote:",
    "English, short date": "On 2023-10-14, Ananya Mehta wrote:",
    "German": "Am 12.05.2023 um 10:04 schrieb Jonas Schneider <jonas@post.example>:",
    "German, wrapped": "Am Fr., 12. Mai 2023 um 10:04 Uhr schrieb Jonas\nSchneider <j@x.example>:",
    "French": "Le ven. 12 mai 2023 à 10:04, Claire Dubois <claire@pain.example> a écrit :",
    "Spanish": "El vie, 12 may 2023 a las 10:04, Ana (<ana@correo.example>) escribió:",
    "Italian": "Il giorno ven 12 mag 2023 alle ore 10:04 Luca <luca@posta.example> ha scritto:",
    "Dutch": "Op vr 12 mei 2023 om 10:04 schreef Jan <jan@post.example>:",
    "Portuguese": "Em sex., 12 de mai. de 2023 às 10:04, Ana <ana@x.example> escreveu:",
    "Swedish": "Den fre 12 maj 2023 kl 10:04 skrev Erik <erik@post.example>:",
}

HEADERS = {
    "English": "From: Grace\nSent: Friday, 12 May 2023 10:04\nTo: Ana\nSubject: Dinner",
    "German": "Von: Jonas\nGesendet: Freitag, 12. Mai 2023 10:04\nAn: Lena\nBetreff: Essen",
    "French": "De : Claire\nEnvoyé : vendredi 12 mai 2023 10:04\nÀ : Sami\nObjet : Repas",
    "Spanish": "De: Ana\nEnviado el: viernes, 12 de mayo de 2023 10:04\nPara: Luis\nAsunto: Cena",
    "Italian": "Da: Luca\nInviato: venerdì 12 maggio 2023 10:04\nA: Anna\nOggetto: Cena",
    "Dutch": "Van: Jan\nVerzonden: vrijdag 12 mei 2023 10:04\nAan: Piet\nOnderwerp: Eten",
    "Portuguese": "De: Ana\nEnviada em: sexta-feira, 12 de maio de 2023\nPara: Rui\nAssunto: Sopa",
    "Swedish": "Från: Erik\nSkickat: den 12 maj 2023 10:04\nTill: Karin\nÄmne: Middag",
    "bold": "*From:* Grace\n*Date:* 12 May 2023\n*Subject:* Dinner",
}

ORIGINALS = [
    "-----Original Message-----",
    "-----Ursprüngliche Nachricht-----",
    "-----Message d'origine-----",
    "-----Mensaje original-----",
    "-----Messaggio originale-----",
    "-----Oorspronkelijk bericht-----",
    "-----Mensagem original-----",
    "-----Originalmeddelande-----",
    "________________________________\nFrom: A\nTo: B\nSubject: C",
]

FORWARDS = [
    "---------- Forwarded message ---------",
    "---------- Forwarded ----------",
    "Begin forwarded message:",
    "-------- Weitergeleitete Nachricht --------",
    "---- Weitergeleitet ----",
    "Anfang der weitergeleiteten Nachricht:",
    "---------- Message transféré ---------",
    "Début du message réexpédié :",
    "---------- Mensaje reenviado ---------",
    "---------- Messaggio inoltrato ---------",
    "-------- Doorgestuurd bericht --------",
    "---------- Mensagem encaminhada ---------",
    "-------- Vidarebefordrat meddelande --------",
]

CLOSINGS = [
    "Best regards,\nGrace Okafor\nWard 9\nTel: +44 161 555 0100",
    "Best from Berlin, Jonas",
    "Thanks,\nGrace",
    "Mit freundlichen Grüßen\nJonas Schneider\nKessler IT GmbH\nwww.kessler.example",
    "Gruß J. Schneider",
    "MfG Rösch jun.",
    "Bien à vous\nClaire Dubois",
    "Bisous, Maman",
    "Un abrazo,\nAna",
    "Cordiali saluti\nLuca Bernasconi",
    "Met vriendelijke groet,\nJan de Vries",
    "Com os melhores cumprimentos,\nRui",
    "Med vänlig hälsning\nErik",
    "Mvh Sanna",
    "--\nGrace Okafor\nAshbury depot",
]

FOOTERS = [
    "Sent from my iPhone",
    "Von meinem iPhone gesendet",
    "Gesendet mit der GMX Mail App",
    "Envoyé de mon iPhone",
    "Enviado desde mi iPhone",
    "Inviato da iPhone",
    "Verzonden vanaf mijn iPhone",
    "Enviado do meu iPhone",
    "Skickat från min iPhone",
    "Get Outlook for iOS",
    "Unsubscribe",
    "Click here to unsubscribe <https://x.example/u>",
    "Home | Contact | Unsubscribe",
    "Newsletter abmelden",
    "Se désabonner",
    "Darse de baja",
    "Annulla l'iscrizione",
    "Uitschrijven",
    "Cancelar subscrição",
    "Avsluta prenumerationen",
    "View in browser",
    "View this email in your browser",
    "Im Browser ansehen",
    "Voir dans votre navigateur",
    "You are receiving this email because you signed up.\nTo unsubscribe, click here.",
    "This e-mail is confidential.\nIf you are not the intended recipient, please delete it.",
    "Diese E-Mail ist vertraulich. Wenn Sie nicht der richtige Adressat sind, löschen Sie sie.",
    "Ce message est confidentiel et réservé à son destinataire.",
]


@pytest.mark.parametrize("line", ATTRIBUTIONS.values(), ids=ATTRIBUTIONS)
@pytest.mark.parametrize("mark", ["> ", ""])
def test_what_an_attribution_introduces_is_quoted(line: str, mark: str) -> None:
    quote = f"{line}\n\n{mark}Shall we meet at seven?\n{mark}Bring the cake."
    assert mail_parts(f"{OWN}\n\n{quote}") == MailParts(OWN, quote, "", "")


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_a_block_of_header_fields_begins_a_quote(header: str) -> None:
    quote = f"{header}\n\nShall we meet at seven?"
    assert mail_parts(f"{OWN}\n\n{quote}") == MailParts(OWN, quote, "", "")


@pytest.mark.parametrize("line", ORIGINALS)
def test_a_dividing_line_begins_a_quote(line: str) -> None:
    quote = f"{line}\nShall we meet at seven?\n\nBest regards,\nAna"
    assert mail_parts(f"{OWN}\n\n{quote}") == MailParts(OWN, quote, "", "")


@pytest.mark.parametrize("line", FORWARDS)
def test_a_forwarded_mail_is_what_a_short_mail_brings(line: str) -> None:
    text = f"Fwd: Ticket\n\nSee below.\n\n{line}\nFrom: Rail\n\nSeat 14, coach 3."
    assert mail_parts(text) == MailParts(text, "", "", "")


@pytest.mark.parametrize("line", FORWARDS)
def test_below_a_letter_a_forwarded_mail_is_quoted(line: str) -> None:
    letter = "Fwd: Ticket\n\n" + "I have thought about it for a long time, and here is why. " * 5
    forwarded = f"{line}\nFrom: Rail\n\nSeat 14, coach 3."
    parts = mail_parts(f"{letter}\n\n{forwarded}")
    assert (parts.own, parts.quoted) == (letter.strip(), forwarded)


@pytest.mark.parametrize(
    "text",
    [
        "WG: Rechnung\n\nStimmt das?\n\n---- Weitergeleitet ----\n> Umzug 2.640 €",
        "Fwd: Menu\n\nfyi\n\n> soup, then fish",
        "WG: Plan\n\nVon: A\nGesendet: 1. Mai 2023\nBetreff: Plan\n\nUm acht am Tor.",
        "Plan\n\n-----Original Message-----\nFrom: A\nSubject: Plan\n\nAt eight by the gate.",
    ],
)
def test_what_only_passes_on_another_mail_is_own(text: str) -> None:
    assert mail_parts(text).own == text


def test_a_mail_forwarded_twice_is_own() -> None:
    text = "\n".join(["Fwd: Fwd: Map", "", FORWARDS[0], "look", "", FORWARDS[0], "Turn left."])
    assert mail_parts(text).own == text


def test_a_thread_below_a_forwarded_mail_is_quoted() -> None:
    top = f"Fwd: Room\n\nfyi\n\n{FORWARDS[0]}\nFrom: Ana\n\nRoom 6 it is."
    thread = f"{ORIGINALS[0]}\nWhich room?"
    assert mail_parts(f"{top}\n\n{thread}")[:2] == (top, thread)


def test_own_words_between_quotes_stay_own_and_in_order() -> None:
    text = (
        "Re: List\n\nAm 12.05.2023 schrieb Lena:\n> Wer bringt Brot?\n\nIch.\n\n"
        "> Und Salat?\n\nTobi.\n\n>> alt\n> egal"
    )
    parts = mail_parts(text)
    assert parts.own.split() == ["Re:", "List", "Ich.", "Tobi."]
    assert parts.quoted.startswith("Am 12.05.2023 schrieb Lena:\n> Wer bringt Brot?")


@pytest.mark.parametrize("closing", CLOSINGS)
def test_a_closing_and_what_is_below_it_is_a_signature(closing: str) -> None:
    quote = "> Shall we meet?"
    parts = mail_parts(f"{OWN}\n\n{closing}\n\n{quote}")
    assert parts == MailParts(OWN, quote, closing, "")


@pytest.mark.parametrize("footer", FOOTERS)
def test_footers_are_boilerplate(footer: str) -> None:
    assert mail_parts(f"{OWN}\n\n{footer}") == MailParts(OWN, "", "", footer)


@pytest.mark.parametrize(
    "text",
    [
        "Ticket\n\nFrom: Lyon\nTo: Beirut\nDate: 20 April 2023\nSeat: 14",  # no header of a mail
        "Hello\n\nThanks for the cake!\nIt was the best one.",
        "Hello\n\nBest of all was the lake.",
        "Hello\n\nOn 12 May he wrote:\nI shall come.",  # no year and no time: a tale
        "Hello\n\nHow do I unsubscribe from this list? I never asked for it.",
        "Hello\n\nPlease unsubscribe me",
        "Hello\n\nThe meeting is confidential.",
        "Hello\n\nLove the new kitchen",
        "Hello\n\nThis is for the forwarded message service.",
        "Thanks!",
        "Re: Cake\n\nThanks!",
        "Re: Cake\n\nBest regards,\nGrace",  # nothing else would be left
        "Abmelden ist leicht\n\nSo geht es: Formular ausfüllen und abgeben.",
        "Notes\n\n--\n" + "a line of a long list\n" * 30,
        "",
        "\n\n",
    ],
)
def test_what_is_in_doubt_is_own(text: str) -> None:
    assert mail_parts(text) == MailParts(text.strip(), "", "", "")


def test_words_right_above_a_notice_are_own() -> None:
    notice = "Confidential: if you are not the intended recipient, delete it."
    assert mail_parts(f"{OWN}\nSee you there.\n{notice}") == MailParts(
        f"{OWN}\nSee you there.", "", "", notice
    )


def test_words_below_a_signature_are_own() -> None:
    parts = mail_parts(f"{OWN}\n\nBest regards,\nGrace\n\nPS: bring the red bag, not the blue one.")
    assert parts.signature == "Best regards,\nGrace"
    assert parts.own.endswith("PS: bring the red bag, not the blue one.")


PIECES = [
    "> quoted", "own words.", "", "--", "Best regards,", "Grace", "Sent from my iPhone", "Fwd: x",
    "Unsubscribe", *ATTRIBUTIONS.values(), *HEADERS.values(), *ORIGINALS, *FORWARDS,
]  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=30)), max_size=20))
def test_every_line_is_in_exactly_one_part(pieces: list[str]) -> None:
    text = "\n".join(pieces)
    parts = mail_parts(text)
    kept = Counter(line.strip() for part in parts for line in part.split("\n"))
    written = Counter(line.strip() for line in text.split("\n"))
    del kept[""], written[""]
    assert kept == written


@pytest.mark.parametrize(
    "shape",
    [ATTRIBUTIONS["English, wrapped"], HEADERS["English"] + "\n", FORWARDS[0] + "\n", "On\n",
     "On\n> ", "x", "word ", "Best, ", "Thanks\n", "click to ", "von meinem ", "a | ", "--\n",
     "\n \n"],
)  # fmt: skip
def test_time_grows_with_the_text(shape: str) -> None:
    def make(size: int) -> str:
        return "S\n\n" + shape * (size // len(shape) + 1)

    assert_linear(_read_anew, make, start=1 << 11, most=1 << 15)


@pytest.mark.parametrize(
    "text",
    [
        "Fwd: Keys\n\nFYI\n\n---------- Forwarded message ---------\nFrom: Ben\n\nOn the hook.",
        "WG: Keys\n\n-----Ursprüngliche Nachricht-----\nVon: Ben\nBetreff: Keys\n\nOn the hook.",
        "Fwd: Keys\n\nBegin forwarded message:\n\n> From: Ben\n> Subject: Keys\n>\n> On the hook.",
    ],
)
def test_the_text_of_a_forwarded_mail(text: str) -> None:
    assert forwarded_text(text).strip() == "On the hook."


def test_what_is_answered_is_not_forwarded() -> None:
    assert forwarded_text("Re: Keys\n\nFine.\n\nOn Monday, Ben wrote:\n> On the hook.") == ""
