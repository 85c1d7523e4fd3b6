"""As much of JSON Schema as the server's OpenAPI document uses. Objects are closed: what no schema names is an error, so that
the document is complete; only "additionalProperties" opens them."""

TYPES = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}


class Unknown(Exception):
    """The schema says something that this file does not understand."""


KNOWN = {"$ref", "allOf", "oneOf", "enum", "type", "properties", "required", "items", "additionalProperties", "description",
         "contentEncoding", "format"}


def is_of(value, kind):
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[kind])


class Schemas:
    def __init__(self, document):
        self.document = document

    def resolve(self, schema):
        while "$ref" in schema:
            at = self.document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                at = at[part]
            schema = at
        unknown = set(schema) - KNOWN
        if unknown:
            raise Unknown(f"{sorted(unknown)} in a schema")
        return schema

    def members(self, schema):
        """(names and schemas of members, the schema of all others or None) of an object with all its parts."""
        schema = self.resolve(schema)
        names, others = dict(schema.get("properties", {})), schema.get("additionalProperties")
        for part in schema.get("allOf", []):
            more, open_ = self.members(part)
            names.update(more)
            others = open_ if others is None else others
        return names, others

    def errors(self, value, schema, at="answer"):
        """What is wrong with `value`, in words; empty: nothing."""
        schema = self.resolve(schema)
        if "oneOf" in schema:
            found = [self.errors(value, one, at) for one in schema["oneOf"]]
            return [] if sum(not errors for errors in found) == 1 else [f"{at}: fits none of several: {found}"]
        errors = []
        if "enum" in schema and value not in schema["enum"]:
            errors.append(f"{at}: {value!r} is none of {schema['enum']}")
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds and not any(is_of(value, kind) for kind in kinds):
            return errors + [f"{at}: {value!r} is no {' or '.join(kinds)}"]
        if isinstance(value, list) and "items" in schema:
            for i, item in enumerate(value):
                errors += self.errors(item, schema["items"], f"{at}[{i}]")
        if isinstance(value, dict) and (kinds or "allOf" in schema):
            errors += self.required(value, schema, at)
            names, others = self.members(schema)
            for name, member in value.items():
                if name in names:
                    errors += self.errors(member, names[name], f"{at}.{name}")
                elif isinstance(others, dict):
                    errors += self.errors(member, others, f"{at}.{name}")
                elif not others:
                    errors.append(f"{at}.{name}: the document does not know it")
        return errors

    def required(self, value, schema, at):
        schema = self.resolve(schema)
        errors = [f"{at}.{name} is missing" for name in schema.get("required", []) if name not in value]
        return errors + [error for part in schema.get("allOf", []) for error in self.required(value, part, at)]
