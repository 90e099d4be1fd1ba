/**
 * Kept listings in the store: the entries as blobs, in pieces, and a value under `['listing', scope, label]` in the state that names
 * these, so that they are pinned and all of them count or none. A scope is one configuration: several gateways may share a state.
 *
 * A listing belongs to one upstream. How that is reached, and with which credentials, is known by a salted slow hash alone; where it
 * is another one, the listing is not used and dropped. What cannot be read or has been damaged is an error, and dropped as well.
 */
import { z } from 'zod';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { isDigest, sha256Digest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import { decodeUtf8 } from '../skill/media-type.ts';
import type { StateEntry, Store } from '../store/store.ts';
import type { KeptListing, KeptSkill, ListingKeeper } from './kept-listing.ts';

/** What makes an upstream another one if it changes. */
export interface KeptUpstream {
  readonly label: string;
  /** Its address and everything else that says who is asked and in which way. */
  readonly address: string;
  /** Values that must not be found out. */
  readonly secrets: readonly string[];
}

/** The listings of one gateway. */
export interface KeptListings {
  of(upstream: KeptUpstream): ListingKeeper;
  /** Drops the listings of all other upstreams of this gateway, and of other gateways those whose time is over. */
  retain(labels: readonly string[]): Promise<void>;
}

type Doors = Pick<Store, 'state' | 'blobs'>;

const key = 'listing';
const digest = z.string().refine(isDigest);

const record = z.strictObject({
  version: z.literal(1),
  salt: z.string().regex(/^[0-9a-f]{32}$/),
  identity: z.string().regex(/^[0-9a-f]{64}$/),
  pieces: z.array(digest).min(1),
  dialect: z.string().optional(),
  listedAt: z.number().int().nonnegative(),
  staleAt: z.number().int().nonnegative().optional(),
  until: z.number().int().nonnegative(),
});

type Stored = z.infer<typeof record>;

const file = z.object({ uri: z.string(), digest, size: z.number().int().nonnegative() });
const keptSkill = z.object({
  since: z.iso.datetime(),
  skill: z.looseObject({
    entry: z.looseObject({
      uri: z.string(),
      frontmatter: z.looseObject({ name: z.string(), description: z.string() }),
      resources: z.union([z.literal('dynamic'), z.array(z.looseObject(file.shape))]),
    }),
    listed: z.boolean(),
    ttlMs: z.number().nonnegative().optional(),
    cacheScope: z.enum(['public', 'private']).optional(),
  }),
});

/** @param scope names the gateway among those that share the state; it is not shown to anybody */
export function listingsInStore({ state, blobs }: Doors, scope: string, now: () => number = Date.now): KeptListings {
  return {
    of(upstream) {
      const { label } = upstream;
      const at = [key, scope, label] as const;
      let mine: Identity | undefined;

      async function own(): Promise<Identity> {
        const salt = toHex(crypto.getRandomValues(new Uint8Array(16)));
        mine ??= { salt, identity: await identityOf(upstream, salt) };
        return mine;
      }

      return {
        async load() {
          const value = await state.get(at);
          if (value === undefined) return undefined;
          const stored = storedListing(value);
          if (stored === undefined) throw unusable(label, 'it cannot be understood');
          const { salt, identity, pieces, dialect, listedAt, staleAt, until } = stored;
          if ((await identityOf(upstream, salt)) !== identity) {
            await state.delete(at);
            return undefined;
          }
          mine = { salt, identity };
          const skills: KeptSkill[] = [];
          for (const piece of pieces) {
            const bytes = await blobs.get(piece);
            if (bytes === undefined) throw unusable(label, 'a part of it is lost or was damaged');
            skills.push(...skillsOf(bytes, label));
          }
          return { skills, listedAt, until, dialect, staleAt };
        },
        async save({ skills, dialect, listedAt, staleAt, until }) {
          const pieces: string[] = [];
          for (const piece of piecesOf(skills, label)) {
            const name = await sha256Digest(piece);
            await blobs.put(name, piece);
            pieces.push(name);
          }
          const value = recordOf(await own(), pieces, { dialect, listedAt, until, staleAt });
          await state.set(at, value);
        },
        async note({ listedAt, staleAt, until }) {
          const { identity } = await own();
          await state.transact((view) => {
            const stored = storedListing(view.get(at));
            if (stored === undefined || stored.identity !== identity) return { writes: [], result: undefined };
            const { salt, pieces, dialect } = stored;
            const value = recordOf({ salt, identity }, pieces, { dialect, listedAt, until, staleAt });
            return { writes: [{ key: at, value }], result: undefined };
          });
        },
        async drop() {
          await state.delete(at);
        },
      };
    },
    async retain(labels) {
      const known = new Set(labels);
      const over = ({ key: [, owner, label = ''], value }: StateEntry): boolean =>
        owner === scope ? !known.has(label) : (storedListing(value)?.until ?? 0) <= now();
      if (!(await state.entries([key])).some(over)) return;
      await state.transact((view) => ({
        writes: view
          .entries([key])
          .filter(over)
          .map((entry) => ({ key: entry.key, value: undefined })),
        result: undefined,
      }));
    },
  };
}

/** The skills of every stored listing, by label. Listings that cannot be read are left out: their gateway reports them. */
export async function storedSkills({ state, blobs }: Doors): Promise<readonly (KeptSkill & { label: string })[]> {
  const found: (KeptSkill & { label: string })[] = [];
  for (const { key: at, value } of await state.entries([key])) {
    const label = at[2] ?? '';
    for (const piece of storedListing(value)?.pieces ?? []) {
      const bytes = await blobs.get(piece);
      const skills = bytes === undefined ? undefined : parsedSkills(bytes);
      for (const skill of skills ?? []) found.push({ ...skill, label });
    }
  }
  return found;
}

interface Identity {
  readonly salt: string;
  readonly identity: string;
}

interface Facts extends Pick<Stored, 'listedAt' | 'until'> {
  readonly dialect: string | undefined;
  readonly staleAt: number | undefined;
}

function recordOf(upstream: Identity, pieces: readonly string[], facts: Facts): JsonValue {
  const { dialect, listedAt, until, staleAt } = facts;
  return {
    version: 1,
    ...upstream,
    pieces,
    listedAt,
    until,
    ...(dialect === undefined ? {} : { dialect }),
    ...(staleAt === undefined ? {} : { staleAt }),
  };
}

function storedListing(value: JsonValue | undefined): Stored | undefined {
  const read = record.safeParse(value);
  return read.success ? read.data : undefined;
}

function skillsOf(bytes: Uint8Array, label: string): readonly KeptSkill[] {
  const skills = parsedSkills(bytes);
  if (skills === undefined) throw unusable(label, 'it is no JSON, or has another shape');
  return skills;
}

/** Undefined if it is no listing. */
function parsedSkills(bytes: Uint8Array): readonly KeptSkill[] | undefined {
  const text = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  // The value itself: fields of a frontmatter stay in their order.
  return z.array(keptSkill).safeParse(value).success ? (value as readonly KeptSkill[]) : undefined;
}

/** JSON lists that are each within the size of a piece, where not one skill alone is larger. */
function* piecesOf(skills: KeptListing['skills'], label: string): Generator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let texts: string[] = [];
  let length = 0;
  let whole = 0;
  for (const { skill, since } of skills) {
    // Whether files are at hand is not known of a later start.
    const { atHand: _, ...kept } = skill;
    const text = JSON.stringify({ skill: kept, since });
    whole += text.length;
    if (whole > limits.gateway.storedListingBytes)
      throw new SkillwireError(
        'LIMIT_EXCEEDED',
        `the listing of ${quoteText(label)} is not kept for the next start: it has more than ${limits.gateway.storedListingBytes} bytes`,
        { data: { label } },
      );
    if (length > 0 && length + text.length > limits.gateway.storedPieceBytes) {
      yield encoder.encode(`[${texts.join(',')}]`);
      texts = [];
      length = 0;
    }
    texts.push(text);
    length += text.length + 1;
  }
  yield encoder.encode(`[${texts.join(',')}]`);
}

async function identityOf({ label, address, secrets }: KeptUpstream, salt: string): Promise<string> {
  const encoder = new TextEncoder();
  const text = encoder.encode(JSON.stringify([label, address, secrets]));
  const material = await crypto.subtle.importKey('raw', text, 'PBKDF2', false, ['deriveBits']);
  const iterations = secrets.length === 0 ? 1 : limits.gateway.identityRounds;
  const way = { name: 'PBKDF2', hash: 'SHA-256', salt: encoder.encode(salt), iterations };
  return toHex(new Uint8Array(await crypto.subtle.deriveBits(way, material, 256)));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function unusable(label: string, why: string): SkillwireError {
  return new SkillwireError(
    'STATE_UNUSABLE',
    `the kept listing of ${quoteText(label)} cannot be used: ${why}; it is dropped, and the origin is asked`,
    { data: { label } },
  );
}
