/** `catalogue user`: manages users, who log in to the console. */

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { passwordProblem } from '../auth/passwords.ts';
import type { CredentialStore } from '../auth/store.ts';
import { addUser, changeUser, findUser, removeUser } from '../auth/users.ts';
import { MAX_PASSWORD_BYTES } from '../base/limits/auth.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { ConfigError, type Values } from '../settings/by-command.ts';
import { defineCommand, printResult } from './shared/command.ts';
import {
  accountName,
  CREDENTIAL_OPTIONS,
  checkRole,
  chosenAction,
  printRows,
  withStore,
  withUniqueName,
} from './shared/credentials.ts';

type Settings = Values<typeof CREDENTIAL_OPTIONS>;

const ACTIONS: Readonly<Record<string, (settings: Settings, name: string) => Promise<void>>> = {
  add,
  list,
  role: (settings, name) => {
    const { role, claims } = settings;
    const words = `has the role ${role} now, and has to log in again`;
    return change(settings, name, words, (store, user, catalogue) => {
      checkRole(catalogue, role);
      return changeUser(store, user, { role, ...(claims === undefined ? {} : { claims }) });
    });
  },
  password: (settings, name) =>
    change(settings, name, 'has a new password, and has to log in again', async (store, user) => {
      if ((await findUser(store, user)) === undefined) return false;
      return changeUser(store, user, { password: await newPassword(user) });
    }),
  disable: (settings, name) =>
    change(settings, name, 'is disabled, and logged out everywhere', (store, user) =>
      changeUser(store, user, { disabled: true }),
    ),
  enable: (settings, name) =>
    change(settings, name, 'can log in again', (store, user) => changeUser(store, user, { disabled: false })),
  remove: (settings, name) =>
    change(settings, name, 'is removed, and logged out everywhere', (store, user) => removeUser(store, user)),
};

export const command = defineCommand({
  options: CREDENTIAL_OPTIONS,
  operands: 2,
  usage: `Usage: catalogue user add NAME --role ROLE [flags]
       catalogue user list [flags]
       catalogue user role NAME --role ROLE [flags]
       catalogue user password NAME [flags]
       catalogue user disable NAME [flags]
       catalogue user enable NAME [flags]
       catalogue user remove NAME [flags]

Users log in to the console with a name and a password, and have a role of the declaration. The password is typed without
echo, or is the first line of standard input. It is stored as an argon2id hash. Every change of a user ends all sessions of
that user within a second, on every process that serves the database.`,
  async run({ values, operands: [action = '', name = ''] }) {
    await chosenAction(ACTIONS, action, 'user')(values, name);
  },
});

async function add(settings: Settings, given: string): Promise<void> {
  const name = accountName(given, 'user');
  const { role, claims = {} } = settings;
  await withStore(settings, async (store, catalogue) => {
    checkRole(catalogue, role);
    const conflictMessage = `the user ${name} exists already`;
    if ((await store.users.named(name)).length > 0) throw new ConfigError(conflictMessage);
    await withUniqueName(addUser(store, { name, role, claims, password: await newPassword(name) }), conflictMessage);
  });
  tell(settings, name, `The user ${name} of the role ${role} can log in.`);
}

async function list(settings: Settings): Promise<void> {
  const users = await withStore(settings, (store) => store.users.all());
  printRows(['name', 'role', 'claims', 'created_at'], users, settings.json, 'There are no users.');
}

/** Changes a user, and says what has become of it. `work` resolves to whether the user exists. */
async function change(
  settings: Settings,
  given: string,
  words: string,
  work: (store: CredentialStore, name: string, catalogue: Catalogue) => Promise<boolean>,
): Promise<void> {
  const name = accountName(given, 'user');
  if (!(await withStore(settings, (store, catalogue) => work(store, name, catalogue))))
    throw new ConfigError(`unknown user ${name}; catalogue user list shows all users`);
  tell(settings, name, `The user ${name} ${words}.`);
}

function tell({ json, role }: Settings, name: string, words: string): void {
  printResult(json, { name, ...(role === '' ? {} : { role }) }, words);
}

async function newPassword(user: string): Promise<string> {
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

/** Reads a line without echo. */
async function typed(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const output = new Writable({ write: (_part, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  try {
    return await new Promise((resolve, reject) => {
      // Ctrl+C and Ctrl+D close it.
      lines.once('line', resolve).once('close', () => reject(new ConfigError('canceled; nothing was changed')));
    });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
