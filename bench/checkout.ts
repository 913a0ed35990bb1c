/** Checks out another version of the service into a separate folder, with the packages from its lock file. */
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './servers.ts';

export interface Version {
  readonly name: string;
  readonly root: string;
  readonly remove: () => void;
}

export const HERE: Version = { name: 'as it is here', root: ROOT, remove: () => {} };

/** Returns the short name of a commit, or undefined if it does not exist. */
export function nameOf(commit: string): string | undefined {
  const found = Bun.spawnSync(['git', 'rev-parse', '--short', '--verify', `${commit}^{commit}`], { cwd: ROOT });
  return found.success ? found.stdout.toString().trim() : undefined;
}

export function checkOut(commit: string, folder: string): Version {
  const name = nameOf(commit)!;
  const root = join(folder, name);
  run(ROOT, 'git', 'worktree', 'add', '--detach', root, name);
  const remove = () => void run(ROOT, 'git', 'worktree', 'remove', '--force', root);
  try {
    if (lockOf(root) === lockOf(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    else run(root, 'npm', 'install', '--omit=dev', '--no-save', '--no-audit', '--no-fund');
  } catch (error) {
    remove();
    throw error;
  }
  return { name: commit === name ? name : `${commit} (${name})`, root, remove };
}

function lockOf(root: string): string {
  return readFileSync(join(root, 'package-lock.json'), 'utf8');
}

function run(cwd: string, ...command: string[]): string {
  const { success, stdout, stderr } = Bun.spawnSync(command, { cwd });
  if (!success) throw new Error(`${command.join(' ')}: ${stderr.toString().trim()}`);
  return stdout.toString().trim();
}
