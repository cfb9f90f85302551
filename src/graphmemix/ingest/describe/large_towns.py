"""Towns that people name a place by, even if a suburb is nearer: by country, as GeoNames spells."""

from __future__ import annotations

from typing import Final

_BY_COUNTRY: Final = {
    "AE": "Dubai|Abu Dhabi", "AR": "Buenos Aires|Cordoba|Rosario|Mendoza",
    "AT": "Vienna|Graz|Linz|Salzburg|Innsbruck",
    "AU": "Sydney|Melbourne|Brisbane|Perth|Adelaide|Canberra|Hobart",
    "BD": "Dhaka|Chittagong", "BE": "Brussels|Antwerpen|Gent|Liege|Brugge", "BG": "Sofia|Plovdiv",
    "BR": "Sao Paulo|Rio de Janeiro|Brasilia|Salvador|Fortaleza|Belo Horizonte|Curitiba|Recife",
    "BY": "Minsk", "CA": "Toronto|Montreal|Vancouver|Calgary|Ottawa|Edmonton|Quebec|Winnipeg",
    "CH": "Zurich|Geneve|Basel|Bern|Lausanne|Luzern", "CL": "Santiago|Valparaiso",
    "CN": "Beijing|Shanghai|Guangzhou|Shenzhen|Chengdu|Wuhan|Hangzhou|Nanjing|Tianjin",
    "CO": "Bogota|Medellin|Cali", "CZ": "Prague|Brno|Ostrava", "CU": "Havana",
    "DE": "Berlin|Hamburg|Munich|Koeln|Frankfurt am Main|Stuttgart|Dusseldorf|Leipzig|Dresden"
    "|Hannover|Bremen|Nuernberg|Essen|Dortmund|Bonn|Freiburg|Mannheim|Karlsruhe|Heidelberg",
    "DK": "Copenhagen|Arhus|Odense", "EE": "Tallinn|Tartu", "EG": "Cairo|Alexandria",
    "ES": "Madrid|Barcelona|Valencia|Sevilla|Zaragoza|Malaga|Bilbao|Granada|Palma",
    "ET": "Addis Ababa", "FI": "Helsinki|Tampere|Turku",
    "FR": "Paris|Marseille|Lyon|Toulouse|Nice|Nantes|Strasbourg|Montpellier|Bordeaux|Lille|Rennes",
    "GB": "London|Birmingham|Manchester|Glasgow|Liverpool|Leeds|Edinburgh|Bristol|Sheffield"
    "|Cardiff|Belfast|Newcastle upon Tyne|Nottingham|Oxford|Cambridge",
    "GH": "Accra|Kumasi", "GR": "Athens|Thessaloniki", "HK": "Hong Kong", "HR": "Zagreb|Split",
    "HU": "Budapest|Debrecen", "ID": "Jakarta|Surabaya|Bandung", "IE": "Dublin|Cork",
    "IL": "Jerusalem|Tel Aviv|Haifa",
    "IN": "Mumbai|Delhi|Bangalore|Hyderabad|Chennai|Kolkata|Pune|Ahmedabad|Jaipur|Lucknow",
    "IR": "Tehran|Mashhad|Isfahan", "IS": "Reykjavik",
    "IT": "Rome|Milano|Napoli|Turin|Palermo|Genoa|Bologna|Florence|Venice|Verona|Bari|Catania",
    "JP": "Tokyo|Osaka-shi|Kyoto|Nagoya-shi|Yokohama|Sapporo|Fukuoka-shi|Kobe|Hiroshima-shi",
    "KE": "Nairobi|Mombasa", "KR": "Seoul|Busan|Incheon|Daegu", "LT": "Vilnius|Kaunas",
    "LU": "Luxembourg", "LV": "Riga", "MA": "Casablanca|Rabat|Marrakesh|Fes",
    "MX": "Mexico City|Guadalajara|Monterrey|Puebla|Tijuana", "MY": "Kuala Lumpur",
    "NG": "Lagos|Abuja|Kano|Ibadan",
    "NL": "Amsterdam|Rotterdam|The Hague|Utrecht|Eindhoven|Groningen",
    "NO": "Oslo|Bergen|Trondheim|Stavanger", "NZ": "Auckland|Wellington|Christchurch",
    "PE": "Lima|Cusco", "PH": "Manila|Cebu City", "PK": "Karachi|Lahore|Islamabad",
    "PL": "Warsaw|Krakow|Lodz|Wroclaw|Poznan|Gdansk", "PT": "Lisbon|Porto|Coimbra",
    "RO": "Bucharest|Cluj-Napoca|Timisoara", "RS": "Belgrade|Novi Sad",
    "RU": "Moscow|Saint Petersburg|Novosibirsk|Yekaterinburg|Kazan", "SA": "Riyadh|Jeddah|Mecca",
    "SE": "Stockholm|Goeteborg|Malmoe|Uppsala", "SG": "Singapore", "SI": "Ljubljana",
    "SK": "Bratislava|Kosice", "TH": "Bangkok|Chiang Mai", "TN": "Tunis",
    "TR": "Istanbul|Ankara|Izmir|Antalya|Bursa", "TW": "Taipei|Kaohsiung|Taichung",
    "TZ": "Dar es Salaam", "UA": "Kiev|Kharkiv|Odessa|L'viv", "UG": "Kampala",
    "US": "New York City|Los Angeles|Chicago|Houston|Phoenix|Philadelphia|San Antonio|San Diego"
    "|Dallas|San Jose|Austin|San Francisco|Seattle|Denver|Boston|Detroit|Portland|Las Vegas"
    "|Atlanta|Miami|Minneapolis|New Orleans|Cleveland|Pittsburgh|Salt Lake City|Washington, D.C."
    "|Baltimore|Nashville|Orlando|Honolulu",
    "VN": "Hanoi|Ho Chi Minh City|Da Nang",
    "ZA": "Johannesburg|Cape Town|Durban|Pretoria",
}  # fmt: skip

LARGE_TOWNS: Final = frozenset(
    (code, name) for code, names in _BY_COUNTRY.items() for name in names.split("|")
)
"""Pairs of a country's code and a town."""
