/** Generates docs/reference/command-line.md from the help of each command. A test fails if the two differ. */
import { join } from 'node:path';
import { COMMANDS } from '../src/cli/commands.ts';
import { SERVE_SETTINGS } from '../src/settings/by-command.ts';
import { CONFIG_FILE } from '../src/settings/resolve.ts';

const SETTINGS = new Map([...Object.values(SERVE_SETTINGS), CONFIG_FILE].map(({ env, flag }) => [env, flag]));

/** A line of the help: a flag with its argument, and its description. */
const FLAG = /^ {2}(--.*?) {2,}(.*)$/;

const LINE = 120;

/** Breaks a text into indented lines. */
function wrap(text: string, indent = ''): string {
  const lines = [indent];
  for (const word of text.split(' ')) {
    const last = lines.at(-1)!;
    if (last !== indent && last.length + 1 + word.length > LINE) lines.push(`${indent}${word}`);
    else lines[lines.length - 1] = last === indent ? `${indent}${word}` : `${last} ${word}`;
  }
  return lines.join('\n');
}

/** Splits the help into text, flags of the command, and settings, which have a page of their own. */
function readHelp(help: string): { text: string; flags: string[]; settings: string[] } {
  const [text, flags, settings]: [string[], string[], string[]] = [[], [], []];
  for (const line of help.trimEnd().split('\n')) {
    const [, usage, description] = FLAG.exec(line) ?? [];
    const env = /\((\w+)(?:, default .*)?\)$/.exec(line)?.[1];
    const setting = env === undefined ? undefined : SETTINGS.get(env);
    if (usage === undefined) text.push(line);
    else if (setting === undefined) flags.push(`- \`${usage}\`<br>\n${wrap(description!, '  ')}`);
    else settings.push(setting);
  }
  return { text: text.join('\n').trimEnd(), flags, settings };
}

function settingsLine(name: string, settings: readonly string[]): string {
  if (name === 'serve' || name === 'config') return 'It accepts all [settings](settings.md).';
  if (settings.length === 0) return '';
  return wrap(`It also accepts these [settings](settings.md): ${settings.map((flag) => `\`${flag}\``).join(', ')}.`);
}

export async function commandsPage(): Promise<string> {
  const sections: string[] = [];
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    const { command } = await load();
    const { text, flags, settings } = readHelp(command.help());
    const block = `\`\`\`text\n${text}\n\`\`\``;
    const parts = [`## ${name}`, `To ${summary}.`, block, flags.join('\n'), settingsLine(name, settings)];
    sections.push(parts.filter((part) => part !== '').join('\n\n'));
  }
  return `# Command line

In a clone the program is \`bin/catalogue\`, or \`npm start --\` for \`catalogue serve\`. The npm package installs it as
\`product-catalogue\`; a release has it as one executable. \`catalogue <command> --help\` prints the same with all flags.

All commands work on a database that a running service uses. A command exits with 0 if it succeeded. Otherwise it prints
one sentence and exits with 1, if its section names no other code. \`npm run docs:commands\` generates this page.

${sections.join('\n\n')}
`;
}

if (import.meta.main) await Bun.write(join(import.meta.dir, '../docs/reference/command-line.md'), await commandsPage());
