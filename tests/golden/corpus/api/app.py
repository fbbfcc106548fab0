"""The web application: routes, middleware, start and stop."""

from api.config import Settings
from api.middleware.cors import CorsMiddleware
from api.middleware.ratelimit import RateLimitMiddleware
from api.routes import health, parcels, sessions
from api.storage.database import ConnectionPool


class Router:
    """Maps a method and a path pattern to a handler."""

    def __init__(self):
        self._handlers = {}

    def add(self, method, pattern, handler):
        """Register a handler; the last one registered for a pattern wins."""
        self._handlers[(method, pattern)] = handler

    def match(self, method, path):
        """Find the handler of a request and the values of its path parameters."""
        for (known_method, pattern), handler in self._handlers.items():
            if known_method != method:
                continue
            parameters = _match_pattern(pattern, path)
            if parameters is not None:
                return handler, parameters
        return None, {}


def _match_pattern(pattern, path):
    wanted, given = pattern.split("/"), path.split("/")
    if len(wanted) != len(given):
        return None
    parameters = {}
    for part, value in zip(wanted, given):
        if part.startswith("{"):
            parameters[part[1:-1]] = value
        elif part != value:
            return None
    return parameters


def create_app(settings: Settings):
    """Build the application with its routes registered and its middleware wrapped around."""
    router = Router()
    for module in (health, parcels, sessions):
        module.register(router)
    pool = ConnectionPool(settings.database_url, settings.pool_size)
    app = Application(router, pool)
    return CorsMiddleware(RateLimitMiddleware(app, settings.rate_limit), settings.origins)


class Application:
    """Answers requests by asking the router."""

    def __init__(self, router, pool):
        self.router = router
        self.pool = pool

    def __call__(self, request):
        handler, parameters = self.router.match(request.method, request.path)
        if handler is None:
            return {"status": 404}
        with self.pool.connection() as connection:
            return handler(request, connection, **parameters)
