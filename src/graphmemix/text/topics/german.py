"""German words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

from graphmemix.text.topics.topic import Topic

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": Topic(
        "übernacht- geschlafen unterkunft- ferienwohnung- zimmer gewohnt",
        "zimmer doppelzimmer- einzelzimmer- nacht nächte übernacht- anreise abreise "
        "ferienwohnung- frühstück- buchung- gasthof- hütte",
    ),
    "refund": Topic(
        "erstatt- zurückgezahlt zurückbekommen zurückerstatt- rückerstatt- gutschrift- entschädig-",
        "erstatt- rückzahl- gutschrift- gutgeschrieben überweis- entschädig- zurückgezahlt",
    ),
    "cost": Topic(
        "kostet kosten gekostet bezahlt preis gezahlt ausgegeben teuer",
        "rechnung- betrag- summe preis gesamt- quittung-",
    ),
    "gift": Topic(
        "geschenk- geschenkt schenk-",
        "geschenk- schenk-",
    ),
    "repair": Topic(
        "kaputt- reparier- reparatur- defekt-",
        "defekt- reparatur- reparier- kaputt- techniker- ersatzteil- getauscht monteur-",
    ),
    "health": Topic(
        "arzt ärzt- krank- verletz- operier- klinik- spital- impf-",
        "arzt ärzt- praxis klinik- befund- rezept- patient- spital- physio- impf-",
    ),
    "teeth": Topic(
        "zahn- zähne",
        "zahn- zähne",
    ),
    "pets": Topic(
        "tierarzt- tierärzt- hund hündin katze kater haustier-",
        "tierarzt- tierärzt- hund katze kater",
    ),
    "flight": Topic(
        "flug- flog geflogen flieg-",
        "flug- abflug- ankunft gepäck- bordkarte-",
    ),
    "train": Topic(
        "bahn- zug zuges züge fahrkarte- sitzplatz-",
        "zug wagen gleis- fahrkarte- sitzplatz- bahn- reservierung-",
    ),
    "car": Topic(
        "auto wagen fahrzeug- parken geparkt reifen werkstatt-",
        "kennzeichen- fahrzeug- werkstatt- reifen inspektion- tüv",
    ),
    "delivery": Topic(
        "paket- päckchen liefer- bestell- sendung- versand-",
        "paket- sendung- liefer- bestell- versand- zugestellt",
    ),
    "complaint": Topic(
        "beschwer- beschädigt- einspruch- reklamat- reklamier-",
        "beschwer- bedauern entschuldig- einspruch- reklamat- reklamier-",
    ),
    "insurance": Topic(
        "versicher- schaden-",
        "versicher- schaden- selbstbehalt-",
    ),
    "home": Topic(
        "miete vermieter- wohnung kaution- mietvertrag-",
        "miete vermiet- kaution- nebenkosten- mietvertrag-",
    ),
    "school": Topic(
        "schul- lehrer- klasse prüfung- zeugnis-",
        "schul- lehrer- klasse prüfung- elternabend- zeugnis-",
    ),
    "work": Topic(
        "arbeit chef chefin gehalt- stelle kolleg- schicht-",
        "vertrag- gehalt- stelle bewerb- schicht-",
    ),
    "party": Topic(
        "feier- geburtstag- hochzeit- eingeladen gäste fest jubiläum-",
        "feier- geburtstag- hochzeit- einlad- gäste torte-",
    ),
    "absence": Topic(
        "konnten_nicht konnte_nicht abgesagt gefehlt fehlte verpasst",
        "leider absag- abgesagt krank verhindert",
    ),
    "moved": Topic(
        "verschoben verlegt verspät-",
        "verschoben verlegt stattdessen verspät-",
    ),
    "lost": Topic(
        "verloren vergessen gestohlen",
        "verloren vergessen gestohlen gefunden fundbüro-",
    ),
    "lending": Topic(
        "geliehen ausgeliehen leihen verliehen",
        "geliehen ausgeliehen leih- borg-",
    ),
    "food": Topic(
        "gegessen essen rezept- gekocht kuchen- gericht-",
        "rezept- mehl teig- ofen speisekarte- kuchen- suppe-",
    ),
    "injury": Topic(
        "sturz- gestürzt verletz- unfall- gebrochen",
        "sturz- gestürzt knöchel- gips- verband- bruch krankenwagen-",
    ),
    "contact": Topic(
        "telefonnummer- handynummer- nummer adresse- anschrift-",
        "telefon- adresse- strasse handynummer- mobilnummer-",
    ),
    "access": Topic(
        "passwort- kennwort- wlan- schlüssel-",
        "passwort- kennwort- wlan- schlüssel-",
    ),
    "travel": Topic(
        "urlaub- reise- gereist ausflug-",
        "reise- urlaub- koffer- ausflug-",
    ),
    "contest": Topic(
        "gewonnen gewann ergebnis- spiel pokal-",
        "gewonnen tore pokal- punkte endstand-",
    ),
    "money": Topic(
        "steuer- konto kredit- überweis- rentenbescheid-",
        "steuer- konto überweis- kredit- rentenbescheid- zinse- zinss-",
    ),
    "papers": Topic(
        "ausweis- reisepass- visum führerschein- urkunde-",
        "ausweis- reisepass- visum botschaft- gültig- führerschein- bescheid-",
    ),
    "utilities": Topic(
        "heizung- strom- wasser-",
        "heizung- thermostat- strom- zähler- ausfall",
    ),
    "purchase": Topic(
        "gekauft kaufen kauf",
        "quittung- gekauft kauf garantie-",
    ),
    "lessons": Topic(
        "kurs- unterricht- konzert- chor",
        "kurs- probe konzert- chor",
    ),
}
