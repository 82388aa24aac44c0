export interface WelcomeOptions {
  readonly baseUrl: string;
  /** The demo key, at the one time it is shown. */
  readonly apiKey: string | null;
  /** The agent that the commands are for; null where the demo workspace is not there. */
  readonly invoiceReaderId: string | null;
  readonly firstStart: boolean;
  /** The email that a further key is made for; null where the demo's user is not there. */
  readonly demoUser: string | null;
}

const message = [
  'Supplier: Alder Street Bakery',
  'Invoice number: ASB-104',
  'Invoice date: 2026-11-06',
  'Currency: GBP',
  'Net amount: 84.00',
  'VAT: 0.00',
  'Total: 84.00',
].join('\n');

/** As a POSIX shell reads it back unchanged. */
export const shellQuoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const commands = (base: string, key: string, agentId: string): readonly string[] => [
  '  Start a run from a message:',
  '',
  `    curl -sS ${shellQuoted(`${base}/api/v1/agents/${agentId}/run`)} \\`,
  `      -H ${shellQuoted(`X-API-Key: ${key}`)} -H 'Content-Type: application/json' \\`,
  `      -d ${shellQuoted(JSON.stringify({ user_message: message }))}`,
  '',
  '  Send a file, and watch it being read:',
  '',
  `    PORTICO_URL=${shellQuoted(base)} PORTICO_API_KEY=${shellQuoted(key)} \\`,
  '      npx portico runs create "Invoice reader" demo/samples/harbour-row-paper.pdf --watch',
  '',
  '  npm run demo sends every sample file. Ctrl-C stops the server.',
];

const ownWorkspace: readonly string[] = [
  '  A workspace:  npx portico apply -f workspace.yaml',
  '  A key:        npx portico keys create --user EMAIL   (of a user of the workspace)',
];

/** What the server says when it is ready. The demo key is in it once, at the first start. */
export const welcome = ({ baseUrl, apiKey, invoiceReaderId, firstStart, demoUser }: WelcomeOptions): string => {
  const base = baseUrl.replace(/\/+$/, '');
  const facts: [string, string][] = [
    ['API', `${base}/api/v1`],
    ['Docs', `${base}/docs`],
  ];
  if (apiKey !== null) facts.push(['Demo key', `${apiKey}   (shown this once)`]);
  const lines = ['', '  Portico is ready.', '', ...facts.map(([name, value]) => `    ${name.padEnd(10)}${value}`)];
  if (firstStart && apiKey !== null && invoiceReaderId !== null) lines.push('', ...commands(base, apiKey, invoiceReaderId));
  else if (demoUser !== null) lines.push('', `  Another key:  npx portico keys create --user ${shellQuoted(demoUser)}`);
  else lines.push('', ...ownWorkspace);
  return `${lines.join('\n')}\n`;
};
