"""What it costs to send a parcel."""

BASE_CENTS = 350
PER_KILO_CENTS = 120
ZONES = {"north": 1, "south": 1, "reef": 2, "lighthouse": 3}


def quote(weight_grams, from_island, to_island):
    """Compute the price in cents from the weight and the number of zones crossed."""
    zones = abs(ZONES[from_island] - ZONES[to_island]) + 1
    kilos = -(-weight_grams // 1000)
    return (BASE_CENTS + kilos * PER_KILO_CENTS) * zones


def apply_discount(price_cents, parcels_this_month):
    """Take five percent off for every ten parcels, at most a quarter."""
    percent = min(25, parcels_this_month // 10 * 5)
    return price_cents * (100 - percent) // 100
