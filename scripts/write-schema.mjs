// Writes schema/skillwire.json from the build and schema/output/*.json from scripts/output-schemas/. With --check nothing is written: the exit
// code is 1 if a file differs, is missing, or has no schema any more.
import { mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { configurationJsonSchema } from '../dist/gateway/configuration.js';

// Node 20 does not load TypeScript. Packages are found from the folder of this file.
const bundle = await rolldown({
  input: fileURLToPath(new URL('output-schemas/output-schemas.ts', import.meta.url)),
  external: /^[^./]/,
  platform: 'node',
});
const compiled = new URL(`output-schemas.${process.pid}.mjs`, import.meta.url);
await bundle.write({ file: fileURLToPath(compiled), format: 'esm' });
const { outputJsonSchemas } = await import(compiled.href).finally(() => unlinkSync(compiled));

const folder = new URL('../schema/', import.meta.url);
mkdirSync(new URL('output/', folder), { recursive: true });
const wanted = new Map([
  ['skillwire.json', configurationJsonSchema()],
  ...Object.entries(outputJsonSchemas()).map(([name, schema]) => [`output/${name}.json`, schema]),
]);
const there = readdirSync(new URL('output/', folder)).map((name) => `output/${name}`);
const differs = there.filter((name) => !wanted.has(name));

for (const [name, schema] of wanted) {
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  const known = name === 'skillwire.json' || there.includes(name);
  if (!known || readFileSync(new URL(name, folder), 'utf8') !== text) {
    differs.push(name);
    if (!process.argv.includes('--check')) writeFileSync(new URL(name, folder), text);
  }
}
if (process.argv.includes('--check')) {
  for (const name of differs) {
    console.error(`schema/${name} is not what the build describes; run: node scripts/write-schema.mjs`);
    process.exitCode = 1;
  }
} else {
  for (const name of differs) if (!wanted.has(name)) unlinkSync(new URL(name, folder));
}
