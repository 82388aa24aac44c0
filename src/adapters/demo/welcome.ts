/** How long the demo key works: terminals and files remember what was pasted. */
export const KEY_DAYS = 30;

/** The demo workspace of a server, after its start. */
export interface Demo {
  /** The email of the demo's user; null if there is another workspace instead. */
  readonly user: string | null;
  /** What this start made: a key and a link to sign in by, which are shown only now, and an agent to try; null if the workspace was there before. */
  readonly made: {
    readonly apiKey: string;
    readonly signInLink: string;
    readonly invoiceReaderId: string | null;
    /** The folder that is watched, if there is one. */
    readonly inbox: string | null;
  } | null;
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

/** Quoted so that a POSIX shell reads it back unchanged. */
export const shellQuoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

const commands = (base: string, key: string, agentId: string, inbox: string | null): readonly string[] => [
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
  ...(inbox === null ? [] : [`  Or put a file into ${inbox}: what comes there is read by itself.`, '']),
  '  npm run demo sends every sample file. Ctrl-C stops the server.',
];

const ownWorkspace: readonly string[] = [
  '  A workspace:  npx portico apply -f workspace.yaml',
  '  A key:        npx portico keys create --user EMAIL   (of a user of the workspace)',
];

/** What the server prints when it is ready: at the first start the demo key and commands to paste, later how to make another key. */
export const welcome = (baseUrl: string, demo: Demo | null): string => {
  const base = baseUrl.replace(/\/+$/, '');
  const made = demo?.made ?? null;
  const facts = [
    ['Console', `${base}/console`],
    ...(made === null ? [] : [['Sign in', `${made.signInLink}   (works once, for half an hour)`]]),
    ['API', `${base}/api/v1`],
    ['Docs', `${base}/docs`],
    ...(made === null ? [] : [['Demo key', `${made.apiKey}   (shown this once, works for ${KEY_DAYS} days)`]]),
  ];
  const lines = [
    '',
    '  Portico is ready.',
    '',
    ...facts.map(([name = '', value]) => `    ${name.padEnd(10)}${value}`),
    '',
  ];
  if (made !== null && made.invoiceReaderId !== null)
    lines.push(...commands(base, made.apiKey, made.invoiceReaderId, made.inbox));
  else if (demo !== null && demo.user !== null) {
    lines.push(`  A password:   npx portico users invite ${shellQuoted(demo.user)}   (to sign in to the console)`);
    lines.push(`  Another key:  npx portico keys create --user ${shellQuoted(demo.user)}`);
  } else lines.push(...ownWorkspace);
  return `${lines.join('\n')}\n`;
};
