/** A command of the program: its flags, its help, and the options of several commands. */
import { describeSettings, readCommand } from '../../settings/by-command.ts';
import type { Environment, Resolved } from '../../settings/resolve.ts';
import { option, type Table } from '../../settings/setting.ts';

// biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing, which means exit code 0.
type ExitCode = Promise<number | void>;

export interface Command {
  readonly help: () => string;
  /** Resolves to the exit code, 0 if undefined. A `ConfigError` prints one sentence and exits with 1. */
  readonly run: (args: readonly string[], env: Environment) => ExitCode;
}

interface CommandParts<T extends Table> {
  readonly options: T;
  /** The number of arguments that are not flags. */
  readonly operands?: number;
  readonly usage: string;
  readonly run: (given: Resolved<T>) => ExitCode;
}

export function defineCommand<T extends Table>({ options, operands = 0, usage, run }: CommandParts<T>): Command {
  return {
    help: () => `${usage}\n\n${describeSettings(options)}`,
    run: async (args, env) => run(readCommand(options, args, env, operands)),
  };
}

export const JSON_OPTION = { json: option('--json: print the result as JSON') } as const;
export const FORCE_OPTION = { force: option('--force: replace existing files or rows') } as const;

export function printResult(isJson: boolean, result: object, ...words: readonly string[]): void {
  for (const line of isJson ? [JSON.stringify({ ok: true, ...result })] : words) console.log(line);
}
