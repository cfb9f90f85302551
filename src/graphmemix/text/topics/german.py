"""German words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": (
        "übernacht- geschlafen unterkunft- ferienwohnung- zimmer gewohnt",
        "zimmer doppelzimmer- einzelzimmer- nacht nächte übernacht- anreise abreise "
        "ferienwohnung- frühstück- buchung- gasthof- hütte",
    ),
    "refund": (
        "erstatt- zurückgezahlt zurückbekommen zurückerstatt- rückerstatt- gutschrift- entschädig-",
        "erstatt- rückzahl- gutschrift- gutgeschrieben überweis- entschädig- zurückgezahlt",
    ),
    "cost": (
        "kostet kosten gekostet bezahlt preis gezahlt ausgegeben teuer",
        "rechnung- betrag- summe preis gesamt- quittung-",
    ),
    "gift": (
        "geschenk- geschenkt schenk-",
        "geschenk- schenk-",
    ),
    "repair": (
        "kaputt- reparier- reparatur- defekt-",
        "defekt- reparatur- reparier- kaputt- techniker- ersatzteil- getauscht monteur-",
    ),
    "health": (
        "arzt ärzt- krank- verletz- operier- klinik- spital- impf-",
        "arzt ärzt- praxis klinik- befund- rezept- patient- spital- physio- impf-",
    ),
    "teeth": (
        "zahn- zähne",
        "zahn- zähne",
    ),
    "pets": (
        "tierarzt- tierärzt- hund hündin katze kater haustier-",
        "tierarzt- tierärzt- hund katze kater",
    ),
    "flight": (
        "flug- flog geflogen flieg-",
        "flug- abflug- ankunft gepäck- bordkarte-",
    ),
    "train": (
        "bahn- zug zuges züge fahrkarte- sitzplatz-",
        "zug wagen gleis- fahrkarte- sitzplatz- bahn- reservierung-",
    ),
    "car": (
        "auto wagen fahrzeug- parken geparkt reifen werkstatt-",
        "kennzeichen- fahrzeug- werkstatt- reifen inspektion- tüv",
    ),
    "delivery": (
        "paket- päckchen liefer- bestell- sendung- versand-",
        "paket- sendung- liefer- bestell- versand- zugestellt",
    ),
    "complaint": (
        "beschwer- reklam- beschädigt- einspruch-",
        "beschwer- reklam- bedauern entschuldig- einspruch-",
    ),
    "insurance": (
        "versicher- schaden-",
        "versicher- schaden- selbstbehalt- police",
    ),
    "home": (
        "miete vermieter- wohnung kaution- mietvertrag-",
        "miete vermiet- kaution- nebenkosten- mietvertrag-",
    ),
    "school": (
        "schul- lehrer- klasse prüfung- zeugnis-",
        "schul- lehrer- klasse prüfung- elternabend- zeugnis-",
    ),
    "work": (
        "arbeit chef chefin gehalt- stelle kolleg- schicht-",
        "vertrag- gehalt- stelle bewerb- schicht-",
    ),
    "party": (
        "feier- geburtstag- hochzeit- eingeladen gäste fest jubiläum-",
        "feier- geburtstag- hochzeit- einlad- gäste torte-",
    ),
    "absence": (
        "konnten_nicht konnte_nicht abgesagt gefehlt fehlte verpasst",
        "leider absag- abgesagt krank verhindert",
    ),
    "moved": (
        "verschoben verlegt verspät-",
        "verschoben verlegt stattdessen verspät-",
    ),
    "lost": (
        "verloren vergessen gestohlen",
        "verloren vergessen gestohlen gefunden fundbüro-",
    ),
    "lending": (
        "geliehen ausgeliehen leihen verliehen",
        "geliehen ausgeliehen leih- borg-",
    ),
    "food": (
        "gegessen essen rezept- gekocht kuchen- gericht-",
        "rezept- mehl teig- ofen speisekarte- kuchen- suppe-",
    ),
    "injury": (
        "sturz- gestürzt verletz- unfall- gebrochen",
        "sturz- gestürzt knöchel- gips- verband- bruch krankenwagen-",
    ),
    "contact": (
        "telefonnummer- handynummer- nummer adresse- anschrift-",
        "telefon- handy- adresse- strasse",
    ),
    "access": (
        "passwort- kennwort- wlan- schlüssel-",
        "passwort- kennwort- wlan- schlüssel-",
    ),
    "travel": (
        "urlaub- reise- gereist ausflug-",
        "reise- urlaub- koffer- ausflug-",
    ),
    "contest": (
        "gewonnen gewann ergebnis- spiel pokal-",
        "gewonnen tore pokal- punkte endstand-",
    ),
    "money": (
        "steuer- konto kredit- überweis- rente",
        "steuer- konto überweis- zins- kredit-",
    ),
    "papers": (
        "ausweis- reisepass- visum führerschein- urkunde-",
        "ausweis- reisepass- visum botschaft- gültig- führerschein- bescheid-",
    ),
    "utilities": (
        "heizung- strom- wasser-",
        "heizung- thermostat- strom- zähler- ausfall",
    ),
    "purchase": (
        "gekauft kaufen kauf",
        "quittung- gekauft kauf garantie-",
    ),
    "lessons": (
        "kurs- unterricht- konzert- chor",
        "kurs- probe konzert- chor",
    ),
}
