import { createServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { listening } from './listen.ts';

/**
 * A stand-in for SQL Server that speaks TDS 7.4 over TCP, for what a real server is not easily brought to do: a login that is refused for
 * a rare reason, a session that is closed at a chosen moment, an attention that is not answered. It parses no SQL: a test says what is
 * answered to a statement. The sections are those of [MS-TDS].
 */

/** 2.2.3.1.1 Type of a packet. */
const PACKET = { batch: 1, rpc: 3, response: 4, attention: 6, fedAuthToken: 8, login: 16, prelogin: 18 } as const;

/** 2.2.3.1: type, status (bit 0: the last of its message), length with the header, and four bytes that mean nothing here. */
const HEADER_BYTES = 8;
const MOST_BYTES_A_PACKET = 4096;

const packets = (type: number, message: Buffer, whole = true): Buffer => {
  const size = MOST_BYTES_A_PACKET - HEADER_BYTES;
  const count = Math.max(1, Math.ceil(message.length / size));
  return Buffer.concat(
    Array.from({ length: count }, (_, index) => {
      const data = message.subarray(index * size, (index + 1) * size);
      const header = Buffer.from([type, whole && index === count - 1 ? 1 : 0, 0, 0, 0, 0, 1, 0]);
      header.writeUInt16BE(HEADER_BYTES + data.length, 2);
      return Buffer.concat([header, data]);
    }),
  );
};

const u8 = (value: number) => Buffer.from([value]);
const u16 = (value: number) => Buffer.from(Uint16Array.of(value).buffer);
const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const ucs2 = (text: string) => Buffer.from(text, 'utf16le');
/** 2.2.5.2.3: a length in characters of one byte (B_VARCHAR) or two (US_VARCHAR), then the text. */
const bVarchar = (text: string) => Buffer.concat([u8(text.length), ucs2(text)]);
const usVarchar = (text: string) => Buffer.concat([u16(text.length), ucs2(text)]);
const withLength = (token: number, body: Buffer) => Buffer.concat([u8(token), u16(body.length), body]);

export interface Told {
  readonly number: number;
  /** The severity: from 20 on the server closes the session. */
  readonly class?: number;
  readonly state?: number;
  readonly message?: string;
  readonly line?: number;
}

/** 2.2.7.10 ERROR: number, state, class, message, server, procedure, line. */
const errorToken = ({
  number,
  class: severity = 16,
  state = 1,
  message = `Error ${number}.`,
  line = 1,
}: Told): Buffer =>
  withLength(
    0xaa,
    Buffer.concat([u32(number), u8(state), u8(severity), usVarchar(message), bVarchar('tds'), bVarchar(''), u32(line)]),
  );

const DONE_ERROR = 0x0002;
const DONE_COUNT = 0x0010;
const DONE_ATTENTION = 0x0020;

/** 2.2.7.6 DONE: status, current command, count of rows. */
const doneToken = (status = 0, rows = 0): Buffer => Buffer.concat([u8(0xfd), u16(status), u16(0), u32(rows), u32(0)]);

/** An error as the whole answer to a statement. */
export const failing = (...errors: readonly Told[]): Buffer =>
  Buffer.concat([...errors.map(errorToken), doneToken(DONE_ERROR)]);

/** 2.2.7.14 LOGINACK: interface (1: T-SQL), TDS 7.4, program and its version. */
const loginAck = withLength(
  0xad,
  Buffer.concat([u8(1), Buffer.from([0x74, 0, 0, 4]), bVarchar('stand-in'), Buffer.from([16, 0, 0, 0])]),
);

/** 2.2.7.9 ENVCHANGE: of the database (1) as texts; of a transaction begun (8), committed (9) or rolled back (10) as its descriptor. */
const databaseChange = (name: string) => withLength(0xe3, Buffer.concat([u8(1), bVarchar(name), bVarchar('master')]));
const DESCRIPTOR = Buffer.from([1, 0, 0, 0, 0, 0, 0, 1]);
const transactionChange = (type: 8 | 9 | 10) => {
  const [now, before] = type === 8 ? [DESCRIPTOR, Buffer.alloc(0)] : [Buffer.alloc(0), DESCRIPTOR];
  return withLength(0xe3, Buffer.concat([u8(type), u8(now.length), now, u8(before.length), before]));
};

/** 2.2.7.11 FEATUREEXTACK: federated authentication (2) is acknowledged without data. */
const fedAuthAck = Buffer.concat([u8(0xae), u8(2), u32(0), u8(0xff)]);

/** 2.2.7.12 FEDAUTHINFO: where a token is to be had (1) and for whom (2); each with its length and where it stands in the token. */
export const fedAuthInfo = (address: string, audience: string): Buffer => {
  const [sts, spn] = [ucs2(address), ucs2(audience)];
  const first = 4 + 2 * 9;
  const entries = [u8(1), u32(sts.length), u32(first), u8(2), u32(spn.length), u32(first + sts.length)];
  const body = Buffer.concat([u32(2), ...entries, sts, spn]);
  return Buffer.concat([u8(0xee), u32(body.length), body]);
};

export type Cell = string | number | boolean | null;

const COLLATION = Buffer.from([0x09, 0x04, 0xd0, 0x00, 0x34]);

/** 2.2.5.4.2 and 2.2.5.5: a type of variable length (INTN, BITN, NVARCHAR), and a value of it behind its length. */
const column = (value: Cell | undefined): { readonly type: Buffer; encode(cell: Cell): Buffer } => {
  if (typeof value === 'number') {
    return {
      type: Buffer.from([0x26, 4]),
      encode: (cell) => (cell === null ? u8(0) : Buffer.concat([u8(4), u32(Number(cell))])),
    };
  }
  if (typeof value === 'boolean') {
    return { type: Buffer.from([0x68, 1]), encode: (cell) => (cell === null ? u8(0) : Buffer.from([1, cell ? 1 : 0])) };
  }
  const encode = (cell: Cell) =>
    cell === null ? u16(0xffff) : Buffer.concat([u16(String(cell).length * 2), ucs2(String(cell))]);
  return { type: Buffer.concat([u8(0xe7), u16(8000), COLLATION]), encode };
};

/** 2.2.7.4 COLMETADATA, 2.2.7.19 ROW and DONE: numbers are int, booleans bit, all else nvarchar. */
export const rowsOf = (
  rows: readonly Readonly<Record<string, Cell>>[],
  names = Object.keys(rows[0] ?? { none: null }),
): Buffer => {
  const columns = names.map((name) => column(rows.map((row) => row[name] ?? null).find((cell) => cell !== null)));
  const described = names.map((name, index) =>
    Buffer.concat([u32(0), u16(1), columns[index]?.type ?? u8(0), bVarchar(name)]),
  );
  const bodies = rows.map((row) =>
    Buffer.concat([u8(0xd1), ...names.map((name, index) => columns[index]?.encode(row[name] ?? null) ?? u8(0))]),
  );
  return Buffer.concat([u8(0x81), u16(names.length), ...described, ...bodies, doneToken(DONE_COUNT, rows.length)]);
};

export interface Login {
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Whether a token of Microsoft Entra ID is to follow instead of user and password. */
  readonly federated: boolean;
}

/** 2.2.6.4 LOGIN7: offsets and lengths from byte 36 on; a password's bytes have their halves swapped and are combined with 0xA5. */
const readLogin = (message: Buffer): Login => {
  const part = (at: number) => {
    const start = message.readUInt16LE(at);
    return message.subarray(start, start + message.readUInt16LE(at + 2) * 2);
  };
  const password = Buffer.from(part(44).map((byte) => (((byte ^ 0xa5) << 4) | ((byte ^ 0xa5) >> 4)) & 0xff));
  const extensions = message.readUInt8(27) & 0x10 ? message.readUInt32LE(message.readUInt16LE(56)) : message.length;
  let federated = false;
  for (let at = extensions; at + 5 <= message.length && message[at] !== 0xff; at += 5 + message.readUInt32LE(at + 1)) {
    federated ||= message[at] === 2;
  }
  return {
    user: part(40).toString('utf16le'),
    password: password.toString('utf16le'),
    database: part(68).toString('utf16le'),
    federated,
  };
};

/** 2.2.5.3: what a request begins with, transaction descriptor and all, has its length in front. */
const afterHeaders = (message: Buffer) => message.subarray(message.readUInt32LE(0));

/** 2.2.5.2.3 and 2.2.5.2.4: a text of two-byte length, or of pieces behind its whole length (PLP). */
const readText = (at: Buffer, inPieces: boolean): string => {
  if (!inPieces) return at.toString('utf16le', 2, 2 + at.readUInt16LE(0));
  const pieces: Buffer[] = [];
  let rest = at.subarray(8);
  for (let length = rest.readUInt32LE(0); length > 0; length = rest.readUInt32LE(0)) {
    pieces.push(rest.subarray(4, 4 + length));
    rest = rest.subarray(4 + length);
  }
  return Buffer.concat(pieces).toString('utf16le');
};

/** 2.2.6.6 RPC request of sp_executesql: its number, flags, then the first parameter, which is the statement. */
const readRpc = (message: Buffer): string => {
  const parameter = afterHeaders(message).subarray(6);
  const typed = parameter.subarray(1 + parameter.readUInt8(0) * 2 + 1);
  return readText(typed.subarray(8), typed.readUInt16LE(1) === 0xffff);
};

/** What a test lets the stand-in do instead of answering: say nothing, or end the connection (FIN), or reset it (RST). */
export type Reply = Buffer | 'silence' | 'end' | 'reset';

export interface Script {
  /** Without it, encryption is said to be not supported (2.2.6.5). */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Null accepts. `attempt` counts from 1. */
  login?(login: Login, attempt: number): Reply | null;
  /** Null answers with the ENVCHANGE of a transaction, or with nothing but DONE. */
  statement?(text: string, session: TdsSession): Reply | null | Promise<Reply | null>;
  /** Null acknowledges the attention, with DONE_ATTN. */
  attention?(): Reply | null;
}

export interface TdsSession {
  /** From 1. */
  readonly number: number;
  reply(reply: Reply): void;
  /** Sends a part of an answer, which the server breaks off or goes on with. */
  part(tokens: Buffer): void;
}

export interface TdsServer {
  readonly port: number;
  readonly logins: readonly Login[];
  /** Access tokens of Microsoft Entra ID that were sent. */
  readonly tokens: readonly string[];
  /** Every statement that arrived, but those that set a session up. */
  readonly statements: readonly string[];
  /** What set sessions up. */
  readonly setUps: readonly string[];
  /** How many sessions were opened. */
  sessions(): number;
  /** How many attentions arrived. */
  attentions(): number;
  /** An address of it; `options` stands behind its question mark. */
  url(options?: string, user?: string): string;
  /** Ends every session (FIN), as a server does that closes idle ones. */
  endSessions(): void;
  close(): Promise<void>;
}

const transactionOf = (text: string): Buffer[] => [
  ...(/\bbegin transaction/.test(text) ? [transactionChange(8)] : []),
  ...(/\bcommit transaction/.test(text) ? [transactionChange(9)] : []),
  ...(/\brollback transaction/.test(text) ? [transactionChange(10)] : []),
];

/** 3.3: TLS inside of PRELOGIN packets until both sides are done with the handshake, bare from then on. */
const securedOver = (socket: Socket, tls: { readonly key: string; readonly cert: string }) => {
  let bare = false;
  let waiting: Buffer[] = [];
  const flush = () => {
    const data = Buffer.concat(waiting);
    waiting = [];
    if (data.length > 0) socket.write(bare ? data : packets(PACKET.prelogin, data));
  };
  const wire = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      waiting.push(chunk);
      if (bare) flush();
      else setImmediate(flush);
      done();
    },
    final(done) {
      socket.end();
      done();
    },
  });
  const secure = new TLSSocket(wire, { isServer: true, key: tls.key, cert: tls.cert, maxVersion: 'TLSv1.2' });
  secure.on('error', () => socket.destroy());
  secure.once('secure', () => {
    setImmediate(() => {
      flush();
      bare = true;
    });
  });
  return { secure, bare: () => bare, push: (data: Buffer) => void wire.push(data) };
};

/** Cuts a stream of bytes into messages. */
const messages = (take: (type: number, message: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  return (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readUInt16BE(2)) {
      const length = rest.readUInt16BE(2);
      parts.push(rest.subarray(HEADER_BYTES, length));
      const [type, last] = [rest.readUInt8(0), (rest.readUInt8(1) & 1) === 1];
      rest = rest.subarray(length);
      if (!last) continue;
      const message = Buffer.concat(parts);
      parts = [];
      take(type, message);
    }
  };
};

/** 2.2.6.5 PRELOGIN: version, encryption (1: on, 2: not supported), each with where it stands and its length; then 0xFF. */
const preloginResponse = (encrypted: boolean): Buffer =>
  Buffer.from([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff, 16, 0, 0, 0, 0, 0, encrypted ? 1 : 2]);

export const tdsServer = async (script: Script = {}): Promise<TdsServer> => {
  const logins: Login[] = [];
  const [tokens, statements, setUps]: [string[], string[], string[]] = [[], [], []];
  const open = new Map<Socket, TdsSession>();
  let attentions = 0;
  let sessions = 0;

  const accepted = (federated: boolean) =>
    Buffer.concat([databaseChange('d'), loginAck, ...(federated ? [fedAuthAck] : []), doneToken()]);

  const serve = (socket: Socket): TdsSession => {
    sessions += 1;
    let write = (data: Buffer) => void socket.write(data);
    let finish = () => void socket.end();
    let unanswered = false;
    const reply = (answer: Reply) => {
      if (answer === 'end') finish();
      else if (answer === 'reset') socket.resetAndDestroy();
      else if (answer !== 'silence') write(packets(PACKET.response, answer));
    };
    const session: TdsSession = {
      number: sessions,
      reply,
      part: (tokens) => write(packets(PACKET.response, tokens, false)),
    };
    const answer = async (text: string) => {
      const setUp = text.includes('set ansi_nulls on');
      (setUp ? setUps : statements).push(text);
      const given = setUp ? null : await script.statement?.(text, session);
      unanswered = given === 'silence';
      reply(given ?? Buffer.concat([...transactionOf(text), doneToken()]));
    };
    const take = (type: number, message: Buffer) => {
      if (type === PACKET.login) {
        const login = readLogin(message);
        logins.push(login);
        reply(script.login?.(login, logins.length) ?? accepted(login.federated));
      } else if (type === PACKET.fedAuthToken) {
        tokens.push(message.toString('utf16le', 8));
        reply(accepted(true));
      } else if (type === PACKET.attention) {
        attentions += 1;
        const given = script.attention?.() ?? null;
        // The statement's own answer ends first, in a message of its own (3.3.5.7).
        if (given === null && unanswered) reply(doneToken(DONE_ERROR));
        unanswered = false;
        reply(given ?? doneToken(DONE_ATTENTION));
      } else if (type === PACKET.batch) {
        void answer(afterHeaders(message).toString('utf16le'));
      } else if (type === PACKET.rpc) {
        void answer(readRpc(message));
      }
    };

    let secured: ReturnType<typeof securedOver> | undefined;
    const begin = (type: number, message: Buffer) => {
      if (type !== PACKET.prelogin) return take(type, message);
      if (secured) return secured.push(message);
      write(packets(PACKET.response, preloginResponse(script.tls !== undefined)));
      if (!script.tls) return;
      const { secure, ...rest } = securedOver(socket, script.tls);
      secured = { secure, ...rest };
      write = (data) => void secure.write(data);
      // TLS says goodbye first (close_notify).
      finish = () => void secure.end();
      secure.on('data', messages(take));
    };
    const inTheClear = messages(begin);
    socket.on('data', (data: Buffer) => (secured?.bare() ? secured.push(data) : inTheClear(data)));
    return session;
  };

  const server = createServer((socket) => {
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    open.set(socket, serve(socket));
  });
  const port = await listening(server);
  return {
    port,
    logins,
    tokens,
    statements,
    setUps,
    sessions: () => sessions,
    attentions: () => attentions,
    url: (options = 'encrypt=false', user = 'u:hush-hush@') => `mssql://${user}127.0.0.1:${port}/d?${options}`,
    endSessions() {
      for (const session of open.values()) session.reply('end');
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open.keys()) socket.destroy();
      }),
  };
};
