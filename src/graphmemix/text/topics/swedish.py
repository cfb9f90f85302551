"""Swedish words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": (
        "sov sovit bodde bott boende övernatt- rum stuga- vandrarhem-",
        "rum natt nätter bokning- frukost- incheckning- stuga-",
    ),
    "refund": (
        "återbetal- ersättning- tillbaka",
        "återbetal- ersättning- krediter- tillgodo-",
    ),
    "cost": (
        "kostade kosta betalade betalat pris dyr-",
        "faktura- summa belopp- kvitto pris",
    ),
    "gift": (
        "present- gåva gåvor",
        "present- gåva gåvor",
    ),
    "repair": (
        "repar- lagad- laga lagat trasig- sönder",
        "laga lagad- trasig- sönder tekniker- byta bytt",
    ),
    "health": (
        "läkar- sjuk- opererad- vårdcentral- medicin-",
        "läkare- mottagning- recept remiss- vårdcentral- sjukhus- sjuksköterska-",
    ),
    "teeth": (
        "tandläk- tand tänder",
        "tandläk- tand tänder tandvård-",
    ),
    "pets": (
        "veterinär- katt katten hunden valp-",
        "veterinär- hunden katt katten valp-",
    ),
    "flight": (
        "flyg- flög flugit",
        "flyg- avgång-",
    ),
    "train": (
        "tåg- biljett-",
        "tåg- vagn- biljett- spår-",
    ),
    "car": (
        "bil bilen parker- däck- verkstad-",
        "bil bilen däck- verkstad- besikt-",
    ),
    "delivery": (
        "lever- beställ- försändelse-",
        "lever- beställ- försändelse- kolli-",
    ),
    "complaint": (
        "klag- fel skadad-",
        "klagomål- beklagar ursäkt-",
    ),
    "insurance": (
        "försäkring- skadeanmäl-",
        "försäkring- självrisk- skadeanmäl-",
    ),
    "home": (
        "hyra hyres-",
        "hyra hyres- kontrakt-",
    ),
    "school": (
        "skola- skolan lärare- klass prov betyg-",
        "skola- skolan lärare- klass betyg- elev elever",
    ),
    "work": (
        "jobb- arbete- lön kollega-",
        "avtal- lön intervju- tjänst- schema",
    ),
    "party": (
        "kalas- födelsedag- bröllop- bjud- gäst- jubileum-",
        "kalas- födelsedag- bröllop- inbjud- tårta- gäst-",
    ),
    "absence": (
        "kunde_inte missade avbok- frånvar-",
        "tyvärr avbok- sjuk förhinder-",
    ),
    "moved": (
        "flytta- flyttad- ändrad- försen- uppskj-",
        "flytta- flyttad- ändr- istället försen-",
    ),
    "lost": (
        "tappa- glöm- stulen stöld- försvann",
        "tappa- glöm- stulen stöld- borta hittad-",
    ),
    "lending": (
        "låna- lånad- utlånad-",
        "låna- lånat",
    ),
    "food": (
        "åt ätit mat middag- recept lagade kaka",
        "recept mjöl smör ugn- soppa- meny",
    ),
    "injury": (
        "ramla- föll skad- olycka- bröt brutit",
        "akuten stukad- ramla-",
    ),
    "contact": (
        "adress- telefon- mejl-",
        "mobil- adress- gatan",
    ),
    "access": (
        "lösenord- kod koden nyckel- nycklar-",
        "lösenord- kod koden nyckel- nycklar-",
    ),
    "travel": (
        "resa resan reste rest semester-",
        "resa resan semester- resväska- packa",
    ),
    "contest": (
        "vann vunnit resultat- lopp medalj-",
        "vann vunnit mål medalj- poäng",
    ),
    "money": (
        "skatt- lån deklarat-",
        "skatt- ränta lån överför-",
    ),
    "papers": (
        "körkort- intyg- tillstånd-",
        "ambassad- körkort- giltig- intyg-",
    ),
    "utilities": (
        "värme- vatten- bredband- elen",
        "värme- elmätare- avbrott- rörmok-",
    ),
    "purchase": (
        "köpt köpte köpa",
        "kvitto köpt köpte garanti-",
    ),
    "lessons": (
        "lektion- konsert- kör",
        "repetition- konsert- kör",
    ),
}
