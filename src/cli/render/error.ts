/** An error as text or JSON for stderr. */
import { codeOf, type ExitCode, exitCodes, reasonOf, SkillwireError, systemAdvice } from '../../errors.ts';
import { displayText } from '../../skill/display-text.ts';
import { jsonText } from './json-text.ts';

export interface RenderedError {
  readonly text: string;
  readonly exitCode: ExitCode;
}

export interface RenderErrorOptions {
  readonly json: boolean;
  /** Adds the stack of an unexpected error. */
  readonly debug: boolean;
}

function unexpectedMessage(error: unknown): string {
  const message = reasonOf(error);
  const advice = systemAdvice[codeOf(error) ?? ''];
  return advice === undefined ? message : `${advice} (${message})`;
}

export function renderError(error: unknown, { json, debug }: RenderErrorOptions): RenderedError {
  const known = error instanceof SkillwireError ? error : undefined;
  const message = known?.message ?? unexpectedMessage(error);
  const stack = debug && error instanceof Error ? error.stack : undefined;
  const exitCode = known?.exitCode ?? exitCodes.failed;
  if (json) {
    const code = known?.code ?? 'UNEXPECTED';
    const data = { ...known?.data, stack };
    return { text: `${jsonText({ error: { code, message, data } })}\n`, exitCode };
  }
  const said = `skillwire: ${displayText(message, { multiline: true })}\n`;
  const hint = known === undefined && !debug ? 'Set SKILLWIRE_DEBUG=1 to see the stack.\n' : '';
  return { text: said + (stack === undefined ? hint : `${displayText(stack, { multiline: true })}\n`), exitCode };
}
