// Writes source/api/schema.ts from the server's OpenAPI document, and the check that it is of this document.
// usage: ferry-server openapi | node client.mjs [FILE]
import openapi, {astToString} from 'openapi-typescript';
import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const file = path.resolve(process.argv[2] ?? path.join(path.dirname(fileURLToPath(import.meta.url)), 'source/api/schema.ts'));
let text = '';
for await (const piece of process.stdin) text += piece;
const head = '// Made from the OpenAPI document by client.mjs: change cloud-server/admin/interface/openapi, not this file.\n';
await writeFile(file, head + astToString(await openapi(JSON.parse(text), {alphabetize: true})));
