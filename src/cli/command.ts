/** What a command of the program is. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly help: () => string;
  /** May throw a `ConfigError`: one clear sentence, exit code 1. */
  readonly run: (args: readonly string[], env: Readonly<Record<string, string | undefined>>) => Promise<void>;
}
