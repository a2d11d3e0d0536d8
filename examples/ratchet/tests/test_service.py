import pytest

import service

BOOK = {"name": "book", "quantity": 2, "price": 1500}
PEN = {"name": "pen", "quantity": 10, "price": 120}


def test_subtotal():
    assert service.subtotal([BOOK, PEN]) == 4200


def test_subtotal_of_nothing():
    assert service.subtotal([]) == 0


def test_no_discount():
    assert service.discount([BOOK], None) == 0


def test_discount_of_ten_percent():
    assert service.discount([BOOK], "TEN") == 300


def test_discount_of_unknown_code():
    with pytest.raises(KeyError):
        service.discount([BOOK], "NONE")


def test_shipping_at_home():
    assert service.shipping(1000, "de") == 490


def test_shipping_abroad():
    assert service.shipping(1000, "fr") == 990


def test_shipping_is_free_from_fifty():
    assert service.shipping(5000, "de") == 0


def test_total():
    assert service.total([BOOK]) == 3490


def test_total_with_discount():
    assert service.total([BOOK], "TEN") == 3190


def test_total_abroad():
    assert service.total([BOOK], country="fr") == 3990


def test_parse():
    assert service.parse("pen,10,120") == PEN


def test_parse_with_blanks():
    assert service.parse(" pen , 10 , 120 ") == PEN


def test_parse_refuses_other_lines():
    with pytest.raises(ValueError):
        service.parse("pen")


def test_parse_refuses_negative_quantities():
    with pytest.raises(ValueError):
        service.parse("pen,-1,120")


def test_receipt():
    assert service.receipt([PEN]) == "10 x pen: 12.00\ntotal: 16.90"


def test_receipt_with_discount():
    assert service.receipt([PEN], "TEN") == "10 x pen: 12.00\ndiscount: -1.20\ntotal: 15.70"
