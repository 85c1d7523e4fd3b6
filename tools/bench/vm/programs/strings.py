"""Text: joining, splitting, formatting, appending, searching."""


def table(rows):
    lines = []
    for i in range(rows):
        lines.append("%05d|%-10s|%8.3f" % (i, "name" + str(i % 97), i / 7))
    return "\n".join(lines)


def words(text):
    counts = {}
    for line in text.split("\n"):
        for word in line.split("|"):
            word = word.strip().lower()
            counts[word] = counts.get(word, 0) + 1
    return counts


def grown(n):
    text = ""
    for i in range(n):
        text += chr(97 + i % 26)
        if i % 10 == 9:
            text += f"[{i}]"
    return text


def shifted(text, by):
    out = []
    for c in text:
        if "a" <= c <= "z":
            out.append(chr((ord(c) - 97 + by) % 26 + 97))
        else:
            out.append(c)
    return "".join(out)


def palindromes(text, longest):
    found = 0
    for i in range(0, len(text) - longest, 7):
        part = text[i:i + longest]
        if part == part[::-1] or part.startswith("ab") or part.endswith("yz") or "m[" in part:
            found += 1
    return found


for _ in range(6):
    text = table(12000)
    counts = words(text)
    print(len(text), len(counts), counts["name5"], max(counts.values()))
    long = grown(80000)
    print(len(long), long.count("9"), long.find("[79999]"), long.replace("a", "bc").upper()[:20])
    moved = shifted(long, 3)
    print(moved[:30], palindromes(moved, 12), len([c for c in moved if c.isdigit()]))
