import { SkillwireError } from '../src/errors.ts';

/** The error that work is refused with. */
export async function refusal(work: Promise<unknown>): Promise<SkillwireError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof SkillwireError) return error;
  throw new Error('it was not refused with an error of ours', { cause: error });
}
