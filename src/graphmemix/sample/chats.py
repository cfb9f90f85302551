"""The family chat of the sample archive, and the dialogue with an assistant."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # part of the record
from typing import Final, NamedTuple

from graphmemix.sample.household import at


class ChatMessage(NamedTuple):
    """One message of the chat; `file` is a picture sent with it."""

    when: datetime
    who: str
    text: str
    file: str = ""


def _day(
    month: int, day: int, *lines: tuple[int, int, str, str] | tuple[int, int, str, str, str]
) -> list[ChatMessage]:
    """Return the messages of a day, from (hour, minute, who, text[, file])."""
    return [ChatMessage(at(month, day, line[0], line[1]), *line[2:]) for line in lines]


CHAT: Final = (
    *_day(1, 9,
        (7, 40, "Tomás", "I am already on the tram, can you take Noah's hat? It is on the heater"),
        (7, 42, "Lena", "Got it"),
        (18, 5, "Ruth", "I still have your spare key from Christmas, shall I keep it?"),
        (18, 9, "Lena", "Keep it Mama, then somebody has one"),
    ),
    *_day(1, 21,
        (10, 15, "Lena", "Snow! All of us on the hill behind the church"),
        (10, 31, "Ruth", "Put a scarf on the little one"),
        (12, 2, "Tomás", "Noah went down head first and laughed"),
    ),
    *_day(2, 7,
        (15, 50, "Lena", "Booked the lake! Bled is cancelled, we take the Italian one"),
        (15, 52, "Tomás", "The one with the lemon room?"),
        (15, 52, "Lena", "Exactly that one, with a balcony"),
    ),
    *_day(3, 6,
        (22, 10, "Tomás", "Cold shower, thanks boiler"),
        (22, 12, "Lena", "Kessler comes tomorrow between 8 and 10, can you be home?"),
        (22, 13, "Tomás", "Yes, I work from the kitchen"),
    ),
    *_day(3, 17,
        (14, 20, "Lena", "On platform 5, where are you??"),
        (14, 21, "Tomás", "Buying pretzels, two minutes"),
        (18, 30, "Lena", "Arrived, the room smells of wood and Mia has the upper bed"),
    ),
    *_day(3, 18,
        (11, 5, "Tomás", "Rain. Meteorites it is"),
        (13, 40, "Lena", "Noah asleep in front of the whale"),
        (16, 10, "Ruth", "Bring me a postcard please"),
    ),
    *_day(4, 12,
        (8, 2, "Lena", "Tyres at 9, can you bring the car back at noon?"),
        (8, 3, "Tomás", "Ok"),
    ),
    *_day(4, 18,
        (19, 10, "Lena", "Test is back: hazelnut. Nothing else bad"),
        (19, 12, "Ruth", "So the nut wreath at Easter was the rash"),
        (19, 13, "Lena", "Looks like it"),
    ),
    *_day(5, 14,
        (9, 20, "Tomás", "Happy mother's day! Breakfast is on the balcony and burnt"),
        (9, 25, "Lena", "Best burnt toast of the year"),
    ),
    *_day(5, 27,
        (15, 3, "Ruth", "We planted a pear tree for Noah today, next to the shed"),
        (15, 5, "Tomás", "He says it is taller than him, but only a little"),
        (15, 6, "Ruth", "A Williams, it should carry in three years"),
    ),
    *_day(6, 21,
        (20, 0, "Lena", "How is Lyon?"),
        (20, 40, "Tomás", "Hot. I found a shop with wooden trams, two are in my bag"),
    ),
    *_day(7, 10,
        (6, 10, "Lena", "We are off! Ruth, the tomatoes please"),
        (6, 40, "Ruth", "Olga does them this year, I have my knee. Drive carefully"),
        (15, 35, "Tomás", "Parked in the garage, row K on level 2. Writing it down, I know us"),
        (16, 2, "Lena", "The lake is right there", "IMG-20230710-WA0001.jpg"),
    ),
    *_day(7, 12,
        (9, 45, "Lena", "Cable car today, Mia counts the pillars"),
        (12, 20, "Tomás", "1760 metres and she wants ice cream"),
        (12, 21, "Ruth", "Of course she does"),
    ),
    *_day(7, 13,
        (19, 50, "Lena", "Dinner at Da Gino by the harbour, Noah eats only the crust"),
        (20, 30, "Tomás", "Mia's tooth is very wobbly, she bites on the left now"),
    ),
    *_day(7, 14,
        (8, 12, "Lena", "IT IS OUT! Mia lost her first tooth at breakfast, in a roll with jam"),
        (8, 13, "Ruth", "My big girl!! Is it in one piece?"),
        (8, 15, "Lena", "Found in the jam. She carries it in a napkin", "IMG-20230714-WA0003.jpg"),
        (8, 16, "Tomás", "Signora Moretti gave her a little box for it"),
        (21, 40, "Lena", "Does the tooth fairy come to Italy?"),
        (21, 41, "Ruth", "She takes the night train"),
    ),
    *_day(7, 15,
        (7, 20, "Tomás", "Two euros and a wooden tram under the pillow. Overpaid"),
        (17, 5, "Lena", "Noah asks whether his teeth are also worth trams"),
    ),
    *_day(7, 18,
        (20, 15, "Lena", "Home. Noah cries for his rabbit, have you seen it?"),
        (20, 20, "Tomás", "Not in the car, I looked twice"),
    ),
    *_day(8, 7,
        (17, 40, "Lena", "The school bag is at Olga's! It is the fox one"),
        (17, 44, "Tomás", "Mia sleeps with it tonight"),
    ),
    *_day(8, 12,
        (11, 0, "Ruth", "I gave your spare key to Olga, with my knee I am no help in an emergency"),
        (11, 6, "Lena", "Good idea, she is next door anyway"),
    ),
    *_day(9, 1,
        (16, 20, "Lena", "The cake is in the oven, orange and poppy seed, no nuts at all"),
        (16, 22, "Tomás", "It smells down to the street"),
        (18, 1, "Ruth", "I have put the chairs out"),
    ),
    *_day(9, 2,
        (9, 15, "Tomás", "Rolls from the bakery are in the car, 31 of them"),
        (17, 45, "Ruth", "Thank you all. Seventy and full of cake"),
    ),
    *_day(9, 11,
        (8, 40, "Lena", "She went in without turning round", "IMG-20230911-WA0002.jpg"),
        (8, 41, "Ruth", "And you cried"),
        (8, 42, "Lena", "A little"),
    ),
    *_day(9, 26,
        (17, 50, "Lena", "I go to the parents' evening, room 7, you do bedtime"),
        (20, 45, "Lena", "They want somebody for the lantern parade. I said you build the fox"),
        (20, 46, "Tomás", "I what"),
    ),
    *_day(10, 3,
        (16, 35, "Lena", "Noah fell off the slide and chipped a front tooth. He is fine, I am not"),
        (16, 37, "Tomás", "Coming home now"),
        (16, 50, "Ruth", "Put the piece in milk!"),
    ),
    *_day(10, 4,
        (15, 20, "Lena", "Polished, no pain, he got a sticker with a crocodile"),
    ),
    *_day(10, 22,
        (14, 10, "Tomás", "The fox lantern has ears now"),
        (14, 12, "Lena", "And glue on the sofa"),
    ),
    *_day(11, 10,
        (16, 30, "Lena", "Mia carries the fox, Noah has the moon from last year"),
        (18, 20, "Tomás", "I filmed the whole parade, she sang loudest"),
        (18, 25, "Ruth", "Show me on Sunday"),
    ),
    *_day(11, 23,
        (13, 40, "Tomás", "Kessler is here, it is the pump"),
        (13, 41, "Lena", "Will it be warm tonight?"),
        (15, 2, "Tomás", "Warm already"),
    ),
    *_day(12, 2,
        (18, 30, "Lena", "Ruth is here for the children, we leave at seven"),
        (23, 10, "Ruth", "Both asleep. How was the boat?"),
        (23, 15, "Lena", "Tin, and very funny"),
    ),
    *_day(12, 20,
        (17, 30, "Tomás", "Second row, white shirt, no voice left. Our star"),
    ),
    *_day(12, 28,
        (11, 25, "Lena", "Schladming! The children have the ski school bibs 14 and 15"),
        (11, 30, "Ruth", "Send me a picture"),
        (11, 41, "Lena", "Here", "IMG-20231228-WA0004.jpg"),
    ),
)  # fmt: skip


class Turn(NamedTuple):
    """One turn of the dialogue with the assistant."""

    when: datetime
    role: str
    text: str


DIALOGUE: Final = (
    Turn(at(2, 1, 20, 30), "user", "We want a week at a lake with two small children in July, about"
         " five hours by car from Graz. What would you look at?"),
    Turn(at(2, 1, 20, 31), "assistant", "Bled is two and a half hours away and calm; the north of"
         " Lake Garda is about five and a half, with a cable car that children like. Look for"
         " breakfast in the house and a garage, parking is scarce in July."),
    Turn(at(2, 1, 20, 34), "user", "Garda sounds good. Which towns?"),
    Turn(at(2, 1, 20, 35), "assistant", "Malcesine for the cable car and the castle, Torbole if"
         " somebody surfs, Limone for quiet evenings."),
    Turn(at(3, 5, 22, 41), "user", "Our boiler shows E07 and there is no hot water. Can I do"
         " something myself?"),
    Turn(at(3, 5, 22, 42), "assistant", "E07 usually points to the flow sensor. Check that the"
         " pressure is above one bar and restart once. If it comes back, call your technician."),
    Turn(at(3, 5, 22, 47), "user", "Pressure is 1.4, restart did nothing."),
    Turn(at(3, 5, 22, 48), "assistant", "Then leave it switched off over night and call in the"
         " morning; running it without flow can harm the heat exchanger."),
    Turn(at(8, 30, 21, 2), "user", "I need a cake for thirty people, without cream and without"
         " hazelnuts, that survives a hot car."),
    Turn(at(8, 30, 21, 3), "assistant", "An orange cake with poppy seed: oil instead of butter, the"
         " juice and zest of four oranges, 250 g of ground poppy seed, and a plain sugar glaze."
         " Bake it in two trays at 170 degrees for 45 minutes."),
    Turn(at(8, 30, 21, 6), "user", "Can I bake it the day before?"),
    Turn(at(8, 30, 21, 7), "assistant", "Yes, it is better on the second day. Glaze it in the"
         " morning and transport the trays uncovered until the glaze is dry."),
    Turn(at(10, 8, 20, 15), "user", "How do I build a lantern in the shape of a fox?"),
    Turn(at(10, 8, 20, 16), "assistant", "Blow up a balloon, cover it with strips of orange"
         " lantern paper and paste, let it dry for two days, then cut the top open and glue on ears"
         " of card. White paper for the cheeks."),
    Turn(at(10, 8, 20, 20), "user", "The paste does not dry. Hair dryer?"),
    Turn(at(10, 8, 20, 21), "assistant", "Cold air only, warm air bursts the balloon."),
    Turn(at(12, 17, 21, 50), "user", "Which games can two families with children from 3 to 8 play"
         " in a hut without electricity?"),
    Turn(at(12, 17, 21, 51), "assistant", "Shadow figures with a torch, story dice, a memory game"
         " with things from the kitchen, and freeze dance with somebody who sings."),
)  # fmt: skip
