import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { letterUri } from '../served-skill.ts';
import { directories } from './directories.ts';

const folder = 'skill://refunds/templates';
const method = 'resources/directory/read';

/** The two real children come first, then the bad one; the skill itself is correct. */
const alsoHas =
  (child: object): Check =>
  async ({ row, result, verified }) => {
    const { resources } = await result(method, { uri: row.at });
    expect(resources).toHaveLength(3);
    expect(resources).toMatchObject([{ uri: letterUri }, { uri: `${folder}/regional` }, child]);
    await verified();
  };

proves('directory reads', directories, {
  'directory-child-outside': alsoHas({ uri: 'skill://release-notes/SKILL.md' }),
  'directory-child-sibling': alsoHas({ uri: 'skill://refunds/templates-old/invoice.md' }),
  'directory-child-scheme': alsoHas({ uri: 'file:///etc/passwd' }),
  'directory-child-dots': alsoHas({ uri: `${folder}/../../payments/secret.md` }),
  'directory-child-encoded-dots': alsoHas({ uri: `${folder}/%2e%2e/%2e%2e/payments/secret.md` }),
  'directory-child-encoded-slash': alsoHas({ uri: `${folder}/..%2f..%2fpayments%2fsecret.md` }),
  'directory-child-deep': alsoHas({ uri: `${folder}/regional/eu.md` }),
  'directory-child-itself': alsoHas({ uri: folder, mimeType: 'inode/directory' }),
  'directory-child-name': alsoHas({ uri: `${folder}/invoice.md`, name: '../../evil' }),
  'directory-child-twice': alsoHas({ uri: letterUri, mimeType: 'inode/directory' }),
  'directory-extra-file': async ({ row, result, listed, got, text }) => {
    const { resources, nextCursor } = await result(method, { uri: row.at });
    expect([resources, nextCursor]).toMatchObject([{ length: 2 }, 'page-2']);
    const rest = await result(method, { uri: row.at, cursor: nextCursor });
    expect(rest).toHaveProperty('resources.0.uri', `${folder}/new.md`);
    expect(await text(`${folder}/new.md`)).toBe('# New\n');
    expect(JSON.stringify(await listed())).not.toContain('new.md');
    expect(JSON.stringify(await got())).toContain('new.md');
  },
  'directory-lacks-file': async ({ row, result, verified }) => {
    const { resources } = await result(method, { uri: row.at });
    expect(resources).toMatchObject([{ uri: `${folder}/regional` }]);
    expect(Object.keys(await verified())).toContain(letterUri);
  },
  'directory-endless': async ({ row, result }) => {
    const seen = new Set<unknown>();
    for (let cursor: unknown, page = 0; page < 70; page++) {
      const answer = await result(method, { uri: row.at, ...(cursor === undefined ? {} : { cursor }) });
      cursor = answer['nextCursor'];
      seen.add(cursor).add(JSON.stringify(answer['resources']));
    }
    expect(seen.size).toBe(140);
  },
  'directory-bottomless': async ({ row, result }) => {
    for (let uri = row.at, depth = 0; depth < 40; depth++) {
      const { resources } = await result(method, { uri });
      expect(resources).toMatchObject([{ uri: `${uri}/more`, mimeType: 'inode/directory' }]);
      uri = `${uri}/more`;
    }
  },
  'directory-huge': async ({ row, result }) => {
    expect((await result(method, { uri: row.at }))['resources']).toHaveLength(200_000);
  },
});
