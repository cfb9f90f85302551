"""Dutch words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

from graphmemix.text.topics.topic import Topic

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": Topic(
        "geslapen slapen sliep- overnacht- logeer- gelogeerd verbleven verblijf- kamer- nacht "
        "nachten herberg- vakantiehui- camping- onderdak",
        "kamer- tweepersoonskamer- nacht nachten overnacht- ontbijt- boeking- reservering- "
        "verblijf- inchecken uitchecken vakantiehui- vakantiewoning- herberg- camping-",
    ),
    "refund": Topic(
        "terugbetaa- terugbetal- teruggekregen teruggestort terugkrijg- vergoed- schadevergoed- "
        "restitutie geld_terug",
        "terugbetaa- terugbetal- teruggestort terugstort- vergoed- schadevergoed- restitutie "
        "creditnota- tegoed- gecrediteerd",
    ),
    "cost": Topic(
        "kostte gekost kost betaald betaal- betalen prijs prijzen uitgegeven rekening-",
        "factuur- facturen rekening- bedrag- totaal totaalbedrag- prijs betaald betaling- "
        "bonnetje- kassabon- btw offerte-",
    ),
    "gift": Topic(
        "cadeau- kado- geschonken schenk-",
        "cadeau- kado- ingepakt geschenk-",
    ),
    "repair": Topic(
        "gerepareerd repareren repareert reparatie- kapot- lekk- lekt loodgieter- monteur- "
        "vervang- de_storing een_storing storingen stroomstoring-",
        "gerepareerd repareren reparatie- kapot- lekk- loodgieter- monteur- onderdeel "
        "onderdelen vervang- storingen stroomstoring- storingsdienst-",
    ),
    "health": Topic(
        "dokter- huisarts- ziek- pijn medicijn- geopereerd operatie- allergi- vaccin- koorts",
        "dokter- huisarts- ziekenhui- patiënt- apothe- polikliniek- verwijs- verpleeg- "
        "bloedonderzoek- medicijn- koorts griep spreekuur-",
    ),
    "teeth": Topic(
        "tandarts- tanden tand kiespijn gebit- mondhygiën-",
        "tandarts- tanden tand kiespijn gebit- vulling- mondhygiën-",
    ),
    "pets": Topic(
        "hond honden katten poes poezen konijn- dierenarts- huisdier- de_kat een_kat onze_kat "
        "mijn_kat zijn_kat haar_kat",
        "hond honden katten poes poezen konijn- dierenarts- huisdier- hondje-",
    ),
    "flight": Topic(
        "vlucht- vloog vlogen gevlogen vliegtuig- vliegveld- luchthaven- vliegen",
        "vlucht- vliegtuig- vliegveld- luchthaven- instapkaart- handbagage- ruimbagage- "
        "vliegticket-",
    ),
    "train": Topic(
        "trein- perron- spoor treinkaart- kaartje- zitplaats-",
        "trein- perron- spoor rijtuig- treinkaart- kaartje- zitplaats- overstap-",
    ),
    "car": Topic(
        "auto gereden geparkeerd parkeer- parkeren benzine- kenteken- autogarage- winterband-",
        "kenteken- apk parkeer- parkeren geparkeerd benzine- winterband- remblok- remmen "
        "kilometerstand- autogarage-",
    ),
    "delivery": Topic(
        "pakket- pakje- bestel- bezorg- geleverd verzend- verzonden verstuurd koerier- "
        "leveringen levertijd-",
        "pakket- pakje- bestel- bezorg- geleverd verzend- verzonden verstuurd zending- koerier- "
        "postnl leveringen levertijd- leverdatum",
    ),
    "complaint": Topic(
        "klacht- geklaagd klagen beschadig- verkeerd bezwaar-",
        "klacht- beschadig- verkeerd bezwaar- spijt- ongemak- excuus helaas",
    ),
    "insurance": Topic(
        "verzeker- schadeclaim- schademelding- de_schade schade_aan uitgekeerd",
        "verzeker- schadeclaim- schademelding- schadeformulier- polisnummer- dekking- premie "
        "premies",
    ),
    "home": Topic(
        "huur- gehuurd verhuur- huisbaas- woning- appartement- borgsom- waarborgsom-",
        "huur- verhuur- huisbaas- woning- borgsom- waarborgsom- servicekosten opzegtermijn-",
    ),
    "school": Topic(
        "leraar leraren lerares juf klas leerling- huiswerk- examen- universiteit- toets "
        "toetsen diploma",
        "leraar lerares leerkracht- juf klas leerling- huiswerk- examen- ouderavond- "
        "schooljaar- toets toetsen",
    ),
    "work": Topic(
        "werkte werkt gewerkt werkgever- werknemer- baan baas collega- salaris- sollicit- "
        "ontslag- ontslagen",
        "arbeidscontract- arbeidsovereenkomst- salaris- loonstrook- sollicit- vacature- "
        "dienstrooster- werkgever- werknemer- dienstverband-",
    ),
    "party": Topic(
        "feest- verjaardag- jarig- bruiloft- getrouwd trouwerij- uitgenodigd uitnodig- gasten "
        "jubileum-",
        "feest- verjaardag- jarig- bruiloft- trouwerij- uitgenodigd uitnodig- taart- gasten "
        "gefeliciteerd jubileum-",
    ),
    "absence": Topic(
        "kon_niet konden_niet niet_komen niet_kwam afgezegd afwezig- afgemeld verhinderd "
        "annuleer- geannuleerd gemist",
        "helaas afgezegd afzeggen afwezig- afmeld- verhinderd annuleer- geannuleerd ziek spijtig",
    ),
    "moved": Topic(
        "verplaats- verzet uitgesteld uitstel- verschoven gewijzigd vertraagd vertraging- "
        "omgeboekt",
        "verplaats- verzet uitgesteld uitstel- verschoven gewijzigd wijziging- vertraagd "
        "vertraging- omgeboekt",
    ),
    "lost": Topic(
        "kwijt- verloor vergeten gestolen gevonden diefstal- zoekgeraakt laten_liggen",
        "kwijt- vergeten gestolen gevonden diefstal- zoekgeraakt aangifte-",
    ),
    "lending": Topic(
        "geleend leende leenden lenen uitgeleend",
        "geleend lenen leende uitgeleend uitlenen terugbreng- teruggeven",
    ),
    "food": Topic(
        "gegeten eten aten avondeten ontbijt- recept recepten gekookt koken taart- gerecht- "
        "maaltijd-",
        "gegeten eten avondeten recept recepten boter soep- taart- gerecht- maaltijd- "
        "ingrediënt- eieren suiker menukaart- reserveren",
    ),
    "injury": Topic(
        "gewond- gevallen ongeluk- ongeval- gebroken verstuik- verzwik- bezeerd gestoken "
        "blessur- gekneusd kneuzing-",
        "gebroken breuk- verstuik- verzwik- hechting- krukken blessur- spoedeisend- gewond- "
        "ongeluk- röntgenfoto- gekneusd kneuzing- knieën polsbreuk-",
    ),
    "contact": Topic(
        "telefoon- telefoonnummer- adres- mailadres- mobiel-",
        "telefoon- adres- mailadres- mobiel- straat postcode-",
    ),
    "access": Topic(
        "wachtwoord- sleutel- pincode- inlog- toegangscode-",
        "wachtwoord- sleutel- pincode- inlog- toegangscode-",
    ),
    "travel": Topic(
        "reizen gereisd reisden vakantie- uitstap- stedentrip-",
        "reizen vakantie- uitstap- stedentrip- koffer- reisschema- heenreis- terugreis- uitje",
    ),
    "contest": Topic(
        "wedstrijd- uitslag- kampioen- toernooi- winnaar- wonnen doelpunt- gewonnen",
        "wedstrijd- uitslag- kampioen- toernooi- winnaar- wonnen doelpunt- eindstand- gelijkspel-",
    ),
    "money": Topic(
        "bankrekening- hypotheek- hypotheken belasting- spaargeld- spaarrekening- pensioen- "
        "overgemaakt overschrijv- lening leningen",
        "bankrekening- hypotheek- belasting- spaarrekening- pensioen- overgemaakt overschrijv- "
        "afschrift- saldo lening leningen",
    ),
    "papers": Topic(
        "paspoort- rijbewij- identiteit- vergunning-",
        "paspoort- rijbewij- identiteit- vergunning- verblijfsvergunning- geldig- uittreksel- "
        "consulaat-",
    ),
    "utilities": Topic(
        "verwarming- ketel- stroom- elektric- warmtepomp- meterstand- waterleiding-",
        "verwarming- ketel- cvketel- stroom- elektric- warmtepomp- meterstand- waterleiding- "
        "loodgieter- thermostaat-",
    ),
    "purchase": Topic(
        "gekocht kocht kochten kopen aankoop- aangeschaft winkel-",
        "gekocht kocht aankoop- aangeschaft bonnetje- kassabon- garantiebewij- winkel-",
    ),
    "lessons": Topic(
        "cursus- lessen koor repetitie- opleiding- pianoles- zwemles- dansles-",
        "cursus- lessen koor repetitie- opleiding- pianoles- zwemles- dansles- inschrijf- "
        "inschrijving-",
    ),
}
