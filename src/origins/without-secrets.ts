/**
 * Redacts secrets in the texts of a source. An origin's errors, findings and stderr may quote a secret that it was sent, and they end up
 * in logs, reports and on terminals. The origin publishes its entries and bytes itself, so these stay unchanged.
 *
 * A shortened text may end or begin inside a secret, so the halves next to a cut are redacted too.
 */
import { limits } from '../limits.ts';
import type { Finding } from '../skill/finding.ts';
import { deriveSource, type RefusedEntry, type SkillSource, type SourcePage } from '../sources/skill-source.ts';

const hidden = '***';
const cut = '...';

export function createRedaction(secrets: readonly string[]): (text: string) => string {
  // Longest first: one secret may contain another.
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

/** A header or a variable may have words around the secret, and an origin may quote the secret alone. */
function partsOf(value: string): readonly string[] {
  const words = value.split(/[\s,;=]+/).filter((word) => word.length >= 2 * limits.messages.secretCharacters);
  return value.length < limits.messages.secretCharacters ? words : [value, ...words];
}

/** @param secrets those at the moment: tokens are renewed while a source is open */
export function withoutSecrets(source: SkillSource, secrets: () => readonly string[]): SkillSource {
  let known: readonly string[] = [];
  let redact = createRedaction(known);
  const clean = (text: string): string => {
    const now = secrets();
    if (now.length !== known.length || now.some((secret, index) => secret !== known[index])) {
      known = [...now];
      redact = createRedaction(now);
    }
    return redact(text);
  };

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
      refused,
    };
  }

  function redacted<Arguments extends unknown[], Result>(
    call: (...args: Arguments) => Promise<Result>,
  ): (...args: Arguments) => Promise<Result> {
    return async (...args) => {
      try {
        return await call(...args);
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
    get: redacted((uri, context) => source.get(uri, context)),
    open: redacted((uri, context) => source.open(uri, context)),
    readDirectory: { map: redacted },
    templates: { map: redacted },
    search: { map: redacted },
    readResource: { map: redacted },
    status: { map: redacted },
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
