/** `catalogue declare`: what concerns declarations of collections. */
import { ConfigError, describeSettings, readSettings } from '../config.ts';
import { onOrOff, setting } from '../settings/setting.ts';
import type { Command } from './command.ts';

const OPTIONS = {
  jsonSchema: setting({
    flag: '--json-schema',
    description: 'print the JSON Schema of declarations, with which editors complete and check them',
    byDefault: false,
    read: onOrOff,
  }),
} as const;

export const declare: Command = {
  name: 'declare',
  summary: 'print the JSON Schema of declarations',
  help: () => `Usage: catalogue declare --json-schema

Prints the JSON Schema of the format in which collections are declared. Save it beside the declaration, and name it there:

  catalogue declare --json-schema > collections.schema.json
  # yaml-language-server: $schema=collections.schema.json      (the first line of collections.yaml)
  "$schema": "collections.schema.json"                         (a key of collections.json)

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const { jsonSchema } = readSettings(OPTIONS, args, env);
    if (!jsonSchema) throw new ConfigError('say what to print: catalogue declare --json-schema');
    const { declarationSchema } = await import('../declare/json-schema.ts');
    console.log(JSON.stringify(declarationSchema(), null, 2));
  },
};
