"""What functions and classes say of themselves: docstrings and annotations."""
