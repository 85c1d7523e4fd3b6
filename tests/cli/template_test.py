"""`ferry template`: a conversation as a model reads it, from folders, files and Ferry's own format; tools, variables, bad input."""
import json
import pathlib
import tempfile
import unittest

import fixture
import language

CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi \u00e9"}]


class TemplateTest(fixture.CliTest):
    def setUp(self):
        super().setUp()
        self.scratch = tempfile.TemporaryDirectory(prefix="ferry-template-")
        self.addCleanup(self.scratch.cleanup)
        self.place = pathlib.Path(self.scratch.name)
        self.chat = self.write("chat.json", json.dumps(CHAT))

    def write(self, name, text):
        (self.place / name).write_text(text)
        return self.place / name

    def text(self, *arguments):
        """What `ferry template` prints, with --json as without."""
        printed = self.ferry("template", *arguments)
        self.assertEqual(printed.status, 0, printed.err)
        self.assertEqual(self.good("template", *arguments), {"text": printed.out})
        return printed.out

    def test_a_folder_and_a_model_file_say_the_same(self):
        tiny = language.write_tiny(self.place / "tiny")
        text = self.text(tiny, "--messages", self.chat, "--generation-prompt")
        self.assertIn("Be brief.", text)
        self.assertIn("Hi \u00e9", text)
        shorter = self.text(tiny, "--messages", self.chat)
        self.assertTrue(text.startswith(shorter) and text != shorter)
        file = self.place / "tiny.flm"
        self.good("llm", "import", tiny, "-o", file)
        self.assertEqual(self.text(file, "--messages", self.chat, "--generation-prompt"), text)

    def test_variables_and_tools(self):
        template = self.write("t.jinja", "{{ bos_token }}{% for t in tools %}{{ t | tojson }}{% endfor %}{{ messages | length }}")
        tools = self.write("tools.json", '[{"type": "function", "b": 1, "a": {"z": 1, "y": 2}}]')
        config = {"bos_token": {"content": "<s>"}, "chat_template": template.read_text()}
        self.write("tokenizer_config.json", json.dumps(config))
        # An object keeps the order of its members.
        wanted = '<s>{"type": "function", "b": 1, "a": {"z": 1, "y": 2}}2'
        self.assertEqual(self.text(self.place, "--messages", self.chat, "--tools", tools), wanted)
        wrapped = self.write("wrapped.json", json.dumps({"messages": CHAT}))
        self.assertEqual(self.text(self.place, "--messages", wrapped, "--tools", tools), wanted)
        more = self.write("more.json", '{"bos_token": "<b>"}')
        self.assertEqual(self.text(template, "--messages", self.chat, "--variables", more), "<b>2")

    def test_named_templates(self):
        self.write("tokenizer_config.json", json.dumps({"chat_template": [
            {"name": "default", "template": "one"}, {"name": "tool_use", "template": "two"}]}))
        self.assertEqual(self.text(self.place, "--messages", self.chat), "one")
        self.assertEqual(self.text(self.place, "--messages", self.chat, "--name", "tool_use"), "two")
        self.assertIn("no entry", self.bad("failed_precondition", "template", self.place, "--messages", self.chat, "--name", "rag"))

    def test_bad_input(self):
        empty = self.place / "empty"
        empty.mkdir()
        self.assertIn("no chat template", self.bad("failed_precondition", "template", empty, "--messages", self.chat))
        template = self.write("t.jinja", "{{ raise_exception('roles must alternate') }}")
        self.assertIn("roles must alternate", self.bad("invalid_argument", "template", template, "--messages", self.chat))
        self.assertIn("a message is an object", self.bad("malformed", "template", template, "--messages", self.write("m.json", "[1]")))
        self.assertIn("role", self.bad("malformed", "template", template, "--messages", self.write("m.json", "[{}]")))
        self.assertIn("malformed", self.bad("malformed", "template", template, "--messages", self.write("m.json", "{")))
        self.assertIn("messages", self.bad("malformed", "template", template, "--messages", self.write("m.json", "{}")))


if __name__ == "__main__":
    unittest.main()
