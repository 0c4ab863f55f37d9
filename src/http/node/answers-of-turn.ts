import type { SendReply } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import type { HttpReply } from "../http-reply.ts";

/** The limit of waiting answers: the garbage collector would move objects that live longer. */
const maxAnswers = 16;

/**
 * Sends the answers of one turn of the event loop together, at its end. Writes between the calls of a turn cost more
 * than writes in a row; docs/decisions/2026-11-28-answers-of-a-turn.md says what that changes for callers.
 *
 * To the connection, a call whose answer waits here is a call that still runs.
 */
export function sendByTurn(send: SendReply): SendReply {
  let exchanges: Exchange[] = [];
  let replies: HttpReply[] = [];
  let firstMs = 0;
  let isScheduled = false;

  return (exchange, reply) => {
    const ms = Date.now();
    if (exchanges.length === 0) firstMs = ms;
    exchanges.push(exchange);
    replies.push(reply);
    // If the calls of a turn take long, the answers are sent before the end of the turn.
    if (ms !== firstMs || replies.length === maxAnswers) return sendAll();
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(endTurn);
  };

  function endTurn(): void {
    isScheduled = false;
    sendAll();
  }

  function sendAll(): void {
    const [ready, theirReplies] = [exchanges, replies];
    // Sending may start calls that waited in line, and those may be answered at once.
    exchanges = [];
    replies = [];
    for (let index = 0; index < ready.length; index++) send(ready[index]!, theirReplies[index]!);
  }
}
