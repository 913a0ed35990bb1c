/** nginx and Caddy with the configurations of this repository. CI does not install them: each takes ten seconds. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../engines/postgres-server.ts';
import { spawn, temporaryFolder, until } from '../processes/process.ts';

/** nginx is in a folder for administrators, which is not in the path of every user. */
const find = (name: string) => Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` }) ?? undefined;

export const NGINX = find('nginx');
export const CADDY = find('caddy');

/** Adds a note to the title of a test that is skipped because a program is missing. */
export function withProgram(title: string, program: string | undefined, name: string): string {
  return program === undefined ? `${title} (skipped: ${name} is missing; apt-get install ${name})` : title;
}

/** Starts nginx with a file of /etc/nginx/conf.d/. Replaces its port 80 and other parts of its text. */
export async function startNginx(text: string, replacements: Readonly<Record<string, string>>): Promise<string> {
  const folder = temporaryFolder();
  const port = freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${kind};`);
  writeFileSync(join(folder, 'site.conf'), replaceAll(text, { ...replacements, 'listen 80;': `listen ${port};` }));
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid pid; events {} http { access_log off; ${temporary.join(' ')} include site.conf; }`,
  );
  spawn({ program: [NGINX!, '-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], cwd: folder }, []);
  return untilListening(port);
}

/** Starts Caddy with a Caddyfile, without TLS. Replaces the name of its host and other parts of its text. */
export async function startCaddy(text: string, host: string, replacements: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const port = freePort();
  const site = replaceAll(text, { ...replacements, [`${host} {`]: `http://:${port} {\n\tbind 127.0.0.1` });
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${site}`);
  const env = { HOME: folder };
  spawn({ program: [CADDY!, 'run', '--adapter', 'caddyfile', '--config', 'Caddyfile'], cwd: folder, env }, []);
  return untilListening(port);
}

function replaceAll(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`the configuration does not contain ${from}`);
    return result.replaceAll(from, to);
  }, text);
}

async function untilListening(port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  await until(`a proxy on port ${port}`, () => fetch(url).then(Boolean, () => false));
  return url;
}
