"""Liveness and readiness probes."""


def live(request, connection):
    """Answer as long as the process runs."""
    return {"status": 200, "body": "alive"}


def ready(request, connection):
    """Answer 503 until the database can be reached."""
    try:
        connection.execute("SELECT 1")
    except ConnectionError:
        return {"status": 503, "body": "no database"}
    return {"status": 200, "body": "ready"}


def register(router):
    router.add("GET", "/healthz", live)
    router.add("GET", "/readyz", ready)
