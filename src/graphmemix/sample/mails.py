"""The mail of the sample archive: what people and companies wrote, thread by thread."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime  # noqa: TC003  # part of the record
from typing import Final, NamedTuple

from graphmemix.sample.household import LENA, OLGA, PRIYA, RUTH, TOMAS, at

OLIVO: Final = "Hotel Olivo <reservations@hotel-olivo.example>"
NUSSDORF: Final = "Pension Nussdorf <stay@pension-nussdorf.example>"
JEZERO: Final = "Hotel Jezero <booking@jezero-bled.example>"
SAONE: Final = "Hotel des Quais <accueil@hotel-des-quais.example>"
KESSLER: Final = "Kessler Heating <service@kessler-heating.example>"
SCHOOL: Final = "Volksschule Lindengasse <office@lindengasse.example>"
PAPER: Final = "Papierboot <shop@papierboot.example>"
PARCEL: Final = "Alpenpost <parcels@alpenpost.example>"
RAIL: Final = "Murtalbahn <tickets@murtalbahn.example>"
WEISS: Final = "Dr. Weiss, Allergy Practice <practice@dr-weiss.example>"
DENTIST: Final = "Dental Practice Moser <hello@zahn-moser.example>"
TYRES: Final = "Reifen Hofer <lager@reifen-hofer.example>"
THEATRE: Final = "Orpheum Box Office <tickets@orpheum.example>"
CITY: Final = "City Registry <passports@registry.example>"


@dataclass(frozen=True)
class SampleMail:
    """One mail; `answers` is the key of the mail that it answers, `files` what is attached."""

    key: str
    when: datetime
    sender: str
    to: str
    subject: str
    text: str
    answers: str = ""
    files: tuple[str, ...] = ()

    @property
    def message_id(self) -> str:
        """The Message-ID header."""
        return f"<{self.key}@sample.graphmemix.example>"


MAILS: Final = (
    # Lake Garda: what was booked, and what happened with the booking
    SampleMail("olivo-1", at(2, 4, 20, 11), LENA, OLIVO, "A room for four in July?",
        "Hello,\n\nwe are two adults and two children (6 and 3) and would like to come from"
        " 10 to 17 July. Do you have a family room with a view of the lake, and is there"
        " somewhere to park?\n\nKind regards\nLena Brandt"),
    SampleMail("olivo-2", at(2, 6, 9, 30), OLIVO, LENA, "Re: A room for four in July?",
        "Dear Mrs Brandt,\n\nthe family room Limone with a balcony is free from 10 to 17 July"
        " 2023. It is 148 EUR a night with breakfast. Our garage costs 12 EUR a day.\n\n"
        "Giulia Moretti\nHotel Olivo, Malcesine", answers="olivo-1"),
    SampleMail("olivo-3", at(2, 7, 14, 2), OLIVO, LENA, "Your booking HO-58213 is confirmed",
        "Dear Mrs Brandt,\n\nthank you for your booking HO-58213.\n\nArrival: 10 July 2023,"
        " from 3 pm\nDeparture: 17 July 2023, by 11 am\nRoom: Limone, lake side, breakfast"
        " included\nHotel Olivo, Via Gardesana 41, Malcesine\n\nOur house rules are attached."
        "\n\nGiulia Moretti", answers="olivo-1", files=("house-rules.pdf",)),
    SampleMail("jezero-1", at(2, 2, 18, 20), JEZERO, LENA, "Booking JZ-1907: Hotel Jezero, Bled",
        "Thank you for choosing Hotel Jezero in Bled.\n\nBooking JZ-1907, 10 July to"
        " 17 July 2023, one family room. You may cancel free of charge until 1 June."),
    SampleMail("jezero-2", at(2, 7, 15, 45), JEZERO, LENA, "Cancelled: booking JZ-1907",
        "As you asked, we have cancelled booking JZ-1907 for 10 July 2023. Nothing will be"
        " charged. We hope to see you in Bled another time.", answers="jezero-1"),
    SampleMail("olivo-4", at(7, 19, 10, 5), OLIVO, LENA, "Something you left in room Limone",
        "Dear Mrs Brandt,\n\nwe found a small green rabbit under the bed in Limone. Shall we"
        " send it to Graz? Postage is 9.50 EUR.\n\nGiulia Moretti"),
    SampleMail("olivo-5", at(7, 19, 12, 40), LENA, OLIVO, "Re: Something you left in room Limone",
        "Yes please, that is Noah's rabbit and he has asked for it every night. Thank you so"
        " much!\nLena", answers="olivo-4"),
    # Vienna in March
    SampleMail("nussdorf-1", at(2, 27, 8, 15), NUSSDORF, LENA, "Pension Nussdorf: reservation 4471",
        "We look forward to welcoming you from 17 to 19 March 2023 in the room Heuriger, two"
        " adults, two children. Breakfast is served until 10.30.\n\nReservation 4471"),
    SampleMail("rail-1", at(2, 27, 21, 3), RAIL, LENA, "Tickets: Graz to Vienna, 17 March",
        "Your journey on 17 March 2023\nGraz Hbf 14.26 to Wien Hbf 17.02\nCoach 24, seats 61,"
        " 62, 63 and 64\nBooking code MT7Q2K\n\nReturn on 19 March 2023, 15.58, coach 22,"
        " seats 11 to 14"),
    SampleMail("museum-1", at(3, 10, 11, 50), PRIYA, LENA, "Vienna with children",
        "If it rains go to the natural history museum, Arun loved the meteorites. And there is"
        " a good place for dumplings behind it. Have fun!\nPriya"),
    # The heating
    SampleMail("kessler-1", at(3, 6, 7, 58), LENA, KESSLER, "No hot water",
        "Good morning,\n\nsince last night there is no hot water, the boiler shows E07. Can"
        " somebody come soon? We have small children.\nLena Brandt, Lindengasse 8"),
    SampleMail("kessler-2", at(3, 6, 9, 12), KESSLER, LENA, "Re: No hot water",
        "Mr Kessler will be with you tomorrow, 7 March, between 8 and 10. E07 is mostly the"
        " flow sensor.", answers="kessler-1"),
    SampleMail("kessler-3", at(3, 14, 16, 31), KESSLER, LENA, "Invoice 23-0188",
        "Repair on 7 March 2023\nFlow sensor: 96.00 EUR\nWork, 1.5 h: 93.00 EUR\nTotal:"
        " 189.00 EUR\n\nPlease pay within 14 days."),
    SampleMail("kessler-4", at(11, 20, 18, 44), LENA, KESSLER, "The boiler again",
        "Dear Mr Kessler,\n\nE07 is gone but now it says E12 and the radiators upstairs stay"
        " cold. Could you come this week?\nLena Brandt"),
    SampleMail("kessler-5", at(11, 21, 8, 5), KESSLER, LENA, "Re: The boiler again",
        "Thursday, 23 November, 13.00. It sounds like the pump; I will bring one.",
           answers="kessler-4"),
    SampleMail("kessler-6", at(11, 29, 15, 20), KESSLER, LENA, "Invoice 23-0977",
        "Repair on 23 November 2023\nCirculation pump: 218.60 EUR\nWork, 2 h: 124.00 EUR\n"
        "Total: 342.60 EUR\n\nPlease pay within 14 days."),
    # School
    SampleMail("school-1", at(5, 3, 10, 0), SCHOOL, LENA, "Mia's place in class 1b",
        "Dear parents,\n\nMia has a place in class 1b. Her teacher will be Ms Adler. School"
        " begins on 11 September at 8.00 in the gym. Please bring a school bag, slippers and"
        " a paper cone."),
    SampleMail("school-2", at(9, 12, 13, 15), SCHOOL, LENA, "Parents' evening of class 1b",
        "Dear parents,\n\nthe parents' evening of class 1b is on 19 September at 18.30 in"
        " room 4.\n\nMs Adler"),
    SampleMail("school-3", at(9, 14, 16, 40), SCHOOL, LENA,
        "Parents' evening of class 1b: new date",
        "Dear parents,\n\nMs Adler is ill. The parents' evening moves to 26 September, 18.30,"
        " and to room 7. We are sorry for the trouble.", answers="school-2"),
    SampleMail("school-4", at(11, 6, 9, 5), SCHOOL, LENA, "Lantern parade on 10 November",
        "The lantern parade of the first classes starts on Friday, 10 November at 17.00 in the"
        " school yard. Children carry the lanterns that they made."),
    SampleMail("school-5", at(12, 11, 10, 30), SCHOOL, LENA, "Christmas concert",
        "Class 1b sings on 20 December at 16.00. Please send the children in white shirts."),
    # The school bag
    SampleMail("bag-1", at(8, 2, 21, 17), PAPER, LENA, "Your order PB-77120",
        "Thank you for your order PB-77120 of 2 August 2023.\n1 school bag Fox, red: 139.00 EUR"
        "\n1 pencil case Fox: 24.00 EUR\nTotal with delivery: 167.90 EUR"),
    SampleMail("bag-2", at(8, 4, 6, 50), PARCEL, LENA, "A parcel from Papierboot is on its way",
        "Your parcel for order PB-77120 has left the shop. Tracking number: AP 4093 5582 117."
        " Expected on 7 August 2023."),
    SampleMail("bag-3", at(8, 7, 17, 26), PARCEL, LENA, "Delivered to a neighbour",
        "Your parcel AP 4093 5582 117 was left with Petrenko, Lindengasse 10."),
    SampleMail("paint-1", at(10, 9, 20, 20), PAPER, LENA, "Your order PB-79004",
        "Thank you for your order PB-79004 of 9 October 2023.\n2 boxes of lantern paper: 11.80"
        " EUR\n1 glue: 3.20 EUR"),
    SampleMail("paint-2", at(10, 11, 7, 10), PARCEL, LENA, "A parcel from Papierboot is on its way",
        "Your parcel for order PB-79004 has left the shop. Tracking number: AP 4100 2210 964."),
    # Doctors
    SampleMail("weiss-1", at(4, 18, 11, 25), WEISS, LENA, "Mia's test results",
        "Dear Mrs Brandt,\n\nMia reacts to hazelnut, clearly, and a little to birch pollen."
        " Almonds, walnuts and peanuts are fine. Please carry the drops and tell the school."
        "\n\nDr. Weiss"),
    SampleMail("weiss-2", at(4, 18, 19, 2), LENA, TOMAS, "Fwd: Mia's test results",
        "Hazelnut it is. So no more Sunday waffles with the spread. I will tell my mother and"
        " the kindergarten.\nL", answers="weiss-1"),
    SampleMail("moser-1", at(10, 4, 8, 40), DENTIST, LENA, "Noah's appointment",
        "We can see Noah today at 14.15 about the chipped front tooth. Please keep the piece in"
        " milk if you have it."),
    SampleMail("moser-2", at(10, 12, 9, 15), DENTIST, LENA, "Check-up in spring",
        "Noah's tooth has been polished and needs nothing more. We will write again in April"
        " for the yearly check-up of the whole family."),
    SampleMail("arun-1", at(5, 22, 20, 45), PRIYA, LENA, "Arun and the tooth fairy",
        "Arun lost his tooth at the campsite in Carinthia and we had no coin, only a button."
        " He is very proud of the button. How do you do it?\nPriya"),
    SampleMail("arun-2", at(5, 23, 7, 30), LENA, PRIYA, "Re: Arun and the tooth fairy",
        "Mia's still sit tight, but I am putting coins aside. A button is lovely.",
           answers="arun-1"),
    # Grandmother's birthday
    SampleMail("ruth-1", at(8, 20, 15, 0), RUTH, LENA, "My birthday",
        "Dear Lena,\n\nI would like to have my seventieth in the garden, Saturday 2 September,"
        " from two o'clock. Only the family and the choir. Could you bring a cake? Nothing"
        " with cream in this heat.\nMama"),
    SampleMail("ruth-2", at(8, 20, 21, 33), LENA, RUTH, "Re: My birthday",
        "Of course! We will bring a cake that Mia can eat too, and Tomás carries the benches."
        "\nLena", answers="ruth-1"),
    SampleMail("ruth-3", at(9, 4, 9, 9), RUTH, LENA, "Thank you",
        "What a day. The choir is still talking about the cake. Please write the recipe down"
        " for me.\nMama"),
    # Work trip, passport, tyres, theatre, key
    SampleMail("lyon-1", at(6, 5, 9, 0), SAONE, TOMAS, "Reservation 88210, Lyon",
        "We confirm one single room from 20 to 22 June 2023 for Mr Ferreira. Hotel des Quais,"
        " Lyon."),
    SampleMail("lyon-2", at(6, 21, 22, 14), TOMAS, LENA, "Lyon",
        "The talk went well. The hotel is on the river and the room is as wide as the bed."
        " Kiss the children.\nTomás"),
    SampleMail("lisbon-1", at(10, 15, 18, 0), "Inês Ferreira <ines.ferreira@example.net>", LENA,
        "Come to Lisbon!",
        "Dear Lena, you have not seen the flat yet. Why not the week after Easter next year?"
        " There are two good hotels round the corner if our sofa is too small.\nInês"),
    SampleMail("lisbon-2", at(10, 16, 20, 30), LENA, "Inês Ferreira <ines.ferreira@example.net>",
        "Re: Come to Lisbon!",
        "We would love to, but nothing is decided before Tomás knows his dates.\nLena",
           answers="lisbon-1"),
    SampleMail("passport-1", at(5, 30, 12, 0), CITY, LENA, "Passport for Noah Brandt Ferreira",
        "The passport is ready and can be collected at counter 9 until 30 June. Please bring"
        " the old one and the receipt."),
    SampleMail("tyres-1", at(4, 13, 10, 45), TYRES, LENA, "Your winter tyres",
        "We keep your four winter tyres under storage number RH-2218 until November. Tread 5.5"
        " mm, fit for one more winter."),
    SampleMail("tyres-2", at(11, 2, 8, 30), TYRES, LENA, "Time to change",
        "Your appointment to change tyres: 8 November at 7.45. Bring storage number RH-2218."),
    SampleMail("orpheum-1", at(9, 28, 19, 0), THEATRE, LENA, "Two tickets: The Tin Boat",
        "The Tin Boat, 2 December 2023, 20.00. Row 6, seats 12 and 13. Order OR-30551"),
    SampleMail("olga-1", at(8, 11, 18, 30), OLGA, LENA, "Flowers",
        "I watered everything twice. The tomatoes are ripe, take them before the birds do."
        " Your parcel is on my chest of drawers.\nOlga"),
    SampleMail("olga-2", at(12, 27, 10, 10), LENA, OLGA, "While we are in the snow",
        "Dear Olga, we leave tomorrow and are back on 2 January. Could you look after the post?"
        " You have the key.\nLena"),
)  # fmt: skip


class Newsletter(NamedTuple):
    """A template for newsletters."""

    sender: str
    subject: str
    text: str


NEWS: Final = (
    Newsletter("Gartenfreund <news@gartenfreund.example>", "What to sow in {month}",
               "In {month} the soil asks for {thing}. Three tips from our gardeners, and {percent}"
               " percent off seeds this week."),
    Newsletter("Hotel Finder <deals@hotelfinder.example>", "{percent} percent off lake hotels",
               "Hotels in {town} from {price} EUR a night. Book in {month}, cancel any time."),
    Newsletter("Kinderkram <hello@kinderkram.example>", "{month} sale: shoes that grow",
               "Sizes 22 to 35, now from {price} EUR. And a story about the first wobbly tooth."),
    Newsletter("City Library <info@library.example>", "New on our shelves in {month}",
               "{thing}: picture books, records and games. Open until seven on Thursdays."),
)  # fmt: skip
MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
THINGS: Final = ("lettuce", "winter stories", "tulip bulbs", "bees", "pumpkins", "space travel")
TOWNS: Final = ("Bled", "Malcesine", "Hallstatt", "Riva", "Zell am See", "Annecy")
