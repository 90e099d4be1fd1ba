/** The paths on which runtimes connect. */

export const httpLoopPath = '/mdp/http-loop';
export const authPath = '/mdp/auth';
export const metaPath = '/mdp/meta';

/** Whether a runtime uses the path, and not a reader. */
export function isRuntimePath(pathname: string): boolean {
  return pathname === metaPath || isConnectPath(pathname);
}

/** Whether a runtime that lives in a page asks there. */
export function isConnectPath(pathname: string): boolean {
  return pathname === authPath || pathname.startsWith(`${httpLoopPath}/`);
}
