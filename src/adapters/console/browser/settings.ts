interface Settings {
  /** The public address of the server, and that of its authorization server. */
  readonly base: string;
  readonly auth: string;
  /** Whether people may sign in with a password. */
  readonly passwords: boolean;
  /** The files that come with the demo, and the agents that they are for. */
  readonly samples: readonly {
    readonly agent: string;
    readonly name: string;
    readonly type: string;
    readonly address: string;
  }[];
}

const written = document.querySelector('meta[name=portico]')?.getAttribute('content') ?? '{}';

export const { base, auth, passwords, samples } = JSON.parse(written) as Settings;

/** The path of the console, such as `/console`. */
export const ROOT = `${new URL(base).pathname.replace(/\/$/, '')}/console`;
