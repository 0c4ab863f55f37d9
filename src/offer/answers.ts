import { setImmediate } from "node:timers/promises";
import { createBackOff } from "./back-off.ts";
import { type Connection, Refused, Unreachable } from "./connection.ts";

/** What running calls have for the service. It goes out in order, many entries in a request. */
export interface Answers {
  /** Whether nothing waits to be sent. */
  readonly areSent: boolean;
  /** The last entry of a call. @param member its other member as JSON, such as `"result":17` */
  end(callId: string, member: string): void;
  /** @param json of the progress; one that was not sent yet is replaced */
  progress(callId: string, json: string): void;
  /** @param json of the log entry */
  log(callId: string, json: string): void;
  /** Waits until nothing waits to be sent. */
  sent(): Promise<void>;
  /** Forgets what waits, and gives up what is being sent: nobody waits for it. */
  drop(): void;
}

export interface AnswersOptions {
  readonly connection: Pick<Connection, "post">;
  /** Of the worker, behind `/workers`. */
  readonly path: string;
  /** Called when the service does not know the worker any more. */
  readonly onUnknown: () => void;
  /** Called with an answer that the service refused, and its reason. */
  readonly onRefused: (callId: string, reason: string) => void;
}

interface Entry {
  readonly callId: string;
  /** The member beside `callId`. */
  member: string;
  readonly isEnd: boolean;
}

/** A request of more is divided, so that it stays far below the service's limit. */
const maxCharacters = 2_097_152;
const maxEntries = 1000;
/** Log entries that wait; more are only in the worker's own log. */
const maxLogs = 1000;

/** The body of a request that has no answer, but renews the lease. */
export const noAnswers = '{"answers":[]}';

const unread = '"error":{"message":"The service could not read the result. It may be too large or nested too deeply."}';

export function createAnswers({ connection, path, onUnknown, onRefused }: AnswersOptions): Answers {
  let waiting: Entry[] = [];
  let logs = 0;
  /** The waiting entry of a call's progress. */
  const progresses = new Map<string, Entry>();
  let sending: Promise<void> | undefined;
  const given = new AbortController();
  const backOff = createBackOff();

  function add(entry: Entry): void {
    if (given.signal.aborted) return;
    waiting.push(entry);
    sending ??= send().finally(() => (sending = undefined));
  }

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      // Calls that end in one turn share a request.
      await setImmediate();
      const batch = take();
      if (batch.length > 0) await deliver(batch);
    }
  }

  function take(): Entry[] {
    let count = 0;
    for (let characters = 0; count < Math.min(waiting.length, maxEntries); count++) {
      characters += waiting[count]!.member.length;
      if (count > 0 && characters > maxCharacters) break;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    if (waiting.length === 0) logs = 0;
    for (const { callId } of batch) progresses.delete(callId);
    return batch;
  }

  async function deliver(batch: readonly Entry[]): Promise<void> {
    const body = `{"answers":[${batch.map(({ callId, member }) => `{"callId":${JSON.stringify(callId)},${member}}`).join()}]}`;
    while (!given.signal.aborted) {
      try {
        await connection.post(`${path}/calls`, body, 0, given.signal);
        return backOff.reset();
      } catch (error) {
        if (error instanceof Unreachable) await backOff.pause(error.askedMs, given.signal);
        else if (error instanceof Refused) return takeRefusal(batch, error);
        else throw error;
      }
    }
  }

  /** One answer that cannot be read must not keep back the others. */
  async function takeRefusal(batch: readonly Entry[], { status, message }: Refused): Promise<void> {
    if (status === 401 || status === 403 || status === 404) {
      drop();
      return onUnknown();
    }
    if (batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      await deliver(batch.slice(0, half));
      return deliver(batch.slice(half));
    }
    const [entry] = batch;
    // 410: the call is over.
    if (entry === undefined || status === 410) return;
    onRefused(entry.callId, message);
    if (entry.isEnd && entry.member !== unread) return deliver([{ ...entry, member: unread }]);
  }

  function drop(): void {
    waiting = [];
    progresses.clear();
    given.abort();
  }

  return {
    get areSent() {
      return sending === undefined;
    },
    end(callId, member) {
      progresses.delete(callId);
      add({ callId, member, isEnd: true });
    },
    progress(callId, json) {
      const member = `"progress":${json}`;
      const last = progresses.get(callId);
      if (last !== undefined) {
        last.member = member;
        return;
      }
      const entry = { callId, member, isEnd: false };
      progresses.set(callId, entry);
      add(entry);
    },
    log(callId, json) {
      if (++logs <= maxLogs) add({ callId, member: `"log":${json}`, isEnd: false });
    },
    async sent() {
      while (sending !== undefined) await sending;
    },
    drop,
  };
}
