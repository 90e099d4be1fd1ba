/** Misbehavior that only a process can show. All processes end when the misbehaving server is closed. */
import { onMethod } from '../base-answers.ts';
import { type Behavior, behaviors } from '../misbehavior.ts';
import { messageText } from '../wire-text.ts';

const process = { transports: ['stdio-script'], requirements: ['sec:X-10'] } as const;

export const childProcesses: readonly Behavior[] = behaviors('transport', {
  'stdio-noise': {
    ...process,
    expected: 'accept',
    stage: 'list',
    title: 'Log lines appear between the messages on stdout.',
    what: 'They are skipped or reported; the answers are found.',
    script: onMethod('skills/list', (call, usual) => ({
      kind: 'messages',
      messages: () => ['[refunds] 3 skills found', '', '{not json', messageText(call.id, usual()) ?? ''],
    })),
  },
  'stdio-stderr-flood': {
    ...process,
    expected: 'accept',
    stage: 'list',
    title: 'The process keeps writing megabytes to stderr.',
    what: 'They are read and mostly discarded, so that the process does not block; the answers are found.',
    script: {
      child: `const noise = 'warning: \\u001b[31mrefunds\\u001b[0m\\n'.repeat(1500);
setInterval(() => process.stderr.write(noise), 5);`,
    },
  },
  'stdio-exits-at-start': {
    ...process,
    expected: 'refuse',
    stage: 'connect',
    title: 'The process ends with code 3 and a message on stderr before it reads anything.',
    what: 'The exit code and the end of stderr are reported, escaped; the process is not restarted in a loop.',
    script: { child: `process.stderr.write('\\u001b[2Jno license\\n', () => process.exit(3));` },
  },
  'stdio-ignores-signals': {
    ...process,
    expected: 'bounded',
    stage: 'connect',
    title: 'The process keeps running after its stdin ends and after SIGTERM.',
    what: 'It is killed after a few seconds.',
    script: {
      child: `process.stdin.unpipe(socket);
process.stdin.pipe(socket, { end: false });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});`,
    },
  },
  'stdio-grandchild': {
    ...process,
    expected: 'bounded',
    stage: 'connect',
    title: 'The process starts another one that keeps its stdout open and outlives it.',
    what: 'The client does not wait for the end of a stream that another process keeps open.',
    script: {
      // Nothing is answered before the second process exists.
      child: `process.stdin.unpipe(socket);
const { spawn } = await import('node:child_process');
const code = "require('node:net').connect(" + port + ", '127.0.0.1').on('error', () => {}).on('close', () => process.exit())";
const second = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
second.unref();
second.once('spawn', () => process.stdin.pipe(socket));`,
    },
  },
});
