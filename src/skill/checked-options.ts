/**
 * Checks the options of a public function when it is called. A program without TypeScript, or with a cast, gets an error at the call: not an
 * option without effect, and not a failure deep inside.
 */
import { SkillwireError } from '../errors.ts';
import { didYouMean } from './did-you-mean.ts';
import { quoteText } from './display-text.ts';

/** A test of a value, and words for the error. */
export interface ValueCheck<T> {
  /** Follows "must be". */
  readonly wanted: string;
  accepts(value: unknown): boolean;
  /** Only for the compiler: the type of what is accepted. */
  readonly type?: T;
}

export interface RequiredCheck<T> extends ValueCheck<T> {
  readonly required: true;
}

/** One check for each option. A forgotten option is a type error. */
export type OptionChecks<Options> = {
  readonly [Key in keyof Options]-?: undefined extends Options[Key]
    ? ValueCheck<Exclude<Options[Key], undefined>>
    : RequiredCheck<Options[Key]>;
};

function typeCheck<T>(type: 'string' | 'boolean', wanted: string): ValueCheck<T> {
  return { wanted, accepts: (value) => typeof value === type };
}

export const text = typeCheck<string>('string', 'text');
export const flag = typeCheck<boolean>('boolean', 'true or false');
export const texts = listOf(text, 'a list of texts');
export const count: ValueCheck<number> = {
  wanted: 'a number of at least 0',
  accepts: (value) => typeof value === 'number' && value >= 0,
};
export const signal = withMembers<AbortSignal>('an AbortSignal', 'addEventListener');

export function callback<T extends (...values: never[]) => unknown>(): ValueCheck<T> {
  return { wanted: 'a function', accepts: (value) => typeof value === 'function' };
}

export function listOf<T>(each: ValueCheck<T>, wanted: string): ValueCheck<readonly T[]> {
  return { wanted, accepts: (value) => Array.isArray(value) && value.every(each.accepts) };
}

/** An object, for example of another function of this package, that has at least these members. */
export function withMembers<T extends object>(wanted: string, ...members: readonly string[]): ValueCheck<T> {
  return { wanted, accepts: (value) => isPlainOrOther(value) && members.every((member) => member in value) };
}

export function oneOf<const T extends string>(...values: readonly T[]): ValueCheck<T> {
  const quoted = values.map((value) => `"${value}"`);
  const wanted = quoted.length === 1 ? `${quoted[0]}` : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return { wanted, accepts: (value) => (values as readonly unknown[]).includes(value) };
}

export function either<A, B>(a: ValueCheck<A>, b: ValueCheck<B>): ValueCheck<A | B> {
  return { wanted: `${a.wanted}, or ${b.wanted}`, accepts: (value) => a.accepts(value) || b.accepts(value) };
}

/** An option that another function checks. */
export function anything<T>(): ValueCheck<T> {
  return { wanted: 'anything', accepts: () => true };
}

export function required<T>(check: ValueCheck<T>): RequiredCheck<T> {
  return { ...check, required: true };
}

function isPlainOrOther(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * An option with the value `undefined` counts as absent.
 *
 * @param call the function as people write it: `openHost()`
 * @throws SkillwireError USAGE for an unknown option, a missing one, and a value of another type
 */
export function checkOptions<Options extends object>(
  call: string,
  options: Options,
  checks: OptionChecks<NoInfer<Options>>,
): void {
  if (!isPlainOrOther(options)) throw usage(`The options of ${call} must be an object.`, call);
  const known = checks as Readonly<Record<string, ValueCheck<unknown> | RequiredCheck<unknown> | undefined>>;
  const names = Object.keys(known);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const hint = didYouMean(name, names) || ` Its options are ${names.join(', ')}.`;
    throw usage(`${call} has no option ${quoteText(name)}.${hint}`, call, name);
  }
  for (const name of names) {
    const check = known[name];
    const value: unknown = Reflect.get(options, name);
    if (check === undefined || (value === undefined && !('required' in check)) || check.accepts(value)) continue;
    throw usage(`The option "${name}" of ${call} must be ${check.wanted}.`, call, name);
  }
}

/** @throws SkillwireError USAGE if the argument, named as people call it, is something else */
export function checkArgument(
  call: string,
  name: string,
  value: unknown,
  { wanted, accepts }: ValueCheck<unknown>,
): void {
  if (!accepts(value)) throw usage(`The ${name} of ${call} must be ${wanted}.`, call, name);
}

function usage(message: string, call: string, option?: string): SkillwireError {
  return new SkillwireError('USAGE', message, { data: { call, option } });
}
