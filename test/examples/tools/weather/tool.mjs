const degrees = { Oslo: 4, Lima: 19 };

export const tool = {
  name: "weather",
  description: "Tells the temperature in a city.",
  execute: async ({ city }) => {
    // The first call is the last to end: results must not stand in the order in which they came.
    if (city === "Oslo") await new Promise((resolve) => setTimeout(resolve, 50));
    return `${degrees[city]} degrees in ${city}`;
  },
};
