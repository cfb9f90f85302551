"""Portuguese words for dates, European and Brazilian."""

from __future__ import annotations

import re

from graphmemix.text.dates.lexicon import Vocabulary
from graphmemix.text.dates.sorts import Sort

_DECADES = {
    1950: "cinquenta",
    1960: "sessenta",
    1970: "setenta",
    1980: "oitenta",
    1990: "noventa",
}


def _weekday(name: str) -> str:
    """Return "segunda-feira" in its spellings; the short names are among the ordinals."""
    plurals = f"{name}s-feiras*, {name}s feiras*, {name}s*"
    return f"{name}-feira, {name} feira, {plurals}"


PORTUGUESE = Vocabulary(
    words={
        Sort.LAST: "passado, passada, passados, passadas, último, última, últimos, últimas",
        Sort.THIS: ("este, esta, neste, nesta, deste, desta, esse, essa, desse, dessa"),
        Sort.NEXT: "próximo, próxima, próximos, próximas, que vem",
        Sort.AGO_FIRST: "há, faz, há cerca de, há quase",
        Sort.AGO: "atrás",
        Sort.BEFORE: "antes de, antes do, antes da, antes dos, antes das",
        Sort.AFTER: "depois de, depois do, depois da, após, após o, após a",
        Sort.SINCE: (
            "desde, desde o, desde a, desde os, a partir de, a partir do, a partir da, "
            "desde o dia, a partir do dia"
        ),
        Sort.UNTIL: "até, até o, até a, até ao, até à, até aos, até ao dia, até o dia",
        Sort.BETWEEN: "entre, entre o, entre a, entre os, entre as, entre o dia, entre os dias",
        Sort.TO: "ao, aos, ao dia, a dia",
        Sort.NOW: "agora",
        Sort.ONWARDS: "em diante, para cá, pra cá",
        Sort.AND: "e, e o, e a, e o dia",
        Sort.OR: "ou",
        Sort.THE: "o, os, as",
        Sort.OWNER: "meu, minha, meus, minhas, teu, tua, seu, sua, seus, suas, nosso, nossa",
        Sort.EVERY: (
            "cada, todo, toda, todos, todas, todo o, toda a, todos os, todas as, qual, quais, "
            "quantos, quantas, aquele, aquela, naquele, naquela, daquele, daquela, nesse, nessa"
        ),
        Sort.HALF: "metade",
        Sort.WEEK_NUMBER: "semana número",
        Sort.COUNTED: (
            "euros, euro, reais, pessoas, páginas, km, kg, metros, vezes, gente, quilos"
        ),
        Sort.NUMBERED: "número, quarto, página, voo, pedido, fatura, sala",
        Sort.OTHER: (  # Natal is a town as well
            "em natal, rio de janeiro, ponte 25 de abril, árvore de natal, mercado de natal, "
            "pai natal, papai noel, ilha de páscoa, ovo de páscoa, ovos de páscoa, mais tarde, "
            "boa tarde, boa noite"
        ),
    },
    named={
        Sort.FROM: {"of": "de, do, da, dos, das, do dia, de dia"},
        Sort.TO: {"article": "a"},
        Sort.IN: {
            "strong": "em, no, na, nos, nas, durante, durante o, durante a, durante os, por, "
            "para, para o, para a, pelo, pela, no dia, no mês de, ao longo de, ao longo do"
        },
        Sort.UNIT: {
            "minute": "minuto, minutos",
            "hour": "hora, horas",
            "day": "dia, dias*",
            "week": "semana, semanas*",
            "weekend": "fim de semana, final de semana, fins de semana*, finais de semana*",
            "month": "mês, meses*",
            "quarter": "trimestre, trimestres*",
            "year": "ano, anos*",
            "decade": "década, décadas*",
        },
        Sort.DAY_PART: {
            "morning": "manhã, de manhã, pela manhã, da manhã",
            "noon": "meio-dia, meio dia, ao meio-dia",
            "afternoon": "tarde, à tarde, de tarde, da tarde",
            "night": "noite, à noite, de noite, da noite",
        },
        Sort.THIRD: {
            "early": "início, inícios, começo, princípio, princípios",
            "mid": "meados, meio",
            "late": "fim, final, finais, fins",
        },
        Sort.HOLIDAY: {
            "christmas": "natal",
            "christmas eve": "véspera de natal, noite de natal, consoada",
            "christmas day": "dia de natal",
            "christmas holidays": "férias de natal, férias do natal",
            "new year": "ano novo",
            "new year's eve": (
                "passagem de ano, passagem do ano, réveillon, véspera de ano novo, "
                "noite de ano novo, virada do ano"
            ),
            "new year's day": "dia de ano novo, primeiro do ano",
            "epiphany": "dia de reis",
            "valentine's day": "são valentim, dia de são valentim",
            "carnival": "carnaval",
            "ash wednesday": "quarta-feira de cinzas",
            "palm sunday": "domingo de ramos",
            "holy week": "semana santa",
            "good friday": "sexta-feira santa, sexta santa",
            "easter": "páscoa, férias da páscoa",
            "easter sunday": "domingo de páscoa, dia de páscoa",
            "pentecost": "pentecostes",
            "mother's day": "dia das mães",  # in Brazil; the Portuguese say "dia da mãe"
            "all saints' day": "todos os santos, dia de todos os santos",
            "halloween": "halloween, dia das bruxas",
            "thanksgiving": "ação de graças, acção de graças, dia de ação de graças",
            "ramadan": "ramadão, ramadã",
            "eid al-adha": "festa do sacrifício",
            "lunar new year": "ano novo chinês, ano novo lunar",
            "mid-autumn festival": "festival do meio do outono, festival de meados do outono",
            "passover": "páscoa judaica",
            "rosh hashanah": "ano novo judaico",
            "nowruz": "ano novo persa, ano novo iraniano",
            "orthodox easter": "páscoa ortodoxa",
            "lucia day": "dia de santa luzia",
        },
    },
    numbered={
        Sort.MONTH: {
            1: "janeiro, jan",
            2: "fevereiro, fev",
            3: "março",
            4: "abril, abr",
            5: "maio, mai",
            6: "junho, jun",
            7: "julho, jul",
            8: "agosto, ago",
            9: "setembro, set",
            10: "outubro, out",
            11: "novembro, nov",
            12: "dezembro, dez",
        },
        Sort.WEEKDAY: {
            0: _weekday("segunda"),
            1: _weekday("terça"),
            2: _weekday("quarta"),
            3: _weekday("quinta"),
            4: _weekday("sexta"),
            5: "sábado, sábados*",
            6: "domingo, domingos*",
        },
        Sort.SEASON: {
            1: "primavera, primaveras*",
            2: "verão, verões*",
            3: "outono, outonos*",
            4: "inverno, invernos*",
        },
        Sort.DAY: {
            0: "hoje",
            -1: "ontem",
            -2: "anteontem, antes de ontem",
            1: "amanhã",
            2: "depois de amanhã",
        },
        Sort.NUMBER: {
            1: "um, uma",
            2: "dois, duas",
            3: "três",
            4: "quatro",
            5: "cinco",
            6: "seis",
            7: "sete",
            8: "oito",
            9: "nove",
            10: "dez",
            11: "onze",
            12: "doze",
            15: "quinze",
            20: "vinte",
            30: "trinta",
        },
        Sort.ORDINAL: {  # the short names of weekdays, as in "na segunda"
            1: "primeiro, primeira",
            2: "segunda, segundo",
            3: "terça, terceiro, terceira",
            4: "quarta",
            5: "quinta",
            6: "sexta",
        },
        Sort.DECADE: {
            year: (
                f"anos {word}, anos '{year - 1900}, década de {word}, "
                f"década de {year - 1900}, década de {year}"
            )
            for year, word in _DECADES.items()
        },
    },
    vague={
        (2, 3): "um par de",
        (2, 5): "uns, umas, alguns, algumas, poucos, poucas",
        (3, 7): "vários, várias",
    },
    spells={
        (6, "month"): "meio ano",
        (18, "month"): "um ano e meio",
        (6, "week"): "um mês e meio",
        (2, "week"): "quinze dias, uma quinzena",
        (30, "minute"): "meia hora",
    },
    day_words={
        (0, "morning"): "esta manhã, hoje cedo, essa manhã",
        (0, "afternoon"): "esta tarde, essa tarde",
        (0, "night"): "esta noite, essa noite",
    },
    weak="segunda terca quarta quinta sexta ago set out dez",
    ordinal=re.compile(r"(?:[12]?[0-9]|3[01])[oa]"),
    decade=re.compile(r"(?!)"),
    common=(
        "o a os as que quando onde quem eu nos em com de do da no na um uma meu minha meus e foi "
        "fiz fizemos foto fotos para por como se ao qual quais estive estivemos estava estavamos "
        "voce nao mostre mostra viagem mensagens tirei tiramos fui fomos li vi comi escreveu eram"
    ),
    romance=True,
)
