// The simple tree, for comparison: N skills x 5 files x 4 KB, only name and description, every fourth skill under a two-level prefix.

const fileBytes = 4096;
const line = 'Look at the figures of the quarter first, then write down what changed and why.\n';

/** Text that fills a file; `seed` makes its bytes differ from those of every other file. @param {string} seed */
function text(seed) {
  return Buffer.from(`${seed}\n${line.repeat(Math.ceil(fileBytes / line.length))}`.slice(0, fileBytes));
}

/** @param {number} index */
function bytes(index) {
  const data = Buffer.alloc(fileBytes, 0xa7);
  data.writeUInt32LE(index);
  return data;
}

/** @param {number} index @returns {import('./tree.mjs').TreeSkill} */
export function simpleSkill(index) {
  const name = `skill-${String(index).padStart(6, '0')}`;
  const folder = index % 4 === 0 ? `team-${index % 16}/area-${index % 32}/${name}` : name;
  const head = `---\nname: ${name}\ndescription: Number ${index}. Use when the report of a quarter is asked for.\n---\n`;
  return {
    folder,
    files: [
      { path: 'SKILL.md', bytes: Buffer.concat([Buffer.from(head), text(`# Report ${index}`)]).subarray(0, fileBytes) },
      { path: 'references/guide.md', bytes: text(`# Guide ${index}`) },
      { path: 'references/terms.md', bytes: text(`# Terms ${index}`) },
      { path: 'scripts/run.sh', bytes: text(`#!/bin/sh\n# ${index}`) },
      { path: 'assets/data.bin', bytes: bytes(index) },
    ],
  };
}
