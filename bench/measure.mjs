// One group of rows in a process of its own: `node measure.mjs GROUP FILE [--quick]` writes its rows as JSON.
import { writeFileSync } from 'node:fs';

const [, , group = '', file = '', mode] = process.argv;
const quick = mode === '--quick';
const { default: measure } = await import(`./rows/${group}.mjs`);
writeFileSync(file, JSON.stringify(await measure({ quick, count: quick ? 200 : 10_000 })));
// Processes that a row leaves behind must not keep this one alive.
process.exit(0);
