"""Each room, or the folder above it, explains itself."""


def check_readmes(root, files, layers):
    known = set(files)
    for room in layers:
        if not (root / room).is_dir():
            continue
        parts = room.split("/")
        if not any("/".join(parts[:n]) + "/README.md" in known for n in range(len(parts), 0, -1)):
            yield f"{room}: neither it nor the folder above it has a README.md"
