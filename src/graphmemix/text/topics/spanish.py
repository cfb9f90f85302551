"""Spanish words of topics: what questions ask by, what memories tell by."""

from __future__ import annotations

from typing import Final

__all__ = ["WORDS"]

WORDS: Final = {
    "lodging": (
        "alojad- alojamiento habitación noche",
        "habitación noche noches reserva desayuno hostal",
    ),
    "refund": (
        "reembols- devolv- devuelt-",
        "reembols- devolución-",
    ),
    "cost": (
        "costó cuesta cuánto pagué pagamos pagó gast- precio",
        "factura- importe- recibo- precio",
    ),
    "gift": (
        "regal-",
        "regal-",
    ),
    "repair": (
        "arregl- averí- roto rota repar-",
        "averí- arregl- técnico-",
    ),
    "health": (
        "médic- enferm- operar- dolor alergi-",
        "médico- cita receta- paciente-",
    ),
    "teeth": (
        "diente muela",
        "diente muela",
    ),
    "pets": (
        "veterinari- perr- gat-",
        "veterinari- perro gato",
    ),
    "flight": (
        "vuel- avión aeropuerto-",
        "vuelo- embarque equipaje-",
    ),
    "train": (
        "tren asiento- billete-",
        "tren asiento- billete-",
    ),
    "car": (
        "coche- aparc- taller-",
        "coche- matrícula- taller-",
    ),
    "delivery": (
        "paquete- pedido- entreg- envío-",
        "paquete- pedido- entrega- envío-",
    ),
    "complaint": (
        "reclam- queja- dañad-",
        "reclam- disculp- lament-",
    ),
    "insurance": (
        "segur- siniestro-",
        "seguro- póliza-",
    ),
    "home": (
        "alquil- casero- fianza-",
        "alquil- fianza- arrend-",
    ),
    "school": (
        "escuela- profesor- clase",
        "escuela- clase profesor-",
    ),
    "work": (
        "trabaj- jefe sueldo- contrato-",
        "contrato- sueldo- entrevista- puesto",
    ),
    "party": (
        "fiesta- cumpleaños boda- invitad- aniversario-",
        "fiesta- cumpleaños boda- tarta-",
    ),
    "absence": (
        "no_pudo no_pudieron faltó falt- cancel-",
        "siento cancel- lamento",
    ),
    "moved": (
        "aplaz- cambi-",
        "aplaz- cambio-",
    ),
    "lost": (
        "perdi- olvid- robar- robad-",
        "perdi- olvid- rob- encontr-",
    ),
    "lending": (
        "prest-",
        "prest-",
    ),
    "food": (
        "comimos comer comí cena- almuerzo receta- cocin-",
        "receta- harina horno sopa- mesa",
    ),
    "injury": (
        "caíd- cayó herid- rompió",
        "tobillo- yeso- caída- urgencias",
    ),
    "contact": (
        "número- dirección- teléfono-",
        "móvil- calle",
    ),
    "access": (
        "contraseña- clave- código- llave-",
        "contraseña- clave- código- llave-",
    ),
    "travel": (
        "viaj- vacaciones",
        "viaje- vacaciones maleta-",
    ),
    "contest": (
        "gan- resultado- partido- carrera- medalla-",
        "ganó ganamos goles- medalla-",
    ),
    "money": (
        "banco- impuesto- cuenta préstamo-",
        "banco- cuenta transferencia- impuesto-",
    ),
    "papers": (
        "pasaporte- visado- carné- permiso-",
        "pasaporte- embajada- permiso-",
    ),
    "utilities": (
        "calefacción luz agua",
        "caldera- calefacción contador- fontaner-",
    ),
    "purchase": (
        "compr-",
        "compra- garantía-",
    ),
    "lessons": (
        "curso- concierto- coro",
        "curso- ensayo- concierto- coro",
    ),
}
