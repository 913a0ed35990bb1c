/**
 * The files for Docker and Kubernetes. They are parsed, not run: the tests need neither. The manifest was compiled
 * against the types of the Kubernetes API (npm: kubernetes-models 4.5.1), which has too many packages for this project.
 */
import { expect, test } from 'bun:test';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { SERVE_SETTINGS } from '../../src/settings/by-command.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, ROOT), 'utf8');
const SETTINGS = new Set<string | undefined>(Object.values(SERVE_SETTINGS).map(({ env }) => env));

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Returns the instructions of each stage of a Dockerfile. */
function stages(text: string): readonly (readonly Instruction[])[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const found: Instruction[][] = [];
  for (const line of lines) {
    const [, name, rest] = /^([A-Z]+) (.+)$/.exec(line)!;
    if (name === 'FROM') found.push([]);
    found.at(-1)!.push({ name: name!, rest: rest! });
  }
  return found;
}

const [build = [], image = []] = stages(read('Dockerfile'));
const valuesOf = (stage: readonly Instruction[], name: string) =>
  stage.filter((each) => each.name === name).map(({ rest }) => rest);

test('the image copies files that exist or that the build creates, and ignores those of the developer', () => {
  const sources = valuesOf(build, 'COPY').flatMap((rest) => rest.split(' ').slice(0, -1));
  for (const source of sources) expect([source, existsSync(new URL(source, ROOT))]).toEqual([source, true]);
  const built = valuesOf(image, 'COPY').map((rest) => /^--from=build (?:--\S+ )*(\S+) /.exec(rest)?.[1]);
  expect(built).toEqual(['/src/dist/catalogue', '/data']);
  expect(valuesOf(build, 'RUN').join('\n')).toMatch(/npm ci\n.*-- dist\/catalogue .*mkdir \/data/);
  expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['.git', 'node_modules', 'dist', '*.db']));
});

test('npm resolves the dependencies from the files that the image copies before it installs them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-image-'));
  try {
    const names = valuesOf(build, 'COPY')[0]!.split(' ').slice(0, -1);
    for (const name of names) cpSync(new URL(name, ROOT), join(folder, name));
    // `npm test` passes its own settings to its processes. These would hide a missing .npmrc.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
    const { exitCode, stderr } = Bun.spawnSync(['npm', 'ci', '--dry-run', '--offline'], { cwd: folder, env });
    expect([exitCode, exitCode === 0 ? '' : stderr.toString()]).toEqual([0, '']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the image runs as a user without privileges, has a health check, and sets only settings that exist', () => {
  expect(valuesOf(image, 'USER')).toEqual(['nonroot']);
  expect(valuesOf(image, 'HEALTHCHECK')[0]).toContain('CMD ["/usr/local/bin/catalogue", "health"]');
  expect([...valuesOf(image, 'ENTRYPOINT'), ...valuesOf(image, 'CMD')].map((each) => JSON.parse(each))).toEqual([
    ['/usr/local/bin/catalogue'],
    ['serve'],
  ]);
  const names = valuesOf(image, 'ENV')[0]!.matchAll(/(\w+)=/g);
  expect([...names].map(([, name]) => name!).filter((name) => !SETTINGS.has(name))).toEqual([]);
});

interface ComposeService {
  readonly build?: string;
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: unknown;
}

const COMPOSE_FILES = ['compose.yaml', ...new Bun.Glob('examples/*/compose.yaml').scanSync(fileURLToPath(ROOT))];

test.each(COMPOSE_FILES)(
  '%s builds from this repository, waits for healthy services, and mounts existing files',
  (file) => {
    const here = new URL(file, ROOT);
    const text = read(file);
    const { services, volumes } = parse(text, { merge: true }) as {
      services: Record<string, ComposeService>;
      volumes: Record<string, unknown>;
    };
    for (const [name, service] of Object.entries(services)) {
      const isOwn = service.build !== undefined;
      if (isOwn) expect([name, existsSync(new URL(`${service.build}/Dockerfile`, here))]).toEqual([name, true]);
      const environment = Object.keys(service.environment ?? {});
      if (isOwn) expect(environment.filter((each) => !SETTINGS.has(each))).toEqual([]);
      // The image of this project has a health check of its own.
      expect([name, isOwn || service.healthcheck !== undefined]).toEqual([name, true]);
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect([other in services, condition]).toEqual([true, 'service_healthy']);
      }
      for (const mount of service.volumes ?? []) {
        const source = mount.split(':')[0]!;
        expect([mount, source.startsWith('.') ? existsSync(new URL(source, here)) : source in volumes]).toEqual([
          mount,
          true,
        ]);
      }
    }
    // A missing password stops the start, and no password is in the file.
    expect(text).toMatch(/\$\{POSTGRES_PASSWORD:\?/);
  },
);

test('the Kubernetes objects refer to each other, to paths of the service, and to settings that exist', () => {
  const documents = parseAllDocuments(read('deploy/kubernetes/catalogue.yaml'));
  const [deployment, service, budget] = documents.map((each) => each.toJS({ maxAliasCount: 0 }));
  expect([deployment, service, budget].map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
    'apps/v1 Deployment',
    'v1 Service',
    'policy/v1 PodDisruptionBudget',
  ]);
  const { template, replicas, selector } = deployment.spec;
  const { labels } = template.metadata;
  expect([selector.matchLabels, service.spec.selector, budget.spec.selector.matchLabels]).toEqual([
    labels,
    labels,
    labels,
  ]);
  expect(budget.spec.minAvailable).toBeLessThan(replicas);
  const [container] = template.spec.containers;
  const ports = container.ports as { name: string; containerPort: number }[];
  const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((each) => container[each].httpGet);
  expect(probes.map(({ path }) => path)).toEqual(['/ready', '/ready', '/live']);
  const named = [...probes.map(({ port }) => port), service.spec.ports[0].targetPort];
  expect(named.every((name) => ports.some((port) => port.name === name))).toBe(true);
  const [{ name, value }] = container.env;
  expect([SETTINGS.has(name), Number(value)]).toEqual([
    true,
    ports.find((port) => port.name === 'admin')!.containerPort,
  ]);
  expect(container.envFrom).toEqual([{ secretRef: { name: 'catalogue' } }]);
  expect(ports.find((port) => port.name === 'http')!.containerPort).toBe(Number(valuesOf(image, 'EXPOSE')[0]));
  const volumes = template.spec.volumes.map((each: { name: string }) => each.name);
  expect(container.volumeMounts.map((each: { name: string }) => each.name)).toEqual(volumes);
  expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: expect.any(Number) });
  expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
});
