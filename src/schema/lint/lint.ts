/** Something in a tool that is allowed but probably a mistake. */
export interface LintFinding {
  /** JSON Pointer to it. */
  readonly path: string;
  /** For the tool's author. */
  readonly message: string;
}
