/** Sends raw requests to a misbehaving server, so that a test sees the exact bytes on the wire. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type MisbehavingHttpServer, misbehavingServer } from '../src/testing/misbehaving/misbehaving-server.ts';
import type { Misbehavior } from '../src/testing/misbehaving/misbehavior.ts';
import { type RawAnswer, type RawCallOptions, rawCall } from './raw-call.ts';

type JsonObject = Readonly<Record<string, unknown>>;

export interface Wire {
  readonly row: Misbehavior;
  readonly server: MisbehavingHttpServer;
  call(method: string, params?: JsonObject, options?: RawCallOptions): Promise<RawAnswer>;
  /** The whole message that answers. */
  message(method: string, params?: JsonObject, options?: RawCallOptions): Promise<JsonObject>;
  result(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Pages of `skills/list`, so many at most. */
  pages(most: number): Promise<readonly JsonObject[]>;
  /** The second entry of the listing, which is the target. */
  listed(): Promise<unknown>;
  /** The entry of the target from `skills/get`. */
  got(): Promise<unknown>;
  /** The one item of a read; of the file that the row names, or else of the target. */
  read(uri?: string): Promise<JsonObject>;
  text(uri?: string): Promise<string>;
  /** Reads and verifies every file of an entry, and returns their texts by URI. */
  verified(entry?: unknown): Promise<Readonly<Record<string, string>>>;
}

export type Check = (wire: Wire) => Promise<void>;

/** One test for each row: it starts the server and runs the check of its id. A row without a check fails. */
export function proves(name: string, rows: readonly Misbehavior[], checks: Readonly<Record<string, Check>>): void {
  describe(name, () => {
    test('has a check for each row and no other', () => {
      expect(Object.keys(checks).sort()).toEqual(rows.map(({ id }) => id).sort());
    });
    test.each(rows.map((row) => [row.id, row.title, row] as const))('%s: %s', async (_, __, row) => {
      const server = await misbehavingServer({ behavior: row.id });
      try {
        await checks[row.id]?.(wireTo(row, server));
      } finally {
        await server.close();
      }
    });
  });
}

export function digestOf(bytes: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function wireTo(row: Misbehavior, server: MisbehavingHttpServer): Wire {
  const wire: Wire = {
    row,
    server,
    call: (method, params, options) => rawCall(server.url, method, params, options),
    async message(method, params, options) {
      const { body } = await wire.call(method, params, { bytes: 64 << 20, ...options });
      return JSON.parse(body.toString('utf8'));
    },
    async result(method, params) {
      const message = await wire.message(method, params);
      expect(message).toHaveProperty('result');
      return Object(message['result']);
    },
    async pages(most) {
      const pages = [await wire.result('skills/list')];
      for (let cursor = pages[0]?.['nextCursor']; cursor !== undefined && pages.length < most; ) {
        const page = await wire.result('skills/list', { cursor });
        pages.push(page);
        cursor = page['nextCursor'];
      }
      return pages;
    },
    async listed() {
      const { skills } = await wire.result('skills/list');
      return Array.isArray(skills) ? skills[1] : undefined;
    },
    got: async () => (await wire.result('skills/get', { uri: row.target }))['skill'],
    async read(uri = row.at ?? row.target) {
      const { contents } = await wire.result('resources/read', { uri });
      expect(contents).toHaveLength(1);
      return Object((contents as unknown[])[0]);
    },
    text: async (uri) => String((await wire.read(uri))['text']),
    async verified(given) {
      const entry = given ?? (await wire.got());
      const texts: Record<string, string> = {};
      for (const { uri, digest, size } of Object(entry).resources) {
        const { text, blob } = await wire.read(uri);
        const bytes = typeof text === 'string' ? Buffer.from(text) : Buffer.from(String(blob), 'base64');
        expect({ uri, digest: digestOf(bytes), size: bytes.length }).toEqual({ uri, digest, size });
        texts[uri] = bytes.toString('utf8');
      }
      return texts;
    },
  };
  return wire;
}
