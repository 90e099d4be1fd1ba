/**
 * Cached listings in the store. The entries are blobs, in pieces. A value under `['listing', scope, label]` in the state names them, so
 * garbage collection spares them, and either all count or none. A scope is one configuration: several gateways may share a state.
 *
 * A listing belongs to one upstream. Its address and credentials are stored only as a salted slow hash. If the upstream is another one, the
 * listing is dropped. A listing that is unreadable or damaged is an error, and is dropped too.
 */
import { z } from 'zod';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { isDigest, sha256Digest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import { decodeUtf8 } from '../skill/media-type.ts';
import type { StateEntry, Store } from '../store/store.ts';
import type { CachedListing, CachedSkill, ListingCache } from './listing-cache.ts';

/** If any of these changes, it is another upstream. */
export interface UpstreamIdentity {
  readonly label: string;
  /** Its address, and everything else that determines how it is reached. */
  readonly address: string;
  /** Must not be recoverable from the state. */
  readonly secrets: readonly string[];
}

/** The listings of one gateway. */
export interface ListingCaches {
  of(upstream: UpstreamIdentity): ListingCache;
  /** Drops the listings of all other upstreams of this gateway, and the expired ones of other gateways. */
  retain(labels: readonly string[]): Promise<void>;
}

type StateAndBlobs = Pick<Store, 'state' | 'blobs'>;
type Doors = StateAndBlobs & Pick<Store, 'members'>;

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
const cachedSkill = z.object({
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

/** @param scope identifies the gateway among those that share the state; it is never shown */
export function listingsInStore(
  { state, blobs, members }: Doors,
  scope: string,
  now: () => number = Date.now,
): ListingCaches {
  return {
    of(upstream) {
      const { label } = upstream;
      const at = [key, scope, label] as const;
      let known: SaltedIdentity | undefined;

      async function own(): Promise<SaltedIdentity> {
        const salt = toHex(crypto.getRandomValues(new Uint8Array(16)));
        known ??= { salt, identity: await identityOf(upstream, salt) };
        return known;
      }

      return {
        async load() {
          const value = await state.get(at);
          if (value === undefined) return undefined;
          const stored = storedListing(value);
          if (stored === undefined) throw unusable(label, 'its record is invalid');
          const { salt, identity, pieces, dialect, listedAt, staleAt, until } = stored;
          if ((await identityOf(upstream, salt)) !== identity) {
            await state.delete(at);
            return undefined;
          }
          known = { salt, identity };
          const skills: CachedSkill[] = [];
          for (const piece of pieces) {
            const bytes = await blobs.get(piece);
            if (bytes === undefined) throw unusable(label, 'a part of it is lost or damaged');
            const parsed = parsedSkills(bytes);
            if (parsed === undefined) throw unusable(label, 'it is not valid JSON of a listing');
            skills.push(...parsed);
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
          await state.set(at, recordOf(await own(), pieces, { dialect, listedAt, until, staleAt }));
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
        leads: () => members.leads(`listings of ${scope}`),
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

/** The skills of every cached listing, with its label. Unreadable listings are skipped: their gateway reports them. */
export async function storedSkills({
  state,
  blobs,
}: StateAndBlobs): Promise<readonly (CachedSkill & { label: string })[]> {
  const found: (CachedSkill & { label: string })[] = [];
  for (const { key: at, value } of await state.entries([key])) {
    const label = at[2] ?? '';
    for (const piece of storedListing(value)?.pieces ?? []) {
      const bytes = await blobs.get(piece);
      const skills = bytes && parsedSkills(bytes);
      for (const skill of skills ?? []) found.push({ ...skill, label });
    }
  }
  return found;
}

interface SaltedIdentity {
  readonly salt: string;
  readonly identity: string;
}

type ListingFacts = Pick<Stored, 'dialect' | 'listedAt' | 'staleAt' | 'until'>;

function recordOf(upstream: SaltedIdentity, pieces: readonly string[], facts: ListingFacts): JsonValue {
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

/** `undefined` if the bytes are not a listing. */
function parsedSkills(bytes: Uint8Array): readonly CachedSkill[] | undefined {
  const text = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  // The unparsed value, so that frontmatter fields keep their order.
  return z.array(cachedSkill).safeParse(value).success ? (value as readonly CachedSkill[]) : undefined;
}

/** Splits the skills into JSON arrays. None exceeds the size of a piece, unless a single skill does. */
function* piecesOf(skills: CachedListing['skills'], label: string): Generator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let texts: string[] = [];
  let length = 0;
  let whole = 0;
  for (const { skill, since } of skills) {
    // A later start cannot know whether files are available.
    const { isLocal: _, ...cached } = skill;
    const text = JSON.stringify({ skill: cached, since });
    whole += text.length;
    if (whole > limits.gateway.storedListingBytes)
      throw new SkillwireError(
        'LIMIT_EXCEEDED',
        `The listing of ${quoteText(label)} is not cached for the next start: it exceeds ${limits.gateway.storedListingBytes} bytes.`,
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

async function identityOf({ label, address, secrets }: UpstreamIdentity, salt: string): Promise<string> {
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
    `The cached listing of ${quoteText(label)} cannot be used: ${why}. It was dropped, and the origin is listed again.`,
    { data: { label } },
  );
}
