import { styleText } from 'node:util';

/** Colors for a terminal, and none anywhere else. */
export interface Colors {
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
  bold(text: string): string;
  dim(text: string): string;
}

interface ColoredStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface ColorSettings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** False for `--no-color`. */
  readonly color: boolean;
}

/** `--no-color` and NO_COLOR override FORCE_COLOR, which overrides the kind of the stream. */
export function wantsColor(stream: ColoredStream, { env, color }: ColorSettings): boolean {
  if (!color || (env.NO_COLOR ?? '') !== '') return false;
  const forced = env.FORCE_COLOR ?? '';
  if (forced !== '') return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

export function colorsFor(
  stream: ColoredStream,
  { env }: Pick<ColorSettings, 'env'>,
  { color }: Pick<ColorSettings, 'color'>,
): Colors {
  return createColors(wantsColor(stream, { env, color }));
}

export function createColors(enabled: boolean): Colors {
  // `wantsColor` has decided. Node 20 ignores the option, and never looks at the stream.
  const style = (format: keyof Colors) => (text: string) =>
    enabled ? styleText(format, text, { validateStream: false }) : text;
  return {
    red: style('red'),
    green: style('green'),
    yellow: style('yellow'),
    cyan: style('cyan'),
    bold: style('bold'),
    dim: style('dim'),
  };
}
