/** A source whose calls are spans with the label and kind of its origin. Made only if tracing is on. */
import type { InSpan } from '../async/in-span.ts';
import { deriveSource, type SkillSource } from '../sources/skill-source.ts';

export interface TracedOrigin {
  readonly label: string;
  readonly kind: string;
}

export function tracedSource(source: SkillSource, { label, kind }: TracedOrigin, inSpan: InSpan): SkillSource {
  const attributes = { 'skillwire.origin': label, 'skillwire.origin.kind': kind };
  const traced = <Value>(name: string, work: () => Value): Value =>
    inSpan({ name: `origin ${name}`, kind: 'origin', attributes }, work);

  /** One span for each page. */
  async function* pages(...args: Parameters<SkillSource['list']>): ReturnType<SkillSource['list']> {
    const all = source.list(...args)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await traced('list', () => all.next());
        if (done === true) return;
        yield value;
      }
    } finally {
      await all.return?.();
    }
  }

  return deriveSource(source, {
    name: 'pass',
    watched: 'pass',
    watch: 'pass',
    freshUntil: 'pass',
    isCurrent: 'pass',
    close: 'pass',
    list: pages,
    get: (uri, context) => traced('get', () => source.get(uri, context)),
    open: (uri, context) => traced('open', () => source.open(uri, context)),
    readDirectory: { map: (own) => (uri, context) => traced('readDirectory', () => own(uri, context)) },
    templates: { map: (own) => (context) => traced('templates', () => own(context)) },
    search: { map: (own) => (query, limit, context) => traced('search', () => own(query, limit, context)) },
    readResource: { map: (own) => (uri, context) => traced('readResource', () => own(uri, context)) },
    status: { map: (own) => (context) => traced('status', () => own(context)) },
  });
}
