/** The paths of an MDP hub, for the hub and for those who connect to one. The two listings are our own. */

export const metaPath = '/mdp/meta';
export const authPath = '/mdp/auth';
export const httpLoopPath = '/mdp/http-loop';
export const listedSkillsPath = '/mdp/skills';
export const listedClientsPath = '/mdp/clients';
/** Servers of the reference talk to each other here. We do not, and take no runtime there either. */
export const clusterPath = '/mdp/cluster';

/** Followed by the id of a runtime and the path of a skill. */
export const liveSkillsPath = '/skills';
