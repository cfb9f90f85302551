"""What everyday questions and memories are about, by the words that both use for it.

"Where did we sleep?" shares no word with "twin room, two nights, check-in from 15.00". A topic has
two lists: words by which questions ask for it, and words by which memories tell it, in English,
German, French, Spanish and Swedish. A word ends in ``-`` if it may go on (``reimburs-``); one of
several parts (``put_up``) is looked for in questions only.

The lists were written from what people ask their archives in general. They decide nothing alone:
what a shared topic is worth is fitted (`graphmemix.verify`).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.text.words import terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["TOPICS", "topics_asked", "topics_told"]


class Topic(NamedTuple):
    """The words of one topic, separated by spaces."""

    asked: str
    told: str


TOPICS: Final = {
    "lodging": Topic(
        "hotel- hostel- inn guesthouse campsite airbnb sleep slept stay overnight night room "
        "put_up accommodation- lodging- übernacht- geschlafen unterkunft- ferienwohnung- zimmer "
        "gewohnt dormi- hôtel- logé- logement- héberg- gîte- nuit alojad- alojamiento habitación "
        "noche sov sovit bodde bott boende övernatt- rum stuga- vandrarhem-",
        "hotel- hostel- inn guesthouse campsite airbnb room night checkin checkout book "
        "reservation twin breakfast apartment cottage pitch lodge hut bnb homestay zimmer "
        "doppelzimmer- einzelzimmer- nacht nächte übernacht- anreise abreise ferienwohnung- "
        "frühstück- buchung- gasthof- hütte chambre nuit nuits nuitée- réserv- séjour- gîte- "
        "hôtel- déjeuner habitación noche noches reserva desayuno hostal rum natt nätter "
        "bokning- frukost- incheckning- stuga-",
    ),
    "refund": Topic(
        "refund- reimburs- compensat- returned money_back paid_back pay_back paid_me_back "
        "got_back get_back erstatt- zurückgezahlt zurückbekommen zurückerstatt- rückerstatt- "
        "gutschrift- entschädig- rembours- indemnis- reembols- devolv- devuelt- återbetal- "
        "ersättning- tillbaka",
        "refund- reimburs- compensat- goodwill credit repay- repaid voucher settlement returned "
        "erstatt- rückzahl- gutschrift- gutgeschrieben überweis- entschädig- zurückgezahlt "
        "rembours- indemnis- avoir virement- reembols- devolución- återbetal- ersättning- "
        "krediter- tillgodo-",
    ),
    "cost": Topic(
        "cost price pay paid spend spent charge fee bill expens- how_much kostet kosten gekostet "
        "bezahlt preis gezahlt ausgegeben teuer coût- prix payé payer combien dépens- costó "
        "cuesta cuánto pagué pagamos pagó gast- precio kostade kosta betalade betalat pris dyr-",
        "invoice total paid receipt price fee amount bill due eur usd gbp chf sek rechnung- "
        "betrag- summe preis gesamt- quittung- facture- montant- prix reçu tarif- factura- "
        "importe- recibo- precio faktura- summa belopp- kvitto pris",
    ),
    "gift": Topic(
        "present gift gave geschenk- geschenkt schenk- cadeau- offert offerts regal- present- "
        "gåva gåvor",
        "present gift wrapped geschenk- schenk- cadeau- offert offerts offre regal- present- "
        "gåva gåvor",
    ),
    "repair": Topic(
        "repair- fix broke broken break_down broke_down put_right mend replace fault- leak- "
        "kaputt- reparier- reparatur- defekt- panne- répar- cassé- arregl- averí- roto rota "
        "repar- lagad- laga lagat trasig- sönder",
        "repair- fix broken broke replaced fault- leak- engineer technician spare defekt- "
        "reparatur- reparier- kaputt- techniker- ersatzteil- getauscht monteur- panne- répar- "
        "technicien- pièce remplac- cassé- averí- arregl- técnico- laga lagad- trasig- sönder "
        "tekniker- byta bytt",
    ),
    "health": Topic(
        "doctor hospital ill sick injur- medic- diagnos- operation- surgery allerg- pain "
        "prescri- vaccin- arzt ärzt- krank- verletz- operier- klinik- spital- impf- médecin- "
        "malad- opér- médicament- douleur- ordonnance- médic- enferm- operar- dolor alergi- "
        "läkar- sjuk- opererad- vårdcentral- medicin-",
        "doctor dr hospital clinic patient appointment gp tablet mg prescription xray surgery "
        "ward nurse diagnos- arzt ärzt- praxis klinik- befund- rezept- patient- spital- physio- "
        "impf- médecin- cabinet ordonnance- hôpital- clinique- médico- cita receta- paciente- "
        "läkare- mottagning- recept remiss- vårdcentral- sjukhus- sjuksköterska-",
    ),
    "teeth": Topic(
        "dentist tooth teeth dental zahn- zähne dent dents dentist- diente muela tandläk- tand "
        "tänder",
        "dentist tooth teeth dental filling crown molar zahn- zähne dent dents dentist- couronne "
        "diente muela tandläk- tand tänder tandvård-",
    ),
    "pets": Topic(
        "vet dog cat pet puppy kitten rabbit tierarzt- tierärzt- hund hündin katze kater "
        "haustier- vétérinaire- chien- chat chatte veterinari- perr- gat- veterinär- katt katten "
        "hunden valp-",
        "vet veterinary dog cat pet puppy kitten rabbit tierarzt- tierärzt- hund katze kater "
        "vétérinaire- chien- chat veterinari- perro gato veterinär- hunden katt katten valp-",
    ),
    "flight": Topic(
        "flight fly flew plane airline airport flug- flog geflogen flieg- avion- aéroport- vuel- "
        "avión aeropuerto- flyg- flög flugit",
        "flight eticket boarding itinerary airline gate terminal departure arrival pnr baggage "
        "flug- abflug- ankunft gepäck- bordkarte- vol embarquement- bagage- vuelo- embarque "
        "equipaje- flyg- avgång-",
    ),
    "train": Topic(
        "train railway coach seat ticket platform bahn- zug zuges züge fahrkarte- sitzplatz- "
        "gare- billet- tren asiento- billete- tåg- biljett-",
        "train coach seat carriage platform ticket departs railcard zug wagen gleis- fahrkarte- "
        "sitzplatz- bahn- reservierung- voiture gare- billet- tren asiento- billete- tåg- vagn- "
        "biljett- spår-",
    ),
    "car": Topic(
        "car van vehicle garage drive drove driven parked park tyre tire auto wagen fahrzeug- "
        "parken geparkt reifen werkstatt- voiture- garé pneu- coche- aparc- taller- bil bilen "
        "parker- däck- verkstad-",
        "car vehicle registration mot tyre tire brake garage mileage parking park kennzeichen- "
        "fahrzeug- werkstatt- reifen inspektion- tüv voiture- véhicule- immatricul- pneu- coche- "
        "matrícula- taller- bil bilen däck- verkstad- besikt-",
    ),
    "delivery": Topic(
        "parcel package deliver- order ship shipped tracking courier paket- päckchen liefer- "
        "bestell- sendung- versand- colis livr- command- paquete- pedido- entreg- envío- lever- "
        "beställ- försändelse-",
        "order parcel package deliver- ship dispatch- despatch- tracking courier paket- sendung- "
        "liefer- bestell- versand- zugestellt colis livr- commande- expédi- paquete- pedido- "
        "entrega- envío- lever- beställ- försändelse- kolli-",
    ),
    "complaint": Topic(
        "complain- wrong damaged claim objection appeal beschwer- reklam- beschädigt- einspruch- "
        "plain- réclam- abîmé- reclam- queja- dañad- klag- fel skadad-",
        "complain- claim damaged wrong sorry apolog- inconvenience beschwer- reklam- bedauern "
        "entschuldig- einspruch- réclam- désolé- excus- reclam- disculp- lament- klagomål- "
        "beklagar ursäkt-",
    ),
    "insurance": Topic(
        "insur- claim policy versicher- schaden- assur- sinistre- segur- siniestro- försäkring- "
        "skadeanmäl-",
        "insur- claim policy excess deductible assessor versicher- schaden- selbstbehalt- police "
        "assur- sinistre- franchise seguro- póliza- försäkring- självrisk- skadeanmäl-",
    ),
    "home": Topic(
        "rent landlord tenant lease flat deposit miete vermieter- wohnung kaution- mietvertrag- "
        "loyer- propriétaire- bail caution alquil- casero- fianza- hyra hyres-",
        "rent landlord tenant tenancy lease deposit miete vermiet- kaution- nebenkosten- "
        "mietvertrag- loyer- bail charges propriétaire- alquil- fianza- arrend- hyra hyres- "
        "kontrakt-",
    ),
    "school": Topic(
        "school teacher class pupil homework exam grade university study schul- lehrer- klasse "
        "prüfung- zeugnis- école- professeur- classe examen- collège- lycée- escuela- profesor- "
        "clase skola- skolan lärare- klass prov betyg-",
        "school teacher class term pupil exam grade homework schul- lehrer- klasse prüfung- "
        "elternabend- zeugnis- école- professeur- classe devoirs examen- élève- escuela- clase "
        "profesor- skola- skolan lärare- klass betyg- elev elever",
    ),
    "work": Topic(
        "job boss employer salary contract shift colleague interview arbeit chef chefin gehalt- "
        "stelle kolleg- schicht- travail- patron- salaire- contrat- collègue- emploi- trabaj- "
        "jefe sueldo- contrato- jobb- arbete- lön kollega-",
        "contract salary manager hr shift rota interview position employer vertrag- gehalt- "
        "stelle bewerb- schicht- contrat- salaire- entretien- poste contrato- sueldo- "
        "entrevista- puesto avtal- lön intervju- tjänst- schema",
    ),
    "party": Topic(
        "party birthday wedding celebrat- anniversary invite guest feier- geburtstag- hochzeit- "
        "eingeladen gäste fest jubiläum- fête- anniversaire- mariage- invité- fiesta- cumpleaños "
        "boda- invitad- aniversario- kalas- födelsedag- bröllop- bjud- gäst- jubileum-",
        "party birthday wedding celebrat- anniversary invit- guest rsvp cake feier- geburtstag- "
        "hochzeit- einlad- gäste torte- fête- anniversaire- mariage- gâteau- fiesta- cumpleaños "
        "boda- tarta- kalas- födelsedag- bröllop- inbjud- tårta- gäst-",
    ),
    "absence": Topic(
        "couldn't can't couldnt cant miss absent cancel not_come didn't_come not_make "
        "konnten_nicht konnte_nicht abgesagt gefehlt fehlte verpasst absent- manqu- annul- "
        "no_pudo no_pudieron faltó falt- cancel- kunde_inte missade avbok- frånvar-",
        "can't cant cannot sorry unfortunately won't wont cancel ill sick leider absag- abgesagt "
        "krank verhindert désolé- malheureusement annul- siento cancel- lamento tyvärr avbok- "
        "sjuk förhinder-",
    ),
    "moved": Topic(
        "moved shifted reschedul- postpon- delayed changed new_date new_time verschoben verlegt "
        "verspät- reporté- déplacé- décal- aplaz- cambi- flytta- flyttad- ändrad- försen- "
        "uppskj-",
        "moved reschedul- postpon- instead revised delay- verschoben verlegt stattdessen "
        "verspät- report- décal- déplac- aplaz- cambio- flytta- flyttad- ändr- istället försen-",
    ),
    "lost": Topic(
        "lost lose missing left_behind forgot forgotten stolen stole theft verloren vergessen "
        "gestohlen perdu- oubli- volé- perdi- olvid- robar- robad- tappa- glöm- stulen stöld- "
        "försvann",
        "lost missing forgot found stolen theft verloren vergessen gestohlen gefunden fundbüro- "
        "perdu- oubli- volé- retrouv- perdi- olvid- rob- encontr- tappa- glöm- stulen stöld- "
        "borta hittad-",
    ),
    "lending": Topic(
        "borrow lend lent loan give_back geliehen ausgeliehen leihen verliehen prêté- emprunt- "
        "prest- låna- lånad- utlånad-",
        "borrow lend lent loan geliehen ausgeliehen leih- borg- prêt- emprunt- prest- låna- lånat",
    ),
    "food": Topic(
        "eat ate eaten food dinner lunch breakfast restaurant recipe cook cake dish menu meal "
        "gegessen essen rezept- gekocht kuchen- gericht- mang- repas dîner- déjeuner recette- "
        "cuisin- gâteau- comimos comer comí cena- almuerzo receta- cocin- åt ätit mat middag- "
        "recept lagade kaka",
        "restaurant menu dinner lunch recipe ingredient flour butter oven soup cake pizza bread "
        "rezept- mehl teig- ofen speisekarte- kuchen- suppe- recette- farine- beurre four soupe- "
        "gâteau- plat receta- harina horno sopa- mesa recept mjöl smör ugn- soppa- meny",
    ),
    "injury": Topic(
        "hurt injur- fell accident sprain stung sturz- gestürzt verletz- unfall- gebrochen "
        "bless- tomb- chute- accident- caíd- cayó herid- rompió ramla- föll skad- olycka- bröt "
        "brutit",
        "fell ankle wrist knee stung plaster cast stitch bandage bruise swollen fracture "
        "ambulance sturz- gestürzt knöchel- gips- verband- bruch krankenwagen- cheville- plâtre- "
        "fracture- chute- urgences tobillo- yeso- caída- urgencias akuten stukad- ramla-",
    ),
    "contact": Topic(
        "phone telephone number address email contact telefonnummer- handynummer- nummer "
        "adresse- anschrift- numéro- téléphone- número- dirección- teléfono- adress- telefon- "
        "mejl-",
        "tel phone mobile address street telefon- handy- adresse- strasse tél portable rue "
        "móvil- calle mobil- adress- gatan",
    ),
    "access": Topic(
        "password passcode code pin wifi network login key passwort- kennwort- wlan- schlüssel- "
        "passe clé clés contraseña- clave- código- llave- lösenord- kod koden nyckel- nycklar-",
        "password passcode code pin wifi network login key passwort- kennwort- wlan- schlüssel- "
        "passe clé clés contraseña- clave- código- llave- lösenord- kod koden nyckel- nycklar-",
    ),
    "travel": Topic(
        "trip travel holiday vacation journey urlaub- reise- gereist ausflug- voyage- vacances "
        "viaj- vacaciones resa resan reste rest semester-",
        "trip itinerary holiday travel flight packing suitcase reise- urlaub- koffer- ausflug- "
        "voyage- vacances valise- viaje- vacaciones maleta- resa resan semester- resväska- packa",
    ),
    "contest": Topic(
        "score win won lose result match game race trophy medal prize gewonnen gewann ergebnis- "
        "spiel pokal- gagn- résultat- médaille- gan- resultado- partido- carrera- medalla- vann "
        "vunnit resultat- lopp medalj-",
        "won draw score goal final trophy medal race gewonnen tore pokal- punkte endstand- gagn- "
        "médaille- buts finale ganó ganamos goles- medalla- vann vunnit mål medalj- poäng",
    ),
    "money": Topic(
        "bank transfer loan mortgage tax account savings pension steuer- konto kredit- überweis- "
        "rente banque- impôt- virement- compte prêt banco- impuesto- cuenta préstamo- skatt- lån "
        "deklarat-",
        "bank iban account transfer statement interest tax loan steuer- konto überweis- zins- "
        "kredit- banque- virement- compte impôt- prêt intérêt- banco- cuenta transferencia- "
        "impuesto- skatt- ränta lån överför-",
    ),
    "papers": Topic(
        "passport visa licence license permit certificate ausweis- reisepass- visum "
        "führerschein- urkunde- passeport- permis certificat- pasaporte- visado- carné- permiso- "
        "körkort- intyg- tillstånd-",
        "passport visa embassy consulate permit licence license certificate expire ausweis- "
        "reisepass- visum botschaft- gültig- führerschein- bescheid- passeport- ambassade- "
        "préfecture- permis pasaporte- embajada- permiso- ambassad- körkort- giltig- intyg-",
    ),
    "utilities": Topic(
        "heating boiler electric- gas water internet broadband heizung- strom- wasser- chauffag- "
        "électri- chaudière- eau calefacción luz agua värme- vatten- bredband- elen",
        "boiler heating radiator meter kwh outage router broadband plumber heizung- thermostat- "
        "strom- zähler- ausfall chaudière- chauffag- compteur- électri- plomb- caldera- "
        "calefacción contador- fontaner- värme- elmätare- avbrott- rörmok-",
    ),
    "purchase": Topic(
        "buy bought purchase shop gekauft kaufen kauf achet- compr- köpt köpte köpa",
        "receipt purchase warranty guarantee shop store serial quittung- gekauft kauf garantie- "
        "achet- achat- reçu compra- garantía- kvitto köpt köpte garanti-",
    ),
    "lessons": Topic(
        "course lesson training workshop learn concert choir band kurs- unterricht- konzert- "
        "chor cours leçon- concert- chorale- curso- concierto- coro lektion- konsert- kör",
        "course lesson rehearsal concert choir workshop kurs- probe konzert- chor cours "
        "répétition- concert- chorale- curso- ensayo- concierto- coro repetition- konsert- kör",
    ),
}
"""By name: what questions say, and what memories say."""

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_SHORTEST_PREFIX: Final = 3
_REMEMBERED: Final = 65_536  # words; those of one archive come again and again


def topics_asked(question: str) -> frozenset[str]:
    """Return the topics that a question asks about; linear in its length."""
    words = terms(question)
    found = _of_words(words, "asked")
    run = f" {' '.join(_WORD.findall(question.lower()))} "
    spoken = (name for name, phrases in _phrases().items() if any(each in run for each in phrases))
    return found.union(spoken)


def topics_told(words: Collection[str]) -> frozenset[str]:
    """Return the topics that a memory tells about, by its words as `terms` gives them."""
    return _of_words(words, "told")


def _of_words(words: Iterable[str], side: str) -> frozenset[str]:
    return frozenset().union(*[found for word in words if (found := _of_word(word, side))])


@lru_cache(maxsize=_REMEMBERED)
def _of_word(word: str, side: str) -> frozenset[str]:
    whole, prefixes, longest = _index(side)
    found = whole.get(word, frozenset())
    for end in range(_SHORTEST_PREFIX, min(len(word), longest) + 1):
        if more := prefixes.get(word[:end]):
            found |= more
    return found


@cache
def _index(side: str) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]], int]:
    """Return the topics of whole words and of prefixes, and the length of the longest prefix."""
    whole: dict[str, frozenset[str]] = {}
    prefixes: dict[str, frozenset[str]] = {}
    for name, topic in TOPICS.items():
        for entry in getattr(topic, side).split():
            if "_" in entry:
                continue
            known = prefixes if entry.endswith("-") else whole
            for word in [entry[:-1]] if entry.endswith("-") else terms(entry):
                known[word] = known.get(word, frozenset()) | {name}
    return whole, prefixes, max(map(len, prefixes))


@cache
def _phrases() -> dict[str, tuple[str, ...]]:
    """Return the phrases of questions by topic, with a space on either side."""
    return {
        name: tuple(f" {each.replace('_', ' ')} " for each in topic.asked.split() if "_" in each)
        for name, topic in TOPICS.items()
    }
