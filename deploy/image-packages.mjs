// Prints the optional packages that belong into the image, as NAME@VERSION of the lock file: all optional peers that a server can load.
import { readFileSync } from 'node:fs';

/** Only for programs that import `skillwire/mcp-v1`. */
const forLibraries = ['@modelcontextprotocol/sdk'];

const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const { peerDependencies } = read('package.json');
const { packages } = read('package-lock.json');
const wanted = Object.keys(peerDependencies).filter((name) => !forLibraries.includes(name));
console.log(wanted.map((name) => `${name}@${packages[`node_modules/${name}`].version}`).join(' '));
