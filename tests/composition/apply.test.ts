import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { readConfig } from '../../src/composition/config.ts';
import { openOperator } from '../../src/composition/operator.ts';
import { cli } from '../cli/run-cli.ts';
import { aPlace } from '../support/here.ts';
import { quiet } from '../support/log.ts';

interface Line {
  readonly action: string;
  readonly kind: string;
  readonly name: string;
  readonly id: string;
}

const reader = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e01';
const agent = (words: string) => `  - { ${words}, workflow_type: assistant, model: offline, instructions: Help. }\n`;

describe('portico apply on a database', () => {
  const key = randomBytes(32).toString('base64');
  let place: Awaited<ReturnType<typeof aPlace>>;

  const run = (text: string, args: readonly string[] = [], encryptionKey = key) =>
    cli(['apply', '-f', '-', ...args], {
      stdin: Readable.from([text]),
      openOperator: () => openOperator(readConfig({ ...place.settings, ENCRYPTION_KEY: encryptionKey }), quiet),
    });
  const changesOf = async (...given: Parameters<typeof run>): Promise<readonly Line[]> => {
    const { code, out, err } = await run(given[0], [...(given[1] ?? []), '--json'], given[2]);
    expect(code, err).to.equal(0);
    return (JSON.parse(out) as { changes: readonly Line[] }).changes;
  };
  const actionsOf = (changes: readonly Line[], kind: string) =>
    changes.filter((change) => change.kind === kind).map(({ action, name }) => `${action} ${name}`);

  beforeEach(async () => {
    place = await aPlace();
  });
  afterEach(() => place.remove());

  it('leaves the name of an agent that is renamed by its id to another one', async () => {
    await changesOf(`workspace: acme\nagents:\n${agent(`id: ${reader}, name: Reader`)}`);
    const file = `workspace: acme\nagents:\n${agent(`id: ${reader}, name: Old reader`)}${agent('name: Reader')}`;
    const [, renamed, made] = await changesOf(file);
    expect(renamed).to.include({ action: 'change', name: 'Old reader', id: reader });
    expect(made).to.include({ action: 'create', name: 'Reader' });
    expect(made?.id).not.to.equal(reader);
    expect(actionsOf(await changesOf(file), 'agents')).to.deep.equal(['keep Old reader', 'keep Reader']);
  });
});
