"""The words of our mails."""

DELIVERED = "Dear {name}, your parcel {code} has arrived on {island}."
LOST = "Dear {name}, we cannot find your parcel {code}. We are sorry and keep looking."


def render_mail(template, **values):
    """Fill a template; a missing value is left as it stands."""

    class Lenient(dict):
        def __missing__(self, key):
            return "{" + key + "}"

    return template.format_map(Lenient(values))
