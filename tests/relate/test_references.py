from __future__ import annotations

import pytest

from graphmemix.relate.references import references_in
from graphmemix.text.folding import plain
from tests.growth.doubling import assert_linear


def read(text: str) -> tuple[str, ...]:
    return references_in(plain(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Order #123-4567890", "any:1234567890"),
        ("Your order 302-1234567-7654321 has shipped", "any:30212345677654321"),
        ("302-1234567-7654321 was delivered", "any:30212345677654321"),
        ("your order number is 40123.", "order:40123"),
        ("Order ID: a1b2c3", "order:A1B2C3"),
        ("Order #1023", "order:1023"),
        ("Booking reference: ABC123", "booking:ABC123"),
        ("Booking reference: QWERTY", "booking:QWERTY"),
        ("PNR XKJDPL", "booking:XKJDPL"),
        ("Confirmation code: HMABCD1234", "any:HMABCD1234"),
        ("Reservation No. 55-120-A", "booking:55120A"),
        ("[Ticket #88123] Printer on fire", "ticket:88123"),
        ("e-ticket number 220-1234567890", "any:2201234567890"),
        ("tracking number 1Z999AA10123456784", "any:1Z999AA10123456784"),
        ("Follow 1Z999AA10123456784 here", "any:1Z999AA10123456784"),
        ("Invoice INV-2023-001", "any:INV2023001"),
        ("Case #00441288", "any:00441288"),
        ("Bestellnummer 302-1234567", "any:3021234567"),
        ("Ihre Bestell-Nr. lautet: 40123", "order:40123"),
        ("Rechnung Nr. RE-0815", "invoice:RE0815"),
        ("Sendungsnummer: 00340434161", "any:00340434161"),
        ("Buchungscode: 8XK2LM", "booking:8XK2LM"),
        ("numéro de commande : 40123", "order:40123"),
        ("Votre commande n° 40123", "order:40123"),
        ("nume\u0301ro de suivi 6A1234", "tracking:6A1234"),
        ("Référence de réservation : R2D2XY", "booking:R2D2XY"),
        ("número de pedido 55120-A", "order:55120A"),
        ("Pedido n.º 55120", "order:55120"),
        ("Localizador: XKJDPL", "booking:XKJDPL"),
        ("numero d'ordine 88712", "order:88712"),
        ("codice di prenotazione: QWERTY", "booking:QWERTY"),
        ("ordernummer 77812", "order:77812"),
        ("boekingsnummer: 77812", "booking:77812"),
        ("código de rastreio AB123456789BR", "any:AB123456789BR"),
        ("número da fatura: 2023/0815-7", "any:202308157"),
        ("订单号: 8812345", "order:8812345"),
        ("您的订单编号：A8812", "order:A8812"),
        ("快递单号 SF1234567890", "any:SF1234567890"),
        ("ご注文番号：２５０－１２３４", "order:2501234"),
        ("予約番号 K7H2P9", "booking:K7H2P9"),
    ],
)
def test_a_reference_is_found(text: str, expected: str) -> None:
    assert read(text) == (expected,)


@pytest.mark.parametrize(
    "text",
    [
        "order 2023",
        "Order #2023",
        "Order of 2023-07-14",
        "order 2023-07-14",
        "Booking: 14.07.2023",
        "Booking 14/07/2023",
        "booking for 20230714",
        "order 20230714",
        "Rechnung 2023-07",
        "booking 19:30",
        "Reservation: 19:30",
        "Order $49.99",
        "Order: 49.99",
        "Order total: 120.50",
        "order 1,299.00 EUR",
        "Invoice: 1.299,00",
        "invoice: 1200 EUR",
        "Invoice 1200€",
        "Case: +1 555 123 4567",
        "Case: 555-123-4567",
        "booking: 0171 2345678",
        "Reservation number 089/1234567",
        "tracking hotline 0800-1234567",
        "order 5000 flyers",
        "order 20 pizzas",
        "order the mp3-player",
        "ticket 24h",
        "Tickets for 2",
        "ticket 12",
        "in case 100 people come",
        "BOOKING CONFIRMED",
        "BOOKING REFERENCE: PENDING",
        "Order status",
        "Order number: see below",
        "order no-reply@shop.com",
        "Order 3-5 days ahead",
        "Tracking: https://example.org/abc123",
        "reorder 40123, border 40123",
        "ISBN 9783161484100, flight LH1234",
        "",
    ],
)
def test_what_only_looks_like_a_reference_is_none(text: str) -> None:
    assert read(text) == ()


def test_a_long_value_is_the_same_under_any_label_and_a_short_one_is_not() -> None:
    assert read("Order number 302-1234567") == read("Bestätigung Nr. 3021234567")
    assert read("Order number 40123") != read("Ticket number 40123")
    assert read("Booking reference AB12CD") == read("Reservation code: ab12cd")


def test_references_come_in_order_once_and_not_too_many() -> None:
    text = plain("Order 40123? No: Order #40124, order #40125, again order no. 40124")
    assert references_in(text) == ("order:40124", "order:40125")
    assert references_in(text, 1) == ("order:40124",)


@pytest.mark.parametrize(
    "unit", ["order ", "order number ", "no no de de ", "# ", "订单号", "A1-", " "]
)
def test_long_texts_take_linear_time(unit: str) -> None:
    assert_linear(read, lambda size: unit * size, most=1 << 16)
