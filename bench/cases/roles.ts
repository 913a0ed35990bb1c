/**
 * The cost of authentication and permissions: reads with a token under a rule with `where`, compared with the same
 * reads without roles.
 */
import { SignJWT } from 'jose';
import { alternate } from '../alternate.ts';
import type { Case } from '../case.ts';
import { JWT_SECRET } from '../fixtures.ts';
import { get } from '../load.ts';

const READS = {
  'GET by id': '"/products/"..(n % 77 + 1).."?limit="..n',
  'filter page': '"/products?category_id=eq."..(n % 8 + 1).."&limit="..(13 + n)',
};

/** Creates a token with the claim that the rule of its role uses. */
function token(): Promise<string> {
  return new SignJWT({ role: 'reader', hidden: 'secret' })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(JWT_SECRET));
}

export const roleCases: readonly Case[] = Object.entries(READS).map(([name, path]) => ({
  name: `${name} with a token and a rule, beside the same without roles`,
  async run(fixtures, pace) {
    const script = get(path);
    const sent = `wrk.headers["Authorization"] = "Bearer ${await token()}"\n${script}`;
    return alternate(
      {
        name: this.name,
        goal: { kind: 'share', atLeast: 0.7 },
        baseline: { server: await fixtures.shop(), load: { script } },
        service: { server: await fixtures.shopWithRoles(), load: { script: sent } },
      },
      pace,
    );
  },
}));
