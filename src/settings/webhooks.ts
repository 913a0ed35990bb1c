/** Settings of webhooks. */
import { addressRange } from './network.ts';
import { envSetting, list } from './setting.ts';

export const WEBHOOK_SETTINGS = {
  webhookNetworks: envSetting<readonly string[]>(
    '--webhook-networks LIST',
    'addresses that webhooks may reach besides public ones, also by http: ranges, loopback, private, none',
    ['loopback'],
    list(addressRange),
  ),
} as const;
