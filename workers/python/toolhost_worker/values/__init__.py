"""Python types as JSON Schemas, and their values as JSON."""
