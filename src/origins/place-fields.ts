/** The fields of a location in JSON. They come from lock files and the state, so nothing in them is believed. */
import { limits } from '../limits.ts';

export type LocationFields = Readonly<Record<string, unknown>>;

/** Its message is the fault. */
export class LocationFault extends Error {}

export function textField(fields: LocationFields, key: string): string {
  const value = fields[key];
  if (typeof value === 'string' && value !== '' && value.length <= limits.gateway.originCharacters) return value;
  throw new LocationFault(`its "${key}" is not a text of 1 to ${limits.gateway.originCharacters} characters`);
}

export function pathField(fields: LocationFields): string {
  const value = textField(fields, 'path');
  if (!value.includes('\0')) return value;
  throw new LocationFault('its "path" contains a NUL character');
}

export function flagField(fields: LocationFields, key: string): boolean {
  const value = fields[key];
  if (typeof value === 'boolean') return value;
  throw new LocationFault(`its "${key}" is not true or false`);
}

export function wordsField(fields: LocationFields, key: string): readonly string[] {
  const value = fields[key];
  const { settings, originCharacters } = limits.gateway;
  const good =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= settings &&
    value.every((word) => typeof word === 'string' && word.length <= originCharacters && !word.includes('\0')) &&
    value[0] !== '';
  if (good) return value;
  throw new LocationFault(`its "${key}" is not a program and its arguments`);
}
