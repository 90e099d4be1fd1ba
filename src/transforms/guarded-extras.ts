/** What an upstream may have besides entries and files (templates, directories), within the same bounds as those. */
import type { SkillSource, SourceContext } from '../sources/skill-source.ts';
import type { CallGuard } from './call-guard.ts';
import { outwardError } from './outward-error.ts';

export function guardedExtras(
  source: SkillSource,
  guard: CallGuard,
  label: string,
): Pick<SkillSource, 'templates' | 'readDirectory'> {
  const { templates, readDirectory } = source;

  async function asked<T>(
    action: string,
    context: SourceContext,
    work: (inner: SourceContext) => Promise<T>,
  ): Promise<T> {
    try {
      return await guard.run(action, context.signal, (signal) => work({ ...context, signal }));
    } catch (error) {
      throw outwardError(error, label);
    }
  }

  return {
    ...(templates === undefined
      ? {}
      : { templates: (context) => asked('list its templates', context, (inner) => templates.call(source, inner)) }),
    ...(readDirectory === undefined
      ? {}
      : {
          readDirectory: (uri, context) =>
            asked('read a directory', context, (inner) => readDirectory.call(source, uri, inner)),
        }),
  };
}
