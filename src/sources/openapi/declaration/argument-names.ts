/** A place of the request, in the order in which a name that several have goes to the first. */
export const placeOrder = ["path", "query", "querystring", "header", "cookie", "body"] as const;

/** Names of arguments: a name that is taken gets its place behind it, `id_query`. No JSON door accepts the key `__proto__`. */
export function createArgumentNames(): (name: string, place: string) => string {
  const taken = new Set<string>(["__proto__"]);
  return (name, place) => {
    let argument = name;
    if (taken.has(argument)) argument = `${name}_${place === "querystring" ? "query" : place}`;
    while (taken.has(argument)) argument += "_";
    taken.add(argument);
    return argument;
  };
}
