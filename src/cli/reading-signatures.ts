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
import { seenSignatures } from '../store/decisions/seen-signatures.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import type { Store } from '../store/store.ts';
import type { Cli } from './cli.ts';
import type { ConnectionOptions } from './options/connection-options.ts';

/** Reads the files on first use, so commands without signatures do not pay for them. */
export function readingSignatures(options: ConnectionOptions, cli: Cli, store: Store): SignatureGate {
  let opening: Promise<SignatureGate> | undefined;
  return {
    async judge(skill, read) {
      opening ??= open(options, cli, store);
      return (await opening).judge(skill, read);
    },
  };
}

async function open(options: ConnectionOptions, cli: Cli, store: Store): Promise<SignatureGate> {
  const { cwd, env } = cli;
  const place = { cwd, env, home: homedir(), platform: process.platform };
  const found = [await usersConfiguration(place), await findConfiguration(place, options.config)];
  const files = new Map(found.flatMap((one) => (one === undefined ? [] : [[one.file, one] as const])));
  const layers = await Promise.all([...files.values()].map((one) => layerOf(one, options, cli, store)));
  return createSignatureGate(layers.filter((layer) => layer !== undefined));
}

async function layerOf(
  found: FoundConfiguration,
  options: ConnectionOptions,
  { cwd }: Cli,
  store: Store,
): Promise<SignatureLayer | undefined> {
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
  return {
    book: createSignatureBook({ signers: trusted, digest: nodeDigest, seen }),
    rules: createSignatureRules(rules),
    file: found.from === 'user' ? undefined : shownPath(cwd, found.file),
  };
}
