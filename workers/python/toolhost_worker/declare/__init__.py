"""From a function to the declaration of a tool."""
