// A shared library needs a source of its own; all else comes from the archives of the rooms.
