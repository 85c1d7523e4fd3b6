"""json.encoder"""
from json import JSONEncoder
