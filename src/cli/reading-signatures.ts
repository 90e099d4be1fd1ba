/**
 * The signature rules of a reader: those of the user's own configuration, always, and those of the configuration in force. A file that came
 * with a folder cannot weaken the first.
 */
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { createSignatureGate, type SignatureGate, type SignatureLayer } from '../host/approve/signature-gate.ts';
import {
  type FoundConfiguration,
  findConfiguration,
  judgedConfiguration,
  usersConfiguration,
} from '../node/find-configuration.ts';
import { shownPath } from '../node/shown-path.ts';
import { createSignatureRules } from '../policy/signature-rules.ts';
import type { SignatureBook } from '../signing/signature-book.ts';
import type { TrustedSigner } from '../signing/signer.ts';
import { displayText, quoteText } from '../skill/display-text.ts';
import { seenSignatures } from '../store/decisions/seen-signatures.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import type { Store } from '../store/store.ts';
import { type Cli, usageError } from './cli.ts';
import type { ConnectionOptions } from './options/connection-options.ts';

/** The user's gate, and gates of single signers. */
export interface ReadingSignatures extends SignatureGate {
  /** Judges by one signer and no rules. @throws SkillwireError USAGE if no configuration names it */
  by(name: string): Promise<SignatureGate>;
}

interface NamedLayer extends SignatureLayer {
  readonly names: readonly string[];
  only(name: string): SignatureLayer;
}

/** Reads the files on first use, so commands without signatures do not pay for them. */
export function readingSignatures(options: ConnectionOptions, cli: Cli, store: Store): ReadingSignatures {
  let opening: Promise<readonly NamedLayer[]> | undefined;
  let gate: SignatureGate | undefined;
  const layers = (): Promise<readonly NamedLayer[]> => {
    opening ??= open(options, cli, store);
    return opening;
  };
  return {
    async judge(skill, read) {
      gate ??= createSignatureGate(await layers());
      return gate.judge(skill, read);
    },
    async by(name) {
      const all = await layers();
      // The user's own file comes first.
      const layer = all.find(({ names }) => names.includes(name));
      if (layer !== undefined) return createSignatureGate([layer.only(name)]);
      const known = [...new Set(all.flatMap(({ names }) => names))].map((one) => displayText(one)).join(', ');
      const remedy = known === '' ? '"signers" in skillwire.json names nobody' : `Known signers: ${known}`;
      throw usageError(`--signer ${quoteText(name)} is neither a file nor a known signer. ${remedy}.`, { name });
    },
  };
}

async function open(options: ConnectionOptions, cli: Cli, store: Store): Promise<readonly NamedLayer[]> {
  const { cwd, env } = cli;
  const place = { cwd, env, home: homedir(), platform: process.platform };
  const found = [await usersConfiguration(place), await findConfiguration(place, options.config)];
  const files = new Map(found.flatMap((one) => (one === undefined ? [] : [[one.file, one] as const])));
  const layers = await Promise.all([...files.values()].map((one) => layerOf(one, options, cli, store)));
  return layers.filter((layer) => layer !== undefined);
}

async function layerOf(
  found: FoundConfiguration,
  options: ConnectionOptions,
  { cwd }: Cli,
  store: Store,
): Promise<NamedLayer | undefined> {
  const { signers = [], policy } = found.configuration;
  const rules = policy?.signatures ?? [];
  if (signers.length + rules.length === 0) return undefined;
  const [{ trustedSigners }, { createSignatureBook }, { readTrustFile }] = await Promise.all([
    import('../gateway/signers-schema.ts'),
    import('../signing/signature-book.ts'),
    import('../node/trust-file.ts'),
  ]);
  const { judged } = await judgedConfiguration(found, store.state, options);
  // A key outside the project that nobody accepted is not read, so its signer satisfies no rule.
  const usable = signers.filter(
    ({ name, key, certificate }) =>
      judged === 'own' || (key ?? certificate) === undefined || judged.standing(`signers.${name}`) !== 'untrusted',
  );
  const trusted = await trustedSigners(usable, (path) => readTrustFile(resolve(dirname(found.file), path), path));
  const seen = seenSignatures(async () => store.state);
  const bookOf = (all: readonly TrustedSigner[]): SignatureBook =>
    createSignatureBook({ signers: all, digest: nodeDigest, seen });
  const file = found.from === 'user' ? undefined : shownPath(cwd, found.file);
  return {
    book: bookOf(trusted),
    rules: createSignatureRules(rules),
    file,
    names: trusted.map(({ name }) => name),
    only: (name) => ({
      book: bookOf(trusted.filter((one) => one.name === name)),
      rules: createSignatureRules([]),
      file,
    }),
  };
}
