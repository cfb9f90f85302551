"""Italian words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

from graphmemix.text.topics.topic import Topic

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": Topic(
        "dormi- alloggi- soggiorn- pernott- albergo alberghi ostello campeggio agriturismo "
        "camere notte notti la_camera che_camera in_camera",
        "camere doppia singola notte notti pernott- soggiorn- alloggi- albergo alberghi ostello "
        "agriturismo prenotazion- prenotat- colazion-",
    ),
    "refund": Topic(
        "rimbors- risarci- indennizz- ridato restitui- soldi_indietro",
        "rimbors- risarci- indennizz- riaccredit- accredito accreditato accreditata "
        "accreditiamo storno bonific-",
    ),
    "cost": Topic(
        "quanto_costa quanto_costano quanto_costava costo costi costato costava pagato pagata "
        "pagare pagò abbiamo_pagato speso spese prezz- bolletta bollette",
        "fattur- ricevut- scontrin- importo importi prezz- totale pagament- pagato pagata "
        "preventivo",
    ),
    "gift": Topic(
        "regalo regali regalat- regalò in_dono",
        "regalo regali regalat- bomboniera incartat-",
    ),
    "repair": Topic(
        "ripara- aggiust- guast- rotto rotta rotti idraulic- sostitui- si_rompe",
        "ripara- aggiust- guast- rotto ricambi- sostitui- sostituzion- tecnico idraulic- "
        "manutenzion-",
    ),
    "health": Topic(
        "medico medici dottore dottoressa ospedal- malat- ammalat- febbre dolor- farmac- "
        "medicin- operato operata vaccin- allergi- ricover- ricetta",
        "medico dottoressa ospedal- ambulator- ricover- referto referti analisi ricetta "
        "paziente pazienti farmac- chirurg- vaccin- febbre dolor- radiografia",
    ),
    "teeth": Topic(
        "dente denti dentist- dentale molare",
        "dente denti dentist- dentale molare otturazion-",
    ),
    "pets": Topic(
        "gatto gatta gatti gattin- cane cani cagnolin- cucciol- veterinar- coniglio",
        "gatto gatta gatti gattin- cane cani cagnolin- cucciol- veterinar- coniglio crocchette",
    ),
    "flight": Topic(
        "volo voli volato volati aereo aerei aeroport-",
        "volo voli imbarco bagagli- aeroport- decoll- atterr- scalo",
    ),
    "train": Topic(
        "treno treni stazion- binario carrozza biglietto biglietti",
        "treno treni stazion- binario carrozza biglietto biglietti trenitalia capotreno",
    ),
    "car": Topic(
        "macchina auto automobil- parcheggi- gomme officin- benzin- targa guidat- guidava",
        "macchina automobil- parcheggi- gomme pneumatici officin- benzin- targa tagliando "
        "collaudo freni",
    ),
    "delivery": Topic(
        "pacco pacchi consegn- spedi- corriere ordine ordini ordinato ordinata ordinati",
        "pacco pacchi consegn- spedi- corriere ordine ordini ordinato tracciamento magazzin-",
    ),
    "complaint": Topic(
        "lament- reclam- danneggiat- sbagliat- rimostranz-",
        "reclam- danneggiat- sbagliat- scus- dispiac- disguido disagio disagi lament-",
    ),
    "insurance": Topic(
        "assicura- polizza polizze sinistro sinistri",
        "assicura- polizza polizze sinistro sinistri franchigia perito massimale",
    ),
    "home": Topic(
        "affitt- inquilin- padrone_di_casa padrona_di_casa proprietari- caparra cauzion- "
        "appartament-",
        "affitt- inquilin- proprietari- caparra cauzion- locazion- condomini- appartament- sfratto",
    ),
    "school": Topic(
        "scuol- insegnant- maestra maestre professor- compiti esam- pagell- alunn- universit- "
        "liceo",
        "scuol- insegnant- maestra professor- compiti esam- pagell- alunn- liceo elementari "
        "interrogazion-",
    ),
    "work": Topic(
        "lavor- stipendi- collega colleghi contratto turno turni colloquio assunt- licenziat- "
        "capoufficio datore",
        "lavor- stipendi- contratto turno turni colloquio assunzion- assunt- candidatura "
        "azienda aziendal-",
    ),
    "party": Topic(
        "festa festegg- compleann- matrimoni- nozze battesim- anniversari- invitat- ospiti",
        "festa festegg- compleann- matrimoni- nozze battesim- invit- torta auguri brindisi",
    ),
    "absence": Topic(
        "non_poteva non_potevano non_ha_potuto non_è_venuto non_è_venuta non_sono_venuti "
        "mancat- assenza assenze disdett- disdire annull- ammalat-",
        "purtroppo spiace dispiace disdett- disdire disdico annull- assenza ammalat- "
        "influenzat- malattia impegno",
    ),
    "moved": Topic(
        "spostat- spostar- rinvi- rimanda- posticip- ritard- cambiat-",
        "spostat- spostiam- rinvi- rimanda- posticip- ritard- cambiat- anziché invece",
    ),
    "lost": Topic(
        "smarri- dimentic- scordat- rubat- rubare furto furti ritrov- ho_perso ha_perso "
        "abbiamo_perso hanno_perso aveva_perso è_sparito",
        "smarri- dimentic- scordat- rubat- furto furti ritrov- trovato trovata denuncia",
    ),
    "lending": Topic(
        "prestat- prestit- in_prestito",
        "prestat- prestit- restitui-",
    ),
    "food": Topic(
        "mangi- cena cenat- pranz- colazion- ristorant- ricett- cucin- torta piatto piatti",
        "mangi- cena pranz- ristorant- menù trattoria ricett- cucin- farin- uova zucchero olio "
        "forno torta zuppa pasta",
    ),
    "injury": Topic(
        "ferit- cadut- caduto infortun- slogat- frattur- ustion- fatto_male fatta_male rotto_il "
        "rotto_la rotta_il rotta_la",
        "cadut- caviglia polso ginocchio frattur- gesso stampell- ambulanz- ferit- slogat- "
        "infortun- soccorso medicazion-",
    ),
    "contact": Topic(
        "telefon- numero numeri indirizz- cellulari recapito recapiti",
        "telefon- indirizz- recapito recapiti telefonin-",
    ),
    "access": Topic(
        "password chiave chiavi codice codici credenziali",
        "password chiave chiavi codice codici credenziali citofono serratura",
    ),
    "travel": Topic(
        "viagg- vacanz- gita ferie crociera escursion-",
        "viagg- vacanz- gita ferie crociera escursion- valigi- itinerario",
    ),
    "contest": Topic(
        "vinto vinse vinta vincitor- vittoria partita partite punteggi- risultat- medagli- "
        "coppa trofeo",
        "vinto vinta vincitor- vittoria punteggi- medagli- coppa trofeo classifica podio "
        "semifinal- gol",
    ),
    "money": Topic(
        "banca banche bancari- bonific- conto_corrente mutui un_mutuo il_mutuo del_mutuo tassa "
        "risparmi- prestit- pensione imposte",
        "banca banche bancari- bonific- saldo mutui prestit- interessi commercialista estratto "
        "imposte",
    ),
    "papers": Topic(
        "passaport- carta_d'identità patente_di la_patente il_visto un_visto permess- certificat-",
        "passaport- ambasciat- consolato questura permess- certificat- scadenza identità",
    ),
    "utilities": Topic(
        "riscaldament- caldaia luce acqua termosifon- bolletta bollette elettric-",
        "riscaldament- caldaia termosifon- contator- bolletta bollette idraulic- elettric- "
        "fornitura blackout",
    ),
    "purchase": Topic(
        "comprat- compra compro comprare acquist- negozi-",
        "comprat- acquist- scontrin- garanzia negozi-",
    ),
    "lessons": Topic(
        "corso corsi lezion- coro concert- allenament-",
        "corso corsi lezion- coro concert- allenament- saggio iscrizion-",
    ),
}
