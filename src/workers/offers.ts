import type { ToolGroup } from "../core/registry/tool-groups.ts";
import type { Registry } from "../core/registry/registry.ts";
import type { ToolWarning } from "../core/observer.ts";
import { bounds } from "./bounds.ts";
import { join, type Offer } from "./offer.ts";
import type { OfferedTool } from "./offered-tool.ts";
import type { Worker } from "./worker.ts";

/** What the answer to a registration says of a tool. */
export interface ToolState {
  readonly name: string;
  readonly state: "added" | "shared" | "refused";
  readonly reason?: string | undefined;
}

/** The tools of all workers, and which of their declarations is in force. */
export interface Offers {
  /** The offer with this declaration, if it is known. */
  find(offered: OfferedTool): Offer | undefined;
  /**
   * A worker offers a declaration from now on.
   * @param make makes the offer if nobody offered this declaration before
   */
  add(worker: Worker, offered: OfferedTool, make: () => Offer): ToolState;
  /** Forgets the tools of a name that no worker offers, except these; and the oldest of others, if there are many. */
  forgetGone(name: string, except: ReadonlySet<string>): void;
  /** Brings the registry up to date. @param all also what did not change, because settings did */
  publish(all?: boolean): void;
  /** The names of workers that have tools in the registry. */
  owners(): readonly string[];
  warningsOf(owner: string): ToolWarning[];
}

/** After the sources of every configuration. */
const rank = 1_000_000;

interface Entry {
  /** The name of the workers whose tool it is: its source. */
  owner: string;
  /** The last one that was registered comes last. */
  offers: Offer[];
}

export function createOffers(registry: Registry): Offers {
  const entries = new Map<string, Entry>();
  let published = new Map<string, readonly Offer[]>();

  const settle = (entry: Entry): void => {
    const current = currentOf(entry);
    entry.offers = entry.offers.filter((offer) => offer === current || offer.shares.size > 0);
    const names = [...current.shares].map(({ worker }) => worker.name);
    if (names.length > 0 && !entry.offers.some((offer) => isOfferedBy(offer, entry.owner))) entry.owner = names[0]!;
  };
  return {
    find: ({ name, key }) => entries.get(name)?.offers.find((offer) => offer.key === key),
    add(worker, offered, make) {
      const { name, key, note: reason } = offered;
      const holder = registry.find(name);
      if (holder !== undefined && !published.has(holder.source)) {
        return { name, state: "refused", reason: `the name is taken by the source "${holder.source}"` };
      }
      let entry = entries.get(name);
      // A tool that no worker offers does not keep its name from others.
      if (entry !== undefined && entry.owner !== worker.name && isGone(entry)) entry = undefined;
      const known = entry?.offers.find((offer) => offer.key === key);
      if (entry !== undefined && entry.owner !== worker.name && known !== currentOf(entry)) {
        const message = `the worker "${entry.owner}" offers a tool of this name with another declaration or other settings`;
        return { name, state: "refused", reason: message };
      }
      const state = known !== undefined && known.shares.size > 0 ? "shared" : "added";
      const offer = known ?? make();
      if (entry === undefined) entries.set(name, { owner: worker.name, offers: [offer] });
      // The last registration under the tool's own name decides which declaration new calls get.
      else if (entry.owner === worker.name) entry.offers = [...entry.offers.filter((other) => other !== offer), offer];
      join(worker, offer);
      return { name, state, reason };
    },
    forgetGone(name, except) {
      for (const [tool, entry] of entries) {
        if (entry.owner === name && !except.has(tool) && isGone(entry)) entries.delete(tool);
      }
      let gone = [...entries.values()].filter(isGone).length - bounds.goneTools;
      for (const [tool, entry] of entries) if (gone > 0 && isGone(entry) && entries.delete(tool)) gone--;
    },
    publish(all = false) {
      const next = new Map<string, Offer[]>();
      for (const entry of entries.values()) {
        settle(entry);
        const own = next.get(entry.owner);
        if (own === undefined) next.set(entry.owner, [currentOf(entry)]);
        else own.push(currentOf(entry));
      }
      const groups: ToolGroup[] = [];
      for (const source of published.keys()) if (!next.has(source)) groups.push({ source, tools: [] });
      for (const [source, offers] of next) {
        const before = published.get(source);
        const isSame = before?.length === offers.length && before.every((offer, index) => offer === offers[index]);
        if (!all && isSame) continue;
        const trustsAnnotations = offers.every((offer) => offer.trustsAnnotations);
        groups.push({ source, tools: offers.map(({ tool }) => tool), rank, trusted: false, trustsAnnotations });
      }
      published = next;
      if (groups.length > 0) registry.replaceAll(groups);
    },
    owners: () => [...published.keys()],
    warningsOf: (owner) => (published.get(owner) ?? []).flatMap(({ warnings }) => warnings),
  };
}

/** The offer that new calls get: the newest that some worker offers. */
function currentOf({ offers }: Entry): Offer {
  return offers.findLast(({ shares }) => shares.size > 0) ?? offers.at(-1)!;
}

function isGone({ offers }: Entry): boolean {
  return offers.every(({ shares }) => shares.size === 0);
}

function isOfferedBy(offer: Offer, name: string): boolean {
  for (const { worker } of offer.shares) if (worker.name === name) return true;
  return false;
}
