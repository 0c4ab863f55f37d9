"""The client of the service: requests, polls and answers (docs/workers.md has the protocol)."""
