"""Polish words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

from graphmemix.text.topics.topic import Topic

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": Topic(
        "nocleg- nocowa- spaliśmy spał spała spać zatrzymal- pokój pokoj- kwater- schronisk- "
        "pensjonat- kemping-",
        "nocleg- nocowa- pokój pokoj- dwuosobow- jednoosobow- śniadani- sniadani- rezerwac- "
        "zameldowan- wymeldowan- doba doby kwater- schronisk- pensjonat- pobyt-",
    ),
    "refund": Topic(
        "zwrot- zwróc- zwroc- zwrac- oddał oddała oddali refundac- rekompensa- odszkodowan-",
        "zwrot- zwróc- zwroc- zwrac- refundac- rekompensa- odszkodowan- korekta korekty",
    ),
    "cost": Topic(
        "koszt- zapłac- zaplac- ceny cenę rachun- opłat- wydaliśmy wydałem wydałam drogo ile_za",
        "koszt- zapłat- zapłac- zaplac- faktur- rachun- paragon paragonu kwot- ceny cenę opłat- "
        "oplat- płatnoś- platnos- brutto pln zł",
    ),
    "gift": Topic(
        "prezent prezentu prezenty prezencie prezentem podarow- podaru- upomin-",
        "prezent prezentu prezenty prezencie prezentem podarow- podarun- upomin-",
    ),
    "repair": Topic(
        "napraw- zepsu- popsu- awari- usterk- hydraulik- serwis- wymieni- cieknie przeciek-",
        "napraw- zepsu- popsu- awari- usterk- hydraulik- serwis- wymieni- wymian- cieknie "
        "przeciek- fachow- części",
    ),
    "health": Topic(
        "lekarz- lekark- szpital- chory chora chorow- chorob- leki leków szczepi- operacj- boli "
        "bolał bolała alergi- recepta recepty receptę gorączk- lekarstw-",
        "lekarz- lekark- przychodn- szpital- recepta recepty receptę tabletk- pacjent- "
        "skierowan- badani- szczepi- zabieg- gorączk- wizyt- aptek- lekarstw-",
    ),
    "teeth": Topic(
        "ząb zęby zęba zębów stomatolog- dentyst-",
        "ząb zęby zęba zębów stomatolog- dentyst- kanałow- plomba plombę",
    ),
    "pets": Topic(
        "psem psa psy psów piesek pieska kota kotem koty kotek kotk- szczeni- kociak- "
        "weterynarz- królik- chomik- nasz_kot mój_kot",
        "psem psy psów piesek pieska kota kotem koty kotek kotk- szczeni- kociak- weterynarz- "
        "weterynari- królik- kocur-",
    ),
    "flight": Topic(
        "lotu loty lotem lotnisk- samolot- lecieli- leciał leciała polecieli-",
        "lotu loty lotem lotnisk- samolot- bagaż- bagaz- odprawa odprawy pokładow- wylot- przylot-",
    ),
    "train": Topic(
        "pociąg- pociag- kolejow- dworzec dworc- peron peronu peronie bilet-",
        "pociąg- pociag- kolejow- dworzec dworc- peron peronu bilet- odjazd- wagonu wagonie "
        "miejsców- konduktor-",
    ),
    "car": Topic(
        "samochód samochod- auta autem zaparkow- parkowa- opony opon warsztat benzyn- tankow- "
        "mechanik-",
        "samochód samochod- rejestracyjn- przegląd- przeglad- opony opon warsztat warsztacie "
        "zaparkow- parkowa- hamulc- paliw- mechanik-",
    ),
    "delivery": Topic(
        "paczk- przesyłk- przesylk- kurier- dostarcz- dostaw- zamówi- zamowi- wysyłk- wysłan- "
        "wysłal-",
        "paczk- przesyłk- przesylk- kurier- dostarcz- dostaw- zamówi- zamowi- wysyłk- wysłan- "
        "nadan-",
    ),
    "complaint": Topic(
        "reklamac- reklamow- skarg- skarży- uszkodzon- zażaleni-",
        "reklamac- skarg- uszkodzon- zażaleni- przeprasza- przykro niedogodn-",
    ),
    "insurance": Topic(
        "ubezpiecz- polisa polisy polisę szkody szkodę składk-",
        "ubezpiecz- polisa polisy polisę szkody szkodę składk- rzeczoznawc- likwidac-",
    ),
    "home": Topic(
        "wynaj- wynaję- wynajm- czynsz- właściciel- wlasciciel- lokator- kaucj- mieszkani- najem-",
        "wynaj- wynajm- czynsz- właściciel- wlasciciel- lokator- kaucj- najem- najmu",
    ),
    "school": Topic(
        "szkoła szkoły szkole szkołę szkoln- nauczyciel- uczeń uczni- klasa klasie klasy klasę "
        "egzamin- ocena oceny ocenę matura maturę uniwersytet-",
        "szkoła szkoły szkole szkołę szkoln- nauczyciel- uczeń uczni- klasa klasie klasy "
        "egzamin- ocena oceny wywiadówk- wychowawc- świadectw-",
    ),
    "work": Topic(
        "praca pracę pracy pracuj- pracow- pracodawc- szef- kierowni- wypłat- pensja pensję "
        "wynagrodzen- umowa umowę zatrudn- kolega koledzy",
        "praca pracę pracy pracow- pracodawc- wynagrodzen- umowa umowę umowy zatrudn- rekrutac- "
        "stanowisk- etatu etacie",
    ),
    "party": Topic(
        "imprez- urodzin- wesele wesela weselu ślub- slub- imienin- zaprosi- zaprosz- gości "
        "goście rocznic- jubileusz-",
        "imprez- urodzin- wesele wesela ślub- slub- imienin- zaprosi- zaprasza- zaprosz- gości "
        "goście tortu życzeni- jubileusz-",
    ),
    "absence": Topic(
        "nie_mógł nie_mogła nie_mogli nie_przyszedł nie_przyszła nie_przyszli nieobecn- odwoła- "
        "odwolan- anulow- zrezygnow- opuści-",
        "niestety nieobecn- odwoł- odwolu- odwolan- anulow- zrezygnow- rezygnuj- zwolnieni- "
        "choruj-",
    ),
    "moved": Topic(
        "przełoż- przeloz- przesun- przesuni- przeniesi- zmienion- zmienił- opóźni- opozni- "
        "odrocz-",
        "przełoż- przeloz- przekład- przesun- przesuni- przeniesi- zmian- zmienion- opóźni- "
        "opozni- odrocz- zamiast",
    ),
    "lost": Topic(
        "zgubi- zagubi- zagin- zapomni- ukrad- skradz- kradzież- znalaz- znalez-",
        "zgubi- zagubi- zagin- zapomni- ukrad- skradz- kradzież- znalaz- znalez-",
    ),
    "lending": Topic(
        "pożycz- pozycz- wypożycz- wypozycz-",
        "pożycz- pozycz- wypożycz- wypozycz- oddać oddaj",
    ),
    "food": Topic(
        "jedliśmy jadł jadła jedzeni- zjedli- zjad- obiad- kolacj- restaurac- przepis- gotował- "
        "ugotow- ciast- potraw- danie",
        "obiad- kolacj- restaurac- przepis- ugotow- ciast- potraw- mąki mąka masło masła "
        "piekarnik- zupa zupę zupy jajk- cukru cukier danie",
    ),
    "injury": Topic(
        "zrani- skalecz- upadł- upadek wypadek wypadku złama- zlama- skręci- kontuzj- poparz- "
        "użądli-",
        "upadł- upadek wypadek wypadku kostk- nadgarst- kolano kolana złama- zlama- skręc- szwy "
        "bandaż- karetk- pogotowi- kontuzj- rentgen-",
    ),
    "contact": Topic(
        "telefon- numer numeru numery adres adresu komórk-",
        "telefon- adres adresu komórk- ulica ulicy",
    ),
    "access": Topic(
        "hasło hasła haslo kodu klucz- kluczy",
        "hasło hasła haslo kodu klucz- domofon-",
    ),
    "travel": Topic(
        "podróż- podroz- wycieczk- wakacj- urlop- wyjazd- wyjech-",
        "podróż- podroz- wycieczk- wakacj- urlop- wyjazd- walizk-",
    ),
    "contest": Topic(
        "wygra- wygry- mecz- wynik- zawody zawodach puchar- zwycię- zwycie- przegra- turniej-",
        "wygra- mecz- zawody zawodach puchar- zwycię- zwycie- przegra- turniej- punktów bramek "
        "zremisow-",
    ),
    "money": Topic(
        "banku bankow- przelew- konta koncie kredyt- podatk- podatek oszczędn- emerytur- hipotek-",
        "banku bankow- przelew- konta kredyt- podatk- podatek odsetk- odsetek hipotek- skarbow- "
        "wyciąg-",
    ),
    "papers": Topic(
        "paszport- dowód dowodu osobist- wiza wizę wizy prawo_jazdy zaświadczen- pozwoleni- "
        "zezwoleni-",
        "paszport- dowód osobist- wiza wizę wizy jazdy zaświadczen- pozwoleni- zezwoleni- "
        "ambasad- ważności urzęd-",
    ),
    "utilities": Topic(
        "ogrzewan- kocioł kotła prąd prądu woda wody wodę gazu gazow- kaloryfer- hydraulik-",
        "ogrzewan- kocioł kotła kaloryfer- grzejnik- licznik- prąd prądu gazow- hydraulik- ciepł-",
    ),
    "purchase": Topic(
        "kupi- kupowa- zakup- sklep-",
        "kupi- zakup- sklep- paragon paragonu gwaranc-",
    ),
    "lessons": Topic(
        "kursu kursie lekcj- zajęcia zajęć szkoleni- warsztaty koncert- chór chóru próba próby "
        "trening-",
        "kursu lekcj- zajęcia zajęć szkoleni- warsztaty koncert- chór chóru próba próby trening-",
    ),
}
