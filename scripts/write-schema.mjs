// Writes schema/skillwire.json from the build. With --check nothing is written: the exit code is 1 if the file differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { configurationJsonSchema } from '../dist/gateway/configuration.js';

const file = new URL('../schema/skillwire.json', import.meta.url);
const text = `${JSON.stringify(configurationJsonSchema(), null, 2)}\n`;

if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== text) {
    console.error('schema/skillwire.json is not what the build describes; run: node scripts/write-schema.mjs');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, text);
}
