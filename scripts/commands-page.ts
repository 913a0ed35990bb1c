/** Generates docs/reference/command-line.md from the help of each command. A test fails if the two differ. */
import { join } from 'node:path';
import { COMMANDS } from '../src/cli/commands.ts';

export async function commandsPage(): Promise<string> {
  const sections: string[] = [];
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    const { command } = await load();
    const help = command.help().trimEnd();
    // The settings of the service have a page of their own.
    const text = name === 'serve' ? help.split('\n\n  --', 1)[0]! : help;
    const more = name === 'serve' ? '\n\nIts flags are the [settings](settings.md).' : '';
    sections.push(`## ${name}\n\nTo ${summary}.${more}\n\n\`\`\`text\n${text}\n\`\`\``);
  }
  return `# Command line

In a clone the program is \`bin/catalogue\`, or \`npm start --\` for \`catalogue serve\`. The npm package installs it as
\`product-catalogue\`; a release has it as one executable. \`catalogue <command> --help\` prints the sections below.

A command exits with 0 if it succeeded. Otherwise it prints one sentence and exits with 1, if its section names no other
code. \`npm run docs:commands\` generates this page.

${sections.join('\n\n')}
`;
}

if (import.meta.main) await Bun.write(join(import.meta.dir, '../docs/reference/command-line.md'), await commandsPage());
