/**
 * Builds a decorator of a port: a source from a source, a catalog from a catalog. It names every member of the port, so
 * a decorator that forgets one does not compile. Optional members are looked up on each use: the result has one exactly
 * while the port behind it has it.
 */

/** The change of one member. */
type Change<Port, Key extends keyof Port> =
  /** Use the port's own. */
  | 'pass'
  /** Use this one, whether or not the port has it. */
  | Copied<Required<Port>[Key]>
  | (Key extends OptionalKey<Port> ? OptionalChange<Required<Port>[Key]> : never);

type OptionalChange<Member> =
  /** The result does not have it. */
  | 'drop'
  /** Build it from the port's own, if it has one. */
  | { readonly map: (own: Member) => Member };

type Copied<Member> = [Member] extends [(...args: never[]) => unknown] ? Member : { readonly get: () => Member };

type OptionalKey<Port> = {
  [Key in keyof Port]-?: Partial<Pick<Port, Key>> extends Pick<Port, Key> ? Key : never;
}[keyof Port];

export type Changes<Port> = { readonly [Key in keyof Port]-?: Change<Port, Key> };

/** @param behind the port, or a function that returns the current one */
export function derive<Port extends object>(behind: () => Port, changes: Changes<Port>): Port {
  const derived = {} as Port;
  for (const key of Reflect.ownKeys(changes) as (keyof Port)[]) {
    const change: unknown = changes[key];
    if (change === 'drop') continue;
    Object.defineProperty(derived, key, { enumerable: true, ...descriptor(behind, key, change) });
  }
  return derived;
}

function descriptor<Port>(behind: () => Port, key: keyof Port, change: unknown): PropertyDescriptor {
  if (typeof change === 'function') return { value: change };
  if (change === 'pass') return { get: lookup(behind, key, (own) => own) };
  const made = change as { readonly get?: () => unknown; readonly map: (own: unknown) => unknown };
  return { get: made.get ?? lookup(behind, key, made.map) };
}

/** The current port's member, mapped once for each value that it has. */
function lookup<Port>(behind: () => Port, key: keyof Port, map: (own: unknown) => unknown): () => unknown {
  let holder: Port | undefined;
  let own: unknown;
  let made: unknown;
  return () => {
    const port = behind();
    const now: unknown = port[key];
    if (now === undefined) return undefined;
    if (now !== own || port !== holder) {
      [holder, own] = [port, now];
      made = map(typeof now === 'function' ? now.bind(port) : now);
    }
    return made;
  };
}
