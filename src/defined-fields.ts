type DefinedFields<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The fields that are not `undefined`. Spread it over defaults, which an `undefined` field must not replace. */
export function definedFields<T extends object>(fields: T): DefinedFields<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as DefinedFields<T>;
}
