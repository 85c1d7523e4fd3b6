"""ferry.log: debug, info, warning and error(message, **fields): lines of the logger "ferry"."""
import json
import logging

_logger = logging.getLogger("ferry")


def _write(level, message, fields):
    line = str(message) + "".join(
        f" {name}={json.dumps(value, ensure_ascii=False, separators=(',', ':'))}" for name, value in fields.items())
    _logger.log(level, "%s", line)


def debug(message, /, **fields):
    _write(logging.DEBUG, message, fields)


def info(message, /, **fields):
    _write(logging.INFO, message, fields)


def warning(message, /, **fields):
    _write(logging.WARNING, message, fields)


def error(message, /, **fields):
    _write(logging.ERROR, message, fields)
