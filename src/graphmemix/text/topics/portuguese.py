"""Portuguese words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

from graphmemix.text.topics.topic import Topic

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": Topic(
        "dormi- hosped- aloj- pernoit- pousada- hotéis albergue- noite noites no_quarto "
        "que_quarto diária- acomodaç-",
        "hosped- hóspede- alojament- pernoit- pousada- hotéis noite noites quartos diária- "
        "acomodaç- estadia reserva reservas pequenoalmoço",
    ),
    "refund": Topic(
        "reembols- devolv- devoluç- estorn- ressarc- indeniz- indemniz- dinheiro_de_volta",
        "reembols- devolv- devoluç- estorn- ressarc- indeniz- indemniz- creditad- creditám-",
    ),
    "cost": Topic(
        "custo custou custa custava custaram pagou paguei pagamos pagámos pagaram preço- "
        "fatura- quanto_custa quanto_foi quanto_pag gastámos gastei gastou gastamos gasto "
        "gastos gastar",
        "fatura- recibo- preço- pagament- boleto- montante- orçament- quantia",
    ),
    "gift": Topic(
        "presente presentes ofereceu ofereceram a_prenda uma_prenda que_prenda prendas_de",
        "presente presentes embrulh- lembrança- prendinha-",
    ),
    "repair": Topic(
        "consert- arranj- repar- avari- quebr- estrag- canalizador- encanador- partiu_se",
        "consert- arranj- reparaç- reparad- avari- quebr- estrag- técnico- peça- canalizador- "
        "encanador- vazament-",
    ),
    "health": Topic(
        "médic- doente- doenç- dores receita- vacin- cirurg- operad- alergi- febre remédio- "
        "medicament- hospital hospitais",
        "médic- consultóri- receita- comprimid- paciente- vacin- cirurg- clínica- saúde febre "
        "remédio- análises hospital hospitais",
    ),
    "teeth": Topic(
        "dente dentes dentist- dentári- odonto-",
        "dente dentes dentist- dentári- odonto- obturaç-",
    ),
    "pets": Topic(
        "cachorr- cão cães cadela- gato gata gatos gatas gatinh- veterinári- coelh-",
        "cachorr- cão cães cadela- gato gata gatos gatas gatinh- veterinári- coelh- ração",
    ),
    "flight": Topic(
        "voo voos avião aviões aeroporto- voámos voamos",
        "voo voos avião embarque- bagagem bagagens aeroporto- descolag- decolag- aterrag-",
    ),
    "train": Topic(
        "comboio- trem trens bilhete- estação assento- ferrovi-",
        "comboio- trem trens bilhete- estação assento- carruage- vagão ferrovi-",
    ),
    "car": Topic(
        "carro carros estacionad- estacionei estacionou estacionar estacionament- gasolina "
        "conduzi- dirigi- mecânico- pneu pneus",
        "carro carros estacionament- gasolina combustível viatura- mecânico- matrícula- travões "
        "freios pneu pneus",
    ),
    "delivery": Topic(
        "encomend- entreg- enviad- enviou enviaram pacote- pedido- correio- transportadora-",
        "encomend- entreg- enviad- enviám- pacote- pedido- correio- transportadora- rastre- "
        "expediç- expedid-",
    ),
    "complaint": Topic(
        "reclam- queix- danific- errad- estragad-",
        "reclam- queix- danific- errad- lament- desculp- transtorn- incómod- incômod-",
    ),
    "insurance": Topic(
        "segurador- seguro- sinistr- apólice-",
        "segurador- segurad- seguro- sinistr- apólice- franquia- peritag- vistoria-",
    ),
    "home": Topic(
        "alug- arrend- senhori- inquilin- fiador- apartament- caução condomínio- proprietári-",
        "alug- arrend- senhori- inquilin- fiador- caução condomínio- proprietári- imobiliári-",
    ),
    "school": Topic(
        "escola escolas escolar- professor- aluno- aluna- turma- exame exames faculdade "
        "universidade colégio-",
        "escola escolas escolar- professor- aluno- aluna- turma- exame exames faculdade "
        "colégio- encarregad-",
    ),
    "work": Topic(
        "trabalh- emprego- chefe- patrão salário- ordenado- colega- turno entrevista- "
        "contratad- demiti-",
        "trabalh- emprego- contrato- salário- ordenado- entrevista- turno candidatur- "
        "currículo- funcionári- empregador-",
    ),
    "party": Topic(
        "festa- aniversário- casament- batizad- convidad- convite- festej- convidou",
        "festa- aniversário- casament- batizad- convidad- convite- festej- bolo parabéns",
    ),
    "absence": Topic(
        "não_pôde não_puderam não_pode não_veio não_vieram não_compareceu falt- cancel- "
        "desmarc- ausente ausência-",
        "infelizmente desmarc- cancel- ausência- ausentar doente- imprevist- impossibilitad- "
        "desculpa",
    ),
    "moved": Topic(
        "adiad- adiar adiou adiamos remarc- reagend- atrasad- atraso- atrasou mudou mudaram "
        "alterad- alterou antecip-",
        "adiad- adiar adiamos adiado remarc- reagend- atrasad- atraso- mudou alterad- alteraç- "
        "antecip-",
    ),
    "lost": Topic(
        "perdeu perdemos perdi perderam perdid- esquec- roub- furtad- furto furtos desaparec- "
        "extravi-",
        "perdeu perdi perdid- esquec- roub- furtad- furto desaparec- extravi- encontr- achado "
        "achados",
    ),
    "lending": Topic(
        "emprest- emprést-",
        "emprest- emprést- devolver devolves",
    ),
    "food": Topic(
        "comemos comeu comer jant- almoç- receita- cozinh- bolo restaurante- refeiç- prato- lanch-",
        "jant- almoç- receita- cozinh- bolo restaurante- refeiç- prato- farinha- forno manteiga "
        "ovos açúcar sopa- ementa- cardápio-",
    ),
    "injury": Topic(
        "magoou magoei magoad- machuc- ferid- feriu ferimento- caiu queda- acident- tornozelo- "
        "torceu fratur- entors- picad-",
        "caiu queda- tornozelo- joelho- pulso gesso fratur- entors- ferid- machuc- muleta- "
        "ambulânci- urgências ligadura-",
    ),
    "contact": Topic(
        "telefon- telemóve- celular número- endereço- contacto- contato- a_morada morada_do "
        "morada_da morada_dos",
        "telefon- telemóve- celular endereço- contacto contato rua",
    ),
    "access": Topic(
        "senha- chave- código- palavra_passe",
        "senha- chave- código- utilizador fechadura-",
    ),
    "travel": Topic(
        "viagem viagens viaj- férias passeio- excurs-",
        "viagem viagens viaj- férias passeio- excurs- roteiro- bagagem",
    ),
    "contest": Topic(
        "ganh- vencedor- jogo jogos resultado- medalha- corrida- campeonat- torneio- golo golos "
        "venceu venceram",
        "ganh- venceu vencedor- vitória- golo golos gols placar medalha- campeã- campeonat- "
        "torneio- pódio empate",
    ),
    "money": Topic(
        "banco- transferênci- imposto- emprést- poupanç- irs juros financiament- conta_bancária "
        "conta_corrente na_conta",
        "banco- bancári- transferênci- imposto- emprést- poupanç- irs irpf juros extrato- "
        "extracto- saldo",
    ),
    "papers": Topic(
        "passaporte- certid- carta_de_condução carteira_de_motorista cartão_de_cidadão o_visto "
        "habilitaç-",
        "passaporte- embaixad- consulado- certid- condução habilitaç- cartório- validade cidadão",
    ),
    "utilities": Topic(
        "aquecimento- aquecedor- caldeira- esquentador- luz água- eletric- electric- encanament-",
        "aquecimento- aquecedor- caldeira- esquentador- radiador- eletric- electric- apagão "
        "medidor- canalizador- encanador- água",
    ),
    "purchase": Topic(
        "comprei comprou compramos comprámos compraram comprar compra loja lojas",
        "comprei comprou comprámos compra compras comprovativ- recibo- garantia- loja lojas",
    ),
    "lessons": Topic(
        "aula aulas liç- ensaio- coro concerto- treino- formação curso cursos",
        "aula aulas liç- ensaio- coro concerto- treino- formação inscriç- curso cursos",
    ),
}
