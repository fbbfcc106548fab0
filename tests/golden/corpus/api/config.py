"""Settings of the service, read once at the start."""

import os
import tomllib
from dataclasses import dataclass, field


@dataclass(frozen=True)
class RateLimit:
    capacity: int = 60
    refill_per_second: float = 1.0


@dataclass(frozen=True)
class Settings:
    """Everything that can be configured."""

    port: int = 8700
    database_url: str = "postgres://localhost/ferry"
    pool_size: int = 5
    origins: tuple = ("https://ferry.example",)
    secret: str = ""
    rate_limit: RateLimit = field(default_factory=RateLimit)


def load_settings(path, environ=os.environ):
    """Read the settings file; an environment variable FERRY_<NAME> overrides a value."""
    with open(path, "rb") as file:
        raw = tomllib.load(file)
    values = dict(raw.get("server", {}))
    values["rate_limit"] = RateLimit(**raw.get("rate_limit", {}))
    for name in Settings.__dataclass_fields__:
        override = environ.get("FERRY_" + name.upper())
        if override is not None:
            values[name] = override
    return Settings(**values)
