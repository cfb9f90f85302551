"""French words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

from graphmemix.text.topics.topic import Topic

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": Topic(
        "dormi- hôtel- logé- logement- héberg- gîte- nuit",
        "chambre nuit nuits nuitée- réserv- séjour- gîte- hôtel- déjeuner",
    ),
    "refund": Topic(
        "rembours- indemnis-",
        "rembours- indemnis- virement-",
    ),
    "cost": Topic(
        "coût- prix payé payer combien dépens-",
        "facture- montant- prix reçu tarif-",
    ),
    "gift": Topic(
        "cadeau- offert offerts",
        "cadeau- offert offerts offre",
    ),
    "repair": Topic(
        "panne- répar- cassé-",
        "panne- répar- technicien- pièce remplac- cassé-",
    ),
    "health": Topic(
        "médecin- malad- opér- médicament- douleur- ordonnance-",
        "médecin- cabinet ordonnance- hôpital- clinique-",
    ),
    "teeth": Topic(
        "dent dents dentist-",
        "dent dents dentist- couronne",
    ),
    "pets": Topic(
        "vétérinaire- chien- chatte mon_chat le_chat notre_chat un_chat du_chat chaton-",
        "vétérinaire- chien- chatte chaton-",
    ),
    "flight": Topic(
        "avion- aéroport-",
        "vol embarquement- bagage-",
    ),
    "train": Topic(
        "billet- gare gares",
        "voiture billet- gare gares",
    ),
    "car": Topic(
        "voiture- garé pneu pneus",
        "voiture- véhicule- immatricul- pneu pneus",
    ),
    "delivery": Topic(
        "colis livr- commandé- ma_commande la_commande nos_commandes cette_commande",
        "colis livr- expédi- commandé-",
    ),
    "complaint": Topic(
        "réclam- abîmé- plaint plainte- plaindre plaign-",
        "réclam- désolé- excus-",
    ),
    "insurance": Topic(
        "assur- sinistre-",
        "assur- sinistre- franchise",
    ),
    "home": Topic(
        "loyer- propriétaire- bail",
        "loyer- bail propriétaire- locataire-",
    ),
    "school": Topic(
        "école- professeur- classe examen- collège- lycée-",
        "école- professeur- classe devoirs examen- élève-",
    ),
    "work": Topic(
        "travail- patron- salaire- contrat- collègue- emploi-",
        "contrat- salaire- entretien-",
    ),
    "party": Topic(
        "fête- anniversaire- mariage- invité-",
        "fête- anniversaire- mariage- gâteau-",
    ),
    "absence": Topic(
        "absent- manqu- annul-",
        "désolé- malheureusement annul-",
    ),
    "moved": Topic(
        "reporté- déplacé- décal-",
        "décal- déplac- reporté-",
    ),
    "lost": Topic(
        "perdu- oubli- volé-",
        "perdu- oubli- volé- retrouv-",
    ),
    "lending": Topic(
        "prêté- emprunt-",
        "prêt- emprunt-",
    ),
    "food": Topic(
        "repas dîner- déjeuner recette- cuisin- gâteau- mangé- manger mange mangeait mangeons",
        "recette- farine- beurre soupe- gâteau- plat",
    ),
    "injury": Topic(
        "chute- accident- blessé- blessur- tombé-",
        "cheville- plâtre- fracture- chute- urgences",
    ),
    "contact": Topic(
        "numéro- téléphone-",
        "tél portable rue",
    ),
    "access": Topic(
        "clé clés identifiant- mot_de_passe",
        "clé clés identifiant- mdp",
    ),
    "travel": Topic(
        "voyage- vacances",
        "voyage- vacances valise-",
    ),
    "contest": Topic(
        "gagn- résultat- médaille-",
        "gagn- médaille- finale",
    ),
    "money": Topic(
        "impôt- virement- compte prêt banque banques bancaire-",
        "virement- compte impôt- prêt intérêt- banque banques bancaire-",
    ),
    "papers": Topic(
        "passeport- permis certificat-",
        "passeport- ambassade- préfecture- permis",
    ),
    "utilities": Topic(
        "chauffag- électri- chaudière- eau",
        "chaudière- chauffag- compteur- électri- plomb-",
    ),
    "purchase": Topic(
        "achet-",
        "achet- achat- reçu",
    ),
    "lessons": Topic(
        "cours leçon- concert- chorale-",
        "cours répétition- concert- chorale-",
    ),
}
