/** Test certificates made by openssl: an authority, and server certificates that it signs. */
import { join } from 'node:path';

export interface Authority {
  /** The path of the authority's certificate. */
  readonly file: string;
  /** Creates a key and a signed certificate for a server, such as `DNS:localhost`. */
  readonly vouchFor: (alternativeName: string) => { readonly certificate: string; readonly key: string };
}

export function newAuthority(folder: string, name: string): Authority {
  const at = (suffix: string) => join(folder, `${name}${suffix}`);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...newKey, '-keyout', at('.key'), '-out', at('.pem'), '-days', '2', '-subj', `/CN=${name}`);
  let made = 0;
  return {
    file: at('.pem'),
    vouchFor(alternativeName) {
      const [request, certificate, key] = ['.csr', '.crt', '-server.key'].map((suffix) => at(`${++made}${suffix}`));
      openssl(
        ...['req', ...newKey, '-keyout', key!, '-out', request!, '-subj', '/CN=catalogue test'],
        ...['-addext', `subjectAltName=${alternativeName}`],
      );
      openssl(
        ...['x509', '-req', '-in', request!, '-CA', at('.pem'), '-CAkey', at('.key'), '-CAcreateserial'],
        ...['-out', certificate!, '-days', '2', '-copy_extensions', 'copy'],
      );
      return { certificate: certificate!, key: key! };
    },
  };
}

function openssl(...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...args]);
  if (exitCode !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
}
