"""Runs the calls that the service hands out."""
