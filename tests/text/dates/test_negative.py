"""Words and numbers that look like dates and are none."""

from __future__ import annotations

import pytest

from tests.text.dates.dated import ASKED, found

NONE = [
    # questions about time
    "When did I visit Rome?",
    "What date did Anna move in?",
    "What day of the week was the wedding?",
    "How long ago did we meet?",
    "How many days ago did I call the dentist?",
    "How many years have I known Ben?",
    "Which year did I graduate?",
    "What time did the train leave?",
    "Since when do I have the dog?",
    "In which month did I start running?",
    # no definite time
    "What did I do recently?",
    "What did Anna say the other day?",
    "a long time ago",
    "some time ago",
    "Who wrote last?",
    "What did I say the next day?",
    "What did we do that summer?",
    "What did we do the following week?",
    "What happened two weeks later?",
    "What happened a week before?",
    "What happened on the last day?",
    "the last time I saw her",
    "the first week at work",
    "the last Christmas we were all together",
    "the last Friday we met",
    "the first Sunday in Advent",
    "Which Friday did we meet?",
    "Who came first?",
    # again and again
    "What do I eat every Friday?",
    "Show me all pictures from the Saturday",
    "Where do we go each summer?",
    "What do I do on Mondays?",
    "Where do we go every May?",
    # durations and counts
    "How did I feel after three weeks of training?",
    "the three-day trip to Rome",
    "What did I do for two weeks?",
    "My last 5 photos",
    "a photo of 2000 people",
    "How did I spend 2000 euros?",
    "order 2023 555",
    "room 2019",
    "a 5 year old child",
    "my friends in their 90s",
    "We ran 5 miles",
    # clock times
    "What did I do at 5 pm?",
    "between 5 and 7 pm",
    "before 10:30",
    "the call at 20:15",
    "half past five",
    # ordinary words
    "may I see the photos?",
    "May I see the photos?",
    "What may have happened?",
    "This may be Anna",
    "Which of the 5 may be true?",
    "Who may 5 people call?",
    "May 5 people come?",
    "Who organised the march on the capital?",
    "March on, he said",
    "an august evening",
    "Who sat on the sofa?",
    "a second photo",
    "Just a second",
    "the sun over the sea",
    "Did I fall in the garden?",
    "the hot spring with Anna",
    "Who did I wed?",
    "What did April say?",
    "a picture of the Christmas tree",
    "our trip to Easter Island",
    "How was Chinese New Year?",
    "our house on Easter Island",
    "the ski trip",
    # numbers with signs
    "version 1.5.2023.7",
    "IMG_20230505_1200.jpg",
    "192.168.20.23",
    "a ratio of 3/4",
    "phone 555-2023",
    "invoice #2023",
    "$2020 in total",
    "13/13/2023",
    "31.02.2023",
    "",
    "🎄🎅",
]


@pytest.mark.parametrize("question", NONE)
def test_no_date(question: str) -> None:
    assert found(question, ASKED) == []
