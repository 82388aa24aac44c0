import { scopes } from '../../../domain/access.ts';
import { API } from '../operation.ts';
import type { Facts, Section } from './developers.ts';
import { type Html, html } from './html.ts';

const shell = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`;

export const quickStart = ({ urls: { base } }: Facts): Section => ({
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
<p>An <code>Idempotency-Key</code> makes the request safe to repeat: it starts at most one run.</p>
${shell(`curl -H "X-API-Key: $PORTICO_API_KEY" -H 'Content-Type: application/json' -H "Idempotency-Key: $(uuidgen)" \\
  -d '{"files": [{"file_key": "…", "file_name": "invoice.pdf", "content_type": "application/pdf"}]}' \\
  $PORTICO/agents/$AGENT_ID/run`)}
<h3>6. Wait for it</h3>
<p>With <code>wait</code> the answer comes as soon as the status changes. Go on until it is <code>completed</code>, <code>failed</code> or
<code>cancelled</code>; a failed run keeps what it has produced.</p>
${shell('curl -H "X-API-Key: $PORTICO_API_KEY" "$PORTICO/runs/$RUN_ID?wait=25"')}
<h3>7. Read the document, and process it</h3>
${shell(`curl -H "X-API-Key: $PORTICO_API_KEY" $PORTICO/documents/$DOCUMENT_ID
curl -X POST -H "X-API-Key: $PORTICO_API_KEY" $PORTICO/documents/$DOCUMENT_ID`)}
<p>Processing writes the document to the agent’s system of record, once. A rejection is no error: the document comes back with the status
<code>error</code> and the reason.</p>`,
});

export const authentication = ({ urls: { auth } }: Facts): Section => ({
  id: 'authentication',
  title: 'Authentication',
  body: html`<p>Send an API key in one of two headers; where both are sent they must name the same credential.</p>
${shell('X-API-Key: svc-…\nAuthorization: Bearer svc-…')}
<p>A key acts for its user: it sees what they see, and a viewer’s key reads and writes nothing. A key may be limited to a list of scopes. It then does
what they name and nothing else; operations that name no scope answer 403 <code>missing_scope</code>. A key without a list does everything its user
may do. Keys are shown once, can expire, and can be revoked at any moment.</p>
<div class="wide" tabindex="0"><table>
<thead><tr><th scope="col">Scope</th><th scope="col">Grants</th></tr></thead>
<tbody>${Object.entries(scopes).map(([scope, grants]) => html`<tr><td><code>${scope}</code></td><td>${grants}</td></tr>`)}</tbody>
</table></div>
<h3>OAuth 2.0</h3>
<p>A program that acts for other people asks each of them: authorization code with PKCE (<code>S256</code>) and refresh tokens. What the server offers
stands in its metadata (RFC 8414), whose address is in the <a href="api/v1">API index</a>. A client registers itself (RFC 7591), or publishes a document
about itself and is known by its address.</p>
<p>Access tokens begin with <code>svcpt_</code> and last an hour; send them as <code>Authorization: Bearer</code>. They do what the scopes name that were
asked for, on the operations that name one; on all others they are no credential (401). A refresh token works once: it comes back with a new one, and
using an old one again ends the access. Everybody sees and takes back what they have allowed at <code>${auth}/oauth/grants</code>.</p>`,
});

export const access = (): Section => ({
  id: 'access',
  title: 'Access',
  body: html`<p>Accounts are by invitation. Ask whoever runs this server: they invite you to a workspace and create a key for you with
<code>portico keys create --user you@example.com</code>, or send you an address, made with <code>portico users invite you@example.com</code>, at which
you choose a password to sign in with. There is no self-service sign-up, no trial and no public sandbox.</p>`,
});

export const commandLine = ({ urls: { base } }: Facts): Section => ({
  id: 'command-line',
  title: 'Command line',
  body: html`<p>The <code>portico</code> command does over this API what the quick start does by hand.</p>
${shell(`export PORTICO_URL=${base} PORTICO_API_KEY=svc-…
portico agents list
portico runs create "Invoice reader" invoice.pdf --watch
portico documents show $DOCUMENT_ID
portico documents process $DOCUMENT_ID`)}
<p>Every command takes <code>--json</code>. Exit codes: 0 done, 1 failed, 2 wrong usage.</p>`,
});
