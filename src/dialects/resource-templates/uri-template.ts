/**
 * Templates of skill URIs (the part of RFC 6570 that can lead to a skill). `{x}` matches one path segment or a part of one, and `{+x}` one
 * or more whole segments. `{/x}` and `{.x}` match the same after a slash or a dot. `{x*}` is read as FastMCP writes it: the rest of the
 * path. Operators for queries and fragments are refused, because skill URIs have none. So is anything ambiguous: adjacent variables, two
 * that span segments, duplicate names.
 *
 * Matching works segment by segment without backtracking, so no template or URI makes it slow. Expansion yields a URI that could name a
 * skill file, or an error. No value can add a dot segment, an encoded slash, a query or a fragment.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { segmentFault } from '../../skill/file-path.ts';
import { tryParseResourceUri } from '../../skill/resource-uri.ts';
import { encodePath, relativePathFault } from '../relative-path.ts';

export type TemplatePart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string };

/** One segment between slashes, or a variable for one or more of them. */
export type TemplateSegment =
  | { readonly kind: 'one'; readonly parts: readonly TemplatePart[] }
  | { readonly kind: 'rest'; readonly name: string };

export interface UriTemplate {
  /** As published. */
  readonly text: string;
  /** In lower case, without the colon. */
  readonly scheme: string;
  readonly segments: readonly TemplateSegment[];
  readonly trailingSlash: boolean;
  readonly variables: readonly string[];
}

export type TemplateReading =
  | { readonly ok: true; readonly template: UriTemplate }
  | { readonly ok: false; readonly fault: string };

type Token = TemplatePart | { readonly kind: 'rest'; readonly name: string } | { readonly kind: 'slash' };

const schemePattern = /^([a-z][a-z0-9+.-]{0,63}):\/\//i;
const variablePattern = /^([A-Za-z0-9_][A-Za-z0-9_.-]*)(\*?)$/;

/** Parses a template. `fault` is a phrase to follow the template. Never throws. */
export function parseUriTemplate(text: string): TemplateReading {
  const reading = readTemplate(text);
  return typeof reading === 'string' ? { ok: false, fault: reading } : { ok: true, template: reading };
}

function readTemplate(text: string): UriTemplate | string {
  const { templateCharacters, templateVariables } = limits.dialects;
  if (text.length > templateCharacters)
    return `has ${text.length} characters; at most ${templateCharacters} are allowed`;
  const scheme = schemePattern.exec(text)?.[1];
  if (scheme === undefined) return 'does not start with a scheme and "://"';
  const tokens = readTokens(text.slice(scheme.length + 3));
  if (typeof tokens === 'string') return tokens;
  const variables = tokens.flatMap((token) => ('name' in token ? [token.name] : []));
  if (variables.length > templateVariables)
    return `has ${variables.length} variables; at most ${templateVariables} are allowed`;
  if (new Set(variables).size < variables.length) return 'uses a variable twice';
  if (tokens.filter(({ kind }) => kind === 'rest').length > 1) return 'has two variables that span segments';
  const trailingSlash = tokens.at(-1)?.kind === 'slash';
  const segments = readSegments(trailingSlash ? tokens.slice(0, -1) : tokens);
  if (typeof segments === 'string') return segments;
  return { text, scheme: scheme.toLowerCase(), segments, trailingSlash, variables };
}

/** The path, with `{/x}` and `{.x}` written out. */
function readTokens(path: string): readonly Token[] | string {
  const tokens: Token[] = [];
  for (let at = 0; at < path.length; ) {
    const open = path.indexOf('{', at);
    const fault = pushLiteral(path.slice(at, open === -1 ? path.length : open), tokens);
    if (fault !== undefined) return fault;
    if (open === -1) break;
    const close = path.indexOf('}', open);
    if (close === -1) return 'has an unclosed brace';
    const more = pushExpression(path.slice(open + 1, close), tokens);
    if (more !== undefined) return more;
    at = close + 1;
  }
  return tokens;
}

function pushLiteral(literal: string, tokens: Token[]): string | undefined {
  if (/[}?#]/.test(literal)) return 'contains a closing brace, a query or a fragment';
  for (const [index, raw] of literal.split('/').entries()) {
    if (index > 0) tokens.push({ kind: 'slash' });
    if (raw === '') continue;
    const text = decoded(raw);
    if (text === undefined || text.includes('/')) return `has the part ${quoteText(raw)}, which is not a path segment`;
    tokens.push({ kind: 'literal', text });
  }
  return undefined;
}

function pushExpression(expression: string, tokens: Token[]): string | undefined {
  const operator = /^[^A-Za-z0-9_]/.exec(expression)?.[0] ?? '';
  if (!['', '+', '/', '.'].includes(operator))
    return `has the expression ${quoteText(`{${expression}}`)}, which cannot lead to a skill`;
  for (const [index, spec] of expression.slice(operator.length).split(',').entries()) {
    const [, name, star] = variablePattern.exec(spec) ?? [];
    if (name === undefined) return `has the expression ${quoteText(`{${expression}}`)}, which cannot be read`;
    if (operator === '/') tokens.push({ kind: 'slash' });
    else if (operator === '.') tokens.push({ kind: 'literal', text: '.' });
    else if (index > 0) tokens.push({ kind: 'literal', text: ',' });
    tokens.push({ kind: operator === '+' || star === '*' ? 'rest' : 'variable', name });
  }
  return undefined;
}

function readSegments(tokens: readonly Token[]): readonly TemplateSegment[] | string {
  const segments: TemplateSegment[] = [];
  let parts: TemplatePart[] = [];
  let rest: string | undefined;
  for (const [index, token] of [...tokens, { kind: 'slash' } as const].entries()) {
    if (token.kind === 'slash') {
      if (rest !== undefined) segments.push({ kind: 'rest', name: rest });
      else if (parts.length > 0) segments.push({ kind: 'one', parts });
      else return index === 0 ? 'has no path' : 'has an empty segment';
      parts = [];
      rest = undefined;
    } else if (rest !== undefined || (token.kind === 'rest' && parts.length > 0)) {
      return 'has a variable that spans segments next to other text in one segment';
    } else if (token.kind === 'rest') {
      rest = token.name;
    } else {
      const before = parts.at(-1);
      if (token.kind === 'variable' && before?.kind === 'variable') return 'has two adjacent variables';
      if (token.kind === 'literal' && before?.kind === 'literal')
        parts[parts.length - 1] = { kind: 'literal', text: before.text + token.text };
      else parts.push(token);
    }
  }
  return segments;
}

/**
 * The percent-encoded URI for values of all variables.
 *
 * @throws SkillwireError `USAGE` for a variable without a value, or a value that no path can have
 */
export function expandUriTemplate(template: UriTemplate, values: Readonly<Record<string, string>>): string {
  const refuse = (reason: string): never => {
    throw new SkillwireError('USAGE', `Cannot expand the template ${quoteText(template.text)}: ${reason}.`, {
      data: { template: template.text, reason },
    });
  };
  const chosenValue = (name: string, faultOf: (value: unknown) => string | undefined): string => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return refuse(`the variable ${quoteText(name)} has no value`);
    const fault = faultOf(value);
    return fault === undefined ? value : refuse(`the value ${quoteText(value)} of ${quoteText(name)} ${fault}`);
  };
  for (const name of Object.keys(values))
    if (!template.variables.includes(name)) refuse(`it has no variable ${quoteText(name)}`);
  const segments = template.segments.map((segment) =>
    segment.kind === 'rest'
      ? encodePath(chosenValue(segment.name, relativePathFault))
      : encodePath(
          segment.parts
            .map((part) =>
              part.kind === 'literal' ? part.text : chosenValue(part.name, (value) => segmentFault(String(value))),
            )
            .join(''),
        ),
  );
  const uri = `${template.scheme}://${segments.join('/')}`;
  if (tryParseResourceUri(uri) === undefined) refuse(`${quoteText(uri)} cannot name a skill or one of its files`);
  return template.trailingSlash ? `${uri}/` : uri;
}

/** The values for which the template yields this URI; `undefined` if there are none. */
export function matchUriTemplate(template: UriTemplate, uri: string): Readonly<Record<string, string>> | undefined {
  const trailingSlash = uri.endsWith('/');
  if (trailingSlash !== template.trailingSlash) return undefined;
  const parsed = tryParseResourceUri(trailingSlash ? uri.slice(0, -1) : uri);
  if (parsed === undefined || parsed.scheme !== template.scheme) return undefined;
  const { segments } = template;
  const rest = segments.findIndex(({ kind }) => kind === 'rest');
  const spare = parsed.segments.length - segments.length;
  if (rest === -1 ? spare !== 0 : spare < 0) return undefined;
  const values: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === 'rest') {
      put(values, segment.name, parsed.segments.slice(index, index + spare + 1).join('/'));
      continue;
    }
    const actual = parsed.segments[rest !== -1 && index > rest ? index + spare : index] ?? '';
    if (!matchSegment(segment.parts, actual, values)) return undefined;
  }
  return values;
}

/** Leftmost match of each literal; the last part takes the rest. No variable is empty. */
function matchSegment(parts: readonly TemplatePart[], actual: string, values: Record<string, string>): boolean {
  let at = 0;
  let open: string | undefined;
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'variable') {
      open = part.name;
      continue;
    }
    const last = index === parts.length - 1;
    const from = open === undefined ? at : at + 1;
    const found = last ? actual.length - part.text.length : actual.indexOf(part.text, from);
    if (found < from || !actual.startsWith(part.text, found)) return false;
    if (open === undefined ? found !== at : !put(values, open, actual.slice(at, found))) return false;
    open = undefined;
    at = found + part.text.length;
  }
  if (open === undefined) return at === actual.length;
  return at < actual.length && put(values, open, actual.slice(at));
}

function put(values: Record<string, string>, name: string, value: string): true {
  Object.defineProperty(values, name, { value, enumerable: true, writable: true, configurable: true });
  return true;
}

function decoded(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw).normalize('NFC');
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
