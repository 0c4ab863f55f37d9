/**
 * Puts a streamed reply together, by our own rules: the SDKs' helpers glue calls together or throw at what loose servers
 * send. Pure; one for each reply.
 */
export interface Accumulator {
  /**
   * Takes the next chunk or event, as the SDK's raw iterator gives it.
   * @returns what of it is text for the user; empty where nothing is
   * @throws StreamError where the provider reports an error in the middle
   */
  add(chunk: unknown): string;
  /**
   * @returns the whole reply, in the shape in which the provider's API answers where nothing is streamed
   * @throws StreamError where the stream broke off before the reply was whole
   */
  end(): unknown;
}

/**
 * The provider broke off its stream. The message holds what it said.
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
