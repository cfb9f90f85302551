"""Swedish words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

from graphmemix.text.topics.topic import Topic

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": Topic(
        "sov sovit bodde bott boende övernatt- rum stuga- vandrarhem-",
        "rum natt nätter bokning- frukost- incheckning- stuga-",
    ),
    "refund": Topic(
        "återbetal- ersättning- tillbaka",
        "återbetal- ersättning- krediter- tillgodo-",
    ),
    "cost": Topic(
        "kostade kosta betalade betalat pris dyr-",
        "faktura- summa belopp- kvitto pris",
    ),
    "gift": Topic(
        "gåva gåvor presenten presentkort-",
        "gåva gåvor presenten presentkort-",
    ),
    "repair": Topic(
        "repar- lagad- laga lagat trasig- sönder",
        "laga lagad- trasig- sönder tekniker- byta bytt",
    ),
    "health": Topic(
        "läkar- sjuk- opererad- vårdcentral- medicin-",
        "läkare- mottagning- recept remiss- vårdcentral- sjukhus- sjuksköterska-",
    ),
    "teeth": Topic(
        "tandläk- tand tänder",
        "tandläk- tand tänder tandvård-",
    ),
    "pets": Topic(
        "veterinär- katt katten hunden valp-",
        "veterinär- hunden katt katten valp-",
    ),
    "flight": Topic(
        "flyg- flög flugit",
        "flyg- avgång-",
    ),
    "train": Topic(
        "tåg- biljett-",
        "tåg- vagn- biljett- spår-",
    ),
    "car": Topic(
        "bil bilen däck- verkstad- parkera- parkeringe- parkeringsp-",
        "bil bilen däck- verkstad- besikt-",
    ),
    "delivery": Topic(
        "beställ- försändelse- leverans- leverer-",
        "beställ- försändelse- kolli- leverans- leverer-",
    ),
    "complaint": Topic(
        "klag- fel skadad- reklamera- reklamation-",
        "klagomål- beklagar ursäkt- reklamera- reklamation-",
    ),
    "insurance": Topic(
        "försäkring- skadeanmäl-",
        "försäkring- självrisk- skadeanmäl-",
    ),
    "home": Topic(
        "hyra hyres-",
        "hyra hyres- kontrakt-",
    ),
    "school": Topic(
        "skola- skolan lärare- klass prov betyg-",
        "skola- skolan lärare- klass betyg- elev elever",
    ),
    "work": Topic(
        "jobb- arbete- lön kollega-",
        "avtal- lön intervju- tjänst- schema",
    ),
    "party": Topic(
        "kalas- födelsedag- bröllop- bjud- gäst- jubileum-",
        "kalas- födelsedag- bröllop- inbjud- tårta- gäst-",
    ),
    "absence": Topic(
        "kunde_inte missade avbok- frånvar-",
        "tyvärr avbok- sjuk förhinder-",
    ),
    "moved": Topic(
        "flytta- flyttad- ändrad- försen- uppskj-",
        "flytta- flyttad- ändr- istället försen-",
    ),
    "lost": Topic(
        "tappa- glöm- stulen stöld- försvann",
        "tappa- glöm- stulen stöld- borta hittad-",
    ),
    "lending": Topic(
        "låna- lånad- utlånad-",
        "låna- lånat",
    ),
    "food": Topic(
        "åt ätit middag- recept lagade kaka maten",
        "recept mjöl smör ugn- soppa- meny",
    ),
    "injury": Topic(
        "ramla- föll skad- olycka- bröt brutit",
        "akuten stukad- ramla-",
    ),
    "contact": Topic(
        "adress- telefon- mejl-",
        "adress- gatan mobil mobilen mobilnummer- mobiltelefon-",
    ),
    "access": Topic(
        "lösenord- kod koden nyckel- nycklar-",
        "lösenord- kod koden nyckel- nycklar-",
    ),
    "travel": Topic(
        "resa resan reste_vi reste_jag reste_du reste_ni semestern semesterresa- semestrar",
        "resa resan resväska- packa semestern semesterresa- semestrar",
    ),
    "contest": Topic(
        "vann vunnit resultat- lopp medalj-",
        "vann vunnit mål medalj- poäng",
    ),
    "money": Topic(
        "skatt- lån deklarat-",
        "skatt- ränta lån överför-",
    ),
    "papers": Topic(
        "körkort- intyg- tillstånd-",
        "ambassad- körkort- giltig- intyg-",
    ),
    "utilities": Topic(
        "värme- vatten- bredband- elen",
        "värme- elmätare- avbrott- rörmok-",
    ),
    "purchase": Topic(
        "köpt köpte köpa",
        "kvitto köpt köpte garanti-",
    ),
    "lessons": Topic(
        "lektion- konsert- kör",
        "repetition- konsert- kör",
    ),
}
