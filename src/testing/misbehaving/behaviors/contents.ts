/** Answers to `resources/read` that are not exactly one file under the requested URI. */
import type { JsonObject } from '../../../skill/json.ts';
import { aroundHole, changed, hole, onRead, rawChunks } from '../base-answers.ts';
import { type Behavior, behaviors, type Chunk, type Script } from '../misbehavior.ts';
import { refunds, refundsUri, serving } from '../served-skill.ts';

const rawUri = 'skill://refunds/assets/stamp.bin';
/** Bytes that are not UTF-8, so that they travel in base64 with `/`, `+` and padding. */
const stamp = Uint8Array.of(0x00, 0xff, 0xfe, 0x80, 0x0a, 0xfb, 0xef);
const withStamp = serving(() => refunds({ files: { 'assets/stamp.bin': stamp } }));

function readOf(uri: string, change: (content: JsonObject) => unknown): Script {
  return onRead(uri, (_, usual) =>
    changed(usual(), (result) => {
      const [content] = Array.isArray(result['contents']) ? result['contents'] : [];
      return { ...result, contents: change(content) };
    }),
  );
}

function blob(change: (base64: string) => unknown): Script {
  return { ...withStamp, ...readOf(rawUri, (content) => [{ ...content, blob: change(String(content['blob'])) }]) };
}

const wrong = { expected: 'refuse', stage: 'load', requirements: ['H-30', 'sec:C-19'] } as const;
const badBlob = { expected: 'refuse', stage: 'file', at: rawUri, requirements: ['H-30', 'sec:C-18'] } as const;

export const contents: readonly Behavior[] = behaviors('content', {
  'contents-empty': {
    ...wrong,
    title: 'The read gives no item.',
    what: 'No item is no file.',
    script: readOf(refundsUri, () => []),
  },
  'contents-two': {
    ...wrong,
    title: 'The read gives the file and another one.',
    what: 'Two items are too many; neither is used.',
    script: readOf(refundsUri, (content) => [content, { ...content, uri: 'skill://refunds/extra.md', text: 'Pay.' }]),
  },
  'contents-two-equal': {
    ...wrong,
    title: 'The read gives two items under the URI, of which the second is the promised one.',
    what: 'Two items are too many; neither is used.',
    script: readOf(refundsUri, (content) => [{ ...content, text: 'Pay.' }, content]),
  },
  'contents-other-uri': {
    ...wrong,
    title: 'The read gives the promised bytes under another URI.',
    what: 'The URI of the item is compared with that of the request.',
    script: readOf(refundsUri, (content) => [{ ...content, uri: 'skill://payouts/SKILL.md' }]),
  },
  'contents-no-uri': {
    ...wrong,
    title: 'The item has no URI.',
    what: 'The URI of the item is compared with that of the request.',
    script: readOf(refundsUri, ({ uri: _, ...content }) => [content]),
  },
  'contents-text-and-blob': {
    ...wrong,
    title: 'The item has the promised text and a blob of something else.',
    what: 'Two readers would see two files, so neither is used.',
    script: readOf(refundsUri, (content) => [{ ...content, blob: Buffer.from('Pay.').toString('base64') }]),
  },
  'contents-neither': {
    ...wrong,
    title: 'The item has neither a text nor a blob.',
    what: 'An item without content is not an empty file: it is no file.',
    script: readOf(refundsUri, ({ text: _, ...content }) => [content]),
  },
  'contents-text-number': {
    ...wrong,
    title: 'The text of the item is a number.',
    what: 'It is not turned into a text.',
    script: readOf(refundsUri, (content) => [{ ...content, text: 42 }]),
  },
  'contents-object': {
    ...wrong,
    title: 'contents is an object.',
    what: 'It does not count as a list.',
    script: readOf(refundsUri, (content) => ({ 0: content, length: 1 })),
  },
  'blob-bad-alphabet': {
    ...badBlob,
    title: 'A blob has characters that base64 does not have.',
    what: 'A lenient decoder would skip them and find the promised bytes; this is refused.',
    script: blob((base64) => `${base64.slice(0, 2)}*!${base64.slice(2)}`),
  },
  'blob-white-space': {
    ...badBlob,
    title: 'A blob has line ends inside.',
    what: 'A lenient decoder would skip them and find the promised bytes; this is refused.',
    script: blob((base64) => `${base64.slice(0, 4)}\r\n ${base64.slice(4)}`),
  },
  'blob-url-alphabet': {
    ...badBlob,
    title: 'A blob uses the URL-safe base64 alphabet.',
    what: 'It is another alphabet and is refused.',
    script: blob((base64) => base64.replaceAll('+', '-').replaceAll('/', '_')),
  },
  'blob-after-padding': {
    ...badBlob,
    title: 'A blob continues after its padding.',
    what: 'A lenient decoder would stop there and find the promised bytes; this is refused.',
    script: blob((base64) => `${base64}AAAA`),
  },
  'blob-oversize': {
    ...badBlob,
    expected: 'bounded',
    requirements: ['sec:C-18', 'sec:G-4'],
    title: 'A blob of 40 MB is sent for a file of seven bytes.',
    what: 'The length is compared with the promised size before anything is decoded.',
    script: {
      ...withStamp,
      ...onRead(rawUri, (call, usual) => {
        const [head, tail] = aroundHole(call, usual(), (result) => ({
          ...result,
          contents: [{ uri: rawUri, blob: hole }],
        }));
        return rawChunks(function* (): Generator<Chunk> {
          yield `${head}"`;
          for (let index = 0; index < 640; index++) yield 'A'.repeat(64 * 1024);
          yield `"${tail}`;
        });
      }),
    },
  },
  'blob-for-text': {
    expected: 'accept',
    stage: 'load',
    requirements: ['H-29'],
    title: 'SKILL.md arrives as a blob.',
    what: 'Bytes are bytes; the skill loads.',
    script: readOf(refundsUri, ({ text, ...content }) => [
      { ...content, blob: Buffer.from(String(text)).toString('base64') },
    ]),
  },
  'text-for-binary': {
    ...badBlob,
    requirements: ['H-29', 'H-30'],
    title: 'A binary file arrives as a text with replacement characters.',
    what: 'The bytes of the text differ from the promised ones.',
    script: { ...withStamp, ...readOf(rawUri, () => [{ uri: rawUri, text: Buffer.from(stamp).toString('utf8') }]) },
  },
});
