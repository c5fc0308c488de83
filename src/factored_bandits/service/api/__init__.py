"""The decision service: the engine over HTTP. It needs the extra `[serve]`."""

from __future__ import annotations

from factored_bandits.errors import MissingExtraError

try:
    import jinja2  # noqa: F401
    import msgspec  # noqa: F401
    import prometheus_client  # noqa: F401
    import starlette  # noqa: F401
except ImportError as error:
    raise MissingExtraError.of(str(error.name), "serve", "factored-bandits serve") from None
