/** A schema of an older draft: a recursion, a tuple and words that OpenAPI 3.1 spells otherwise. */
export const tool = {
  name: "plant_tree",
  description: "Counts the nodes of a tree.",
  parameters: {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "https://example.com/plant-tree.json",
    type: "object",
    properties: {
      root: { $ref: "#/definitions/node" },
      size: { type: "array", items: [{ type: "number" }, { type: "string" }], additionalItems: false },
    },
    dependencies: { size: ["root"] },
    definitions: {
      node: {
        type: "object",
        properties: { label: { type: "string" }, children: { type: "array", items: { $ref: "#/definitions/node" } } },
        required: ["label"],
      },
    },
  },
  response: { type: "integer" },
  execute: ({ root }) => (root === undefined ? 0 : count(root)),
};

function count({ children = [] }) {
  return children.reduce((sum, child) => sum + count(child), 1);
}
