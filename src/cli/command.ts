/** What a command of the program is. */
export interface Command {
  readonly help: () => string;
  /** Resolves to the exit code, 0 where it has none to tell. May throw a `ConfigError`: one clear sentence, exit code 1. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands have nothing to tell, and say so by returning nothing.
  readonly run: (args: readonly string[], env: Readonly<Record<string, string | undefined>>) => Promise<number | void>;
}
