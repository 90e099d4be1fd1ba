/** Honest skills at and above the limits that clients must accept: 512 files and 16 MiB (SEP-2640). */
import { type Behavior, behaviors } from '../misbehavior.ts';
import { bytesOf, type ServedSkill, type SkillDraft, serveSkill, serving, skillMdText } from '../served-skill.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const filesAllowed = 512;
const bytesAllowed = 16 * MiB;

/** `count` files of `size` bytes; no two are alike. */
function filler(count: number, size: number): Readonly<Record<string, Uint8Array>> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`assets/part-${index}.txt`, filled(`part ${index}\n`, size)]),
  );
}

function filled(head: string, size: number): Uint8Array {
  const bytes = Buffer.alloc(size, 'all work and no refunds\n');
  bytes.write(head);
  return bytes;
}

function skill(files: SkillDraft['files'] = {}, skillMdSize = 0): ServedSkill {
  const text = skillMdText({ name: 'refunds', description: 'Decides refunds.' }, '\n# Refunds\n\n');
  return serveSkill({
    path: 'refunds',
    description: 'Decides refunds.',
    skillMd: skillMdSize === 0 ? text : filled(text, skillMdSize),
    files,
  });
}

export const entrySizes: readonly Behavior[] = behaviors('entry', {
  'limits-exact': {
    title: 'The skill has 512 files and 16 MiB, exactly as much as is allowed.',
    expected: 'accept',
    stage: 'load',
    requirements: ['H-19'],
    what: 'It loads, and so does each of its files.',
    script: serving(() => skill(filler(filesAllowed - 1, bytesAllowed / filesAllowed), bytesAllowed / filesAllowed)),
  },
  'files-513': {
    title: 'The skill has one file more than is allowed.',
    expected: 'refuse',
    stage: 'list',
    requirements: ['H-19', 'H-20'],
    what: 'A client that declines it decides from the entry alone and reads nothing.',
    script: serving(() => skill(filler(filesAllowed, 8))),
  },
  'bytes-17-mib': {
    title: 'The skill has 17 MiB in 17 files.',
    expected: 'refuse',
    stage: 'list',
    requirements: ['H-19', 'H-20', 'sec:G-4'],
    what: 'A client that declines it decides from the entry alone and reads nothing.',
    script: serving(() => skill(filler(17, MiB))),
  },
  'skill-md-16-mib': {
    title: 'SKILL.md alone has 16 MiB.',
    expected: 'refuse',
    stage: 'load',
    requirements: ['H-20', 'sec:G-4', 'adv-oversized-payload'],
    what: 'It is within the limits of a skill but too long for any model; it is not put into a context.',
    script: serving(() => skill({}, bytesAllowed)),
  },
  'file-8-mib-binary': {
    title: 'A binary file of 8 MiB, which is more than 10 MiB in base64.',
    expected: 'accept',
    stage: 'file',
    at: 'skill://refunds/assets/large.bin',
    requirements: ['H-19'],
    what: 'It arrives, over stdio too, where official clients close at a line of 10 MiB unless told otherwise.',
    script: serving(() => skill({ 'assets/large.bin': Buffer.alloc(8 * MiB, 0xff) })),
  },
  'many-large-skills': {
    title: 'Fourteen skills of almost 16 MiB each, 210 MiB together.',
    expected: 'bounded',
    stage: 'load',
    requirements: ['sec:C-15', 'sec:C-17'],
    what: 'Reading them all ends at the limit of the origin, and nothing is read before it is needed.',
    target: 'skill://archive-0/SKILL.md',
    script: serving(() => {
      const ballast = Buffer.alloc(15 * MiB, 'all work and no refunds\n');
      return Array.from({ length: 14 }, (_, index) =>
        serveSkill({ path: `archive-${index}`, files: { 'assets/orders.csv': ballast } }),
      );
    }),
  },
  'walk-27-mib': {
    title: 'A dynamic skill has 27 MiB of files, found only by walking its folders.',
    expected: 'bounded',
    stage: 'directory',
    at: 'skill://refunds',
    requirements: ['H-21', 'sec:C-17', 'adv-walk-budget'],
    what: 'The bytes of all files count together, and the walk ends at the limit.',
    script: serving(() => {
      const files = Object.fromEntries(
        Array.from({ length: 27 }, (_, index) => [`depth/${'more/'.repeat(index)}part.txt`, filled(`${index}\n`, MiB)]),
      );
      return serveSkill({ path: 'refunds', files }, (entry) => ({ ...entry, resources: 'dynamic' }));
    }),
  },
  'file-empty': {
    title: 'A file has no bytes, and the entry says so.',
    expected: 'accept',
    stage: 'file',
    at: 'skill://refunds/assets/empty.txt',
    requirements: ['H-29'],
    what: 'An empty file is valid content: it is verified and served.',
    script: serving(() => skill({ 'assets/empty.txt': bytesOf('') })),
  },
});
