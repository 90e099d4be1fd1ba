/** `--archive-format`, which `serve` and `build` share. */
import { Option } from 'commander';
import { archiveFormats } from '../../archive/archive-file.ts';

export function archiveFormatOption(): Option {
  const option = new Option(
    '--archive-format <format>',
    'how skills with several files are published (default: tar.gz)',
  );
  return option.choices(archiveFormats);
}
