/**
 * Groups of options in the help of a command. Every option belongs to one: call `optionsGroup(groups.x)` on the command before its own
 * options, and make options that several commands share with `optionIn()`. Rare options appear only with `--help --all`.
 */
import { Option } from 'commander';

/** In the order of the help. */
export const groups = {
  common: 'Common:',
  server: 'Server:',
  live: 'Live skills:',
  compatibility: 'Compatibility:',
  connection: 'Connection:',
} as const;

export const groupOrder: readonly string[] = Object.values(groups);

/** An option with its own group, whatever command it is added to. */
export function optionIn(group: keyof typeof groups, flags: string, description: string): Option {
  return new Option(flags, description).helpGroup(groups[group]);
}

const rareOptions = new WeakSet<Option>();

/** Leaves an option out of the help on one screen. */
export function rare<T extends Option>(option: T): T {
  rareOptions.add(option);
  return option;
}

export function rareOption(group: keyof typeof groups, flags: string, description: string): Option {
  return rare(optionIn(group, flags, description));
}

export function isRare(option: Option): boolean {
  return rareOptions.has(option);
}
