type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The fields that have a value. Spread it over defaults: a field without a value must not take their place. */
export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
