"""The client of the service: requests, registration, polls and answers (docs/workers.md has the protocol)."""
