/** The open windows of a host: skills that are loaded and not released (`host.acting`). */

import { throwIfInterrupted } from '../discover/call-origin.ts';
import type { SkillAddress } from '../discover/discovered-skill.ts';
import type { HostActing } from '../host.ts';
import type { HostCore } from '../host-core.ts';
import { loadSkill } from '../load/load.ts';
import type { LoadedSkill } from '../load/loaded-skill.ts';
import type { ActingWindow } from './acting-window.ts';
import { allowExecution } from './execution.ts';

export interface ActingWindows {
  readonly acting: HostActing;
  /** Oldest first. */
  all(): readonly ActingWindow[];
  /** Loads the skill and keeps its window until it is released. */
  open(
    skill: SkillAddress,
    options: { readonly signal: AbortSignal | undefined; readonly fresh: boolean },
  ): Promise<LoadedSkill>;
  endAll(reason: string): void;
}

export function actingWindows(core: HostCore): ActingWindows {
  const windows = new Set<ActingWindow>();
  let opened = 0;
  const all = (): readonly ActingWindow[] => [...windows];

  return {
    all,

    acting: {
      list: () => all().map(({ skill }) => skill),
      async allowExecution(command, { signal } = {}) {
        core.requireOpen();
        await allowExecution(core, all(), command, signal);
      },
    },

    async open({ label, uri }, { signal, fresh }) {
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

    endAll(reason) {
      for (const window of windows) window.end(reason);
      windows.clear();
    },
  };
}
