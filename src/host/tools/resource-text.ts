/** Plain resources for a model: with the label of their origin, escaped, and as what they are, untrusted content. */
import { decodeUtf8 } from '../../skill/media-type.ts';
import type { PlainResource } from '../../sources/skill-source.ts';
import { attribute, escapeForModel } from '../present/model-text.ts';

export function resourceText(label: string, contents: readonly PlainResource[]): string {
  return contents
    .map(({ uri, bytes, mimeType }) => {
      const text = decodeUtf8(bytes);
      const type = mimeType === undefined ? '' : ` type="${attribute(mimeType)}"`;
      const body = text === undefined ? `This is not text; it has ${bytes.byteLength} bytes.` : escapeForModel(text);
      return `<resource_content origin="${attribute(label)}" uri="${attribute(uri)}"${type}>\n${body}\n</resource_content>`;
    })
    .join('\n');
}
