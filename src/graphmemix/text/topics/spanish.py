"""Spanish words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

from graphmemix.text.topics.topic import Topic

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": Topic(
        "alojad- alojamiento habitación noche",
        "habitación noche noches reserva desayuno hostal",
    ),
    "refund": Topic(
        "reembols- devolv- devuelt-",
        "reembols- devolución-",
    ),
    "cost": Topic(
        "costó cuesta cuánto pagué pagamos pagó precio gasto gastos gasté gastó gastamos "
        "gastaron gastado gastar",
        "factura- recibo- precio",
    ),
    "gift": Topic(
        "regal-",
        "regal-",
    ),
    "repair": Topic(
        "arregl- averí- roto rota repar-",
        "averí- arregl- técnico-",
    ),
    "health": Topic(
        "médic- enferm- operar- dolor alergi-",
        "médico- cita receta- paciente-",
    ),
    "teeth": Topic(
        "diente muela",
        "diente muela",
    ),
    "pets": Topic(
        "veterinari- perro perra perros perras perrit- gato gata gatos gatas gatit-",
        "veterinari- perro gato",
    ),
    "flight": Topic(
        "vuel- avión aeropuerto-",
        "vuelo- embarque equipaje-",
    ),
    "train": Topic(
        "tren asiento- billete-",
        "tren asiento- billete-",
    ),
    "car": Topic(
        "coche- aparc- el_taller un_taller al_taller",
        "coche- matrícula- itv",
    ),
    "delivery": Topic(
        "paquete- pedido- entreg- envío-",
        "paquete- pedido- entrega- envío-",
    ),
    "complaint": Topic(
        "reclam- queja- dañad-",
        "reclam- disculp- lament-",
    ),
    "insurance": Topic(
        "segur- siniestro-",
        "seguro- póliza-",
    ),
    "home": Topic(
        "alquil- casero- fianza-",
        "alquil- fianza- arrend-",
    ),
    "school": Topic(
        "escuela- profesor- clase",
        "escuela- clase profesor-",
    ),
    "work": Topic(
        "trabaj- jefe sueldo- contrato-",
        "contrato- sueldo- entrevista- puesto",
    ),
    "party": Topic(
        "fiesta- cumpleaños boda- invitad- aniversario-",
        "fiesta- cumpleaños boda- tarta-",
    ),
    "absence": Topic(
        "no_pudo no_pudieron faltó falt- cancel-",
        "siento cancel- lamento",
    ),
    "moved": Topic(
        "aplaz- cambi-",
        "aplaz- cambio-",
    ),
    "lost": Topic(
        "perdi- olvid- robar- robad-",
        "perdi- olvid- encontr- robo robó robado robada robaron robar-",
    ),
    "lending": Topic(
        "presta- prestó presté préstamo-",
        "presta- prestó presté préstamo-",
    ),
    "food": Topic(
        "comimos comer comí cena- almuerzo receta- cocin-",
        "receta- harina horno sopa- mesa",
    ),
    "injury": Topic(
        "caíd- cayó herid- rompió",
        "tobillo- yeso- caída- urgencias",
    ),
    "contact": Topic(
        "número- dirección- teléfono-",
        "móvil- avenida",
    ),
    "access": Topic(
        "contraseña- clave- código- llave-",
        "contraseña- clave- código- llave-",
    ),
    "travel": Topic(
        "viaj- vacaciones",
        "viaje- vacaciones maleta-",
    ),
    "contest": Topic(
        "resultado- partido- carrera- medalla- ganó gané ganar ganamos ganaron ganado ganador-",
        "ganó ganamos goles- medalla-",
    ),
    "money": Topic(
        "banco- impuesto- cuenta préstamo-",
        "banco- cuenta transferencia- impuesto-",
    ),
    "papers": Topic(
        "pasaporte- visado- carné- permiso-",
        "pasaporte- embajada- permiso-",
    ),
    "utilities": Topic(
        "calefacción luz agua",
        "caldera- calefacción contador- fontaner-",
    ),
    "purchase": Topic(
        "compra- compro compré compró",
        "compra- garantía-",
    ),
    "lessons": Topic(
        "concierto- coro curso cursos",
        "ensayo- concierto- coro curso cursos",
    ),
}
