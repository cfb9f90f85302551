"""How questions ask for a time, an amount, another number, a person or a place.

English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Japanese and Chinese. Words
are folded: without accents, in lower case; ß stays. Details, such as a birthday: `asked_details`.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

__all__ = ["SORT_WORDS", "Plain", "Words"]

Plain: TypeAlias = Literal["time", "amount", "number", "person", "place"]


class Words(NamedTuple):
    """Words that ask for a sort of value, as patterns.

    Attributes:
        whole: Of languages with spaces: found as whole words.
        anywhere: Of Japanese and Chinese, and what states its own bounds.
    """

    whole: str
    anywhere: str


_TIME: Final = Words(
    r"when|whens|what time|what (?:day|date|days|dates|month|year)|which (?:day|date|days|month|"
    r"year|weekend)|on which|how long ago|"
    r"wann|wie spat|um wie viel uhr|wieviel uhr|an welchem tag|welcher tag|welches datum|"
    r"(?:in )?welche[ms] (?:jahr|monat)|"
    r"quand|quelle heure|quel jour|quelle date|quels jours|quel mois|quelle annee|"
    r"cuando|que hora|que dia|que fecha|que mes|que ano|"
    r"quando|(?:che|quale) (?:or[ae]|giorno|data|anno|mese)|quali giorni|quanto tempo fa|"
    r"que horas|(?:que|qual) data|qual dia|quais dias|(?:ha|faz) quanto tempo|"
    r"wanneer|hoe laat|welke (?:dag|datum|maand)|welk jaar|hoe lang geleden|"
    r"nar|vilken dag|vilket datum|vilket ar|vilken manad|hur dags",
    r"\bquand['\u2019]e\b|いつ(?!も|か(?!ら)|の間)|何時(?!間)|何日(?!間)|何月|何曜日?|何年(?!間)|"
    r"什么时候|什麼時候|什么时间|什麼時間|何时|[几幾](?:点|點|月|号(?!房)|號(?!房))|"
    r"哪(?:一)?[天年]|哪个月|哪個月|星期[几幾]|[周週][几幾]|[礼禮]拜[几幾]|多久以前",
)
_AMOUNT: Final = Words(
    r"how much|what (?:price|amount|fee|rent)|price|costs?|charged?|pay|paid|owed?|refund|refunded|"
    r"money|cheap|expensive|"
    r"was kostet|kostete?n?|gekostet|kosten|preis|miete|kaution|bezahlt|gezahlt|verlangt|"
    r"combien(?! d[e'\u2019](?!\s?(?:argent|euros?|francs?|dollars?)))|prix|"
    r"payee?s?|cout(?:e|ent|ait)|loyer|"
    r"cuanto(?! (?:tiempo|dur|mid|pes|tard))|precio|cuestan?|costaban?|pague|alquiler|fianza|"
    r"quanto (?:cost\w{1,5}|pag\w{1,6}|abbiamo (?:pagato|speso)|hai (?:pagato|speso)|"
    r"ho (?:pagato|speso)|si paga|vien[ei]|e costat[oa]|cust\w{1,4}|gast\w{1,5}|cobr\w{1,5}|ficou)|"
    r"prezz[oi]|costo|costat[oaei]|pagat[oaei]|spes[oi]|affitto|cauzione|caparra|soldi|"
    r"preco|cust(?:a|ou|ava|o)|pag(?:amos|uei|ou|o)|gast(?:amos|ei|ou)|alugue[lr]|caucao|"
    r"hoeveel (?:kost\w{0,3}|betaal\w{0,3}|geld|euro)|wat (?:kost|kostte|kostten|kosten)|"
    r"prijs (?:van|voor)|betaald|betaalden?|huurprijs|borgsom|"
    r"vad kosta(?:r|de)|hur mycket|kostade|priset|hyran|betalade",
    r"何円|何ドル|何ユーロ|いくら(?!か|でも)|値段|料金|費用|家賃|代金|金額|"
    r"多少[钱錢元块塊]|多少欧元|多少美元|[几幾](?:块[钱]?|塊錢?|元)|价格|價格|房租|租金|费用|花了|"
    r"付了",
)
_NUMBER: Final = Words(
    r"how many|how long|how old|how far|how tall|how big|how fast|how heavy|how high|"
    r"what (?:number|size|percentage|share|score)|percent|(?<!phone )number|size|points|"
    r"wie ?viele?|wie lange?|wie alt|wie weit|wie hoch|wie gro(?:ss|ß)|wie schwer|prozent|nummer|"
    r"gro(?:ss|ß)e|punkte|"
    r"combien|nombre d(?:e|es)?|numero|taille|"
    r"cuant[oa]s?|"
    r"quant[oaie]|percentuale|misura|taglia|punti|punteggio|"
    r"quant[oa]s|tamanho|idade|pontos|percentagem|porcentagem|"
    r"hoeveel|hoe (?:lang|oud|ver|hoog|groot|zwaar|snel|breed|diep)|maat|leeftijd|punten|procent|"
    r"hur (?:manga|lange|gammal|gamla|langt|stor|hog|tung|snabb)|storlek|antal|poang",
    r"いくつ(?!か(?!ら))|何(?:人(?!か)|個|回|枚|本|匹|頭|歳|才|時間|日間|年間|分|キロ|冊|台|階|杯|"
    r"歩|"
    r"メートル|点|名(?!前)|泊|番|度|つ)|(?:どの|どれ)[くぐ]らい|多少|[几幾](?!乎|何)|"
    r"多(?:大|长|長|久|远|遠|高|重|快)",
)
_PERSON: Final = Words(
    r"who|whom|whose|name|named|called|"
    r"wer|wem|wen|wessen|hei(?:ss|ß)t|hei(?:ss|ß)en|hie(?:ss|ß)(?:en)?|"
    r"qui|comment s.appelle(?:nt)?|comment s.appelai(?:t|ent)|(?:le|les|quels?) (?:pre)?noms?|"
    r"quien|quienes|como se llama(?:n|ba|ban)?|(?:que|el|los|su|tu) nombres?|"
    r"come si chiama(?:no|va|vano)?|nom[ei]|"
    r"quem|como se chama(?:m|va|vam)?|"
    r"hoe (?:heet|heten|heette|heetten)|naam|namen|"
    r"wie (?:is|was|waren|zijn|heeft|had|hadden|kwam|kwamen|gaf|zei|schreef|kocht|"
    r"maakte|stuurde|woont|woonde|kan|zou|won|belde|vroeg)|(?:van|met|aan|voor) wie|"
    r"vem|vems|heter|hette|namnet",
    r"(?<!\btai )\bchi\b|誰(?!か(?!ら)|も|でも)|だれ(?!か(?!ら)|も|でも)|どなた|名前|何さん|"
    r"何という(?:名|人)|"
    r"谁|誰|名字|叫(?:什么|什麼)|哪位|姓(?:什么|什麼)",
)
_SITES: Final = r"(?:city|town|hotel|country|restaurant|village|place|airport|station|hospital)"
_PLACE: Final = Words(
    rf"where|which {_SITES}|what (?:city|town|hotel|restaurant|place)|"
    r"wo|wohin|woher|welche[sr]? (?:stadt|hotel|ort|land|restaurant)|"
    r"welchem (?:hotel|ort|land|restaurant)|welcher stadt|"
    r"quel (?:hotel|restaurant|pays|village|aeroport)|quelle (?:ville|gare)|"
    r"donde|adonde|(?:que|cual) (?:hotel|ciudad|pais|restaurante|pueblo)|"
    r"(?:che|quale|quali) (?:citta|paese|hotel|albergo|ristorante|posto|stazione|aeroporto|"
    r"ospedale|"
    r"localita)|"
    r"onde|aonde|(?:que|qual) (?:cidade|pais|lugar|estacao|aeroporto|hospital|aldeia)|"
    r"waar|waarheen|welke? (?:stad|land|hotel|restaurant|plaats|plek|dorp|station|vliegveld|"
    r"ziekenhuis)|"
    r"vart|vilken stad|vilket (?:hotell|land)|vilken restaurang",
    # "ou" and "var" are also "or" and "was": they ask where they begin or end a question.
    r"^\W*(?:(?:et|mais|d|par|jusqu)\W{1,2})?ou\b|\b(?:sais|sait|savez|rappelles?) (?:plus )?ou\b|"
    r"\bou\W*$|^\W*(?:och )?var (?!det|den|du|ni|vi|han|hon|jag|de)|\bvar (?:ligger|bor|bodde|"
    r"finns|"
    r"koper|hittar|ar)\b|^\W*var (?:at|bodde|ar|var|koper|kopte|sov) (?:vi|ni|du|jag|det)|"
    r"^\W*(?:(?:e|ma|di|da|per) )?dove\b|\bdov['\u2019]e(?:ra)?\b|"
    r"\b(?:sai|sapete|so|ricord[aio]|dimmi) dove\b|"
    r"どこ(?!か(?!ら)|も|でも)|何処|どの(?:ホテル|店|レストラン|町|街|国|駅|空港|病院)|"
    r"何という(?:ホテル|店|町|旅館)|場所|"
    r"哪[里裡兒儿]|在哪|什么地方|什麼地方|哪[个個家座间間](?:城市|酒店|国家|國家|餐厅|餐廳|饭店|"
    r"飯店|"
    r"车站|車站|机场|機場|医院|醫院|宾馆|店|村|镇)",
)
SORT_WORDS: Final[dict[Plain, Words]] = {
    "time": _TIME,
    "amount": _AMOUNT,
    "number": _NUMBER,
    "person": _PERSON,
    "place": _PLACE,
}
"""The first sort whose words a question has counts."""
