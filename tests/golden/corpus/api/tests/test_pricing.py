from api.domain.pricing import apply_discount, quote


def test_quote_counts_begun_kilos():
    assert quote(1001, "north", "south") == 350 + 2 * 120


def test_quote_grows_with_the_zones_crossed():
    assert quote(500, "north", "lighthouse") == 3 * quote(500, "north", "south")


def test_discount_is_at_most_a_quarter():
    assert apply_discount(1000, 500) == 750
