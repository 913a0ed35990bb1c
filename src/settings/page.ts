/** Generates docs/settings.md from the tables that the program reads. */
import { SERVE_SETTINGS } from '../config.ts';
import { DEFAULT_COMMAND_SECONDS } from '../limits.ts';
import { settingsMarkdown } from './describe.ts';

export function settingsPage(): string {
  return `# Settings

A flag wins over the environment, the environment over the settings file, the file over the default. Every mistake is
named when the program starts, all of them at once, before anything is touched. \`catalogue config\` shows the settings in
effect and where each is from; passwords are masked.

The settings file is TOML or JSON: \`catalogue.toml\` or \`catalogue.json\` in the working folder, or the one that
\`--config\` names. Its keys are the flags without the dashes:

\`\`\`toml
port = 8080
host = "0.0.0.0"
database = "sqlite:/var/lib/catalogue/catalogue.db"
log-level = "warn"
backup-every = "1h"
\`\`\`

This page is generated from the program's own table by \`npm run docs:settings\`.

${settingsMarkdown(SERVE_SETTINGS)}

Commands other than \`serve\` that open the database take its settings, too, and flags of their own; \`--help\` lists those that
matter to each. They may take their time: their \`--query-timeout\` is ${DEFAULT_COMMAND_SECONDS} by default.
`;
}
