/** `catalogue init`: writes a first declaration. */
import { existsSync } from 'node:fs';
import { products } from '../collection/products.ts';
import { findDeclaration, USUAL_NAMES } from '../declare/declaration-file.ts';
import { ConfigError } from '../settings/by-command.ts';
import { defineCommand, JSON_OPTION, openOutput, printResult } from './shared/command.ts';

export const command = defineCommand({
  options: JSON_OPTION,
  operands: 1,
  usage: `Usage: catalogue init [FILE] [flags]

Writes ${USUAL_NAMES[0]}, or FILE: the built-in collection, with comments about everything that a collection and a field
can have. An existing file is left unchanged.`,
  async run({ values, operands }) {
    const [file = USUAL_NAMES[0]] = operands;
    if (!/\.ya?ml$/.test(file))
      throw new ConfigError(
        `${file} does not end in .yaml. The declaration is YAML: choose a name such as ${USUAL_NAMES[0]}`,
      );
    const present = operands.length === 0 ? findDeclaration('') : undefined;
    if (present !== undefined)
      throw new ConfigError(`${present} exists already. To write another file: catalogue init FILE`);
    const { startingPoint } = await import('../declare/writer/starting-point.ts');
    if (existsSync(file)) throw new ConfigError(`${file} exists already. Choose another name`);
    const output = openOutput(file, { replace: false, protectedFiles: [] });
    output.write(startingPoint(products, file));
    output.end();
    printResult(values.json, { file }, `Wrote ${file}: change it, then validate it with catalogue check ${file}`);
  },
});
