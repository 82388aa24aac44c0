import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { shellQuoted, welcome } from '../../src/adapters/demo/welcome.ts';

const apiKey = 'svc-0123456789abcdefghijklmnopqrstuvwxyzABCD';
const invoiceReaderId = '0193b2c4-0000-7000-8000-000000000001';
const signInLink = `http://127.0.0.1:3000/oauth/link/${'x'.repeat(43)}`;
const user = 'demo@portico.local';
const first = () =>
  welcome('http://127.0.0.1:3000/', {
    user,
    made: { apiKey, signInLink, invoiceReaderId, inbox: '/work/.portico/inbox' },
  });

/** The commands of the text, run by a shell in which `curl` and `npx` print their arguments and the variables they get. */
const run = (text: string): string[] => {
  const commands = text
    .split('\n')
    .filter((line) => /^ {4}(curl|PORTICO_URL)|^ {6}/.test(line))
    .join('\n');
  const print = 'printf "%s\\n" "$PORTICO_URL" "$PORTICO_API_KEY" "$@"';
  return execFileSync('sh', ['-c', `curl() { ${print}; }\nnpx() { ${print}; }\n${commands}`], {
    encoding: 'utf8',
  }).split('\n');
};

describe('the welcome', () => {
  it('gives the address, the docs page, the demo key, and two commands, in lines that fit a page', () => {
    const text = first();
    expect(text).to.include('http://127.0.0.1:3000/api/v1\n').and.to.include('http://127.0.0.1:3000/docs\n');
    expect(text).to.include('http://127.0.0.1:3000/console\n').and.to.include(`${signInLink}   (works once`);
    expect(text).to.match(/Demo key {2}svc-\w{40} {3}\(shown this once, works for 30 days\)/);
    expect(text).to.include('put a file into /work/.portico/inbox: what comes there is read');
    expect(Math.max(...text.split('\n').map((line) => line.length))).to.be.at.most(200);
  });

  it('gives commands that a shell takes as they are', () => {
    const [, , silent, url, , key, , type, , body = '', address, given, ...cli] = run(first());
    expect([silent, url]).to.deep.equal(['-sS', `http://127.0.0.1:3000/api/v1/agents/${invoiceReaderId}/run`]);
    expect([key, type]).to.deep.equal([`X-API-Key: ${apiKey}`, 'Content-Type: application/json']);
    expect(JSON.parse(body).user_message).to.include('\nInvoice number: ASB-104\n');
    expect([address, given]).to.deep.equal(['http://127.0.0.1:3000', apiKey]);
    expect(cli).to.deep.equal([
      'portico',
      'runs',
      'create',
      'Invoice reader',
      'demo/samples/harbour-row-paper.pdf',
      '--watch',
      '',
    ]);
  });

  it('shows no key at a later start, and says how to make one', () => {
    const text = welcome('http://127.0.0.1:3000/', { user, made: null });
    expect(text).not.to.include('svc-');
    expect(text).to.not.include('/oauth/link/');
    expect(text)
      .to.include('npx portico keys create --user demo@portico.local')
      .and.include('npx portico users invite demo@portico.local');
  });

  it('names no user of the demo if there is none', () => {
    for (const demo of [{ user: null, made: null }, null]) {
      const text = welcome('http://127.0.0.1:3000', demo);
      expect(text).not.to.include('demo@');
      expect(text)
        .to.include('npx portico apply -f workspace.yaml')
        .and.include('npx portico keys create --user EMAIL');
    }
  });

  it('quotes what a shell would read otherwise', () => {
    const odd = `it's "$HOME" \`id\` \\ !\n& end`;
    expect(execFileSync('sh', ['-c', `printf %s ${shellQuoted(odd)}`], { encoding: 'utf8' })).to.equal(odd);
  });
});
