/** The files of a release: the workflow runs what exists, and finds its notes in the changelog. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, ROOT), 'utf8');
const { jobs } = parse(read('.github/workflows/release.yml')) as { jobs: Record<string, Job> };
const commands = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run ?? ''));

interface Job {
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly include: readonly { readonly target: string }[] } };
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}

test('every job of the workflow runs after the checks, with scripts and files that exist', () => {
  for (const { needs } of Object.values(jobs)) expect([undefined, ...Object.keys(jobs)]).toContain(needs);
  expect(Object.keys(jobs).filter((name) => jobs[name]!.needs === undefined)).toEqual(['check']);
  const scripts = commands.flatMap((text) => [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!));
  expect(scripts).toEqual(['build']);
  expect(scripts.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
  expect(commands).toContain('bash .ci/run');
  expect(existsSync(new URL('.ci/run', ROOT))).toBe(true);
  expect(jobs.executables!.strategy!.matrix.include.map(({ target }) => target)).toEqual([
    'linux-x64',
    'linux-arm64',
    'darwin-arm64',
  ]);
});

test('the list of packages names those that the program contains', () => {
  const [, command] = /^(npm sbom .+) > /.exec(commands.find((text) => text.startsWith('npm sbom'))!)!;
  const { stdout } = Bun.spawnSync(['bash', '-c', command!], { cwd: fileURLToPath(ROOT) });
  const { components } = JSON.parse(`${stdout}`) as { components: { name: string; version: string }[] };
  const listed = new Map(components.map(({ name, version }) => [name, version]));
  expect(listed.size).toBeGreaterThan(10);
  for (const [name, version] of Object.entries(manifest.dependencies)) expect(listed.get(name)).toBe(version);
});

test('only the jobs that publish may write', () => {
  const writers = Object.entries(jobs).filter(([, { permissions = {} }]) =>
    Object.values(permissions).includes('write'),
  );
  expect(writers.map(([name, { permissions }]) => [name, permissions])).toEqual([
    ['release', { contents: 'write' }],
    ['image', { contents: 'read', packages: 'write' }],
    ['package', { contents: 'read', 'id-token': 'write' }],
  ]);
});

test('the notes of the release are its entry of the changelog, in at most 90 lines', () => {
  const script = commands.find((text) => text.includes('awk '))!;
  const awk = /awk .+? CHANGELOG\.md/.exec(script)![0];
  const env = { ...process.env, GITHUB_REF_NAME: `v${manifest.version}` };
  const { stdout } = Bun.spawnSync(['bash', '-c', awk], { cwd: fileURLToPath(ROOT), env });
  const lines = `${stdout}`.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
  expect(lines[0]).toContain(`[${manifest.version}]`);
  expect(lines.length).toBeLessThanOrEqual(90);
  const headings = lines.filter((line) => line.startsWith('### ')).map((line) => line.slice('### '.length));
  const allowed = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
  expect(headings.filter((heading) => !allowed.includes(heading))).toEqual([]);
});

test('the manifest of Kubernetes names the version of the package', () => {
  expect(read('deploy/kubernetes/catalogue.yaml')).toContain(`image: product-catalogue:${manifest.version}\n`);
});
