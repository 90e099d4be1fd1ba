/** What a configuration is called, for those who only look for one. */
export const configurationFileName = 'skillwire.json';
