/** Reads a new password: typed twice at a terminal without echo, or the first line of standard input. */
import { passwordProblem } from '../../auth/passwords.ts';
import { MAX_PASSWORD_BYTES } from '../../base/limits/auth.ts';
import { ConfigError } from '../../settings/by-command.ts';

export async function newPassword(user: string): Promise<string> {
  const password = process.stdin.isTTY === true ? await typedTwice(user) : await firstLine();
  const problem = passwordProblem(password);
  if (problem !== undefined) throw new ConfigError(problem);
  return password;
}

async function firstLine(): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of Bun.stdin.stream()) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('\n') || text.length > MAX_PASSWORD_BYTES) break;
  }
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw new ConfigError('standard input contains no password');
  return line;
}

async function typedTwice(user: string): Promise<string> {
  const first = await typed(`Password for ${user}: `);
  const problem = passwordProblem(first);
  if (problem !== undefined) throw new ConfigError(problem);
  if ((await typed('The same again: ')) !== first)
    throw new ConfigError('the two passwords differ; nothing was changed');
  return first;
}

const ENTER = ['\r', '\n'];
const CANCEL = ['\x03', '\x04'];
const RUBOUT = ['\x7f', '\b'];

function typed(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(prompt);
  stdin.setRawMode(true);
  stdin.resume();
  return new Promise((resolve, reject) => {
    const letters: string[] = [];
    const end = () => {
      stdin.off('data', read);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
    };
    const read = (chunk: Buffer | string) => {
      for (const letter of chunk.toString()) {
        if (ENTER.includes(letter) || CANCEL.includes(letter)) {
          end();
          if (ENTER.includes(letter)) return resolve(letters.join(''));
          return reject(new ConfigError('canceled; nothing was changed'));
        }
        if (RUBOUT.includes(letter)) letters.pop();
        else letters.push(letter);
      }
    };
    stdin.on('data', read);
  });
}
