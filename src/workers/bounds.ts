/** The bounds of what one token can make the service keep or do. Each is far above what workers need. */
export const bounds = {
  /** Workers of a token at once. A worker that was killed counts until its lease ends. */
  workersOfToken: 256,
  /** Registrations of a token in a minute. */
  registrationsPerMinute: 600,
  /** Tools of one registration. */
  toolsOfWorker: 512,
  /** Tools that no worker offers any more, over all tokens. */
  goneTools: 2000,
  /** UTF-16 code units of the texts that models and people read. */
  descriptionLength: 16_384,
  titleLength: 512,
  tags: 64,
  tagLength: 128,
  /** Calls of one worker at once. */
  concurrency: 100_000,
  /** Calls in one answer to a poll. */
  callsOfPoll: 1000,
  /** The text of the calls in one answer to a poll, in UTF-16 code units. A larger call is sent alone. */
  pollLength: 4_194_304,
  /** Progress reports and log entries of one worker in a second. The rest are dropped. */
  reportsPerSecond: 500,
  /** UTF-16 code units of a log entry: its message, and its fields as JSON. */
  logLength: 8192,
  /** Sessions whose worker is remembered. */
  sessions: 10_000,
} as const;
