/** The mistakes in a declaration: gathered while it is read, and told all at once, in the order of lines. */
import { ConfigError } from '../settings/setting.ts';

/** From 1, as editors count. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Mistake extends Place {
  readonly message: string;
}

/** Nothing has been touched when it is thrown. */
export class DeclarationError extends ConfigError {
  constructor(
    readonly file: string,
    readonly mistakes: readonly Mistake[],
  ) {
    const lines = mistakes.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
    super(`${file} has ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}\n${lines.join('\n')}`);
  }
}

export class Mistakes {
  private readonly found = new Map<string, Mistake>();

  /** What several aliases share is told once. */
  add({ line, column }: Place, message: string): undefined {
    this.found.set(`${line}:${column}:${message}`, { line, column, message });
  }

  get any(): boolean {
    return this.found.size > 0;
  }

  /** Throws where there is one. */
  settle(file: string): void {
    if (!this.any) return;
    const inOrder = (one: Mistake, other: Mistake) => one.line - other.line || one.column - other.column;
    throw new DeclarationError(file, [...this.found.values()].sort(inOrder));
  }
}
