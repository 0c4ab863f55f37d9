/** Whether the service serves or ends, and how many requests it is answering. */
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

/** The default, for apps that are never drained. */
export const servingLifecycle: Lifecycle = {
  state: "serving",
  open: 0,
  opened() {},
  closed() {},
};
