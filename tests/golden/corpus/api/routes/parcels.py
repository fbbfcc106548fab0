"""Book parcels and follow them."""

from api.domain.errors import UnknownParcel
from api.domain.pricing import quote
from api.domain.tracking import history_of
from api.storage.parcels import ParcelRepository


def book_parcel(request, connection):
    """Create a parcel from the request's body and answer with its tracking code."""
    body = request.json()
    price = quote(body["weight_grams"], body["from_island"], body["to_island"])
    parcel = ParcelRepository(connection).insert(
        sender=body["sender"], weight_grams=body["weight_grams"], price_cents=price
    )
    return {"status": 201, "body": {"code": parcel.code, "price_cents": price}}


def show_parcel(request, connection, code):
    """Answer with a parcel and its tracking history."""
    try:
        parcel = ParcelRepository(connection).by_code(code)
    except UnknownParcel:
        return {"status": 404, "body": "no such parcel"}
    return {"status": 200, "body": {"code": code, "state": parcel.state, "events": history_of(parcel)}}


def register(router):
    router.add("POST", "/parcels", book_parcel)
    router.add("GET", "/parcels/{code}", show_parcel)
