/** The Chromium of the browser tests. */
import { existsSync } from 'node:fs';

/** The first is the same browser without a window, which opens a page in a third of the CPU time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of the browser; undefined if none is installed. */
export const CHROMIUM = [process.env.CHROMIUM_PATH, ...NAMES.map((name) => Bun.which(name))].find(
  (path): path is string => typeof path === 'string' && existsSync(path),
);

export const NO_CHROMIUM =
  'the browser tests did not run, because no Chromium was found. Install it (apt-get install chromium-headless-shell), or set CHROMIUM_PATH.';

export const LAUNCH_OPTIONS = {
  executablePath: CHROMIUM ?? '',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    // Without processes for painting, for the network and for other sites, a page takes a quarter less CPU time.
    '--in-process-gpu',
    '--enable-features=NetworkServiceInProcess2',
    '--disable-site-isolation-trials',
    '--disable-background-networking',
    '--disable-component-update',
    // A page is short-lived: without optimized code, a story takes a tenth less CPU time.
    '--js-flags=--no-maglev --no-turbofan',
    // Resolves the names of other sites, for pages of other origins.
    '--host-resolver-rules=MAP *.example 127.0.0.1',
  ],
};
