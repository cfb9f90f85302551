"""French words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": (
        "dormi- hôtel- logé- logement- héberg- gîte- nuit",
        "chambre nuit nuits nuitée- réserv- séjour- gîte- hôtel- déjeuner",
    ),
    "refund": (
        "rembours- indemnis-",
        "rembours- indemnis- avoir virement-",
    ),
    "cost": (
        "coût- prix payé payer combien dépens-",
        "facture- montant- prix reçu tarif-",
    ),
    "gift": (
        "cadeau- offert offerts",
        "cadeau- offert offerts offre",
    ),
    "repair": (
        "panne- répar- cassé-",
        "panne- répar- technicien- pièce remplac- cassé-",
    ),
    "health": (
        "médecin- malad- opér- médicament- douleur- ordonnance-",
        "médecin- cabinet ordonnance- hôpital- clinique-",
    ),
    "teeth": (
        "dent dents dentist-",
        "dent dents dentist- couronne",
    ),
    "pets": (
        "vétérinaire- chien- chat chatte",
        "vétérinaire- chien- chat",
    ),
    "flight": (
        "avion- aéroport-",
        "vol embarquement- bagage-",
    ),
    "train": (
        "gare- billet-",
        "voiture gare- billet-",
    ),
    "car": (
        "voiture- garé pneu-",
        "voiture- véhicule- immatricul- pneu-",
    ),
    "delivery": (
        "colis livr- command-",
        "colis livr- commande- expédi-",
    ),
    "complaint": (
        "plain- réclam- abîmé-",
        "réclam- désolé- excus-",
    ),
    "insurance": (
        "assur- sinistre-",
        "assur- sinistre- franchise",
    ),
    "home": (
        "loyer- propriétaire- bail caution",
        "loyer- bail charges propriétaire-",
    ),
    "school": (
        "école- professeur- classe examen- collège- lycée-",
        "école- professeur- classe devoirs examen- élève-",
    ),
    "work": (
        "travail- patron- salaire- contrat- collègue- emploi-",
        "contrat- salaire- entretien- poste",
    ),
    "party": (
        "fête- anniversaire- mariage- invité-",
        "fête- anniversaire- mariage- gâteau-",
    ),
    "absence": (
        "absent- manqu- annul-",
        "désolé- malheureusement annul-",
    ),
    "moved": (
        "reporté- déplacé- décal-",
        "report- décal- déplac-",
    ),
    "lost": (
        "perdu- oubli- volé-",
        "perdu- oubli- volé- retrouv-",
    ),
    "lending": (
        "prêté- emprunt-",
        "prêt- emprunt-",
    ),
    "food": (
        "mang- repas dîner- déjeuner recette- cuisin- gâteau-",
        "recette- farine- beurre four soupe- gâteau- plat",
    ),
    "injury": (
        "bless- tomb- chute- accident-",
        "cheville- plâtre- fracture- chute- urgences",
    ),
    "contact": (
        "numéro- téléphone-",
        "tél portable rue",
    ),
    "access": (
        "passe clé clés",
        "passe clé clés",
    ),
    "travel": (
        "voyage- vacances",
        "voyage- vacances valise-",
    ),
    "contest": (
        "gagn- résultat- médaille-",
        "gagn- médaille- buts finale",
    ),
    "money": (
        "banque- impôt- virement- compte prêt",
        "banque- virement- compte impôt- prêt intérêt-",
    ),
    "papers": (
        "passeport- permis certificat-",
        "passeport- ambassade- préfecture- permis",
    ),
    "utilities": (
        "chauffag- électri- chaudière- eau",
        "chaudière- chauffag- compteur- électri- plomb-",
    ),
    "purchase": (
        "achet-",
        "achet- achat- reçu",
    ),
    "lessons": (
        "cours leçon- concert- chorale-",
        "cours répétition- concert- chorale-",
    ),
}
