"""ferry.log: debug, info, warning and error(message, **fields): lines of the logger "ferry"."""
import json
import logging
from typing import Any

_logger = logging.getLogger("ferry")


def _write(level: int, message: object, fields: dict[str, Any]) -> None:
    line = str(message) + "".join(
        f" {name}={json.dumps(value, ensure_ascii=False, separators=(',', ':'))}" for name, value in fields.items())
    _logger.log(level, "%s", line)


def debug(message: object, /, **fields: Any) -> None:
    _write(logging.DEBUG, message, fields)


def info(message: object, /, **fields: Any) -> None:
    _write(logging.INFO, message, fields)


def warning(message: object, /, **fields: Any) -> None:
    _write(logging.WARNING, message, fields)


def error(message: object, /, **fields: Any) -> None:
    _write(logging.ERROR, message, fields)
