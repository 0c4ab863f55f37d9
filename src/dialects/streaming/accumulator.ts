/**
 * Assembles a streamed reply by this project's own rules: the SDKs' helpers join separate calls or throw for the output
 * of lenient servers. Pure; one per reply.
 */
export interface Accumulator {
  /**
   * Adds the next chunk or event, as the SDK's raw iterator yields it.
   * @returns its text for the user; empty if it has none
   * @throws StreamError if the provider reports an error midway
   */
  add(chunk: unknown): string;
  /**
   * @returns the whole reply, in the shape of the provider's answer without streaming
   * @throws StreamError if the stream ended before the reply was complete
   */
  end(): unknown;
}

/**
 * The provider broke off its stream. The message contains the provider's reason.
 * @example
 * ```ts
 * import { type Agent, StreamError } from "toolhost/agent";
 *
 * async function ask(agent: Agent): Promise<string> {
 *   try {
 *     return (await agent.chat("What time is it in Tokyo?")).text;
 *   } catch (error) {
 *     if (error instanceof StreamError) return `The provider ended its stream: ${error.message}`;
 *     throw error;
 *   }
 * }
 * ```
 */
export class StreamError extends Error {
  override readonly name = "StreamError";
}
