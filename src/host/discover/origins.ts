/**
 * The origins of a host by label. The label is the only name of an origin; what a server calls itself is ignored
 * (SEP-2640: H-52). Every call to an origin goes through `call()`, which always ends.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { flag, text, type ValueCheck } from '../../skill/checked-options.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import { type SkillSource, type SourceContext, skillSource } from '../../sources/skill-source.ts';
import { callOrigin } from './call-origin.ts';

/** A source of skills, under a label that the host chooses. */
export interface HostOrigin {
  readonly label: string;
  readonly source: SkillSource;
  /** A folder of this machine's user. Everything else is remote, and its skills are untrusted input. */
  readonly local: boolean;
}

export const hostOrigin: ValueCheck<HostOrigin> = {
  wanted: 'an object with "label", "source" and "local"',
  accepts: (value) =>
    isJsonObject(value) &&
    text.accepts(value['label']) &&
    skillSource.accepts(value['source']) &&
    flag.accepts(value['local']),
};

export interface OriginCallOptions {
  /** For messages: `list its skills`. */
  readonly action: string;
  readonly signal?: AbortSignal | undefined;
  readonly fresh?: boolean;
  readonly maxBytes?: number;
}

export function createOrigins(timeoutMs: number = limits.host.callMs) {
  const byLabel = new Map<string, HostOrigin>();

  return {
    all: (): readonly HostOrigin[] => [...byLabel.values()],
    get: (label: string): HostOrigin | undefined => byLabel.get(label),
    /** @throws SkillwireError USAGE */
    add(origin: HostOrigin): void {
      const { label } = origin;
      if (label === '' || label.length > limits.uri.characters)
        throw new SkillwireError('USAGE', 'Cannot add an origin: its label is empty or too long. Choose a short name.');
      if (byLabel.has(label))
        throw new SkillwireError(
          'USAGE',
          `Cannot add an origin: the label ${quoteText(label)} is taken. Choose another one.`,
          { data: { label } },
        );
      byLabel.set(label, origin);
    },
    /** @throws SkillwireError USAGE if no origin has the label */
    require(label: string): HostOrigin {
      const origin = byLabel.get(label);
      if (origin !== undefined) return origin;
      const known = [...byLabel.keys()].map((name) => quoteText(name)).join(', ');
      const message = `No origin has the label ${quoteText(label)}. Known labels: ${known === '' ? 'none' : known}.`;
      throw new SkillwireError('USAGE', message, { data: { label } });
    },
    /** True while this same origin has the label. */
    isCurrent: (origin: HostOrigin): boolean => byLabel.get(origin.label) === origin,
    remove(label: string): HostOrigin | undefined {
      const origin = byLabel.get(label);
      byLabel.delete(label);
      return origin;
    },
    call<T>(
      { label }: HostOrigin,
      { action, signal, fresh, maxBytes }: OriginCallOptions,
      run: (context: SourceContext) => Promise<T>,
    ): Promise<T> {
      return callOrigin({ action, label, timeoutMs, signal }, (own) => run({ signal: own, fresh, maxBytes }));
    },
  };
}

export type Origins = ReturnType<typeof createOrigins>;
