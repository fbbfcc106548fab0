"""The states of a parcel and how it moves between them."""

from api.domain.errors import IllegalTransition

TRANSITIONS = {
    ("booked", "collected"): "in_transit",
    ("in_transit", "scanned"): "in_transit",
    ("in_transit", "delivered"): "delivered",
    ("in_transit", "lost"): "lost",
    ("lost", "found"): "in_transit",
}


def advance_state(state, event):
    """Return the state that follows an event, or raise IllegalTransition."""
    try:
        return TRANSITIONS[(state, event)]
    except KeyError:
        raise IllegalTransition(state, event) from None


def history_of(parcel):
    """List what happened to a parcel, newest first."""
    return sorted(getattr(parcel, "events", ()), key=lambda event: event.at, reverse=True)
