"""How questions ask for a detail: a birthday, a number to call, a seat, a room, an address, a code.

Most words of details mean something else beside others: a birthday party, a car seat, a code of
conduct, a street party, the room that was painted. So a form here is a word that hardly means
anything else ("Telefonnummer"), or a word together with what asks for it ("what was … seat",
"wann hat … Geburtstag"). `asked` also looks whether something else is asked for before it.

Patterns are for text in lower case without accents; ß stays. English, German, French, Spanish,
Italian, Portuguese, Dutch, Swedish, and (where no space separates words) Japanese and Chinese.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

__all__ = ["DETAIL_FORMS", "MEANS_ELSE", "OTHERS_ASK", "Detail"]

Detail: TypeAlias = Literal["birthday", "contact", "seat", "room", "address", "secret"]

# Up to four words between what asks and what is asked for: "when is my little brother's birthday".
# Not over a preposition: "when is the party for Olga's birthday" asks for the party.
_OWNER: Final = (
    r"(?:(?!(?:for|on|at|to|from|of|in|after|before|about|with|by|zum|zur|zu|an|am|fur|vor|nach|"
    r"bei|"
    r"mit|auf|pour|por|para|per|op|voor|till|pa)\b)[\w'\u2019.-]{1,20}\s){0,4}"
)
_OWN: Final = r"(?:\w{1,20}['\u2019]s?|my|your|his|her|our|their)"
_WHAT_IS: Final = (
    r"\b(?:what(?:['\u2019]?s|\s(?:is|was|are|were))|(?:was|wie)\s(?:ist|war|sind|waren|lautete?)|"
    r"quel(?:le)?s?\s(?:est|etait|sont|etaient)|cual(?:es)?\s(?:es|era|son|eran|fue)|"
    r"qual[ei]?\s(?:e|era|sono|erano|foi)|quais\s(?:sao|eram)|wat\s(?:is|was|zijn|waren)|"
    r"vad\s(?:ar|var))\s"
)
_END: Final = (
    r"(?=\W*$|\s?[?!.,;]|\s(?:again|this|next|and|or|is|was|falls|of|in|auf|und|noch|von|et|y|e|en|van|"
    r"och)\b)"
)
# Of a Japanese noun that is asked for, and of a Chinese one.
_JA_ASKED: Final = (
    r"(?:(?:って|は)(?!誰|だれ|いつ|どこで|なぜ|どうして)|を(?:教|知|おし)|が?(?:わか|分か|知り)|"
    r"[?。]|$)"
)
_ZH_ASKED: Final = r"(?:是(?!谁|誰|什么时候|什麼時候|在)|有?多少|在哪|呢|[?。]|$)"

_CONTACT: Final = (
    r"\b(?:(?:tele)?phone|mobile|cell|fax|contact)[ -](?:numbers?|no)\b|"
    r"\be-?mail[ -]address(?:es)?\b|\bcontact details\b|"
    rf"\bwhat(?:['\u2019]?s|\sis)\s{_OWN}\s(?:telephone|mobile|e-?mail)\W*$|"
    r"\b(?:what|which) number (?:do|did|can|should|must) (?:i|we) (?:call|ring|dial)\b|"
    r"\b(?:telefon|handy|mobil|fax|ruf)nummern?\b|\b(?:e-?)?mail-?adressen?\b|"
    r"\bunter welcher nummer\b|"
    r"\bnumeros? de (?:telephone|tel|portable|mobile|telefono|movil|celular|telefone|telemovel)\b|"
    r"\badresses? (?:e-?mail|mail|courriel|electronique)\b|\bcoordonnees de\b|"
    r"\bdireccion(?:es)? de (?:correo|e-?mail)|"
    r"\bcual es (?:el|su|tu) (?:telefono|movil|correo(?: electronico)?|e-?mail)\b|"
    r"\bnumer[oi] di (?:telefono|cellulare)\b|\bindirizz[oi] (?:e-?mail|mail|di posta)\b|"
    r"\bqual['\u2019]?\s?e (?:il (?:(?:suo|tuo) )?)(?:telefono|cellulare|recapito)\b|"
    r"\brecapito telefonico\b|\benderecos? (?:de e-?mail|eletronico|de correio)|"
    r"\bqual e o (?:(?:seu|teu) )?(?:telefone|telemovel|celular|e-?mail)\b|"
    r"\b(?:telefoon|gsm-?|06-)nummers?\b|\bmobiele? nummer\b|\b(?:e-?)?mail-?adres(?:sen)?\b|"
    r"\b(?:telefon|mobil)num(?:mer|ret)(?:et)?\b|\b(?:e-?post|mejl|mail)-?adress(?:en)?\b|"
    rf"(?:電話番号|携帯番号|連絡先|メールアドレス|メアド){_JA_ASKED}|電話は何番|"
    r"(?:电话号码|電話號碼|手机号码?|手機號碼?|联系方式|聯絡方式|电话|電話|"
    rf"(?:电子)?(?:邮箱|邮件)(?:地址)?|電子郵件){_ZH_ASKED}"
)
_BIRTHDAY: Final = (
    # Of English, German, Dutch and Swedish: who has it stands before the word, or behind "of".
    rf"\b(?:when(?:['\u2019]?s|\s(?:is|was|are))|(?:what|which) (?:day|date)(?:['\u2019]?s|"
    rf"\s(?:is|was))|"
    r"what(?:['\u2019]?s|\s(?:is|was))|(?:wann|tag|datum) (?:ist|war|sind|hat|hast|hatte|haben|"
    r"habt)|wanneer (?:is|was|valt)|welke dag (?:is|was)|(?:nar|vilken dag|vilket datum) (?:ar|var|"
    rf"har|hade|infaller))\s{_OWNER}(?:birthdays?|b-?day|geburtstage?|verjaardag|jarig|fodelsedag){_END}|"
    rf"\b(?:when|what day|what date|wann|wanneer|nar)\s{_OWNER}(?:birthday (?:is|was|falls)|"
    r"geburtstag (?:ist|war|hat|hatte|haben)|jarig is|verjaardag is|fodelsedag ar)\b|"
    rf"^\W*{_OWN} birthday\W*$|\bnar fyller \w{{1,20}}(?: \w{{1,20}})? ar\b|"
    r"\b(?:dates?|day) of birth\b|\bbirth ?dates?\b|\bgeburtsdat(?:um|en)\b|\bgeboortedat(?:um|"
    r"a)\b|"
    r"\bfodelsedat(?:um|a)\b|\bdates? de naissance\b|\bdate d['\u2019]anniversaire\b|"
    r"\bfechas? de nacimiento\b|\bdat[ae] di nascita\b|\bdatas? de nascimento\b|"
    # Of Romance languages: who has it comes behind.
    r"\b(?:quand|quel jour|quelle date)(?: (?:est-ce que|c['\u2019]est|est-ce|est|etait|tombe|"
    r"sera)){1,2} "
    r"(?:l['\u2019] ?|(?:mon|ton|son|notre|votre|leur|les) )anniversaires?\b(?! (?:de mariage|"
    r"de la))|"
    r"\b(?:c['\u2019]est quand|quand) (?:l['\u2019] ?|(?:mon|ton|"
    r"son) )anniversaire\b(?! de mariage)|"
    r"\b(?:cuando|que dia) (?:es|fue|era|cae) (?:el|mi|tu|su|nuestro) cumple(?:anos)?\b|"
    r"\b(?:cuando|que dia) cumpl\w{1,5}(?: \w{1,20})? anos\b|"
    r"\b(?:cuando|que dia) cumpl\w{1,5} anos\b|"
    r"\b(?:quando|quand['\u2019]|che giorno|in che giorno) ?(?:e|era|cade) "
    r"(?:il|il (?:mio|tuo|suo|nostro)) compleanno\b|"
    r"\b(?:quando|che giorno) (?:\w{1,20} )?compi\w{1,4} gli anni\b|"
    r"\b(?:quando|que dia|qual dia)(?: e que)? (?:e|foi|era|cai) (?:o )?(?:(?:meu|teu|seu|nosso) )?"
    r"(?:aniversario|anos)\b(?! de casamento)|"
    r"\b(?:quando|que dia)(?: e que)? (?:[oa] )?(?:\w{1,20} )?faz(?:em)? anos\b|"
    r"生年月日|誕生日(?:って|は|が)?(?:いつ|何月|何日)|(?:いつ|何日)(?:が|"
    r"は)?[^?。]{0,12}誕生日(?:です|でした|だ|か|[?。]|$)|"
    r"誕生日を(?:教|知|おし)|^[^?。]{1,12}の誕生日[?。]?$|出生日期|"
    r"生日是?在?(?:什么时候|什麼時候|哪天|哪一天|几月|幾月|几号|幾號|何时)|"
    r"(?:什么时候|什麼時候|哪天|哪一天|几号|幾號)是?[^?。]{0,8}生日(?:[?。]|$)"
)
_SEAT: Final = (
    r"\b(?:which|what) (?:(?:train|plane|theat(?:re|er)|cinema) )?seats?\b(?: numbers?)?|"
    r"\bseat numbers?\b|"
    rf"{_WHAT_IS}{_OWNER}seats?(?=\W*$|\s?[?!.,;]|\s(?:on|in|at|for|again|and)\b)|"
    r"\bwelche[mnrs]? (?:sitz(?:platz|platze|platzen|e|en)?)\b|\b(?:sitz)?platznummern?\b|"
    rf"{_WHAT_IS}{_OWNER}sitzplatze?\b|"
    r"\bauf welche[nm] platze?n? (?:sassen|saßen|sass|saß)\b|"
    r"\bquels? sieges?\b|\bnumeros? de (?:siege|place)s?\b|"
    r"\bquelles? places? (?:j['\u2019]avais|avions|avais|avait|avaient|avons|avez)\b|"
    rf"\bque asientos?\b|\bnumeros? de asientos?\b|{_WHAT_IS}{_OWNER}(?:asientos?|assentos?)\b|"
    r"\b(?:che|quale|quali) post[oi] (?:avev\w{1,5}|abbiamo|ho|avete)\b(?! in classifica)|"
    r"\bnumer[oi] (?:del|di|dei) post[oi]\b|\b(?:che|quale) sedile\b|"
    r"\b(?:que|qual|quais) (?:assentos?|poltronas?)\b|"
    r"\b(?:que|qual|quais) lugar(?:es)? (?:tinh\w{1,5}|tivemos)\b|"
    r"\bnumeros? d[eo]s? (?:lugar(?:es)?|assentos?|poltronas?)\b|"
    r"\bwelke (?:zit)?(?:plaats|plaatsen|stoel|stoelen) (?:had|hadden|heb|hebben)\b|"
    r"\b(?:stoel|plaats)nummers?\b|\bvil(?:ken|ka) (?:sitt)?plats(?:er)? (?:hade|har)\b|"
    r"\bvilken sittplats\b|\bplatsnummer\b|"
    r"座?席番号|(?:どの|何番の)座?席|座席は(?:何|どこ|どれ)|席は何番|"
    r"座位号|座位號|(?:哪个|哪個|哪一个|几号|幾號|什么)座位|座位(?:号码)?是(?:哪|几|幾|多少)|"
    r"[几幾]排[几幾]座"
)
_IN_ROOM: Final = (
    r"(?:meeting|exam|class|course|lesson|lecture|talk|workshop|interview|appointment|parents)"
)
_ROOM: Final = (
    r"\broom (?:numbers?|no)\b|\bnumber of (?:our|my|the|his|her) (?:hotel )?room\b|"
    r"\b(?:which|what) (?:hotel )?room (?:was it|is it|(?:are|were|was|am) (?:we|i|they|you)\b|"
    r"(?:did|do) (?:we|i|they|you) (?:have|get)\b)|"
    rf"\b(?:which|what) room (?:is|was|are|were) (?:\w{{1,20}} ){{0,2}}{_IN_ROOM}|"
    r"\b(?:zimmer|raum)nummern?\b|\bwelches zimmer (?:war (?:es|das)|"
    r"hatte(?:n|st)? (?:wir|ich|du|er|sie)(?=\W*$| (?:im|in|am|auf|dort|da)\b))|"
    r"\bwelche[mn] zimmer (?:waren|war|wohnten|wohnte) (?:wir|ich)\b|"
    r"\bwelche[mnr]? raum (?:ist|war|findet|fand)\b|"
    r"\bnumeros? de (?:(?:la|notre|ma|ta|sa|votre|leur) )?(?:chambre|salle)\b|"
    r"\bquelle chambre (?:etait-ce|(?:avions|etions|sommes)-nous|c['\u2019]etait)|"
    r"\bnumeros? de (?:(?:la|nuestra|mi|tu|su) )?habitacion\b|"
    r"\b(?:que|cual) habitacion (?:era|teniamos|nos dieron)\b|"
    r"\bnumero (?:di|della|della nostra) (?:camera|stanza)\b|"
    r"\b(?:che|quale) (?:camera|stanza) (?:era|avevamo|avevate)\b|"
    r"\bnumero d[oe] (?:(?:nosso|meu|teu|seu) )?quarto\b|"
    r"\b(?:que|qual) quarto (?:era|tinhamos|tivemos)\b|"
    r"\bkamernummers?\b|\bwelke kamer (?:was het|hadden we)(?=\W*$| (?:in|op)\b)|"
    r"\brumsnum(?:mer|ret)\b|\bvilket rum (?:var det|hade vi)(?=\W*$| (?:i|pa)\b)|"
    r"部屋番号|何号室|ルームナンバー|部屋は何[番号]|"
    r"房间号码?|房間號碼?|房号|房號|(?:几号|幾號)房"
)
_ADDRESS: Final = (
    r"\b(?:which|what) streets?\b(?! (?:did|do|have|has|had|will) (?:we|i|they|you) "
    r"(?:paint|sweep|draw))|\bstreet and number\b|\bhouse number\b|"
    r"\b(?:postal|home|street|new|mailing|full|exact|current|old|work|delivery) address(?:es)?\b|"
    rf"{_WHAT_IS}{_OWNER}address(?:es)?\b|\b(?:which|what) address(?:es)?\b|"
    rf"^\W*{_OWN} address\W*$|\b(?:zip|postal|post) ?codes?\b|"
    r"\bwelche[rn]? stra(?:ss|ß)en?\b|\bhausnummern?\b|\bpostleitzahl\b|"
    r"(?<!s['\u2019])\b(?:(?:post|wohn|liefer|privat)?adressen?|adresses)\b|"
    r"\bquelle rue\b|\bcode postal\b|"
    r"\bdireccion(?:es)?\b(?! (?:de obra|general))|\b(?:que|cual) calle\b|\bcodigo postal\b|"
    r"\bindirizz[oi]\b|\bin (?:che|quale) via\b|\bnumero civico\b|\bcodice postale\b|"
    r"\benderecos?\b|\b(?:qual e a|[ao] (?:minha|tua|sua|nova)) morada\b|\b(?:que|qual) rua\b|"
    r"\badres(?:sen)?\b|\bwelke straat\b|\bhuisnummer\b|\bpostcode\b|"
    r"\b(?:gatu|hem)?adress(?:en)?\b|\bvilken gata\b|\bpostnummer\b|"
    rf"住所{_JA_ASKED}|何丁目|何番地|郵便番号|"
    rf"(?:地址|住址|门牌号码?|門牌號碼?){_ZH_ASKED}|哪[条條]街|邮政编码"
)
_SECRET: Final = (
    r"\bpin for the\b|\bpass(?:word|code|phrase)s?\b|\bwi-?fi (?:code|key|pin)\b|"
    r"\bpin (?:code|number)s?\b|"
    r"\b(?:door|gate|entry|access|alarm|lock|security|safe|garage|entrance|unlock|locker) codes?\b|"
    rf"{_WHAT_IS}{_OWNER}(?:codes?|pin|wi-?fi|wlan|combination(?! of)){_END}|"
    rf"{_WHAT_IS}{_OWNER}(?:codes?|pin|combination) (?:for|to|fur|zum|zur|pour|per|para|voor|"
    rf"till)\b|"
    r"\b(?:which|what|welche[rnsm]?|quel|welke|vilken) (?:codes? (?:did|hat)|(?:codes?|pin|kod) "
    r"(?:do|does|is|was|opens?|unlocks?|ist|war|steht|est|ouvre|var|ar))\b|"
    r"\bpassw(?:ort|orter|orte)s?\b|\bkennw(?:ort|orter)\b|\bpin-?(?:nummer|code|kod)(?:en)?\b|"
    r"\b(?:tur|zugangs|zahlen|alarm|tor)-?code\b|\bgeheimzahl\b|\bwlan-?schlussel\b|"
    r"\bmots? de passe\b|\bcode (?:pin|wi-?fi|secret|d['\u2019](?:acces|entree)|"
    r"d(?:e l['\u2019]|e la |u )(?:alarme|immeuble|porte|portail|cadenas|coffre|garage|box))|"
    r"\bcontrasenas?\b|\bclave (?:del? |de la )(?:wi-?fi|alarma)\b|"
    r"\bcodigos? (?:pin|d(?:e la|el|a|o|e) (?:puerta|portal|alarmae?|alarme|wi-?fi|entrada|acceso|"
    r"candado|garaje|porta|portao|acesso|predio|cadeado|garagem))\b|"
    rf"{_WHAT_IS}{_OWNER}(?:codigos?|codic[ei]|clave|senha|koden?){_END}|"
    r"\bcodic[ei] (?:pin|d(?:i|ella|el|ell['\u2019]) ?(?:wi-?fi|porta|portone|cancello|allarme|"
    r"accesso|"
    r"sblocco|lucchetto|cassaforte))\b|\bsenhas?\b|\bpalavras?-?passe\b|"
    r"\bwachtwoord(?:en)?\b|\b(?:pin|toegangs|deur|alarm|wifi)-?code\b|"
    r"\blosenord(?:et)?\b|\b(?:port|pin|dorr|larm)-?kod(?:en)?\b|"
    rf"(?:暗証番号|暗証コード|パスワード|パスコード){_JA_ASKED}|"
    rf"(?:密码|密碼|口令|门禁码){_ZH_ASKED}"
)
DETAIL_FORMS: Final[dict[Detail, str]] = {
    "contact": _CONTACT,
    "birthday": _BIRTHDAY,
    "seat": _SEAT,
    "room": _ROOM,
    "address": _ADDRESS,
    "secret": _SECRET,
}
"""For each detail, a pattern of what asks for it; the first that is found counts."""

MEANS_ELSE: Final = (
    r"\b(?:(?:dress|area|country|source|bar|qr|colou?r|tax|building|highway)[ -]codes?|"
    r"codes? (?:of|review|name|word|base)s?\b|code de (?:la route|conduite)|code vestimentaire|"
    r"codigo (?:de|da) (?:conducta|conduta|vestimenta|circulacion|barras|estrada)|"
    r"codice (?:fiscale|della strada|di condotta|a barre)|"
    r"(?:car|child|baby|booster|bike|toilet|back|front|driver'?s|love)[ -]seats?|"
    r"seats?[ -](?:belt|cover|cushion|heating|post|reservation|map)s?|"
    r"sieges? (?:auto|enfant|bebe|social|arriere)|asientos? (?:infantil|del? (?:coche|bebe|atras))|"
    r"street (?:party|parties|food|art|music\w{0,5}|market|sign|light|lamp|parade|festival|fair)s?|"
    r"password (?:manager|list|book)s?|address (?:book|label|bar)s?|(?:ip|web|mac|opening|"
    r"welcome) address(?:es)?|"
    r"(?:rolling|hair|safety|bowling|drawing|lapel) pins?|pin (?:board|badge)s?)\b"
)
"""Phrases in which the word of a detail means something else; they are left out."""

OTHERS_ASK: Final = (
    r"\b(?:(?P<what>(?:what|which)\b(?! (?:did|do|does|have|has|had|happened|will|would|made))|"
    r"welche\w?|was (?:ist|war)|quel(?:le)?s?|cual(?:es)?|qual[ei]?|quais|welke|wat (?:is|was)|"
    r"vil(?:ken|ket|ka)|vad (?:ar|var)|que)|"
    r"who|whom|whose|what|why|when|where|how|wer|wem|wen|wessen|was(?= (?:ha[bst]|kost|sag|st[ae]|"
    r"schr|mach|passier))|wann|wo|wohin|warum|wieso|"
    r"wie(?! (?:ist|war|lautet|lautete|heißt|heisst|sind))|"
    r"qui|quand|pourquoi|combien|comment|quien|cuando|donde|cuant[oa]s?|como|"
    r"chi|quando|dove|perche|quant[oaie]|quem|onde|porque|por que|cosa|"
    r"wanneer|waar|waarom|hoeveel|hoe(?! luidt)|wat|vem|nar|varfor|hur|vad)\b|"
    r"^\W*(?:did|does|was|were|is|are|has|had|hat|hatte|ist|heeft|har|ha)\b|"
    r"誰|だれ|いつ|なぜ|どうして|どこ|いくら|谁|什么时候|什麼時候|为什么|多少钱|哪里|怎么"
)
"""What asks for anything: for a detail, after `what`; for something else, after all others."""
