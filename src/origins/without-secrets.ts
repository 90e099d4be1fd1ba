/**
 * A source that was given secrets, and does not tell them: whatever the origin words itself (errors, findings, what it wrote before
 * it ended) may quote what it was sent, and ends up in logs, reports and on terminals. Entries and bytes are what the origin
 * publishes, and stay as they are.
 *
 * A text that was cut may end or begin inside a secret, so the halves that touch a cut are taken out too.
 */
import { limits } from '../limits.ts';
import type { Finding } from '../skill/finding.ts';
import { deriveSource, type RefusedEntry, type SkillSource, type SourcePage } from '../sources/skill-source.ts';

const hidden = '***';
const cut = '...';

/** Takes the secrets out of a text. */
export function createRedaction(secrets: readonly string[]): (text: string) => string {
  // Longest first: one may be inside another.
  const whole = [...new Set(secrets.flatMap(partsOf))].sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const secret of whole) {
      clean = clean.replaceAll(secret, hidden);
      if (!clean.includes(cut)) continue;
      for (let length = secret.length - 1; length >= limits.messages.secretCharacters; length--)
        clean = clean
          .replaceAll(`${secret.slice(0, length)}${cut}`, `${hidden}${cut}`)
          .replaceAll(`${cut}${secret.slice(-length)}`, `${cut}${hidden}`);
    }
    return clean;
  };
}

/** A header or a variable may have words around the secret, and only the secret may be quoted. */
function partsOf(value: string): readonly string[] {
  const words = value.split(/[\s,;=]+/).filter((word) => word.length >= 2 * limits.messages.secretCharacters);
  return value.length < limits.messages.secretCharacters ? words : [value, ...words];
}

export function withoutSecrets(source: SkillSource, secrets: readonly string[]): SkillSource {
  if (secrets.length === 0) return source;
  const clean = createRedaction(secrets);

  function cleanError(error: unknown): unknown {
    for (let one: unknown = error; one instanceof Error; one = one.cause) one.message = clean(one.message);
    return error;
  }

  const cleanFinding = (one: Finding): Finding => {
    const message = clean(one.message);
    return message === one.message ? one : { ...one, message };
  };

  function cleanPage(page: SourcePage): SourcePage {
    const refused = page.refused?.map(
      ({ uri, name, faults, ...rest }: RefusedEntry): RefusedEntry => ({
        ...rest,
        uri: uri === undefined ? undefined : clean(uri),
        name: name === undefined ? undefined : clean(name),
        faults: faults.map(clean),
      }),
    );
    return {
      ...page,
      findings: page.findings.map(cleanFinding),
      ...(refused === undefined ? {} : { refused }),
    };
  }

  /** The same call, with errors that tell nothing. */
  function guarded<Arguments extends unknown[], Result>(
    call: (...given: Arguments) => Promise<Result>,
  ): (...given: Arguments) => Promise<Result> {
    return async (...given) => {
      try {
        return await call(...given);
      } catch (error) {
        throw cleanError(error);
      }
    };
  }

  return deriveSource(source, {
    name: 'pass',
    async *list(context) {
      try {
        for await (const page of source.list(context)) yield cleanPage(page);
      } catch (error) {
        throw cleanError(error);
      }
    },
    get: guarded((uri, context) => source.get(uri, context)),
    open: guarded((uri, context) => source.open(uri, context)),
    readDirectory: { map: guarded },
    templates: { map: guarded },
    readResource: { map: guarded },
    status: { map: guarded },
    isCurrent: 'pass',
    freshUntil: 'pass',
    watched: 'pass',
    watch: {
      map: (watch) => (listener) =>
        watch((change) => listener({ ...change, findings: change.findings.map(cleanFinding) })),
    },
    close: 'pass',
  });
}
