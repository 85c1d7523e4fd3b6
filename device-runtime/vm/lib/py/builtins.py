"""The names that every module sees. Setting one here sets it for all modules that are loaded."""
import _ferry

_ferry.export('builtins', _ferry.builtin_names())
