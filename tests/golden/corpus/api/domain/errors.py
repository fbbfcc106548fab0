"""What can go wrong with a parcel."""


class FerryError(Exception):
    """Base of all errors of this service."""


class UnknownParcel(FerryError):
    """No parcel has this tracking code."""


class IllegalTransition(FerryError):
    """A parcel cannot go from its state to that one."""

    def __init__(self, state, event):
        super().__init__(f"a parcel that is {state} cannot be {event}")
