/** Names of clusters become part of a schema name and of a channel, so they need no quoting. */
export const clusterPattern = /^[a-z][a-z0-9-]{0,39}$/;
