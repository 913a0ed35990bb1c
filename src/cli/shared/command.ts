/** A command of the program, and the options of several. */
import { option } from '../../settings/setting.ts';

export interface Command {
  readonly help: () => string;
  /** Resolves to the exit code, 0 if undefined. A `ConfigError` prints one sentence and exits with 1. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing, which means exit code 0.
  readonly run: (args: readonly string[], env: Readonly<Record<string, string | undefined>>) => Promise<number | void>;
}

export const JSON_OPTION = {
  json: option('--json', 'print the result as JSON'),
} as const;

export const FORCE_OPTION = {
  force: option('--force', 'replace existing files or rows'),
} as const;
