/** Collects the mistakes of a declaration and reports them together, in line order. */
import type { Wording } from '../../base/sentence.ts';
import { ConfigError } from '../../settings/setting.ts';

/** Counted from 1, as in editors. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

interface Mistake extends Place {
  readonly message: Wording;
}

/** Thrown before anything is changed. */
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

  /** A mistake in a shared alias is reported once. */
  add({ line, column }: Place, message: Wording): undefined {
    this.found.set(`${line}:${column}:${message}`, { line, column, message });
  }

  get any(): boolean {
    return this.found.size > 0;
  }

  /** Throws an error with all mistakes, if any. */
  settle(file: string): void {
    if (!this.any) return;
    const inOrder = (one: Mistake, other: Mistake) => one.line - other.line || one.column - other.column;
    throw new DeclarationError(file, [...this.found.values()].sort(inOrder));
  }
}
