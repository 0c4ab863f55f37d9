import { setMaxListeners } from "node:events";

/** The state of the service, and the number of requests that it is answering. */
export interface Lifecycle {
  /** `leaving`: not ready, but still serving, so that load balancers notice. `ending`: new calls are refused. */
  state: "serving" | "leaving" | "ending";
  /** Aborts when the state becomes `ending`. Made when it is first read. */
  readonly ending: AbortSignal;
  /** The number of requests whose answer has not yet been written to their socket. */
  readonly open: number;
  opened(): void;
  closed(): void;
}

export function createLifecycle(): Lifecycle {
  let open = 0;
  let state: Lifecycle["state"] = "serving";
  let end: AbortController | undefined;
  return {
    get state() {
      return state;
    },
    set state(next) {
      state = next;
      if (next === "ending") end?.abort();
    },
    get ending() {
      if (end === undefined) {
        end = new AbortController();
        setMaxListeners(0, end.signal); // One signal for each open poll.
        if (state === "ending") end.abort();
      }
      return end.signal;
    },
    get open() {
      return open;
    },
    opened: () => void open++,
    closed: () => void open--,
  };
}

/** The default, for apps that are never drained. */
export const servingLifecycle: Lifecycle = {
  state: "serving",
  open: 0,
  get ending() {
    return new AbortController().signal;
  },
  opened() {},
  closed() {},
};
