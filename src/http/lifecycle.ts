/** Where the service stands between its start and its end, and how many requests it is answering. */
export interface Lifecycle {
  /** `leaving`: not ready, but still serving, so that load balancers notice. `ending`: new calls are refused. */
  state: "serving" | "leaving" | "ending";
  /** Requests whose answer is not yet handed to their socket. */
  readonly open: number;
  opened(): void;
  closed(): void;
}

export function createLifecycle(): Lifecycle {
  let open = 0;
  return {
    state: "serving",
    get open() {
      return open;
    },
    opened: () => void open++,
    closed: () => void open--,
  };
}

/** That of an app which is not told when it ends. */
export const servingLifecycle: Lifecycle = {
  state: "serving",
  open: 0,
  opened() {},
  closed() {},
};
