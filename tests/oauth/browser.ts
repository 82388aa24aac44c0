import { parseHTML } from 'linkedom';

interface Element {
  readonly textContent: string;
  getAttribute(name: string): string | null;
  closest(selector: string): Element | null;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
}

/** The elements of a page. */
export const elementsOf = (text: string) => (parseHTML(text) as unknown as { document: Element }).document;

/** A page as a browser without scripts has it; `left` where the last redirect led away from the server. */
export interface Visit {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly left: URL | null;
}

export interface Browser {
  open(url: string): Promise<Visit>;
  /** Sends the form that has this button, as it stands, with these fields filled in. */
  press(visit: Visit, button: string, fields?: Readonly<Record<string, string>>): Promise<Visit>;
  /** One request, with the cookies of its path and without following anything. */
  request(url: URL, init?: RequestInit): Promise<Response>;
  /** Names and values of all cookies. */
  cookies(): ReadonlyMap<string, string>;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
}

const within = (path: string, of: string) => path === of || path.startsWith(of.endsWith('/') ? of : `${of}/`);

const MOST_REDIRECTS = 10;

/** Does what a browser does. `host` names one of several servers. */
export const browser = (base: string, host: () => string = () => base): Browser => {
  const jar = new Map<string, Cookie>();

  const keep = (response: Response) => {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; ?/);
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/';
      if (value === '') jar.delete(name);
      else jar.set(name, { value, path });
    }
  };

  const request = async (url: URL, init: RequestInit = {}) => {
    const sent = [...jar]
      .filter(([, { path }]) => within(url.pathname, path))
      .map(([name, { value }]) => `${name}=${value}`);
    const usual = {
      accept: 'text/html,application/xhtml+xml',
      ...(init.method === 'POST' && { origin: new URL(base).origin }),
    };
    const headers = { ...usual, ...init.headers, ...(sent.length > 0 && { cookie: sent.join('; ') }) };
    const response = await fetch(new URL(url.pathname + url.search, host()), { ...init, redirect: 'manual', headers });
    keep(response);
    return response;
  };

  const follow = async (first: URL, init: RequestInit): Promise<Visit> => {
    let [url, response] = [first, await request(first, init)];
    for (let redirects = 0; response.status >= 300 && response.status < 400; redirects += 1) {
      if (redirects > MOST_REDIRECTS) throw new Error('redirected too often');
      url = new URL(response.headers.get('location') ?? '', url);
      const { status, headers } = response;
      await response.arrayBuffer();
      if (url.origin !== new URL(base).origin) return { url, status, headers, text: '', left: url };
      response = await request(url);
    }
    return { url, status: response.status, headers: response.headers, text: await response.text(), left: null };
  };

  return {
    request,
    cookies: () => new Map([...jar].map(([name, { value }]) => [name, value])),
    open: (url) => follow(new URL(url), {}),
    async press(visit, button, fields = {}) {
      const document = elementsOf(visit.text);
      const buttons = [...document.querySelectorAll('button')];
      const pressed = buttons.find((each) => each.textContent.trim() === button);
      const form = pressed?.closest('form');
      if (!pressed || !form)
        throw new Error(`there is no button ${button} on ${visit.url.pathname}: ${visit.text.slice(-1500)}`);
      const body = new URLSearchParams();
      for (const input of form.querySelectorAll('input[type=hidden], input[checked]')) {
        body.append(input.getAttribute('name') ?? '', input.getAttribute('value') ?? '');
      }
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      const name = pressed.getAttribute('name');
      if (name) body.set(name, pressed.getAttribute('value') ?? '');
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return follow(new URL(form.getAttribute('action') ?? visit.url.href, visit.url), {
        method: 'POST',
        headers,
        body: body.toString(),
      });
    },
  };
};

/** The words that a person reads on a page. */
export const wordsOf = ({ text }: Visit): string => {
  return (elementsOf(text).querySelector('main')?.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
};
