/** Reads the certificate of the service and its private key from files. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileProblem } from '../base/files/output-file.ts';
import type { Log } from '../observe/log.ts';
import { ConfigError, type ServeSettings } from '../settings/by-command.ts';

export interface Certificate {
  /** PEM: the certificate and its chain. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** Reads the certificate, if one is configured. Throws if the files are not a certificate and its key. */
export function readCertificate({
  tlsCert,
  tlsKey,
}: Pick<ServeSettings, 'tlsCert' | 'tlsKey'>): Certificate | undefined {
  if (tlsCert === '' && tlsKey === '') return undefined;
  if (tlsKey === '') throw new ConfigError('--tls-cert needs --tls-key, the file of its private key');
  if (tlsCert === '') throw new ConfigError('--tls-key needs --tls-cert, the file of its certificate');
  const cert = readPem('--tls-cert', tlsCert);
  const key = readPem('--tls-key', tlsKey);
  // Parse the whole chain; the key belongs to the first certificate.
  const [own] = cert.match(CERTIFICATES)?.map((each) => certificateOf(each, tlsCert)) ?? [];
  if (own === undefined) throw new ConfigError(`--tls-cert: ${tlsCert} holds no certificate in PEM form`);
  if (!own.checkPrivateKey(keyOf(key, tlsKey))) {
    throw new ConfigError(`--tls-key: ${tlsKey} is not the key of the certificate in ${tlsCert}`);
  }
  return { cert, key };
}

/** Fields for the log. */
function describeCertificate({ cert }: Certificate): { readonly certificate: string; readonly until: string } {
  const { subject, subjectAltName, validToDate } = new X509Certificate(cert);
  return { certificate: subjectAltName ?? subject, until: validToDate.toISOString() };
}

function isExpired({ cert }: Certificate): boolean {
  return new X509Certificate(cert).validToDate.getTime() < Date.now();
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

function readPem(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${flag}: ${file} cannot be read: ${fileProblem(error)}`);
  }
}

function certificateOf(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new ConfigError(`--tls-cert: ${file} holds a certificate that cannot be read`);
  }
}

function keyOf(pem: string, file: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED|^Proc-Type:.*ENCRYPTED/m.test(pem)) {
    throw new ConfigError(
      `--tls-key: ${file} is encrypted. Use a key without a passphrase that only the service may read`,
    );
  }
  try {
    return createPrivateKey(pem);
  } catch {
    throw new ConfigError(`--tls-key: ${file} holds no private key in PEM form`);
  }
}

/**
 * Reloads the certificate on SIGHUP; `renew` activates it. If the new one is invalid, logs that and keeps the previous
 * certificate. Without a certificate, SIGHUP keeps its default meaning.
 */
export function renewOnHangup(
  settings: ServeSettings,
  log: Log,
  renew: (certificate: Certificate) => Promise<void>,
): void {
  if (settings.tlsCert === '') return;
  let last: Promise<void> = Promise.resolve();
  const again = async () => {
    try {
      const certificate = readCertificate(settings)!;
      await renew(certificate);
      log.write('info', 'certificate renewed', describeCertificate(certificate));
      warnIfExpired(certificate, log);
    } catch (error) {
      const reason = error instanceof ConfigError ? error.message : String(error);
      log.write('error', 'certificate not renewed; keeping the previous certificate', { reason });
    }
  };
  // Renewals run one after the other.
  process.on('SIGHUP', () => {
    last = last.then(again);
  });
}

export function warnIfExpired(certificate: Certificate, log: Log): void {
  if (isExpired(certificate)) log.write('warn', 'the certificate has expired', describeCertificate(certificate));
}
