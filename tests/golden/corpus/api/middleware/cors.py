"""Let pages of other origins call the service."""


class CorsMiddleware:
    """Answers preflight requests and adds the Access-Control headers."""

    def __init__(self, app, origins):
        self._app = app
        self._origins = set(origins)

    def __call__(self, request):
        origin = request.headers.get("Origin")
        if request.method == "OPTIONS" and origin:
            return self._preflight(origin)
        response = self._app(request)
        if origin in self._origins:
            response.setdefault("headers", {})["Access-Control-Allow-Origin"] = origin
        return response

    def _preflight(self, origin):
        if origin not in self._origins:
            return {"status": 403}
        return {"status": 204, "headers": {"Access-Control-Allow-Origin": origin, "Access-Control-Max-Age": "600"}}
