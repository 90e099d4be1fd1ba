/**
 * How a server declares the Skills extension: an object with its settings inline, in `capabilities.extensions` (SEP-2640,
 * "Capability"). A declaration that is no object counts as none.
 */
import { metaPrefix } from '../../project.ts';
import { shortText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import { type Remark, remark } from './remark.ts';

export const skillsExtensionId = 'io.modelcontextprotocol/skills';

/**
 * Declared by clients that check a listing entry by entry and use the good ones whatever the others are. Servers of this project leave
 * out of `skills/list` what makes the official client reject a whole listing, except for clients that declare this.
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
        remark('S-4', 'the extension is declared under capabilities.experimental, where clients do not look for it'),
      ],
    };
  if (found.declared && !isJsonObject(capabilities['resources']))
    return {
      ...found,
      remarks: [...found.remarks, remark('S-3', 'the extension is declared without the capability "resources"')],
    };
  return found;
}

/** Reads the value that stands under the id of the extension; undefined where there is none. */
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
    remarks.push(remark('S-4', 'settings of the extension stand below "config"; they must stand inline'));
  return { declared: true, directoryRead: directoryRead === true, remarks };
}
