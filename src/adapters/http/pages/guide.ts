import { scopes } from '../../../domain/access.ts';
import { OF_A_USER } from '../../../domain/caller.ts';
import { Html, html } from '../../../domain/html.ts';
import { exampleId } from '../../../wire/example.ts';
import { DEPRECATION_HEADERS, SUNSET_NOTICE_DAYS } from '../api-index.ts';
import { anchorOf, type ErrorCode, errorCodes } from '../error-codes.ts';
import type { LimitSettings } from '../limits.ts';
import { API, accessOf, type Operation, type Urls } from '../operation.ts';

export interface Facts {
  readonly operations: readonly Operation[];
  readonly urls: Urls;
  readonly limits: LimitSettings;
}

/** One part of the guide; other documents point at its id. */
interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Html;
}

/** Prose with `code` in backticks. */
const prose = (text: string): Html =>
  new Html(
    text
      .split('`')
      .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`).markup)
      .join(''),
  );

const shell = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`;

const table = (
  heads: readonly string[],
  rows: readonly (readonly Html[])[],
): Html => html`<div class="wide" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody>
</table></div>`;

const quickStart = ({ urls: { base } }: Facts): Section => ({
  id: 'quick-start',
  title: 'Quick start',
  body: html`<p>From a file to a document in seven calls. You need an API key and the shell.</p>
<h3>1. Set your key</h3>
${shell(`export PORTICO=${base}${API}\nexport PORTICO_API_KEY=svc-…`)}
<h3>2. See your agents</h3>
${shell('curl -H "X-API-Key: $PORTICO_API_KEY" $PORTICO/agents')}
<h3>3. Ask for an upload URL</h3>
${shell(`curl -H "X-API-Key: $PORTICO_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"files": [{"file_name": "invoice.pdf", "content_type": "application/pdf"}]}' \\
  $PORTICO/agents/$AGENT_ID/upload-urls`)}
<h3>4. Upload the file</h3>
<p>To its <code>upload_url</code>, with the <code>headers</code> of its entry and no key. The URL is good for one hour.</p>
${shell(`curl -T invoice.pdf -H 'Content-Type: application/pdf' "$UPLOAD_URL"`)}
<h3>5. Create a run</h3>
<p>An <code>Idempotency-Key</code> makes the request safe to repeat: it starts at most one run. The
<a href="docs">reference</a> names the other operations that take one.</p>
${shell(`curl -H "X-API-Key: $PORTICO_API_KEY" -H 'Content-Type: application/json' -H "Idempotency-Key: $(uuidgen)" \\
  -d '{"files": [{"file_key": "…", "file_name": "invoice.pdf", "content_type": "application/pdf"}]}' \\
  $PORTICO/agents/$AGENT_ID/run`)}
<h3>6. Wait for it</h3>
<p>With <code>wait</code> the answer comes as soon as the status changes. Repeat until it is <code>completed</code>, <code>failed</code> or
<code>cancelled</code>; a failed run keeps its results.</p>
${shell('curl -H "X-API-Key: $PORTICO_API_KEY" "$PORTICO/runs/$RUN_ID?wait=25"')}
<h3>7. Read the document, and process it</h3>
${shell(`curl -H "X-API-Key: $PORTICO_API_KEY" $PORTICO/documents/$DOCUMENT_ID
curl -X POST -H "X-API-Key: $PORTICO_API_KEY" $PORTICO/documents/$DOCUMENT_ID`)}
<p>Processing writes the document to the agent’s system of record, once. A rejection is no error: the answer is the document with the status
<code>error</code> and the reason.</p>`,
});

const authentication = ({ urls: { auth } }: Facts): Section => ({
  id: 'authentication',
  title: 'Authentication',
  body: html`<p>Send an API key in one of two headers; if both are there they must name the same credential.</p>
${shell('X-API-Key: svc-…\nAuthorization: Bearer svc-…')}
<p>A key acts for its user: it sees what they see, and a viewer’s key reads and writes nothing. A key may be limited to a list of scopes. It may then call
the operations of these scopes alone; operations without a scope answer 403 <code>missing_scope</code>. A key without a list may do everything its user
may do. Keys are shown once, can expire, and can be revoked at any time.</p>
${table(
  ['Scope', 'Grants'],
  Object.entries(scopes).map(([scope, grants]) => [html`<code>${scope}</code>`, html`${grants}`]),
)}
<h3>OAuth 2.0</h3>
<p>A program that acts for other people asks each of them: authorization code with PKCE (<code>S256</code>) and refresh tokens. The metadata of the
server (RFC 8414) has an address in the <a href="api/v1">API index</a>. A client registers itself (RFC 7591), or publishes a document
about itself and is known by its address.</p>
<p>Access tokens begin with <code>svcpt_</code> and last an hour; send them as <code>Authorization: Bearer</code>. They work on the
operations of the scopes that the client asked for; on operations without a scope they are no credential (401). A refresh token works once: its answer
has a new one, and a second use of an old one ends the access. Each user sees and revokes these permissions at <code>${auth}/oauth/grants</code>.</p>`,
});

const access = (): Section => ({
  id: 'access',
  title: 'Access',
  body: html`<p>Accounts are by invitation. Ask the administrator of this server: they invite you to a workspace and create a key for you with
<code>portico keys create --user you@example.com</code>, or send you an address from <code>portico users invite you@example.com</code>, where
you choose a password. There is no self-service sign-up, no trial and no public sandbox.</p>
<p>No licence has been chosen for Portico itself yet: all rights are reserved.</p>`,
});

const events = (): Section => ({
  id: 'events',
  title: 'Events',
  body: html`<p>What happens to runs and documents is in one log. One request follows all of it: the answer comes as soon as there is something, and after 25
seconds at the latest. Ask again with the <code>next</code> of each answer as <code>after</code>: you miss nothing and see nothing twice.</p>
${shell(`curl -H "X-API-Key: $PORTICO_API_KEY" \\
  "$PORTICO/events?wait=25"
curl -H "X-API-Key: $PORTICO_API_KEY" \\
  "$PORTICO/events?wait=25&after=$NEXT"`)}
<p><code>after=now</code> begins with what happens from now on, and <code>types=run.*,document.ready</code> leaves out the rest. The steps of a run are there
where <code>types</code> names them: <code>unit.*</code>.</p>
<h3>The stream of a run</h3>
<p>Server-Sent Events, steps included, until the run has ended. If the connection breaks, go on with the last <code>id</code> as
<code>Last-Event-ID</code>, on whatever server.</p>
${shell(`curl -N -H "X-API-Key: $PORTICO_API_KEY" \\
  -H "Accept: text/event-stream" \\
  $PORTICO/runs/$RUN_ID/events`)}
<h3>In the shell</h3>
<p><code>portico listen</code> prints an event a line and goes on where it was stopped. With <code>--forward</code> it sends each event to a receiver that you
develop, signed as a webhook is.</p>
${shell(`portico listen --types run.failed,document.error
portico listen --forward http://localhost:4000/hook`)}`,
});

const proof = (): Section => ({
  id: 'proof',
  title: 'Where a value stands',
  body: html`<p>The <code>evidence</code> of a document has, for each value, the quote that it was read from, and in <code>boxes</code> where the quote stands:
the page, and a rectangle for each line as fractions of that page. The files of the document are listed with their pages and an address to download
them for 15 minutes; each page of a PDF document or a picture is there as an image, on which the boxes lie over the words.</p>
${shell(`curl -H "X-API-Key: $PORTICO_API_KEY" $PORTICO/documents/$DOCUMENT_ID/files
curl -H "X-API-Key: $PORTICO_API_KEY" -o page.png \\
  "$PORTICO/documents/$DOCUMENT_ID/files/0/pages/1?width=1200"`)}
<p>An <code>index</code> is the place of a file in that list, from 0. The first request for a page draws it; send its <code>ETag</code> as
<code>If-None-Match</code> with the next one. If too many pages wait to be drawn the answer is 429: wait for <code>Retry-After</code>. A page that
cannot be drawn is 409 <code>page_unreadable</code>.</p>`,
});

const agentVersions = (): Section => ({
  id: 'agent-versions',
  title: 'Agent versions',
  body: html`<p>Each definition that an agent has had is a version of it and never changes. A run keeps the version that it was created with, its
<code>agent_version</code>; conversations go on with the live one. A run may ask for an older one:</p>
${shell(`curl -H "X-API-Key: $PORTICO_API_KEY" "$PORTICO/agents/$AGENT_ID/versions"
curl -H "X-API-Key: $PORTICO_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"user_message": "Hello", "agent_version": 1}' $PORTICO/agents/$AGENT_ID/run`)}
<p><code>portico agents versions</code>, <code>show</code>, <code>diff</code> and <code>publish</code> list them, print one, compare two and take one
back.</p>`,
});

const typedClient = ({ urls: { base } }: Facts): Section => ({
  id: 'client',
  title: 'TypeScript client',
  body: html`<p><code>portico/client</code>, a part of Portico’s package, has its types from the description of this API. It uploads files, waits for runs, follows events across broken
connections, and sends again what may be sent again.</p>
${shell(`import { portico } from 'portico/client';

const client = portico({ baseUrl: '${base}', apiKey: 'svc-…' });
const { id } = await client.post('/api/v1/agents/{agent_id}/run', {
  params: { path: { agent_id: agentId } },
  body: { user_message: 'Hello' },
});
for await (const event of client.runEvents(id)) console.log(event.type);
const { status, documents } = await client.waitForRun(id);`)}`,
});

const commandLine = ({ urls: { base } }: Facts): Section => ({
  id: 'command-line',
  title: 'Command line',
  body: html`<p>The <code>portico</code> command uses this API for the steps of the quick start.</p>
${shell(`export PORTICO_URL=${base} PORTICO_API_KEY=svc-…
portico agents list
portico runs create "Invoice reader" invoice.pdf --watch
portico documents show $DOCUMENT_ID
portico documents show $DOCUMENT_ID --page 1 --out page.png
portico documents process $DOCUMENT_ID`)}
<p>Every command takes <code>--json</code>. Exit codes: 0 done, 1 failed, 2 wrong usage.</p>`,
});

const mcp = ({ urls: { base } }: Facts): Section => ({
  id: 'mcp',
  title: 'Tools over MCP',
  body: html`<p>Other programs can use the tools of an agent over the Model Context Protocol: Claude, Cursor, VS Code and any other client of the
protocol. Each agent is a server of its own, at its <code>mcp_url</code> in the list of agents:</p>
${shell(`${base}${API}/agents/$AGENT_ID/mcp`)}
<p>Its transport is Streamable HTTP without sessions, for clients of every revision up to 2026-07-28. There are two ways to authenticate:</p>
<h3>With an API key</h3>
<p>The tools then act with the rights of the key’s user. A key that is limited to scopes does not work here: no scope grants the tools.</p>
${shell(`claude mcp add --transport http my_agent ${base}${API}/agents/$AGENT_ID/mcp \\
  --header "X-API-Key: $PORTICO_API_KEY"`)}
<p><code>portico agents list</code> prints this for your agents, and with <code>--mcp cursor</code> or <code>--mcp vscode</code> the file that those
programs read.</p>
<h3>By signing in</h3>
<p>Give the client the address alone. A 401 shows it the authorization server (RFC 9728), it sends you there to sign in, and gets a token for this
agent alone: on another agent, and on the operations of the API, the token is no credential (401). For programs that are not on your computer, such
as claude.ai, the address has to be reachable from the internet by <code>https</code>.</p>
<h3>Calls</h3>
<p>Answers are JSON; a call that reports progress or takes long has a stream of events for an answer. A client that hangs up cancels its call. A call that a
person has to approve is answered with the address of the page where a person decides; made again after that, it is run. The result of invalid arguments or a failed call has <code>isError</code> and a text that tells a model what to
do.</p>`,
});

const operationList = ({ operations }: Facts): Section => ({
  id: 'operations',
  title: 'Operations',
  body: html`<p>Most answers wrap their payload in <code>data</code>. <code>HEAD</code> works wherever <code>GET</code> does. Times are RFC 3339 in UTC; an
absent value is <code>null</code>; answers may get new fields at any time.</p>
${table(
  ['Operation', 'Request', 'Needs'],
  operations.map((op) => [
    html`<a href="docs#/${op.tag}/${op.id}">${op.summary}</a>`,
    html`<code>${op.method.toUpperCase()} ${API}${op.path}</code>`,
    html`${accessOf(op)}`,
  ]),
)}`,
});

const limits = ({ operations, limits: sizes }: Facts): Section => {
  const window = `${sizes.windowSeconds} seconds`;
  const extra = operations.flatMap(({ summary, limits: each }) =>
    each.map(({ size, per }) => [html`${summary}, besides`, html`${sizes[size]} per ${window}`, html`${per}`]),
  );
  return {
    id: 'limits',
    title: 'Limits',
    body: html`${table(
      ['What', 'Requests', 'Per'],
      [
        [html`Every operation with a credential`, html`${sizes.requests} per ${window}`, html`credential`],
        [
          html`All credentials together that a user has made or allowed`,
          html`${sizes.requests * OF_A_USER} per ${window}`,
          html`user`,
        ],
        [html`Everything without one`, html`${sizes.requests} per ${window}`, html`client address`],
        ...extra,
      ],
    )}
<p>A credential that comes from another one counts as that one: a key that was made with a key, the key that replaces one, the next token of a
program. Each key has a window of its own, and so has each program that you allow. The keys that you make by signing in and the programs that you allow have the
limit of their user together; keys that the operator of the server makes do not count there.</p>
<p>A window begins with the first request it counts. Every answer shows the tightest limit that counted it: <code>RateLimit-Limit</code>,
<code>RateLimit-Remaining</code>, and <code>RateLimit-Reset</code> in seconds. <code>RateLimit-Policy</code> and <code>RateLimit</code> list all that did, as the IETF’s draft does: what each
allows (<code>q</code> requests in <code>w</code> seconds) and what is left (<code>r</code> requests, for <code>t</code> seconds). A request that one limit refuses does not count against the others.</p>
<p>A 429 adds <code>Retry-After</code> in seconds, and <code>x-ratelimit-limit</code>, <code>x-ratelimit-remaining</code> and
<code>x-ratelimit-reset</code>, the last one a Unix timestamp. Wait for <code>Retry-After</code>; retry other failures (5xx) with growing, random pauses,
and do not repeat a 4xx unchanged.</p>
<p>Request bodies may have 1 MiB.</p>`,
  };
};

const EXAMPLE = `{
  "type": "https://portico.example.com/developers#error-invalid_request",
  "title": "Invalid request",
  "detail": "query.limit must be an integer from 1 to 100, not \\"500\\"",
  "status": 400,
  "code": "invalid_request",
  "request_id": "${exampleId(9)}",
  "errors": [{ "path": "query.limit", "message": "must be an integer from 1 to 100, not \\"500\\"" }]
}`;

const errors = (): Section => ({
  id: 'errors',
  title: 'Errors',
  body: html`<p>Every error has this form. <code>detail</code> is for people and may change; <code>code</code> is for programs and does not; <code>type</code>
leads to its line in the table below. With <code>Accept: application/problem+json</code> it is a problem of RFC 9457 by its media type too. An invalid request
names every error at once in <code>errors</code>. Give the <code>request_id</code> when you ask for help; you may set it yourself with
<code>X-Request-Id</code>.</p>
<pre tabindex="0"><code>${EXAMPLE}</code></pre>
${table(
  ['Status', 'Code', 'Meaning'],
  (Object.entries(errorCodes) as [ErrorCode, (typeof errorCodes)[ErrorCode]][]).map(([code, { status, meaning }]) => [
    html`<span id="${anchorOf(code)}">${status}</span>`,
    html`<code>${code}</code>`,
    prose(meaning),
  ]),
)}`,
});

const versioning = (): Section => ({
  id: 'versioning',
  title: 'Versioning',
  body: html`<p>The version is in the path: <code>${API}</code> is a boundary of compatibility. Within it answers may get new fields, and nothing is
renamed or removed: ignore unknown fields.</p>
<p>A deprecated operation has two headers, ${DEPRECATION_HEADERS.map((name, index) => html`${index === 0 ? '' : ' and '}<code>${name}</code>`)}:
when its deprecation began, and when it stops working. There are at least ${SUNSET_NOTICE_DAYS} days between the two.</p>`,
});

/** The guide in the order of its page. */
export const sectionsOf = (facts: Facts): readonly Section[] => [
  quickStart(facts),
  authentication(facts),
  access(),
  events(),
  proof(),
  agentVersions(),
  mcp(facts),
  operationList(facts),
  limits(facts),
  errors(),
  versioning(),
  commandLine(facts),
  typedClient(facts),
];
