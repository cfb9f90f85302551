"""English words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

from graphmemix.text.topics.topic import Topic

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": Topic(
        "hotel- hostel- inn guesthouse campsite airbnb sleep slept stay overnight night room "
        "put_up accommodation- lodging-",
        "hotel- hostel- inn guesthouse campsite airbnb room night checkin checkout book "
        "reservation twin breakfast apartment cottage pitch lodge hut bnb homestay",
    ),
    "refund": Topic(
        "refund- reimburs- compensat- returned money_back paid_back pay_back paid_me_back "
        "got_back get_back",
        "refund- reimburs- compensat- goodwill credit repay- repaid voucher settlement returned",
    ),
    "cost": Topic(
        "cost price pay paid spend spent charge fee bill expens- how_much",
        "invoice total paid receipt price fee amount bill eur usd gbp chf sek",
    ),
    "gift": Topic(
        "present gift gave",
        "present gift wrapped",
    ),
    "repair": Topic(
        "repair- fix broke broken break_down broke_down put_right mend replace fault- leak-",
        "repair- fix broken broke replaced fault- leak- engineer technician spare",
    ),
    "health": Topic(
        "doctor hospital ill sick injur- medic- diagnos- operation- surgery allerg- pain "
        "prescri- vaccin-",
        "doctor dr hospital clinic patient appointment gp tablet mg prescription xray surgery "
        "ward nurse diagnos-",
    ),
    "teeth": Topic(
        "dentist tooth teeth dental",
        "dentist tooth teeth dental filling crown molar",
    ),
    "pets": Topic(
        "vet dog cat pet puppy kitten rabbit",
        "vet veterinary dog cat pet puppy kitten rabbit",
    ),
    "flight": Topic(
        "flight fly flew plane airline airport",
        "flight eticket boarding itinerary airline gate terminal departure arrival pnr baggage",
    ),
    "train": Topic(
        "train railway coach seat ticket platform",
        "train coach seat carriage platform ticket departs railcard",
    ),
    "car": Topic(
        "car vehicle garage drive drove driven parked park tyre tire the_van my_van our_van "
        "a_van campervan-",
        "car vehicle registration mot tyre tire brake garage mileage parking park",
    ),
    "delivery": Topic(
        "parcel package deliver- order ship shipped tracking courier",
        "order parcel package deliver- ship dispatch- despatch- tracking courier",
    ),
    "complaint": Topic(
        "complain- wrong damaged claim objection appeal",
        "complain- claim damaged wrong sorry apolog- inconvenience",
    ),
    "insurance": Topic(
        "insur- claim policy",
        "insur- claim policy excess deductible assessor",
    ),
    "home": Topic(
        "rent landlord tenant lease flat deposit",
        "rent landlord tenant tenancy lease deposit",
    ),
    "school": Topic(
        "school teacher class pupil homework exam grade university study",
        "school teacher class term pupil exam grade homework",
    ),
    "work": Topic(
        "job boss employer salary contract shift colleague interview",
        "contract salary manager hr shift rota interview position employer",
    ),
    "party": Topic(
        "party birthday wedding celebrat- anniversary invite guest",
        "party birthday wedding celebrat- anniversary invit- guest rsvp cake",
    ),
    "absence": Topic(
        "couldn't can't couldnt cant miss absent cancel not_come didn't_come not_make",
        "can't cant cannot sorry unfortunately won't wont cancel ill sick",
    ),
    "moved": Topic(
        "moved shifted reschedul- postpon- delayed changed new_date new_time",
        "moved reschedul- postpon- instead revised delay-",
    ),
    "lost": Topic(
        "lost lose missing left_behind forgot forgotten stolen stole theft",
        "lost missing forgot found stolen theft",
    ),
    "lending": Topic(
        "borrow lend lent loan give_back",
        "borrow lend lent loan",
    ),
    "food": Topic(
        "eat ate eaten food dinner lunch breakfast restaurant recipe cook cake dish menu meal",
        "restaurant menu dinner lunch recipe ingredient flour butter oven soup cake pizza bread",
    ),
    "injury": Topic(
        "hurt injur- fell accident sprain stung",
        "fell ankle wrist knee stung plaster cast stitch bandage bruise swollen fracture ambulance",
    ),
    "contact": Topic(
        "phone telephone number address email contact",
        "tel phone mobile address street",
    ),
    "access": Topic(
        "password passcode code pin wifi network login key",
        "password passcode code pin wifi network login key",
    ),
    "travel": Topic(
        "trip travel holiday vacation journey",
        "trip itinerary holiday travel flight packing suitcase",
    ),
    "contest": Topic(
        "score win won lose result match game race trophy medal prize",
        "won draw score goal final trophy medal race",
    ),
    "money": Topic(
        "bank transfer loan mortgage tax account savings pension",
        "bank iban account transfer statement interest tax loan",
    ),
    "papers": Topic(
        "passport visa licence license permit certificate",
        "passport visa embassy consulate permit licence license certificate expire",
    ),
    "utilities": Topic(
        "heating boiler electric- gas water internet broadband",
        "boiler heating radiator meter kwh outage router broadband plumber",
    ),
    "purchase": Topic(
        "buy bought purchase shop",
        "receipt purchase warranty guarantee shop store serial",
    ),
    "lessons": Topic(
        "course lesson training workshop learn concert choir band",
        "course lesson rehearsal concert choir workshop",
    ),
}
