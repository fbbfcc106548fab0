"""Parcels in the database."""

import secrets
from dataclasses import dataclass

from api.domain.errors import UnknownParcel

ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True)
class Parcel:
    code: str
    sender: int
    state: str
    weight_grams: int
    price_cents: int


class ParcelRepository:
    """Reads and writes parcels over one connection."""

    def __init__(self, connection):
        self._connection = connection

    def insert(self, sender, weight_grams, price_cents):
        """Store a new parcel under a fresh tracking code."""
        parcel = Parcel(new_tracking_code(), sender, "booked", weight_grams, price_cents)
        self._connection.execute(
            "INSERT INTO parcels (code, sender, state, weight_grams, price_cents) VALUES (%s, %s, %s, %s, %s)",
            (parcel.code, sender, parcel.state, weight_grams, price_cents),
        )
        return parcel

    def by_code(self, code):
        """Return the parcel with that tracking code, or raise UnknownParcel."""
        row = self._connection.execute("SELECT * FROM parcels WHERE code = %s", (code,)).fetchone()
        if row is None:
            raise UnknownParcel(code)
        return Parcel(**row)


def new_tracking_code(length=8):
    """Make a random code of letters and digits that cannot be mistaken for each other."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
