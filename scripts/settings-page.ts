/** Generates docs/reference/settings.md from the tables that the program reads. A test fails if the two differ. */
import { join } from 'node:path';
import { DEFAULT_COMMAND_SECONDS } from '../src/base/limits/engine.ts';
import { SERVE_SETTINGS } from '../src/settings/by-command.ts';
import { settingsMarkdown } from '../src/settings/describe.ts';

export function settingsPage(): string {
  return `# Settings

A flag overrides the environment, the environment overrides the settings file, and the file overrides the default.
At start the program reports all invalid settings at once, before it changes anything. \`catalogue config\` prints the
effective settings and the source of each. It masks passwords.

The settings file is TOML or JSON: \`catalogue.toml\` or \`catalogue.json\` in the working folder, or the file of
\`--config\`. Its keys are the flags without the dashes:

\`\`\`toml
port = 8080
host = "0.0.0.0"
database = "sqlite:/var/lib/catalogue/catalogue.db"
log-level = "warn"
backup-every = "1h"
\`\`\`

\`npm run docs:settings\` generates this page. Each item shows the flag, the environment variable and the default.

${settingsMarkdown(SERVE_SETTINGS)}

Other commands that open the database accept the database settings and have flags of their own; see their \`--help\`.
Their default \`--query-timeout\` is ${DEFAULT_COMMAND_SECONDS} seconds.
`;
}

if (import.meta.main) await Bun.write(join(import.meta.dir, '../docs/reference/settings.md'), settingsPage());
