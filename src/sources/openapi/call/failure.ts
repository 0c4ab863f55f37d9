import { UpstreamError } from "../../../errors/errors.ts";
import { mediaTypeOf } from "./answer.ts";
import { mask } from "../../credentials/mask.ts";
import { readRetryAfter } from "../../credentials/retry-after.ts";
import { htmlText, isHtml } from "./html-text.ts";

const maxBodyBytes = 65_536;
const maxBodyLength = 4096;

/**
 * The failure of an answer that is not a success, with what the API wrote, for the model; of a page its text.
 * @param operation such as `GET /pets/{id}`
 * @param secrets texts that are masked in it: some APIs quote the credential that they refuse
 */
export async function toFailure(
  response: Response,
  operation: string,
  secrets: readonly string[],
): Promise<UpstreamError> {
  const { status } = response;
  const start = await readStart(response);
  // The markup of a page says nothing to a model, and fills its context.
  const body = mask(isHtml(start, mediaTypeOf(response)) ? htmlText(start) : start, secrets);
  const retryAfterMs = readRetryAfter(response);
  return new UpstreamError(
    `The service behind the tool answered ${operation} with status ${status}. ${advice(status)}`,
    {
      status,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(body !== "" && { details: { body: toJson(body) } }),
    },
  );
}

function advice(status: number): string {
  if (status < 400)
    return "The redirect was not followed, because it leads to another origin or there were too many redirects.";
  if (status === 401 || status === 403)
    return "The operator's credentials may not allow this; other arguments may work.";
  if (status === 429)
    return "It receives too many requests at the moment and has refused this one; the same call may work later.";
  if (status >= 500 || status === 408) return "This is a fault of the service, probably not of the arguments.";
  return "The same call will fail again; the answer of the service may help to correct the arguments.";
}

/** The start of the body as text; empty if it is not a text. */
async function readStart(response: Response): Promise<string> {
  const type = mediaTypeOf(response);
  if (response.body === null || /^(?:image|audio|video|font)\/|octet-stream|pdf|zip/.test(type)) {
    void response.body?.cancel().catch(() => undefined);
    return "";
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= maxBodyBytes) break;
    }
  } catch {
    // The part that has arrived is enough, because the status is the failure.
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function toJson(text: string): unknown {
  if (text.length > maxBodyLength) return `${text.slice(0, maxBodyLength).toWellFormed()}…`;
  try {
    const value: unknown = JSON.parse(text);
    // Digits that would be rounded stay as they are written.
    return /\d{16}/.test(text) ? text : value;
  } catch {
    return text;
  }
}
