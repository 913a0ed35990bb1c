/** Validates the webhooks of a declaration: address, secret, and conditions against the declared collections. */
import { unlessRejected } from '../base/errors.ts';
import { unknownName } from '../base/nearest-name.ts';
import { about, say } from '../base/sentence.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { CollectionDraft, WebhookDraft } from '../collection/draft.ts';
import { planRule } from '../plan/access/rule.ts';
import { collectionNames } from './comments.ts';
import type { GivenCollection, GivenWebhook } from './format.ts';
import type { Named } from './reader/maps.ts';
import { addMistake, valuesOf } from './reader/shape.ts';
import { checkedWhere } from './roles.ts';

/** A variable of the environment that holds the secret. */
export const SECRET_VARIABLE = /^\{env\.([A-Za-z_][A-Za-z0-9_]*)\}$/;
export const SECRET_FORM = say`whsec_ and the base64 of 24 to 64 bytes`;

export function isSecret(text: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const { length } = Buffer.from(base64 ?? '', 'base64');
  return length >= 24 && length <= 64;
}

export function draftWebhooks(
  webhooks: readonly Named<GivenWebhook>[],
  declared: readonly Named<GivenCollection>[],
  drafts: readonly CollectionDraft[],
  catalogue: Catalogue | undefined,
): readonly WebhookDraft[] {
  const names = collectionNames(declared, drafts);
  return webhooks.flatMap(({ name, value, reading }): readonly WebhookDraft[] => {
    if (value?.url === undefined || value.secret === undefined) return [];
    const { url, collections, where, secret } = value;
    if (!isUrl(url.value)) {
      addMistake(
        reading,
        url.at,
        say`url must be an address such as https://shop.example/hook, without a name or password`,
      );
    }
    if (!SECRET_VARIABLE.test(secret.value) && !isSecret(secret.value)) {
      addMistake(reading, secret.at, say`secret must be ${SECRET_FORM}, or {env.NAME}`);
    }
    for (const each of collections?.value ?? []) {
      const draft = drafts.find((one) => one.name === each.value);
      if (!names.includes(each.value)) addMistake(reading, each.at, unknownName(say`collection`, each.value, names));
      else if (draft?.history === false) {
        addMistake(reading, each.at, say`${each.value} has history: false, so it has no changes to send`);
      }
    }
    const chosen = collections?.value.map((each) => each.value);
    for (const draft of drafts) {
      if (where === undefined || !(chosen?.includes(draft.name) ?? draft.history !== false)) continue;
      checkedWhere(draft, { where }, reading, catalogue);
      const collection = catalogue?.collections.get(draft.name);
      const rule = collection && unlessRejected(() => planRule(collection, where.value));
      if ((rule?.claims.length ?? 0) > 0) addMistake(reading, where.at, about('where', say`a webhook has no claims`));
    }
    const options = valuesOf(value, 'collections', 'kinds', 'where');
    return [{ name, url: url.value, ...options, secret: secret.value }];
  });
}

function isUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
