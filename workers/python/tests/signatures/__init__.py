"""Signatures of tools that people have written, in other words. The declaration of each is in the .json file beside."""
