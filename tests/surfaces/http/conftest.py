"""A running service over a small repository, and a client in the same process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from gortex_py.service.compose import Places, compose
from gortex_py.service.service import Service
from gortex_py.settings.paths import Paths
from gortex_py.settings.schema import build_settings
from gortex_py.surfaces.http.app import make_app

FILES = {
    "src/routing.py": (
        "class Router:\n"
        '    """Registers routes and finds the handler of a request."""\n\n'
        "    def add_route(self, path, handler):\n"
        '        """Register a handler for a path."""\n'
        "        self.routes[path] = handler\n\n"
        "    def find_handler(self, path):\n"
        "        return self.routes[path]\n"
    ),
    "src/session.py": "def open_session(user):\n    return Session(user)\n\n\nclass Session:\n    pass\n",
    "docs/guide.md": "# Guide\n\n## Routing\n\nRoutes are registered with `add_route`.\n",
    "tests/test_routing.py": "def test_add_route():\n    assert Router().add_route('/', None) is None\n",
    "logo.png": "\x89PNG\r\n\x00\x00",
}
READY_LIMIT_S = 30.0


def write_tree(root: Path) -> Path:
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("latin-1"))
    return root


def wait_until_ready(service: Service, name: str) -> None:
    limit = time.monotonic() + READY_LIMIT_S
    while service.repository(name).state != "ready" or service.repository(name).is_busy:
        assert time.monotonic() < limit, service.repository(name)
        time.sleep(0.02)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    base = tmp_path_factory.mktemp("http")
    home = base / "home"
    home.mkdir()
    paths = Paths.from_environment({"GORTEX_HOME": str(base / "gortex")}, home)
    paths.ensure()
    settings = build_settings({"index.workers": 1, "watch.enabled": False})
    made = compose(paths, settings, Places(home))
    made.start()
    made.track(str(write_tree(base / "shop")))
    wait_until_ready(made, "shop")
    yield made
    assert made.stop()


@pytest.fixture(scope="session")
def client(service: Service) -> Iterator[TestClient]:
    app = make_app(service)
    with TestClient(app, base_url="http://127.0.0.1:7411", raise_server_exceptions=False) as made:
        yield made
