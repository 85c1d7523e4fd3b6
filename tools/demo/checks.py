"""What steps share: a line for people, and a condition that must hold."""
from fleet import Failed


def check(condition, text):
    if not condition:
        raise Failed(text)


def say(text):
    print("   " + text, flush=True)
