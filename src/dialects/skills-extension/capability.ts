/**
 * How a server declares the Skills extension: an object with inline settings in `capabilities.extensions` (SEP-2640,
 * "Capability"). A declaration that is not an object counts as absent.
 */
import { metaPrefix } from '../../project.ts';
import { shortText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import { type Remark, remark } from './remark.ts';

export const skillsExtensionId = 'io.modelcontextprotocol/skills';

/**
 * Declared by clients that check each entry of a listing and use the good ones. Our servers leave entries that make the
 * official client reject a whole listing out of `skills/list`, except for such clients.
 */
export const anyEntryExtensionId: string = `${metaPrefix}any-entry`;

export interface SkillsCapability {
  readonly declared: boolean;
  readonly directoryRead: boolean;
  readonly remarks: readonly Remark[];
}

/** Reads the `capabilities` of a server. */
export function decodeCapabilities(capabilities: unknown): SkillsCapability {
  if (!isJsonObject(capabilities)) return { declared: false, directoryRead: false, remarks: [] };
  const extensions = capabilities['extensions'];
  const declared = isJsonObject(extensions) ? extensions[skillsExtensionId] : undefined;
  const found = decodeCapability(declared);
  const experimental = capabilities['experimental'];
  if (!found.declared && isJsonObject(experimental) && experimental[skillsExtensionId] !== undefined)
    return {
      ...found,
      remarks: [
        ...found.remarks,
        remark('S-4', 'the extension is declared under capabilities.experimental, where clients do not look'),
      ],
    };
  if (found.declared && !isJsonObject(capabilities['resources']))
    return {
      ...found,
      remarks: [...found.remarks, remark('S-3', 'the extension is declared without the capability "resources"')],
    };
  return found;
}

/** Reads the value under the extension's id; `undefined` if there is none. */
export function decodeCapability(value: unknown): SkillsCapability {
  if (value === undefined) return { declared: false, directoryRead: false, remarks: [] };
  if (!isJsonObject(value)) {
    const shown = shortText(JSON.stringify(value) ?? String(value));
    return {
      declared: false,
      directoryRead: false,
      remarks: [remark('S-4', `the extension is declared as ${shown}; it must be an object`)],
    };
  }
  const { directoryRead } = value;
  const remarks: Remark[] = [];
  if (directoryRead !== undefined && typeof directoryRead !== 'boolean')
    remarks.push(remark('S-4', 'the setting directoryRead is neither true nor false'));
  if (isJsonObject(value['config']))
    remarks.push(remark('S-4', 'settings of the extension are below "config"; they must be inline'));
  return { declared: true, directoryRead: directoryRead === true, remarks };
}
