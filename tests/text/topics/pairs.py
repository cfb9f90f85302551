"""Pairs of a question and a memory: those that share a topic, and those that do not."""

from __future__ import annotations

from typing import Final

__all__ = ["DIFFERENT", "SAME"]

_SAME: Final = """
# Italian
lodging | Dove abbiamo dormito a Bergamo? | Doppia con bagno, due notti, colazione inclusa
refund | Chi mi ha rimborsato? | Le riaccreditiamo 40 euro sulla carta
cost | Quanto costava la riparazione? | Fattura n. 12, importo 180,00
gift | Che cosa mi ha regalato Ida? | Un pensiero per te, il tuo regalo arriva domani
repair | Chi ha aggiustato la lavatrice? | Il tecnico porta il pezzo di ricambio giovedì
health | Quando era ammalato Ugo? | Ambulatorio: referto pronto, ritirare allo sportello
teeth | Quando sono andata dal dentista? | Otturazione fatta, controllo tra sei mesi
pets | Quando abbiamo vaccinato il cane? | Il veterinario ha visto Briciola
flight | Con che aereo siamo partiti? | Imbarco ore 6.40, bagaglio a mano 8 kg
train | Quale treno prendeva Ida? | Binario 4, carrozza 7, posto 12A
car | Dove avevo parcheggiato? | Tagliando fatto, freni nuovi, gomme invernali
delivery | Quando è arrivato il pacco? | Il corriere passa domani tra le 9 e le 11
complaint | Di che cosa mi sono lamentato? | Ci scusiamo per il disguido
insurance | Chi paga l'assicurazione? | Polizza 88, franchigia 200
home | Quanto era l'affitto? | La caparra viene versata alla locazione
school | Che compiti aveva Elio? | La maestra ha consegnato la pagella
work | Quando ho cambiato lavoro? | Le confermiamo il colloquio e lo stipendio offerto
party | Quando era la festa di Ida? | Auguri! Brindisi alle otto, torta alle nove
absence | Chi non è venuto alla cena? | Purtroppo devo disdire per stasera
moved | A quando hanno rimandato l'incontro? | Anziché martedì ci vediamo giovedì, spostato alle 10
lost | Chi ha perso le chiavi? | Ombrello dimenticato in sala, ritrovato dal custode
food | Che cosa abbiamo mangiato a Natale? | Farina, uova e zucchero, poi in forno
injury | Come si è slogata il piede Ida? | Caduta in cortile, gesso per tre settimane
travel | Dove siamo andati in vacanza? | Itinerario: Lecce, Otranto; valigie leggere
contest | Chi ha vinto la partita? | Finale 3 a 1, coppa e medaglia
money | A che banca ho il mutuo? | Bonifico eseguito, saldo 1200
papers | Quando scade il passaporto? | Appuntamento in questura per il permesso
utilities | Perché mancava il riscaldamento? | La caldaia perde, il contatore è fermo
purchase | Dove ho comprato la bici? | Conservi lo scontrino per la garanzia
# Portuguese
lodging | Onde dormimos em Évora? | Dois quartos, três noites, estadia com cozinha
refund | Quem me reembolsou? | Foi feito o estorno de 40 euros no cartão
cost | Quanto custou o conserto? | Fatura 12, montante 180,00
gift | O que me ofereceu a Inês? | Uma lembrança embrulhada para ti
repair | Quem arranjou a máquina? | O técnico traz a peça na quinta
health | Quando esteve doente o Rui? | Consultório aberto, tome um comprimido por dia
teeth | Quando fui ao dentista? | Obturação feita, volte em seis meses
pets | Quando vacinámos o cachorro? | A veterinária viu o Bolinha
flight | A que horas era o voo? | Embarque às 6:40, bagagem de 8 kg
train | Que comboio apanhava a Inês? | Carruagem 7, assento 12
car | Onde estacionei? | Troca de pneus e de travões feita
delivery | Quando chegou a encomenda? | O pacote foi expedido, rastreio em baixo
complaint | De que me queixei? | Pedimos desculpa pelo transtorno
insurance | Quem paga o seguro? | Apólice 88, franquia de 200
home | Quanto era o aluguel? | O senhorio devolve a caução
school | Que nota teve o Rui na escola? | O aluno fez o exame de Matemática
work | Quando mudei de emprego? | Candidatura aceite, salário e turno confirmados
party | Quando era a festa da Inês? | Parabéns! O bolo é às nove
absence | Quem não veio ao jantar? | Infelizmente tive um imprevisto hoje
moved | Para quando foi adiada a reunião? | Temos de remarcar, fica para quinta
lost | Quem perdeu as chaves? | O guarda-chuva foi achado, ficou esquecido na sala
lending | A quem emprestei a tenda? | Preciso de devolver a barraca ao Rui
food | O que comemos no Natal? | Farinha, ovos e açúcar, depois ao forno
injury | Como se magoou a Inês? | Caiu no pátio, gesso três semanas
travel | Onde passámos as férias? | Roteiro: Faro, Tavira; bagagem leve
contest | Quem ganhou o jogo? | Golo aos 90, taça e medalha para o Rui
money | Em que banco está o empréstimo? | Transferência feita, saldo 1200, juros incluídos
papers | Quando expira o passaporte? | Marcação na embaixada, certidão na mão
utilities | Porque falhou o aquecimento? | A caldeira perde, o radiador está frio
purchase | Onde comprei a bicicleta? | Guarde o recibo para a garantia
# Dutch
lodging | Waar hebben we geslapen in Gent? | Tweepersoonskamer met ontbijt, inchecken om drie uur
refund | Wie heeft mij terugbetaald? | U ontvangt een creditnota, tegoed 40 euro
cost | Hoeveel kostte het dak? | Factuur 12, bedrag 180,00
gift | Wat heb ik Joris geschonken? | Het cadeautje is ingepakt
repair | Wie heeft de wasmachine gerepareerd? | De monteur brengt het onderdeel donderdag
health | Wanneer was Joris ziek? | Huisarts: ophalen bij de apotheek
teeth | Wanneer was ik bij de tandarts? | Vulling gedaan, gebit verder in orde
pets | Wanneer is de hond ingeënt? | De dierenarts heeft Bobbie gezien
flight | Met welk vliegtuig gingen we? | Instapkaart bijgevoegd, handbagage 8 kg
train | Welke trein nam Fleur? | Perron 4, rijtuig 7
car | Waar had ik geparkeerd? | Apk gedaan, nieuwe winterbanden en remmen
delivery | Wanneer is het pakje bezorgd? | De koerier komt morgen tussen 9 en 11
complaint | Waarover heb ik geklaagd? | Het spijt ons, excuus voor het ongemak
insurance | Wie betaalt de verzekering? | Polisnummer 88, dekking tot 2000
home | Hoe hoog was de huur? | De waarborgsom gaat naar uw rekening, servicekosten apart
school | Wat was het huiswerk van Elin? | De leerkracht gaf een toets
work | Wanneer kreeg ik die baan? | Uw sollicitatie is ontvangen, salaris volgens cao
party | Wanneer was de verjaardag van Fleur? | Gefeliciteerd! Taart om negen uur
absence | Wie kon niet komen? | Helaas moet ik afzeggen vanavond
moved | Naar wanneer is het overleg verzet? | De afspraak wordt verplaatst, nu donderdag
lost | Wie was de paraplu kwijt? | Gevonden in de zaal, vergeten door een gast
lending | Aan wie heb ik de tent geleend? | Kun je hem morgen teruggeven?
food | Wat hebben we met kerst gegeten? | Recept: boter, eieren en suiker
injury | Hoe kwam Fleur aan die blessure? | Gebroken, zes weken gips en krukken
travel | Waar gingen we op vakantie heen? | Reisschema: Lille, Arras; koffer licht
contest | Wie heeft de wedstrijd gewonnen? | Doelpunt in de laatste minuut, eindstand 3-1
money | Bij wie loopt de hypotheek? | Overgemaakt op uw bankrekening
papers | Wanneer verloopt mijn paspoort? | Afspraak voor het rijbewijs en een uittreksel
utilities | Waarom was de verwarming uit? | De ketel lekt, thermostaat vervangen
purchase | Waar heb ik die fiets gekocht? | Bewaar het kassabonnetje in de winkel
lessons | Wanneer begon de cursus? | Repetitie van het koor om acht uur
# Polish
lodging | Gdzie spaliśmy w Gdyni? | Pokój dwuosobowy, dwie doby, śniadanie w cenie
refund | Kto mi oddał za bilety? | Dokonaliśmy zwrotu 40 zł na kartę
cost | Ile kosztował remont? | Faktura 12, kwota 180,00
gift | Co podarowała mi Zosia? | Mam dla ciebie prezent
repair | Kto naprawił pralkę? | Fachowiec przywiezie części w czwartek
health | Kiedy Jaś był chory? | Przychodnia: skierowanie do odebrania
teeth | Kiedy byłam u dentysty? | Leczenie kanałowe, zakładamy plombę
pets | Kiedy zaszczepiliśmy psa? | Weterynarz obejrzał Burka
flight | Którym samolotem lecieliśmy? | Odprawa do 6.40, bagaż do 8 kg
train | Którym pociągiem jeździła Zosia? | Peron 4, odjazd 7.15
car | Gdzie zaparkowałem? | Przegląd zrobiony, nowe opony i hamulce
delivery | Kiedy przyszła paczka? | Kurier dostarczy jutro między 9 a 11
complaint | Na co złożyłem skargę? | Przepraszamy za niedogodności
insurance | Kto płaci ubezpieczenie? | Polisa 88, szkody do 2000
home | Ile wynosił czynsz? | Kaucja wraca na konto, najem kończy się w maju
school | Jaki egzamin miał Jaś? | Wywiadówka u wychowawcy, świadectwa w czerwcu
work | Kiedy zmieniłem pracę? | Umowa na pół etatu, wynagrodzenie brutto
party | Kiedy były urodziny Zosi? | Zapraszamy gości na tort o dziewiątej
absence | Kto nie przyszedł na kolację? | Niestety muszę odwołać dzisiaj
moved | Na kiedy przełożono zebranie? | Zamiast wtorku spotkamy się w czwartek
lost | Kto zgubił klucze? | Znaleziono parasol, do odbioru w szatni
lending | Komu pożyczyłem namiot? | Możesz go jutro oddać?
food | Co jedliśmy na święta? | Masło, trzy jajka, szklanka cukru
injury | Jak Zosia skręciła nogę? | Upadła na podwórku, kostka spuchła
travel | Gdzie byliśmy na wakacjach? | Plan podróży: Toruń, Gdańsk; mała walizka
contest | Kto wygrał turniej? | Puchar i mecz finałowy 3:1
money | W którym banku mam konto? | Przelew wykonany, odsetki doliczone
papers | Kiedy wygasa mój paszport? | Wizyta w ambasadzie, prawo jazdy i wiza
utilities | Dlaczego nie działało ogrzewanie? | Kocioł przecieka, licznik stoi
purchase | Gdzie kupiłem rower? | Proszę zachować paragon, gwarancja dwa lata
# Japanese
lodging | 京都ではどこに泊まりましたか | ツインルーム、朝食付き、チェックインは15時
refund | 返金してくれたのは誰ですか | ご入金額を全額払い戻しいたします
cost | 屋根はいくらかかった? | 合計 180,000円(税込)
gift | 母に贈ったものは? | お誕生日プレゼントを包みました
repair | 洗濯機を修理したのは誰? | 木曜日に部品を持って伺います
health | 父が病気だったのはいつ? | 内科を受診、処方箋あり
teeth | 歯医者に行ったのはいつ? | 奥歯の治療、次回は半年後
pets | 猫の予防注射はいつ? | 獣医さんがミケを診てくれた
flight | 何時の飛行機だった? | 搭乗は6時40分、手荷物は8キロまで
train | どの電車に乗った? | 5号車 12番A席、のぞみ指定席
car | どこに駐車した? | 車検が終わり、タイヤも替えました
delivery | 荷物はいつ届いた? | 本日発送しました。追跡はこちら
complaint | 何の苦情を言った? | ご迷惑をおかけし、お詫びいたします
home | 家賃はいくらだった? | 敷金と管理費は来月返します
school | 太郎の宿題は何だった? | 保護者の皆様、通知表をお渡しします
work | 転職したのはいつ? | 面接のご案内と給与について
party | 花子の誕生日会はいつ? | 披露宴の出欠をお知らせください
absence | 夕食に来られなかったのは誰? | 体調が悪いので今日は行けないです
moved | 会議はいつに延期された? | 日程が木曜に変わりました
lost | 傘を無くしたのは誰? | 遺失物として駅で保管しています
lending | テントを借りたのは誰から? | 明日まで貸し出します
food | お正月に何を食べた? | 小麦粉と砂糖、醤油を大さじ二杯
injury | 花子はどうして怪我をした? | 庭で転倒、六週間ギプス
travel | 夏の旅行はどこへ? | 観光の予定とスーツケース
contest | 試合に勝ったのは誰? | 決勝は3対1、メダルをもらいました
money | どの銀行に口座がある? | 残高 120,000 利息 12
papers | パスポートはいつ切れる? | 大使館で旅券を受け取る
utilities | 暖房が止まったのはなぜ? | 給湯器の点検、検針は火曜
purchase | 自転車はどこで買った? | レシートは保証書と一緒に
# Chinese
lodging | 我们在杭州住在哪里 | 双床,两晚,含早餐,三点入住
refund | 谁给我退款了 | 费用已退还到您的卡
cost | 修屋顶多少钱 | 发票 12,金额 180.00
repair | 谁修好了洗衣机 | 师傅周四带配件来
health | 爸爸什么时候生病的 | 门诊挂号,处方已开
teeth | 什么时候看的牙医 | 补牙完成,半年后复查
pets | 狗什么时候打针 | 兽医看过小白了
flight | 飞机几点 | 登机口 12,行李 8 公斤
train | 坐的哪趟火车 | 车厢 7,站台 4
delivery | 快递什么时候到的 | 您的包裹已由物流公司派送
complaint | 我投诉了什么 | 给您带来不便,深表抱歉
home | 房租是多少 | 押金下月退
school | 小明的作业是什么 | 家长会,班主任发言
work | 我什么时候换的工作 | 简历收到,薪水面谈
party | 小红的生日是哪天 | 蛋糕九点切,派对七点
absence | 谁没来吃饭 | 很遗憾,我今天请假
moved | 会议推迟到什么时候 | 改期到周四
lost | 谁把雨伞弄丢了 | 失物已在前台
food | 过年吃了什么 | 面粉,黄油,烤箱 180 度
injury | 小红怎么受伤的 | 脚踝打石膏三周
contest | 谁赢了 | 决赛 3 比 1,冠军
money | 贷款在哪家银行 | 转账成功,余额 1200
papers | 护照什么时候到期 | 请带身份证去使馆,签证
utilities | 暖气为什么停了 | 锅炉漏,电表不转
# One asks in another language than the memory has.
refund | Who gave us a refund? | ご請求額を返金いたします
lodging | Where did we sleep in Nara? | 一泊二食、和室
train | Which train seat did I have? | 新幹線 8号車
cost | What did the roof cost? | 見積書を送ります
delivery | Which parcel was delivered? | お荷物をお届けしました
repair | Who repaired the boiler? | Het onderdeel is kapot
refund | Who reimbursed me? | Le abbiamo rimborsato 40 euro
lodging | Where did we stay? | Potwierdzamy nocleg i śniadanie
"""
_DIFFERENT: Final = """
# Italian
Dove abbiamo dormito a Bergamo? | Il veterinario ha visto Briciola
Chi ha vinto? | Fattura n. 12, importo 180,00
Dove ho comprato la bici? | La caldaia è ferma da ieri
Chi ha perso le chiavi? | Farina, uova e zucchero
Quanto era l'affitto? | Auguri a tutti, la torta alle nove
# Portuguese
Onde dormimos em Évora? | A veterinária viu o Bolinha
Quem ganhou o jogo? | Fatura 12, montante 180,00
Onde comprei a bicicleta? | A caldeira parou ontem
Quem perdeu as chaves? | Farinha, ovos e açúcar
A quem emprestei a tenda? | Caiu no pátio, gesso três semanas
# Dutch
Waar hebben we geslapen in Gent? | De dierenarts heeft Bobbie gezien
Wie heeft de wedstrijd gewonnen? | Factuur 12, bedrag 180,00
Wanneer was ik bij de tandarts? | Perron 4, rijtuig 7
Wie was de paraplu kwijt? | Boter, eieren en suiker
Hoe hoog was de huur? | Gefeliciteerd! Taart om negen uur
# Polish
Gdzie spaliśmy w Gdyni? | Weterynarz obejrzał Burka
Kto wygrał turniej? | Faktura 12, kwota 180,00
Kiedy byłam u dentysty? | Peron 4, odjazd 7.15
Kto zgubił klucze? | Masło, trzy jajka, szklanka cukru
Komu pożyczyłem namiot? | Upadła na podwórku, kostka spuchła
# Japanese
京都ではどこに泊まりましたか | 獣医さんがミケを診てくれた
歯医者に行ったのはいつ? | 5号車 12番A席
パスポートはいつ切れる? | 小麦粉と砂糖
テントを借りたのは誰から? | 庭で転倒、六週間ギプス
猫の予防注射はいつ? | 合計 180,000円(税込)
# Chinese
我们在杭州住在哪里 | 兽医看过小白了
谁赢了 | 发票 12,金额 180.00
什么时候看的牙医 | 站台 4
护照什么时候到期 | 面粉,黄油
狗什么时候打针 | 转账成功
"""


def _rows(table: str) -> list[tuple[str, ...]]:
    lines = (line for line in table.strip().splitlines() if not line.startswith("#"))
    return [tuple(line.split(" | ")) for line in lines]


SAME: Final = _rows(_SAME)
"""Topic, question, memory."""

DIFFERENT: Final = _rows(_DIFFERENT)
"""Question, memory."""
