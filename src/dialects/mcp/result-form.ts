/**
 * How a result that is not an object is sent: `wrapped` as `{"result": …}`, in schema and value, which revisions up to
 * 2025-11-25 require; `plain`, as it is, from 2026-07-28 on.
 */
export type ResultForm = "wrapped" | "plain";
