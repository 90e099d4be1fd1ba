/** True if errors are printed as JSON too. Reads the bare arguments, because parsing them may be what failed. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  return options.some(
    (option, index) =>
      option === '--json' || option === '--format=json' || (option === '--format' && options[index + 1] === 'json'),
  );
}
