import { canonicalJson } from "../../json/canonical.ts";
import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { objectOf } from "../conversation/objects.ts";
import { contentText } from "./conversation.ts";
import { type Accumulator, StreamError } from "../streaming/accumulator.ts";
import { createMergeDelta, type MergeDelta } from "../streaming/merge.ts";
import { argumentsText, isJson } from "../conversation/outgoing-call.ts";
import { OpenAiCalls } from "./stream-calls.ts";
import { streamError } from "../streaming/stream-error.ts";
import { createThoughts, thoughtFields, type Thoughts } from "./stream-thoughts.ts";
import { writeAll } from "../streaming/assign.ts";

/**
 * Assembles chunks of OpenAI Chat Completions into the chat completion. Its `end` throws StreamError if nothing
 * arrived, if a call was cut off, and if the server neither sent a finish reason nor counted the tokens. Source:
 * platform.openai.com/docs/api-reference/chat-streaming; the tests contain further variants of servers.
 */
export function createOpenAiAccumulator(): Accumulator {
  const head: JsonObject = {};
  const choices = new Map<number, StreamedChoice>();
  let lowest = Infinity;
  return {
    add(chunk) {
      if (!isJsonObject(chunk)) return "";
      const { choices: deltas, error, ...fields } = chunk;
      if (error != null) throw streamError(error);
      writeAll(head, Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)));
      let text = "";
      for (const delta of Array.isArray(deltas) ? deltas.filter(isJsonObject) : []) {
        const index = Number.isFinite(delta["index"]) ? Number(delta["index"]) : 0;
        lowest = Math.min(lowest, index);
        const choice = choices.get(index) ?? new StreamedChoice(index);
        choices.set(index, choice);
        const added = choice.add(delta);
        if (index === lowest) text += added;
      }
      return text;
    },
    end() {
      const [first, ...others] = [...choices.values()].toSorted((one, other) => one.index - other.index);
      if (first === undefined || first.isEmpty()) throw new StreamError("The stream ended before the reply started.");
      if (first.isCutOff()) throw new StreamError("The stream ended in the middle of a call.");
      // Some servers send no finish reason, but count the tokens at the end.
      if (!first.isFinished() && head["usage"] === undefined)
        throw new StreamError("The stream ended before the reply was complete.");
      return { ...head, object: "chat.completion", choices: [first, ...others].map((choice) => choice.end()) };
    },
  };
}

class StreamedChoice {
  readonly index: number;
  readonly #merge: MergeDelta = createMergeDelta();
  readonly #calls = new OpenAiCalls(this.#merge);
  readonly #fields: JsonObject = {};
  readonly #message: JsonObject = {};
  /** By the field of the message that contains them. */
  readonly #thoughts = new Map<string, Thoughts>();
  #hasDeltas = false;
  /** Whether a whole message followed the deltas. */
  #hasWhole = false;

  constructor(index: number) {
    this.index = index;
  }

  /**
   * Some services send pieces, or the whole text so far, as `message`; others send a whole message after the deltas.
   * @returns the text that it adds
   */
  add({ delta, message, ...fields }: JsonObject): string {
    this.#merge(this.#fields, fields);
    const text = isJsonObject(delta) ? this.#addDelta(delta) : "";
    this.#hasDeltas ||= isJsonObject(delta) && Object.keys(delta).length > 0;
    if (!isJsonObject(message) || this.#hasWhole) return text;
    this.#hasWhole = this.#hasDeltas;
    return text + this.#addDelta(this.#hasDeltas ? this.#notStreamed(message) : message);
  }

  #addDelta({ tool_calls: fragments, ...said }: JsonObject): string {
    this.#merge(this.#message, this.#takeThoughts(said), (key) => key !== "role");
    for (const fragment of callsIn(fragments)) this.#calls.add(fragment);
    return contentText(said["content"]) + contentText(said["refusal"]);
  }

  /** The part of a whole message that was not streamed. */
  #notStreamed({ tool_calls: given, ...message }: JsonObject): JsonObject {
    const streamed = this.#calls.end().map(identityOf);
    const calls = callsIn(given).filter((call) => {
      const place = streamed.indexOf(identityOf(call));
      if (place >= 0) streamed.splice(place, 1);
      return place < 0;
    });
    const fields = Object.entries(message).filter(([key]) => !this.#message[key] && !this.#thoughts.has(key));
    return { ...Object.fromEntries(fields), tool_calls: calls };
  }

  /** @returns the delta without them */
  #takeThoughts(said: JsonObject): JsonObject {
    const others = { ...said };
    for (const field of thoughtFields) {
      const fragments = said[field];
      if (!Array.isArray(fragments)) continue;
      const thoughts = this.#thoughts.get(field) ?? createThoughts();
      this.#thoughts.set(field, thoughts);
      thoughts.add(fragments);
      delete others[field];
    }
    return others;
  }

  isEmpty(): boolean {
    const { content, refusal, function_call: legacy } = this.#message;
    return !this.isFinished() && !content && !refusal && !legacy && this.#calls.end().length === 0;
  }

  isCutOff(): boolean {
    const named = [this.#message["function_call"], ...this.#calls.end().map((call) => call["function"])];
    return !this.isFinished() && named.some((value) => isJsonObject(value) && !isReadable(value["arguments"]));
  }

  end(): JsonObject {
    const calls = this.#calls.end();
    return {
      finish_reason: null,
      ...this.#fields,
      index: this.index,
      message: {
        role: "assistant",
        content: null,
        ...this.#message,
        ...Object.fromEntries([...this.#thoughts].map(([field, thoughts]) => [field, thoughts.end()])),
        ...(calls.length > 0 && { tool_calls: calls }),
      },
    };
  }

  /** Some servers write "" instead of null. */
  isFinished(): boolean {
    return Boolean(this.#fields["finish_reason"]);
  }
}

/** Some services send one call without a list around it. */
function callsIn(given: unknown): JsonObject[] {
  return (Array.isArray(given) ? given : [given]).filter(isJsonObject);
}

/** Equal for two descriptions of the same call, regardless of its ids. */
function identityOf({ function: called }: JsonObject): string {
  const { name, arguments: args } = objectOf(called);
  const text = argumentsText(args);
  return JSON.stringify([name, isJson(text) ? canonicalJson(JSON.parse(text)) : text]);
}

/** Whether the arguments are JSON, or can be converted to JSON. */
function isReadable(args: unknown): boolean {
  return typeof args === "string" && isJson(argumentsText(args));
}
