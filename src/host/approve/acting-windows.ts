/** The open windows of a host: skills that are loaded and not released (`host.acting`). */

import { throwIfInterrupted } from '../discover/call-origin.ts';
import type { SkillAddress } from '../discover/discovered-skill.ts';
import type { HostActing } from '../host.ts';
import type { HostCore } from '../host-core.ts';
import { loadSkill } from '../load/load.ts';
import type { LoadedSkill } from '../load/loaded-skill.ts';
import type { ActingWindow } from './acting-window.ts';
import { allowExecution } from './execution.ts';

export function actingWindows(core: HostCore) {
  const windows = new Set<ActingWindow>();
  let opened = 0;
  const all = (): readonly ActingWindow[] => [...windows];

  return {
    /** Oldest first. */
    all,

    acting: {
      list: () => all().map(({ skill }) => skill),
      async allowExecution(command, { signal } = {}) {
        core.requireOpen();
        await allowExecution(core, all(), command, signal);
      },
    } satisfies HostActing,

    /** Loads the skill and keeps its window until it is released. */
    async open(
      { label, uri }: SkillAddress,
      { signal, fresh }: { readonly signal: AbortSignal | undefined; readonly fresh: boolean },
    ): Promise<LoadedSkill> {
      const id = `skill-${++opened}`;
      let window: ActingWindow | undefined;
      const onRelease = (): void => {
        if (window !== undefined) windows.delete(window);
      };
      window = await loadSkill(core, { label, uri }, { id, signal, fresh, onRelease });
      throwIfInterrupted(signal, 'load a skill');
      core.requireOpen();
      windows.add(window);
      return window.skill;
    },

    endAll(reason: string): void {
      for (const window of windows) window.end(reason);
      windows.clear();
    },
  };
}
