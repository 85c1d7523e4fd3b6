// Reads one request as JSON from standard input and answers with a JSON list:
//   {"tokenizer": FILE, "texts": [...]}        the ids of each text, without added tokens
//   {"template": FILE, "variables": [{...}]}   each rendering, or {"error": text}
import { createRequire } from "node:module";
import fs from "node:fs";

const require = createRequire(process.argv[2] + "/");
const request = JSON.parse(fs.readFileSync(0, "utf8"));
const answers = [];
if (request.tokenizer) {
  const { Tokenizer } = require("@huggingface/tokenizers");
  const tokenizer = new Tokenizer(JSON.parse(fs.readFileSync(request.tokenizer, "utf8")), {});
  for (const text of request.texts) answers.push(tokenizer.encode(text, { add_special_tokens: false }).ids);
} else {
  const { Template } = require("@huggingface/jinja");
  const template = new Template(fs.readFileSync(request.template, "utf8"));
  for (const variables of request.variables) {
    try {
      answers.push(template.render(variables));
    } catch (error) {
      answers.push({ error: String(error.message) });
    }
  }
}
process.stdout.write(JSON.stringify(answers));
